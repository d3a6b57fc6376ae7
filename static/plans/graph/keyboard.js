// One tab stop; arrows follow dependencies and rows; single letters work outside fields only.
import { boxOf } from "./view.js";

const FIELDS = "input, textarea, select, [contenteditable]";

export function rove(svg, element) {
  for (const other of svg.querySelectorAll('[tabindex="0"]')) other.setAttribute("tabindex", "-1");
  element.setAttribute("tabindex", "0");
}

// Return where a key leads from a node or a milestone's header, or undefined.
export function next(svg, index, from, key) {
  const nodes = [...svg.querySelectorAll(".node")];
  if (key === "Home") return nodes[0];
  if (key === "End") return nodes.at(-1);
  const headOf = element => index.head(element.dataset.in ?? "");
  if (from.matches(".g-head")) {
    if (key === "ArrowUp") return headOf(from);
    if (key === "ArrowDown") return nodes.find(node => node.dataset.in === from.dataset.group) ?? nodes[0];
    return undefined;
  }
  if (key === "m") return headOf(from);
  const entry = index.get(from.dataset.key);
  if (key === "ArrowDown") return nearest(from, entry.out.map(edge => index.get(edge.dataset.to)?.node));
  if (key === "ArrowUp") return nearest(from, entry.into.map(edge => index.get(edge.dataset.from)?.node)) ?? headOf(from);
  if (key !== "ArrowLeft" && key !== "ArrowRight") return undefined;
  const { y } = boxOf(from), row = nodes.filter(node => Math.abs(boxOf(node).y - y) < 4).sort((a, b) => boxOf(a).x - boxOf(b).x);
  return row[row.indexOf(from) + (key === "ArrowRight" ? 1 : -1)];
}

function nearest(from, others) {
  const { x } = boxOf(from);
  return others.filter(Boolean).sort((a, b) => Math.abs(boxOf(a).x - x) - Math.abs(boxOf(b).x - x))[0];
}

export function inGraph(svg, index, { move }) {
  svg.addEventListener("keydown", event => {
    const from = event.target.closest?.(".node, .g-head");
    if (!from || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " ") {
      event.preventDefault();
      from.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
      return;
    }
    const to = next(svg, index, from, event.key);
    if (to) { event.preventDefault(); move(to); }
    else if (event.key.startsWith("Arrow")) event.preventDefault();
  });
}

// On the stage, not on the SVG: a browser makes an SVG element that listens to focus a tab stop of its own.
export function roving(stage) {
  stage.addEventListener("focusin", event => {
    const element = event.target.closest(".node, .g-head");
    if (element) rove(element.ownerSVGElement, element);
  });
}

// `keys`: key -> what it does. Off in fields, with a modifier, and when the page says data-shortcuts="off".
export function anywhere(host, keys) {
  document.addEventListener("keydown", event => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.(FIELDS)) return;
    if (document.documentElement.dataset.shortcuts === "off" || !host.getClientRects().length) return;
    const act = keys[event.key];
    if (act) { event.preventDefault(); act(); }
  });
}
