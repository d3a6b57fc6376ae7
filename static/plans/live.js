// Every page, live: follows the run the page shows (an element with data-run and data-seq) or only the inbox, and tells others.
//
// Out, on window: "plans:tasks" {tasks, isAll}, "plans:run" {run}, "plans:requests" {requests}, "plans:events" {events, isAll},
// "plans:inbox" {open, label}, "plans:connection" {state}. Modules listen; nothing is decided here and nothing is sent but "seen".
import { Connection } from "./live/connection.js";
import { Status } from "./live/status.js";
import * as timers from "./live/timers.js";

// Only these are said aloud: never each state, never a timer.
const SAID = new Set([
  "request.opened", "task.failed", "plan.failed", "run.succeeded", "run.failed", "run.cancelled", "run.stuck",
]);

const page = document.querySelector("[data-run]");
const run = page?.dataset.run ?? "";
const status = new Status(document.getElementById("live"));
let seq = /^\d+$/.test(page?.dataset.seq ?? "") ? Number(page.dataset.seq) : null;
let runLabel = page?.dataset.label ?? "";

function tell(name, detail) {
  dispatchEvent(new CustomEvent(`plans:${name}`, { detail }));
}

function receive(frame) {
  if (frame.server_time) timers.clock(frame.server_time);
  if (frame.type === "inbox") inbox(frame);
  if (frame.inbox) inbox(frame.inbox);
  if (frame.type === "snapshot") take(frame, frame.events, true);
  if (frame.type === "events") events(frame);
}

// Old numbers are dropped, a gap is answered by everything.
function events(frame) {
  if (seq !== null && frame.to <= seq) return;
  if (seq === null || frame.from > seq + 1) {
    connection.snapshot();
    return;
  }
  const fresh = frame.events.filter(event => event.seq > seq);
  take(frame, fresh, false);
  for (const event of fresh) {
    if (SAID.has(event.kind)) status.announce(event.why ? `${event.text} ${event.why}` : event.text);
  }
}

function take(frame, list, isAll) {
  seq = frame.to;
  if (page) page.dataset.seq = seq;
  connection.say({ type: "seen", seq });
  retitle(frame.run.label);
  if (frame.tasks.length) tell("tasks", { tasks: frame.tasks, isAll });
  tell("run", { run: frame.run });
  tell("requests", { requests: frame.requests });
  if (list.length) tell("events", { events: list, isAll });
}

// A title that begins with the word of the run's state goes with it.
function retitle(label) {
  const base = status.base;
  if (runLabel && label !== runLabel && base.startsWith(`${runLabel}:`)) status.title(label + base.slice(runLabel.length));
  if (label) runLabel = label;
}

function inbox({ open, label }) {
  status.waiting(open, label);
  tell("inbox", { open, label });
}

function changed(state, before) {
  document.documentElement.dataset.connection = state;
  status.connection(state, before);
  tell("connection", { state });
}

const connection = new Connection({
  socket: run ? `/ws/runs/${encodeURIComponent(run)}/` : "/ws/inbox/",
  poll: run ? `/runs/${encodeURIComponent(run)}/live` : "/inbox/live",
  seq: () => seq,
  receive,
  changed,
});

// Modules of the page that stand after this one must have their listeners before the first frame.
function start() {
  timers.start();
  connection.start();
}

if (document.readyState === "complete") start();
else addEventListener("DOMContentLoaded", start, { once: true });
