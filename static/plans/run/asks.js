// `A` leads to what waits for a person and never decides; a request that is gone gives the focus back.
const FIELDS = "input, textarea, select, [contenteditable]";

export function asks(page) {
  document.addEventListener("keydown", event => {
    if (event.key.toLowerCase() !== "a" || event.defaultPrevented || event.repeat) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.target.closest?.(FIELDS)) return;
    if (document.documentElement.dataset.shortcuts === "off") return;
    const ask = page.querySelector("[data-ask]");
    if (!ask) return;
    event.preventDefault();
    ask.open = true;
    const way = ask.querySelector("[data-ask-first]") ?? ask.querySelector("summary");
    way.focus();
    way.scrollIntoView({ block: "nearest" });
  });
}
