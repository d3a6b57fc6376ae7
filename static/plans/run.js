// The run page: tabs and the panel of a task without a reload, the timeline and the events live, keys for deciding.
// Without this file every link loads the page it names.
import { events } from "./run/events.js";
import { panel } from "./run/panel.js";
import { tabs } from "./run/tabs.js";
import { clocks } from "./run/clocks.js";
import { asks } from "./run/asks.js";
import { why } from "./run/why.js";
import "./planning.js";

const page = document.querySelector("[data-run]");
if (page) {
  clocks(document);
  // A plan that was approved elsewhere: this page was drawn before there were rows.
  const isEmpty = !page.querySelector("[data-run-total]");
  addEventListener("plans:run", ({ detail: { run } }) => { if (isEmpty && run.total) location.reload(); });
  tabs(page);
  panel(page);
  events(page);
  asks(page);
  why(page);
}
