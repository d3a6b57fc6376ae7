// Parts of the page from the server: fetched once at a time, the newest wish wins; what cannot be fetched is loaded as a page.
import { clocks } from "./clocks.js";
import { released } from "../live/press.js";
import { tick } from "../live/timers.js";

export async function part(path, query) {
  try {
    const answer = await fetch(`${path}${query}`, { redirect: "manual", credentials: "same-origin" });
    const text = answer.ok ? await answer.text() : null;
    await released();
    return text;
  } catch {
    return null;
  }
}

export function put(place, html) {
  const made = new DOMParser().parseFromString(html, "text/html");
  clocks(made);
  place.replaceChildren(...made.body.childNodes);
  tick(place);
}

// Calls `work` at once, then at most once in `ms`; a call in between is made up for at the end.
export function seldom(work, ms) {
  let timer = null, again = false;
  const turn = async () => {
    again = false;
    timer = setTimeout(() => { timer = null; if (again) turn(); }, ms);
    await work();
  };
  return () => { if (timer) again = true; else turn(); };
}

export const base = page => `/runs/${encodeURIComponent(page.dataset.run)}`;
