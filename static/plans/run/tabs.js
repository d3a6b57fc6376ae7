// Tabs: Graph and Tasks are in the page, Timeline and Events are fetched when they are opened.
import { base, part, put, seldom } from "./fetching.js";

const FETCHED = new Set(["timeline", "events"]);
const TIMELINE_MS = 2000, NOW_MS = 5000;
const narrow = matchMedia("(max-width: 640px)");

export function tabs(page) {
  const links = [...page.querySelectorAll("[data-tab-link]")];
  const place = name => page.querySelector(`[data-tab-panel="${name}"]`);
  const shown = () => page.dataset.tab || (narrow.matches ? "tasks" : "graph");

  const mark = () => {
    for (const link of links) {
      if (link.dataset.tabLink === shown()) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  };
  const show = name => {
    page.dataset.tab = name;
    for (const each of FETCHED) place(each).hidden = each !== name;
    mark();
  };
  const load = async (name, query) => {
    const html = await part(`${base(page)}/tab`, query);
    if (html !== null) {
      const at = place(name).querySelector(".gantt-scroll");
      const left = at?.scrollLeft ?? 0, top = at?.scrollTop ?? 0;
      put(place(name), html);
      place(name).querySelector(".gantt-scroll")?.scrollTo(left, top);
      dispatchEvent(new CustomEvent("plans:drawn", { detail: { name } }));
    }
    return html !== null;
  };
  const open = async (name, url) => {
    if (FETCHED.has(name)) {
      const query = new URLSearchParams(url.search);
      query.set("tab", name);
      if (!(await load(name, `?${query}`))) return void location.assign(url);
    }
    history.pushState({}, "", url);
    show(name);
  };
  // The address as it is now, with this tab: the panel may have been opened since the link was written.
  const address = link => {
    const url = new URL(location.href);
    const wanted = new URLSearchParams(link.search);
    for (const name of ["tab", "kind", "before"]) {
      url.searchParams.delete(name);
      for (const value of wanted.getAll(name)) url.searchParams.append(name, value);
    }
    url.hash = "";
    return url;
  };
  page.addEventListener("click", event => {
    const link = event.target.closest("[data-tab-link], .chip, .epage a");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const name = link.dataset.tabLink ?? "events";
    if (!place(name)) return;
    event.preventDefault();
    open(name, address(link));
  });
  addEventListener("popstate", () => {
    const name = new URLSearchParams(location.search).get("tab") ?? "";
    if (name && !place(name)) return void location.reload();
    if (FETCHED.has(name)) load(name, location.search);
    show(name);
  });

  const redraw = seldom(() => load("timeline", `${location.search || "?"}&tab=timeline`), TIMELINE_MS);
  const follow = () => { if (shown() === "timeline" && !document.hidden) redraw(); };
  addEventListener("plans:tasks", follow);
  let moves = true;
  addEventListener("plans:run", ({ detail }) => { moves = !detail.run.is_terminal; follow(); });
  setInterval(() => { if (moves) follow(); }, NOW_MS);
  narrow.addEventListener("change", mark);
  mark();
}
