// The run page's lists and header follow the run. Works on the server's rows; without this file a reload shows the same.
//
// [data-task-row][data-key]: [data-icon] or <use data-use> (drawings of data-icons) [data-state-word] [data-elapsed] [data-attempt] [data-why], class s-STATE
// [data-run-state]: [data-icon] [data-state-word]; [data-run-elapsed]; [data-run-done]; [data-run-total]; [data-count="STATE"]
// [data-requests-area], [data-result-area]: drawn by the server, fetched when they change. [data-events-list]: rows are put before.
import { released } from "./live/press.js";
import { tick } from "./live/timers.js";

const AGAIN_MS = 1000;
const page = document.querySelector("[data-run]");
const base = `/runs/${encodeURIComponent(page?.dataset.run ?? "")}`;
const words = document.getElementById("live")?.dataset ?? {};
const rows = new Map();
for (const row of document.querySelectorAll("[data-task-row]")) {
  rows.set(row.dataset.key, [...(rows.get(row.dataset.key) ?? []), row]);
}

let drawnResult = page?.dataset.ended ?? "";
let drawnRequests = drawn().join();

function drawn() {
  return [...document.querySelectorAll("[data-request]")].map(element => element.dataset.request);
}

const find = (root, name) => root.querySelector(`[data-${name}]`);

function write(element, text) {
  if (!element) return;
  const value = text ?? "";
  if (element.textContent !== String(value)) element.textContent = value;
  element.hidden = value === "";
}

// The state is the one class that begins with s-.
function look(element, { css, icon, symbol, label, state, until }) {
  for (const name of [...element.classList]) if (name.startsWith("s-")) element.classList.remove(name);
  element.classList.add(css);
  element.dataset.state = state;
  write(find(element, "icon"), icon);
  find(element, "use")?.setAttribute("href", `${page.dataset.icons}#${symbol}`);
  write(find(element, "state-word"), until ? `${label} ${new Date(until).toLocaleTimeString()}` : label);
}

function elapse(element, { started_at: startedAt, ended_at: endedAt }) {
  if (!element) return;
  element.dataset.startedAt = startedAt ?? "";
  if (endedAt) element.dataset.endedAt = endedAt;
  else delete element.dataset.endedAt;
}

function tasks({ detail }) {
  for (const task of detail.tasks) {
    for (const row of rows.get(task.key) ?? []) {
      look(row, task);
      elapse(find(row, "elapsed"), task);
      write(find(row, "attempt"), task.attempt > 1 ? (words.attempt ?? "attempt %(n)s").replace("%(n)s", task.attempt) : "");
      write(find(row, "items"), task.items);
      write(find(row, "why"), task.error);
    }
  }
  tick();
}

function header({ detail: { run } }) {
  for (const pill of document.querySelectorAll("[data-run-state]")) look(pill, run);
  for (const element of document.querySelectorAll("[data-run-elapsed]")) elapse(element, run);
  for (const element of document.querySelectorAll("[data-run-done]")) write(element, run.done);
  for (const element of document.querySelectorAll("[data-run-total]")) write(element, run.total);
  for (const element of document.querySelectorAll("[data-count]")) count(element, run.counts[element.dataset.count] ?? 0);
  write(document.querySelector("[data-run-error]"), run.error);
  bar(run);
  for (const element of document.querySelectorAll("[data-while-moving]")) element.hidden = !run.moves;
  for (const element of document.querySelectorAll("[data-while-open]")) element.hidden = run.is_terminal;
  for (const element of document.querySelectorAll("[data-while-ended]")) element.hidden = !run.is_terminal;
  for (const element of document.querySelectorAll("[data-while-pausable]")) element.hidden = !run.pausable;
  for (const element of document.querySelectorAll("[data-while-resumable]")) element.hidden = !run.resumable;
  if (run.is_terminal && run.state !== drawnResult) {
    drawnResult = run.state;
    area("[data-result-area]", "/result");
  }
  if (isNewPlan(run)) reload();
  tick();
}

function count(element, n) {
  write(element, n);
  const item = element.closest("[data-count-item]");
  if (item) item.hidden = !n;
}

// The bar is SVG with percentages as attributes: no style attribute is needed, so a strict CSP holds.
function bar(run) {
  let before = 0;
  for (const part of document.querySelectorAll("[data-bar]")) {
    const share = run.total ? 100 * (run.counts[part.dataset.bar] ?? 0) / run.total : 0;
    part.setAttribute("x", `${before}%`);
    part.setAttribute("width", `${share}%`);
    before += share;
  }
}

// Rows for a plan that this page was not drawn with cannot be made here.
function isNewPlan(run) {
  const known = page.dataset.revision;
  return known !== undefined && String(run.revision ?? "") !== known;
}

function isTyping(root) {
  const fields = root.querySelectorAll("textarea, select, input:not([type=hidden])");
  return [...fields].some(field => field === document.activeElement || isChanged(field));
}

function isChanged(field) {
  if (field.tagName === "SELECT") return [...field.options].some(option => option.selected !== option.defaultSelected);
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  return field.value !== field.defaultValue;
}

async function reload() {
  await released();
  if (isTyping(document)) return;
  delete page.dataset.revision;
  location.reload();
}

const asked = new Map();

// Fetch a server-drawn area and put it in place, one request at a time; never under the hands of someone who types in it.
async function area(selector, path) {
  const place = document.querySelector(selector);
  if (!place) return;
  const turn = asked.get(selector) ?? { isOpen: false, isStale: false };
  asked.set(selector, turn);
  turn.isStale = turn.isOpen || isTyping(place);
  turn.again = () => area(selector, path);
  if (turn.isStale) return;
  turn.isOpen = true;
  try {
    const answer = await fetch(base + path, { redirect: "manual", credentials: "same-origin" });
    const text = answer.ok ? await answer.text() : null;
    await released();
    if (text !== null) turn.isStale ||= !swap(place, text);
  } catch {
    turn.isStale = true;
  }
  turn.isOpen = false;
  if (turn.isStale && !isTyping(place)) setTimeout(turn.again, AGAIN_MS);
}

// What could not be put in place while someone typed comes when the fields are left as they were.
function typed() {
  for (const turn of asked.values()) if (turn.isStale && !turn.isOpen) turn.again();
}

function swap(place, html) {
  if (isTyping(place)) return false;
  const hadFocus = place.contains(document.activeElement);
  const made = new DOMParser().parseFromString(html, "text/html");
  place.replaceChildren(...made.body.childNodes);
  dispatchEvent(new CustomEvent("plans:swapped", { detail: { place } }));
  if (hadFocus) document.getElementById("main")?.focus({ preventScroll: true });
  return true;
}

// What was decided elsewhere settles here: buttons go, the name of who decided comes; then the area is drawn anew.
function requests({ detail: { requests: now } }) {
  for (const request of now.changed) {
    if (request.state !== "open") settle(request);
  }
  const open = now.open.map(request => request.id).join();
  if (open === drawnRequests) return;
  drawnRequests = open;
  area("[data-requests-area]", "/requests");
}

function settle(request) {
  for (const place of document.querySelectorAll("[data-request]")) {
    if (place.dataset.request !== request.id || place.dataset.decided) continue;
    place.dataset.decided = "true";
    for (const button of place.querySelectorAll("button, input[type=submit]")) button.disabled = true;
    const note = document.createElement("p");
    note.className = "note";
    note.dataset.decidedBy = request.by ?? "";
    const text = request.by ? words.decided ?? "This has been decided by %(name)s." : words.closed ?? "This is no longer open.";
    note.textContent = text.replace("%(name)s", request.by ?? "");
    (place.querySelector("form") ?? place).prepend(note);
  }
}

function events({ detail }) {
  if (detail.events.some(event => event.kind === "model.called")) area("[data-cost-area]", "/cost");
  const list = document.querySelector("[data-events-list]");
  if (!list) return;
  const newest = Number(list.querySelector("[data-seq]")?.dataset.seq ?? 0);
  const most = Number(list.dataset.most ?? 100);
  for (const event of detail.events.slice(-most)) if (event.seq > newest) list.prepend(line(event));
  while (list.children.length > most) list.lastElementChild.remove();
}

function line(event) {
  const item = document.createElement("li");
  item.dataset.seq = event.seq;
  if (event.css) item.className = event.css;
  const at = document.createElement("time");
  at.dateTime = event.at;
  at.title = event.at;
  at.textContent = new Date(event.at).toLocaleTimeString(document.documentElement.lang || undefined);
  const when = document.createElement("span");
  when.append(at);
  const text = document.createElement("span");
  text.dir = "auto";
  text.textContent = [event.text, event.why, event.actor && `(${event.actor})`].filter(Boolean).join(" ");
  item.append(when, text);
  return item;
}

if (page) {
  addEventListener("plans:tasks", tasks);
  addEventListener("plans:run", header);
  addEventListener("plans:requests", requests);
  addEventListener("plans:events", events);
  document.addEventListener("focusout", () => setTimeout(typed, 0));
}
