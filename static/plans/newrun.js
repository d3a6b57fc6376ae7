// New run: counts, refuses a goal that is too short before anything is sent, keeps a draft, sends with Ctrl or Cmd + Enter.
import { dropZones } from "./newrun/drop.js";
import { Draft } from "./newrun/draft.js";

const LONGEST_ASKED = 500;
const form = document.querySelector("[data-goal-form]");
// What the server counts double: wide characters say as much as two letters.
const WIDE = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

const signs = text => [...text];
const saidLength = text => signs(text).reduce((sum, sign) => sum + (WIDE.test(sign) ? 2 : 1), 0);

function counting(goal) {
  const place = form.querySelector("[data-count]");
  const count = () => { place.textContent = `${signs(goal.value).length} / ${place.dataset.most}`; };
  place.hidden = false;
  goal.addEventListener("input", count);
  count();
}

function refuse(goal) {
  let list = document.getElementById("id_goal_error");
  if (!list) {
    list = document.createElement("ul");
    list.id = "id_goal_error";
    list.className = "errorlist";
    goal.closest(".field").querySelector(".spread").after(list);
  }
  const line = document.createElement("li");
  line.textContent = form.dataset.tooShort;
  list.replaceChildren(line);
  goal.setAttribute("aria-invalid", "true");
  goal.setAttribute("aria-describedby", "id_goal_helptext id_goal_error");
  goal.focus();
}

function accept(goal) {
  document.getElementById("id_goal_error")?.replaceChildren();
  goal.removeAttribute("aria-invalid");
}

if (form) {
  const goal = form.querySelector("#id_goal");
  const draft = new Draft(form, goal);
  draft.restore();
  counting(goal);
  // Before the listener that lets a form be sent only once.
  form.addEventListener("submit", event => {
    const needsGoal = event.submitter?.name !== "remove";
    if (needsGoal && saidLength(goal.value.trim()) < Number(form.dataset.shortest)) {
      event.preventDefault();
      refuse(goal);
    } else {
      draft.sent();
    }
  });
  goal.addEventListener("input", () => {
    if (goal.getAttribute("aria-invalid") && saidLength(goal.value.trim()) >= Number(form.dataset.shortest)) accept(goal);
  });
  goal.addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit(form.querySelector("button[name=plan]"));
    }
  });
  // A suggestion needs no more than the beginning of a long goal, and an address only holds so much.
  document.addEventListener("htmx:configRequest", event => {
    const asked = event.detail.parameters;
    if (event.detail.path.endsWith("/suggestions")) asked.goal = signs(goal.value).slice(0, LONGEST_ASKED).join("");
  });
  // A goal that is there already is met with suggestions as well, once htmx listens.
  document.addEventListener("DOMContentLoaded", () => {
    if (goal.value) goal.dispatchEvent(new Event("suggest"));
  });
}
dropZones();
