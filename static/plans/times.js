// Shows times in the viewer's zone, in short where there is little room. Without JavaScript they stay in UTC and say so.
const language = document.documentElement.lang || undefined;
const long = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });
const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });
const dayOfYear = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", year: "numeric" });
const nearby = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
const DAY_MS = 24 * 3600 * 1000;

const midnight = at => new Date(at.getFullYear(), at.getMonth(), at.getDate());

function short(at) {
  const now = new Date();
  const days = Math.round((midnight(at) - midnight(now)) / DAY_MS);
  if (days === 0 || days === -1) return `${nearby.format(days, "day")} ${clock.format(at)}`;
  if (at.getFullYear() === now.getFullYear()) return `${day.format(at)} ${clock.format(at)}`;
  return dayOfYear.format(at);
}

// Parts of a page that come later are treated the same: each time only once.
export function localise(root = document) {
  for (const element of root.querySelectorAll("time[data-local]:not([data-said])")) {
    const at = new Date(element.dateTime);
    element.dataset.said = "";
    element.title = element.dataset.local === "short" ? long.format(at) : element.textContent;
    element.textContent = element.dataset.local === "short" ? short(at) : long.format(at);
  }
}

localise();
document.addEventListener("htmx:afterSwap", event => localise(event.target));
for (const field of document.querySelectorAll("input[data-time-zone]")) {
  field.value = Intl.DateTimeFormat().resolvedOptions().timeZone || field.value;
}
