// While a model writes a plan: [data-planning-area] shows how far it is, drawn by the server, at most once in PACE_MS.
import { released } from "./live/press.js";

const page = document.querySelector("[data-run]");
const PACE_MS = 700;
let isLooking = false, isStale = false;

async function look() {
  const area = document.querySelector("[data-planning-area]");
  isStale = isLooking || !area;
  if (isStale) return;
  isLooking = true;
  try {
    const answer = await fetch(`/runs/${encodeURIComponent(page.dataset.run)}/plan/progress`, { redirect: "manual" });
    const text = answer.ok ? await answer.text() : null;
    await released();
    if (text !== null) area.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
  } catch {
    isStale = true;
  }
  setTimeout(() => {
    isLooking = false;
    if (isStale) look();
  }, PACE_MS);
}

addEventListener("plans:events", ({ detail: { events } }) => {
  if (events.some(event => event.kind === "planning.progress")) look();
});
