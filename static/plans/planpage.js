// The Plan page: a plan that is being made appears by itself, a decision taken elsewhere settles, a node leads to its step.
import { localise } from "./times.js";

const main = document.querySelector("[data-plan-state]");

async function fetched() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected) return null;
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

function swap(fresh, name) {
  const old = main.querySelector(`[data-plan-${name}]`), now = fresh.querySelector(`[data-plan-${name}]`);
  if (!old || !now) return;
  old.replaceWith(document.adoptNode(now));
  localise(main);
}

async function renew(state) {
  const before = main.dataset.planState;
  const fresh = await fetched();
  if (!fresh) return;
  const wasPlanning = before.startsWith("planning/"), isSamePlan = before.split("/")[1] === state.split("/")[1];
  main.dataset.planState = fresh.querySelector("[data-plan-state]")?.dataset.planState ?? state;
  if (wasPlanning) {
    swap(fresh, "page");
    if (main.querySelector("[data-graph]")) await import(main.dataset.graphModule);
  } else if (isSamePlan) {
    swap(fresh, "head");
    swap(fresh, "decision");
  } else {
    location.reload();
  }
}

let asking = Promise.resolve();

addEventListener("plans:run", ({ detail: { run } }) => {
  const state = `${run.state}/${run.revision ?? ""}`;
  asking = asking.then(() => (state === main.dataset.planState ? null : renew(state))).catch(() => null);
});

addEventListener("plans:select", ({ detail: { key } }) => {
  for (const step of main.querySelectorAll("[data-step]")) {
    if (step.dataset.step !== key) {
      step.removeAttribute("aria-current");
      continue;
    }
    step.setAttribute("aria-current", "true");
    step.scrollIntoView({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  }
});
