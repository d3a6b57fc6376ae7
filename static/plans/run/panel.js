// The panel of a task: opened by any link to one or by the graph, kept fresh, closed with the focus back where it was.
import { graph } from "../graph.js";
import { base, part, put, seldom } from "./fetching.js";
import { log } from "./log.js";

const FRESH_MS = 1000, LOG_MS = 1000;

export function panel(page) {
  const side = page.querySelector("[data-panel-area]");
  let key = new URLSearchParams(location.search).get("task"), opener = null, turn = 0, isOpening = false, isStale = false;
  // Which of the items of a fan-out are looked at: the query of the server's link.
  let which = side.querySelector("[data-items-query]")?.dataset.itemsQuery ?? "";

  const links = of => page.querySelectorAll(`[data-task-link="${CSS.escape(of)}"]`);
  const mark = () => {
    for (const link of page.querySelectorAll("[data-task-link][aria-current]")) link.removeAttribute("aria-current");
    if (key) for (const link of links(key)) if (link.matches(".srow, .gl")) link.setAttribute("aria-current", "true");
  };
  // Draw the panel again; what the person had opened or scrolled stays.
  const drawn = () => part(`${base(page)}/panel`, `?${which || `task=${encodeURIComponent(key)}`}`);
  const draw = async isNew => {
    const mine = ++turn, html = await drawn();
    if (mine !== turn) return true;
    if (html === null) return false;
    show(html, isNew);
    return true;
  };
  const show = (html, isNew) => {
    const before = { top: isNew ? 0 : side.scrollTop, log: log.position(side) };
    const had = side.contains(document.activeElement) && document.activeElement !== side ? document.activeElement : null;
    put(side, html);
    side.scrollTop = before.top;
    log.dress(side, isNew ? null : before.log);
    if (had) (counterpart(side, had) ?? side).focus({ preventScroll: true });
  };
  // While a step runs its log grows, and nothing else says so.
  const follow = async () => {
    if (!key || isOpening || document.hidden || !side.querySelector("[data-panel][data-running]")) return;
    const mine = turn, html = await drawn();
    if (mine !== turn || html === null || isOpening) return;
    if (!log.extend(side, html)) show(html, false);
  };
  const open = async (next, { isBack = false } = {}) => {
    key = next;
    which = "";
    mark();
    if (!isBack) {
      const url = new URL(location.href);
      url.searchParams.set("task", key);
      url.hash = "";
      if (url.href !== location.href) history.pushState({}, "", url);
    }
    graph?.light(key);
    sketch();
    side.focus({ preventScroll: true });
    isOpening = true;
    const isDrawn = await draw(true);
    if (key !== next) return;
    isOpening = false;
    if (!isDrawn) return void location.reload();
    if (isStale) fresh();
    isStale = false;
  };
  // A press is answered at once: the name is here, the rest comes from the server.
  const sketch = () => {
    const made = page.querySelector("[data-panel-model]").content.cloneNode(true);
    const named = page.querySelector(`.srow[data-key="${CSS.escape(key)}"] b, .node[data-key="${CSS.escape(key)}"] title`);
    made.querySelector("h2").textContent = named?.textContent ?? key;
    side.replaceChildren(made);
    side.hidden = false;
    side.scrollTop = 0;
  };
  const close = ({ isBack = false } = {}) => {
    const last = key;
    key = null;
    turn += 1;
    isOpening = isStale = false;
    side.hidden = true;
    side.replaceChildren();
    mark();
    if (!isBack) {
      const url = new URL(location.href);
      url.searchParams.delete("task");
      url.hash = "";
      history.pushState({}, "", url);
    }
    graph?.light(null);
    giveBack(page, opener, last);
    opener = null;
  };

  page.addEventListener("click", event => {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest("[data-task-link]");
    if (link) {
      event.preventDefault();
      if (!side.contains(link)) opener = link;
      open(link.dataset.taskLink);
    } else if (event.target.closest("[data-items-link]")) {
      event.preventDefault();
      which = event.target.closest("[data-items-link]").dataset.itemsLink;
      draw(false).then(isDrawn => isDrawn && side.querySelector("[data-items-query]")?.focus());
    } else if (event.target.closest("[data-panel-close]")) {
      event.preventDefault();
      close();
    }
  });
  side.addEventListener("keydown", event => { if (event.key === "Escape") close(); });
  addEventListener("plans:select", ({ detail }) => {
    if (!detail.key || detail.key === key) return;
    opener = document.activeElement;
    open(detail.key);
  });
  addEventListener("popstate", () => {
    const next = new URLSearchParams(location.search).get("task");
    if (next === key) return;
    if (next) open(next, { isBack: true });
    else close({ isBack: true });
  });
  const fresh = seldom(() => key && draw(false), FRESH_MS);
  // Of many items at once only their fan-out is told of.
  const group = () => side.querySelector("[data-panel]")?.dataset.group;
  addEventListener("plans:tasks", ({ detail }) => {
    if (key && detail.tasks.some(task => task.key === key || task.key === group())) isOpening ? isStale = true : fresh();
  });
  setInterval(follow, LOG_MS);
  addEventListener("plans:drawn", mark);
  if (key) log.dress(side, null);
}

// The element that stands where `old` stood before its part was drawn anew: who tabs through the panel stays in place.
function counterpart(root, old) {
  const sign = one => one.id || one.getAttribute("href") || one.getAttribute("name") || one.textContent.trim();
  return [...root.querySelectorAll(old.localName)].find(one => sign(one) === sign(old));
}

// The focus goes back to what opened the panel, or to another way to the same task that can be seen: first its row or node, which stay.
function giveBack(page, opener, key) {
  if (!key) return;
  const of = CSS.escape(key), ways = [opener];
  for (const way of [`.srow[data-key="${of}"]`, `.node[data-key="${of}"]`, `[data-task-link="${of}"]`]) ways.push(...page.querySelectorAll(way));
  const way = ways.find(each => each?.isConnected && each.getClientRects().length && each !== document.body);
  (way ?? document.getElementById("main")).focus({ preventScroll: true });
}
