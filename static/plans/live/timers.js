// Elapsed times that tick each second by the server's clock: [data-started-at], stopped by data-ended-at, still in hidden tabs.
let ahead = 0;
let isSet = false;

// The server's clock is what the times come from; this machine's may be wrong by hours.
export function clock(serverTime) {
  const at = Date.parse(serverTime);
  if (Number.isNaN(at)) return;
  ahead = at - Date.now();
  if (!isSet) tick();
  isSet = true;
}

// The same two largest units as the server's `duration`; a running time has no parts of a second.
export function duration(ms, isRunning = false) {
  const seconds = Math.max(0, ms) / 1000;
  if (isRunning && seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1).replace(/\.0$/, "")} s`;
  const whole = isRunning ? Math.floor(seconds) : Math.round(seconds);
  const two = n => String(n).padStart(2, "0");
  const minutes = Math.floor(whole / 60), hours = Math.floor(minutes / 60);
  if (minutes < 60) return `${minutes}m ${two(whole % 60)}s`;
  if (hours < 48) return `${hours}h ${two(minutes % 60)}m`;
  return `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

export function tick(root = document) {
  const now = Date.now() + ahead;
  for (const element of root.querySelectorAll("[data-started-at]")) {
    const { startedAt, endedAt } = element.dataset;
    const text = startedAt ? duration((endedAt ? Date.parse(endedAt) : now) - Date.parse(startedAt), !endedAt) : "";
    if (element.textContent !== text) element.textContent = text;
  }
}

export function start() {
  const root = document.querySelector("[data-server-time]");
  if (root) clock(root.dataset.serverTime);
  setInterval(() => { if (!document.hidden) tick(); }, 1000);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) tick(); });
}
