// Follow running: on by default, off by a manual pan, back with one click. Moves only when the newest task is out of sight.
import { boxOf } from "./view.js";

export class Follow {
  constructor(graph) {
    this.graph = graph;
    this.button = document.querySelector("[data-graph-follow]");
    this.last = null;
    this.button?.addEventListener("click", () => this.turn(!this.on));
  }

  get on() { return this.button?.getAttribute("aria-pressed") === "true"; }

  turn(on) {
    this.button?.setAttribute("aria-pressed", String(on));
    if (on) { this.last = null; this.update(); }
  }

  stop() { if (this.on) this.turn(false); }

  // Tell whether there is a running task to look at.
  update(glides = true) {
    const key = this.on ? this.graph.index.running()[0] : undefined;
    if (!key) return false;
    if (key !== this.last) this.graph.view.reveal(boxOf(this.graph.index.get(key).node), glides);
    this.last = key;
    return true;
  }
}
