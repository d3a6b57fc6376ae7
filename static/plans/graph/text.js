// Widths and lengths of time, as the server writes them (core/layout/text.py, web/shown/values.py).
const THIN = new Set("ijlI.,:;'|!` "), SLIM = new Set('tfr()[]{}/\\-"'), BROAD = new Set("mwMW%@—…"), ELLIPSIS = 0.98;
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

function em(character) {
  if (THIN.has(character)) return 0.32;
  if (SLIM.has(character)) return 0.4;
  if (BROAD.has(character)) return 0.98;
  if (/[\p{M}\p{Cf}\p{Cc}]/u.test(character)) return 0;
  if (WIDE.test(character)) return 1;
  if (/\p{Nd}/u.test(character)) return 0.64;
  return /\p{Lu}/u.test(character) ? 0.7 : 0.61;
}

export const width = (text, size) => [...text].reduce((sum, character) => sum + em(character), 0) * size;

export function clip(text, room, size) {
  const characters = [...text.trim().replace(/\s+/g, " ")];
  let used = 0, fits = 0;
  for (let i = 0; i < characters.length; i++) {
    used += em(characters[i]);
    if (used > room / size) return characters.slice(0, fits).join("").trimEnd() + "…";
    if (used + ELLIPSIS <= room / size) fits = i + 1;
  }
  return characters.join("");
}

export const seconds = (from, to) => (Date.parse(to) - Date.parse(from)) / 1000;

// `exact`: a length that has ended shows parts of a second; a running one counts whole ones.
export function elapsed(value, exact = false) {
  if (exact && value < 1) return `${Math.round(Math.max(0, value) * 1000)} ms`;
  if (value < 60) return `${exact ? Number(value.toFixed(1)) : Math.floor(Math.max(0, value))} s`;
  const all = exact ? Math.round(value) : Math.floor(value), two = n => String(n).padStart(2, "0");
  const minutes = Math.floor(all / 60), hours = Math.floor(minutes / 60);
  if (minutes < 60) return `${minutes}m ${two(all % 60)}s`;
  return hours < 48 ? `${hours}h ${two(minutes % 60)}m` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

// One interval ticks the running nodes by the server's clock; text only, nothing while the tab is hidden.
export function ticking(stage) {
  const tick = () => {
    if (document.hidden) return;
    const svg = stage.querySelector("svg[data-now]");
    if (!svg) return;
    svg.clockSkew ??= Date.parse(svg.dataset.now) - Date.now();
    for (const time of svg.querySelectorAll(".time[data-since]")) {
      const text = elapsed((Date.now() + svg.clockSkew - Date.parse(time.dataset.since)) / 1000);
      if (time.textContent !== text) time.textContent = text;
    }
  };
  tick();
  setInterval(tick, 1000);
  document.addEventListener("visibilitychange", tick);
}
