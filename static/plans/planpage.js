// The Plan page: a plan that is being made appears by itself, a decision taken elsewhere settles, a node leads to its step.
// Nothing is put under the hands of somebody who types.
import "./planning.js";
import { released } from "./live/press.js";
import { localise } from "./times.js";

const main = document.querySelector("[data-plan-state]");

async function fetched() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected) return null;
  const text = await answer.text();
  await released();
  return new DOMParser().parseFromString(text, "text/html");
}

function swap(fresh, name) {
  const old = main.querySelector(`[data-plan-${name}]`), now = fresh.querySelector(`[data-plan-${name}]`);
  if (!old || !now) return;
  old.replaceWith(document.adoptNode(now));
  localise(main);
}

function isTyping() {
  const fields = main.querySelectorAll("[data-plan-page] textarea, [data-asks] input:not([type=hidden])");
  return [...fields].some(field => field === document.activeElement || field.value !== field.defaultValue);
}

async function wholePage(fresh) {
  swap(fresh, "page");
  main.dataset.asked = fresh.querySelector("[data-plan-state]")?.dataset.asked ?? "";
  if (main.querySelector("[data-graph]")) await import(main.dataset.graphModule);
}

async function renew(state) {
  const before = main.dataset.planState;
  const fresh = await fetched();
  if (!fresh) return;
  const wasPlanning = before.startsWith("planning/"), isSamePlan = before.split("/")[1] === state.split("/")[1];
  main.dataset.planState = fresh.querySelector("[data-plan-state]")?.dataset.planState ?? state;
  if (wasPlanning || state.startsWith("planning/")) {
    await wholePage(fresh);
  } else if (isSamePlan) {
    swap(fresh, "head");
    swap(fresh, "decision");
  } else if (isTyping()) {
    // What is typed stays; the server refuses what was meant for another revision.
    for (const note of main.querySelectorAll("[data-plan-changed]")) note.hidden = false;
  } else {
    location.reload();
  }
}

let asking = Promise.resolve();

addEventListener("plans:run", ({ detail: { run } }) => {
  const state = `${run.state}/${run.revision ?? ""}`;
  asking = asking.then(() => (state === main.dataset.planState ? null : renew(state))).catch(() => null);
});

// Questions and failures of planning, and drafts that came beside the plan, are drawn by the server.
async function anew() {
  if (isTyping()) return;
  const fresh = await fetched();
  if (fresh && !isTyping()) await wholePage(fresh);
}

addEventListener("plans:requests", ({ detail: { requests } }) => {
  const open = requests.open.filter(each => each.kind !== "plan_approval").map(each => `${each.id} `).join("");
  if (open === (main.dataset.asked ?? "")) return;
  main.dataset.asked = open;
  asking = asking.then(anew).catch(() => null);
});

addEventListener("plans:events", ({ detail: { events } }) => {
  const isBeside = main.dataset.planState.startsWith("review/") && main.querySelector("[data-planning-area]");
  const hasEnded = events.some(event => ["plan.drafted", "plan.failed", "task.succeeded", "task.failed"].includes(event.kind));
  if (isBeside && hasEnded) asking = asking.then(anew).catch(() => null);
});

// Asking for changes needs to say which.
document.addEventListener("submit", event => {
  if (!event.submitter?.matches("[data-needs-comment]")) return;
  const comment = event.target.querySelector("[data-comment]");
  const field = comment?.querySelector("textarea");
  if (!field || field.value.trim()) return;
  event.preventDefault();
  comment.open = true;
  field.focus();
}, { capture: true });

document.addEventListener("click", event => {
  const link = event.target.closest?.("[data-step-link]");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  dispatchEvent(new CustomEvent("plans:select", { detail: { key: link.dataset.stepLink } }));
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
