// While a model writes a plan: [data-planning-area] shows how far it is, drawn by the server, at most once in PACE_MS.
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
    if (answer.ok) area.replaceChildren(...new DOMParser().parseFromString(await answer.text(), "text/html").body.childNodes);
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
