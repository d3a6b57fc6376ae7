// The list of events goes on at its top, under the filter of the address; each event once.
import { released } from "../live/press.js";
import { clock } from "./clocks.js";

const MOST = 200;
const PROBLEMS = new Set([
  "task.failed", "task.retrying", "task.lost", "task.interrupted", "run.failed", "run.stuck", "plan.failed", "request.expired",
]);

const isWanted = (event, kinds) =>
  !kinds.length || kinds.some(kind => (kind === "problem" ? PROBLEMS.has(event.kind) : event.kind.startsWith(kind)));

export function events(page) {
  const add = list => {
    const place = page.querySelector("[data-run-events]"), model = page.querySelector("[data-event-row]");
    if (!place || !model) return;
    const kinds = (place.dataset.kinds ?? "").split(" ").filter(Boolean);
    for (const event of list) {
      const newest = Number(place.querySelector("[data-event]")?.dataset.event ?? 0);
      if (event.seq > newest && isWanted(event, kinds)) place.prepend(row(model, event, page.dataset.icons));
    }
    while (place.children.length > MOST) place.lastElementChild.remove();
    page.querySelector("[data-no-events]")?.toggleAttribute("hidden", place.children.length > 0);
  };
  // What came while the list was on its way is put before it.
  let recent = [];
  addEventListener("plans:events", ({ detail }) => {
    recent = [...recent, ...detail.events].slice(-MOST);
    const last = detail.events.at(-1)?.seq;
    for (const count of page.querySelectorAll("[data-event-count]")) if (last) count.textContent = last;
    released().then(() => add(detail.events));
  });
  addEventListener("plans:drawn", () => add(recent));
}

function row(model, event, sprite) {
  const item = model.content.firstElementChild.cloneNode(true);
  item.dataset.event = event.seq;
  if (event.css) item.className = event.css;
  const time = item.querySelector("time");
  time.dateTime = event.at;
  clock(time);
  item.querySelector("[data-use]").setAttribute("href", `${sprite}#${event.symbol ?? "info"}`);
  item.querySelector("[data-text]").textContent = [event.text, event.why].filter(Boolean).join(" ");
  item.querySelector("[data-actor]").textContent = event.actor ?? "";
  return item;
}
