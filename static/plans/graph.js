// The graph of a plan or a run. Works on the server's SVG; without this file the same SVG scrolls and its links work.
//
// In:  window event "plans:tasks", detail {tasks: [{key, state, label, attempt, started_at, ended_at, until}]}
// Out: window event "plans:select", detail {key, url} (key null: nothing selected): whoever shows the panel listens.
import { Highlight } from "./graph/find.js";
import { fetched, fold } from "./graph/fold.js";
import { Follow } from "./graph/follow.js";
import { Index } from "./graph/index.js";
import { anywhere, inGraph, rove, roving } from "./graph/keyboard.js";
import { pointers } from "./graph/pointer.js";
import { ticking } from "./graph/text.js";
import { boxOf, View } from "./graph/view.js";

const FIRST_SCALE = 0.78, SAID_MS = 2500;

class Graph {
  constructor(host) {
    this.host = host;
    this.stage = host.querySelector("[data-graph-stage]");
    this.status = host.querySelector("[data-graph-status]");
    this.words = this.status.dataset;
    this.queue = new Map();
    this.recent = [];
    this.frame = 0;
    this.folds = folds();
    this.mount();
    this.highlight = new Highlight(this);
    this.follow = new Follow(this);
    this.controls();
    this.start();
    host.dataset.ready = "";
  }

  mount() {
    this.svg = this.stage.querySelector("svg.dag");
    this.host.classList.toggle("is-live", Boolean(this.svg));
    if (!this.svg) return;
    this.view = new View(this.svg);
    this.index = new Index(this.svg, this.words);
    pointers(this.svg, this.view, {
      moved: () => this.follow.stop(),
      panning: on => this.host.classList.toggle("is-panning", on),
      leaveWheel: this.host.dataset.wheel === "page",
    });
    inGraph(this.svg, this.index, { move: element => this.focus(element) });
    this.svg.addEventListener("click", event => this.click(event));
  }

  // First look: readable rather than complete, at the selected task, the running one, or where a person is needed.
  start() {
    if (!this.svg) return;
    this.view.fit(FIRST_SCALE);
    const selected = new URLSearchParams(location.search).get("task");
    if (selected) this.light(selected);
    const entry = (selected && this.index.shown(selected)) || this.index.first(["waiting", "failed", "retrying", "ready"]);
    if (selected && entry) this.view.reveal(boxOf(entry.node), false);
    else if (!this.follow.update(false) && entry) this.view.reveal(boxOf(entry.node), false);
    this.highlight.again();
  }

  controls() {
    ticking(this.stage);
    roving(this.stage);
    // A graph in a closed tab has no size: it is fitted when the tab opens.
    let hidden = !this.host.getClientRects().length;
    new ResizeObserver(() => {
      if (!this.svg || !this.host.getClientRects().length) return;
      if (hidden) this.start(); else this.view.resize();
      hidden = false;
    }).observe(this.host);
    this.host.querySelector("[data-graph-zoom]")?.addEventListener("click", event => {
      const wanted = event.target.closest("[data-zoom]")?.dataset.zoom;
      if (wanted && this.svg) this.keys[{ in: "+", out: "-", fit: "f" }[wanted]]();
    });
    anywhere(this.host, this.keys);
    addEventListener("popstate", () => this.back());
    addEventListener("plans:tasks", event => this.applyStates(event.detail.tasks));
  }

  keys = {
    f: () => this.view?.fit(),
    "+": () => this.view?.zoom(1.25),
    "=": () => this.view?.zoom(1.25),
    "-": () => this.view?.zoom(0.8),
    r: () => this.follow.turn(true),
    "/": () => { this.highlight.field?.focus(); this.highlight.field?.select(); },
  };

  click(event) {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest(".node, .g-head");
    if (!link) return;
    if (link.dataset.group === undefined) {
      event.preventDefault();
      this.select(link.dataset.key, link.getAttribute("href"));
    } else if (this.host.dataset.source) {
      event.preventDefault();
      fold(this, link).then(() => { this.folds = folds(); });
    }
  }

  select(key, href) {
    const url = new URL(location.href);
    if (key === null) url.searchParams.delete("task");
    else url.searchParams.set("task", key);
    if (url.href !== location.href) history.pushState({}, "", url);
    this.light(key);
    dispatchEvent(new CustomEvent("plans:select", { detail: { key, url: href ?? url.search } }));
  }

  // Show a task as selected and light the edges that come to it and leave it.
  light(key) {
    for (const element of this.svg?.querySelectorAll(".is-sel, .is-lit") ?? []) element.classList.remove("is-sel", "is-lit");
    const entry = key && this.index?.shown(key);
    if (!entry) return;
    entry.node.classList.add("is-sel");
    rove(this.svg, entry.node);
    for (const edge of [...entry.into, ...entry.out]) edge.classList.add("is-lit");
  }

  async back() {
    if (this.svg && this.host.dataset.source && folds() !== this.folds) {
      this.folds = folds();
      await fetched(this, location.search);
    }
    const key = new URLSearchParams(location.search).get("task");
    this.light(key);
    dispatchEvent(new CustomEvent("plans:select", { detail: { key, url: location.search } }));
  }

  focus(element) {
    this.follow.stop();
    rove(this.svg, element);
    element.focus({ preventScroll: true });
    this.show(element);
  }

  show(element) { this.view.reveal(boxOf(element)); }

  // Put states on: many calls, one frame.
  applyStates(tasks) {
    for (const task of tasks) this.queue.set(task.key, task);
    if (this.fetching) this.recent.push(...tasks);
    if (this.frame || !this.queue.size) return;
    this.frame = requestAnimationFrame(() => this.flush());
  }

  flush() {
    this.frame = 0;
    const tasks = [...this.queue.values()];
    this.queue.clear();
    if (!this.svg) return;
    this.index.apply(tasks);
    this.highlight.again();
    this.follow.update();
  }

  // What arrives while a new SVG is on its way is put on it again.
  expect() { this.fetching = true; this.recent = []; }

  // Put a fetched SVG in place; null: nothing came, the old one stays.
  swap(html) {
    const selected = new URLSearchParams(location.search).get("task"), missed = this.recent;
    this.fetching = false;
    this.recent = [];
    if (html === null) return;
    this.stage.innerHTML = html;
    this.mount();
    if (!this.svg) return;
    this.light(selected);
    this.highlight.again();
    this.applyStates(missed);
  }

  say(text) {
    this.status.textContent = text;
    this.status.classList.add("is-shown");
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.status.classList.remove("is-shown"), SAID_MS);
  }
}

// What the address says about folds.
const folds = () => new URLSearchParams([...new URLSearchParams(location.search)].filter(([name]) => name === "fold" || name === "open")).toString();

const host = document.querySelector("[data-graph]");
export const graph = host ? new Graph(host) : null;
export const applyStates = tasks => graph?.applyStates(tasks);
