// Shows times in the viewer's zone. Without JavaScript they stay in UTC and say so.
const format = new Intl.DateTimeFormat(document.documentElement.lang || undefined, { dateStyle: "medium", timeStyle: "medium" });
for (const element of document.querySelectorAll("time[data-local]")) {
  element.title = element.textContent;
  element.textContent = format.format(new Date(element.dateTime));
}
for (const field of document.querySelectorAll("input[data-time-zone]")) {
  field.value = Intl.DateTimeFormat().resolvedOptions().timeZone || field.value;
}
