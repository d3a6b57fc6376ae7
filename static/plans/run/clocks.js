// Times of events: the hour in the viewer's zone, the whole moment on hover.
const language = document.documentElement.lang || undefined;
const hour = new Intl.DateTimeFormat(language, { timeStyle: "medium", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(language, { month: "short", day: "numeric" });
const whole = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "long" });
const local = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });

export function clock(element) {
  const at = new Date(element.dateTime), isToday = at.toDateString() === new Date().toDateString();
  element.textContent = isToday ? hour.format(at) : `${day.format(at)} ${hour.format(at)}`;
  element.title = whole.format(at);
}

// Also the other times of a part that was fetched: times.js has seen only the first page.
export function clocks(root) {
  for (const element of root.querySelectorAll("time[data-clock]")) clock(element);
  if (root === document) return;
  for (const element of root.querySelectorAll("time[data-local]")) {
    element.title = element.textContent;
    element.textContent = local.format(new Date(element.dateTime));
  }
}
