// After ten seconds without an event the page says why. The line has its place from the first paint on: nothing moves
// under the pointer when the sentences come.
import { base, part, put } from "./fetching.js";

const QUIET_MS = 10_000, AGAIN_MS = 5_000;

export function why(page) {
  const place = page.querySelector("[data-why]");
  if (!place) return;
  let last = Date.now(), isOver = false, asked = 0;
  const quiet = isQuiet => place.toggleAttribute("data-quiet", isQuiet);
  if (place.hasAttribute("data-quiet")) last -= QUIET_MS;

  addEventListener("plans:events", ({ detail }) => {
    if (!detail.events.length) return;
    last = Date.now();
    quiet(false);
  });
  addEventListener("plans:run", ({ detail: { run } }) => {
    isOver = run.is_terminal;
    if (isOver) place.hidden = true;
  });
  setInterval(async () => {
    const now = Date.now();
    if (isOver || document.hidden || now - last < QUIET_MS || now - asked < AGAIN_MS) return;
    asked = now;
    const html = await part(`${base(page)}/why`, "");
    // Something may have moved while the answer was on its way, or somebody reads it with the keyboard.
    if (html === null || Date.now() - last < QUIET_MS || place.contains(document.activeElement)) return;
    put(place, html);
    quiet(true);
  }, 1000);
}
