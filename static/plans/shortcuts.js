// The list of shortcuts under `?`, and the switch for single keys (WCAG 2.1.4): kept in this browser.
const NAME = "shortcuts";
const FIELDS = "input:not([type=checkbox]), textarea, select, [contenteditable]";
const root = document.documentElement;
const dialog = document.getElementById("shortcuts");
const box = dialog?.querySelector("[data-shortcuts-switch]");

function stored() {
  // A browser that forbids storage still has shortcuts, it only forgets the choice.
  try { return localStorage.getItem(NAME); } catch { return null; }
}

function apply(isOn) {
  root.dataset.shortcuts = isOn ? "on" : "off";
  if (box) box.checked = isOn;
}

apply(stored() !== "off");

box?.addEventListener("change", () => {
  apply(box.checked);
  try { localStorage.setItem(NAME, box.checked ? "on" : "off"); } catch { /* forgotten at the next load, as said above */ }
});

document.addEventListener("keydown", event => {
  if (event.key !== "?" || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.(FIELDS) || root.dataset.shortcuts === "off" || !dialog || dialog.open) return;
  event.preventDefault();
  dialog.showModal();
});

for (const opener of document.querySelectorAll("[data-shortcuts-open]")) {
  opener.hidden = false;
  opener.addEventListener("click", () => {
    opener.closest("details")?.removeAttribute("open");
    dialog?.showModal();
  });
}
