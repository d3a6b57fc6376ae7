// Search and legend: both dim what they do not mean. One at a time.
export class Highlight {
  constructor(graph) {
    this.graph = graph;
    this.field = document.querySelector("[data-graph-find]");
    this.found = document.querySelector("[data-graph-found]");
    this.legend = graph.host.querySelector("[data-graph-legend]");
    this.state = null;
    this.hits = [];
    this.at = -1;
    this.field?.addEventListener("input", () => { this.press(null); this.search(); });
    this.field?.addEventListener("keydown", event => this.key(event));
    this.legend?.addEventListener("click", event => {
      const button = event.target.closest("[data-highlight]");
      if (button) this.choose(this.state === button.dataset.highlight ? null : button.dataset.highlight);
    });
  }

  key(event) {
    if (event.key === "Enter") { event.preventDefault(); this.next(event.shiftKey ? -1 : 1); }
    if (event.key === "Escape" && this.field.value) { event.preventDefault(); this.field.value = ""; this.search(); }
  }

  search() {
    if (!this.graph.svg) return;
    const wanted = this.field.value.trim().toLowerCase();
    this.mark(wanted ? node => text(node, this.graph.index).includes(wanted) : null);
    if (this.found) this.found.textContent = wanted ? this.count() : "";
  }

  count() {
    const { found, foundOne } = this.graph.words;
    const place = this.at >= 0 && this.hits.length > 1 ? `${this.at + 1}/` : "";
    return place ? `${place}${this.hits.length}` : this.hits.length === 1 ? foundOne : found.replace("{n}", this.hits.length);
  }

  next(step) {
    if (!this.hits.length) return;
    this.hits[this.at]?.classList.remove("is-now");
    this.at = this.at < 0 ? (step > 0 ? 0 : this.hits.length - 1) : (this.at + step + this.hits.length) % this.hits.length;
    const node = this.hits[this.at];
    node.classList.add("is-now");
    this.graph.show(node);
    if (this.found) this.found.textContent = this.count();
  }

  choose(state) {
    if (!this.graph.svg) return;
    if (this.field) { this.field.value = ""; if (this.found) this.found.textContent = ""; }
    this.press(state);
    this.mark(state ? node => has(node, state) : null);
    if (state) this.graph.say(this.graph.words.highlighted.replace("{n}", this.graph.index.counts()[state]));
  }

  press(state) {
    this.state = state;
    for (const button of this.legend?.querySelectorAll("[data-highlight]") ?? [])
      button.setAttribute("aria-pressed", String(button.dataset.highlight === state));
  }

  mark(test) {
    const svg = this.graph.svg;
    svg.classList.toggle("is-filtered", Boolean(test));
    this.hits = [];
    this.at = -1;
    for (const node of svg.querySelectorAll(".node")) {
      const hit = Boolean(test?.(node));
      node.classList.toggle("is-hit", hit);
      node.classList.remove("is-now");
      if (hit) this.hits.push(node);
    }
  }

  // After states or the SVG changed: same question, new answer.
  again() {
    if (this.state) this.mark(node => has(node, this.state));
    else if (this.field?.value.trim()) this.search();
    const counts = this.graph.index.counts();
    for (const button of this.legend?.querySelectorAll("[data-highlight]") ?? []) {
      const n = counts[button.dataset.highlight];
      button.querySelector("b").textContent = n;
      button.hidden = !n && button.getAttribute("aria-pressed") !== "true";
    }
  }
}

// A folded milestone is found by its own title and by the keys of the tasks in it.
function text(node, index) {
  const { tasks } = index.get(node.dataset.key);
  return [node.querySelector("title").textContent, node.dataset.key, ...(tasks?.keys() ?? [])].join(" ").toLowerCase();
}

const has = (node, state) => node.classList.contains("is-group")
  ? ` ${node.dataset.counts}`.includes(` ${state}:`)
  : node.dataset.state === state;
