// Every node once in a Map; states are put on in one animation frame. Never re-renders the SVG for a state.
import { clip, elapsed, seconds, width } from "./text.js";

const MOST_MOVING = 16, NAMED = 6, NAME_LENGTH = 80, ROOM = 180, SIZE = 11.5, TIME_GAP = 5;
const MOVING = new Set(["running", "retrying"]), OFF = new Set(["skipped", "cancelled"]);
const BEGUN = new Set(["succeeded", "failed", "waiting", "until"]), TROUBLE = ["failed", "waiting", "retrying", "running"];
export const STATES = ["succeeded", "running", "retrying", "waiting", "failed", "until", "ready", "pending", "skipped", "cancelled"];

const title = node => node.querySelector("title").textContent;
const short = name => [...name].length <= NAME_LENGTH ? name : [...name].slice(0, NAME_LENGTH - 1).join("") + "…";

export class Index {
  constructor(svg, words) {
    this.svg = svg;
    this.words = words;
    this.nodes = new Map();
    this.hidden = new Map();
    this.heads = new Map();
    for (const element of svg.querySelectorAll(".g-head")) this.heads.set(element.dataset.group, this.headOf(element));
    for (const node of svg.querySelectorAll(".node")) this.nodes.set(node.dataset.key, this.entry(node));
    for (const edge of svg.querySelectorAll(".edge")) {
      this.end(edge.dataset.from)?.out.push(edge);
      this.end(edge.dataset.to)?.into.push(edge);
    }
    this.started = new Map();
    for (const [key, entry] of this.nodes) {
      const time = entry.node.querySelector(".time[data-since]");
      if (time) this.started.set(key, Date.parse(time.dataset.since));
    }
    this.move();
  }

  entry(node) {
    const entry = { node, ico: node.querySelector(".ico"), sub: node.querySelector(".sub"), state: node.dataset.state, into: [], out: [], tasks: null, trouble: null };
    if (node.dataset.tasks) {
      entry.tasks = new Map(node.dataset.tasks.split(" ").map(pair => {
        const at = pair.lastIndexOf(":");
        return [decodeURIComponent(pair.slice(0, at)), pair.slice(at + 1)];
      }));
      for (const key of entry.tasks.keys()) this.hidden.set(key, entry);
    }
    return entry;
  }

  headOf(element) {
    const count = element.querySelector(".count"), state = ["failed", "waiting"].find(one => element.classList.contains(`st-${one}`));
    const trouble = state ? { state, word: count.textContent.split(" · ").slice(1).join(" · ") } : null;
    return { node: element, count, inside: element.dataset.in, trouble, state: element.dataset.state, into: [], out: [] };
  }

  head(key) { return this.heads.get(key)?.node; }
  get(key) { return this.nodes.get(key); }
  // What an edge starts or ends at: a node, or the header of an open milestone.
  end(key) { return this.nodes.get(key) || this.heads.get(key); }
  // The node that shows a task: its own, or that of the folded milestone it is in.
  shown(key) { return this.nodes.get(key) || this.hidden.get(key); }

  // The first node in the most urgent of these states.
  first(states) {
    const all = [...this.nodes.values()];
    for (const state of states) {
      const entry = all.find(one => one.state === state);
      if (entry) return entry;
    }
    return undefined;
  }

  counts() {
    const counts = Object.fromEntries(STATES.map(state => [state, 0]));
    for (const entry of this.nodes.values()) {
      if (entry.tasks) for (const state of entry.tasks.values()) counts[state] += 1;
      else if (!entry.node.classList.contains("is-group")) counts[entry.state] += 1;
    }
    return counts;
  }

  running() { return [...this.started].sort((a, b) => b[1] - a[1]).map(([key]) => key); }

  apply(tasks) {
    const changed = new Set();
    for (const task of tasks) {
      const state = task.state === "waiting" && (task.until || task.reason === "until") ? "until" : task.state;
      if (!STATES.includes(state)) continue;
      const own = this.nodes.get(task.key), group = this.hidden.get(task.key), head = this.heads.get(task.key);
      if (own?.tasks) own.trouble = TROUBLE.includes(state) ? state : null;
      else if (own) this.paint(own, state, task);
      if (group) group.tasks.set(task.key, state);
      if (head) {
        head.trouble = state === "failed" || state === "waiting" ? { state, word: task.label } : null;
        head.node.dataset.state = head.state = state;
      }
      for (const entry of [own, group, head]) if (entry) changed.add(entry);
      if (own && !own.tasks && state === "running") this.started.set(task.key, Date.parse(task.started_at) || Date.now());
      else this.started.delete(task.key);
    }
    for (const entry of changed) {
      if (entry.tasks) this.paintGroup(entry);
      for (const edge of [...entry.into, ...entry.out]) this.paintEdge(edge);
    }
    this.paintHeads();
    this.move();
  }

  dress(entry, state) {
    if (entry.state === state) return;
    entry.node.classList.replace(`st-${entry.state}`, `st-${state}`);
    entry.node.dataset.state = entry.state = state;
    entry.ico.setAttribute("href", `#g-${state}`);
  }

  paint(entry, state, task) {
    this.dress(entry, state);
    const again = task.attempt > 1 && state === "running" ? this.words.attempt.replace("{n}", task.attempt) : "";
    const note = task.items || again ? `, ${task.items || again}` : "";
    const moment = task.until ? ` ${new Date(task.until).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}` : "";
    const words = `${task.label ?? ""}${moment}${note}`, since = state === "running" && task.started_at ? task.started_at : "";
    const ended = task.ended_at && task.started_at && state !== "skipped" ? seconds(task.started_at, task.ended_at) : null;
    const time = since ? elapsed(0) : ended === null ? "" : elapsed(ended, true);
    const word = document.createElementNS(this.svg.namespaceURI, "tspan");
    word.setAttribute("class", "word");
    word.textContent = clip(time ? `${words},` : words, time ? ROOM - width(time, SIZE) - TIME_GAP - 4 : ROOM, SIZE);
    entry.sub.replaceChildren(word);
    if (time) {
      const tick = document.createElementNS(this.svg.namespaceURI, "tspan");
      tick.setAttribute("class", "time");
      tick.setAttribute("dx", TIME_GAP);
      if (since) tick.dataset.since = since;
      tick.textContent = time;
      entry.sub.append(tick);
    }
    this.relabel(entry, time ? `${words}, ${time}` : words);
  }

  paintGroup(entry) {
    const counts = {};
    for (const state of entry.tasks.values()) counts[state] = (counts[state] || 0) + 1;
    this.dress(entry, entry.trouble ?? groupState(counts));
    const done = (counts.succeeded || 0) + (counts.skipped || 0), total = entry.tasks.size;
    const words = this.words.group.replaceAll("{total}", total).replace("{done}", done);
    entry.sub.textContent = clip(words, ROOM, SIZE);
    entry.node.dataset.counts = STATES.filter(state => counts[state]).map(state => `${state}:${counts[state]}`).join(" ");
    this.relabel(entry, words);
  }

  // The same sentence as the server's: title, state, dependencies.
  relabel(entry, words) {
    const titles = entry.into.map(edge => short(title(this.end(edge.dataset.from).node))), rest = titles.length - NAMED;
    const names = rest > 0 ? [...titles.slice(0, NAMED), this.words.more.replace("{n}", rest)] : titles;
    const after = names.length ? this.words.needs.replace("{names}", names.join(", ")) : this.words.needsNothing;
    entry.node.setAttribute("aria-label", `${title(entry.node)}. ${words}. ${after}`);
  }

  paintEdge(edge) {
    const up = this.end(edge.dataset.from)?.state, down = this.end(edge.dataset.to)?.state;
    const active = MOVING.has(down), off = !active && (OFF.has(down) || OFF.has(up));
    edge.classList.toggle("is-active", active);
    edge.classList.toggle("is-off", off);
    edge.classList.toggle("is-done", !active && !off && up === "succeeded" && BEGUN.has(down));
  }

  // Counts in the headers of open milestones: one pass over the nodes, each counted in all it stands in.
  paintHeads() {
    const counted = new Map([...this.heads.keys()].map(key => [key, [0, 0]]));
    for (const { node, tasks, state } of this.nodes.values()) {
      const states = tasks ? [...tasks.values()] : node.classList.contains("is-group") ? [] : [state];
      const done = states.filter(one => one === "succeeded" || one === "skipped").length;
      for (let key = node.dataset.in; counted.has(key); key = this.heads.get(key).inside) {
        counted.get(key)[0] += done;
        counted.get(key)[1] += states.length;
      }
    }
    for (const [key, [done, total]] of counted) {
      const { count, node, trouble } = this.heads.get(key);
      node.classList.remove("st-failed", "st-waiting");
      if (trouble) node.classList.add(`st-${trouble.state}`);
      const text = trouble ? `${done}/${total} · ${trouble.word}` : `${done}/${total}`;
      if (count.textContent !== text) count.textContent = text;
    }
  }

  // Only the newest few move: endless animation is what costs.
  move() {
    for (const element of this.svg.querySelectorAll(".is-moving")) element.classList.remove("is-moving");
    for (const key of this.running().slice(0, MOST_MOVING)) {
      const entry = this.nodes.get(key);
      entry.node.classList.add("is-moving");
      for (const edge of entry.into) edge.classList.add("is-moving");
    }
  }
}

// The same rule as svg.group_state: trouble first, then progress, then the quiet ones.
export function groupState(counts) {
  const here = Object.keys(counts).filter(state => counts[state]);
  for (const state of TROUBLE) if (counts[state]) return state;
  if (!here.length) return "pending";
  if (here.every(state => OFF.has(state) || state === "succeeded")) return counts.succeeded ? "succeeded" : here.sort()[0];
  return counts.succeeded || counts.ready || counts.until ? "ready" : "pending";
}
