// The frame of every page: theme without a reload, menus that close, buttons that send once.
import { isPressed } from "./live/press.js";
import { arrived, forget } from "./newrun/draft.js";

const root = document.documentElement;
const YEAR = 365 * 24 * 3600;

// The same cookie as the server writes; the server's next page then comes in this theme.
function choose(theme) {
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `theme=${theme}; path=/; samesite=lax; max-age=${theme ? YEAR : 0}${secure}`;
  document.querySelector('meta[name="color-scheme"]').content = theme || "light dark";
  for (const button of document.querySelectorAll("[data-theme-form] button")) {
    button.setAttribute("aria-pressed", String(button.value === theme));
  }
}

document.addEventListener("submit", event => {
  if (event.target.matches("[data-theme-form]") && event.submitter) {
    event.preventDefault();
    choose(event.submitter.value);
  }
});

// Sent once: after the browser has read which button it was, no button of the form does anything more.
document.addEventListener("submit", event => {
  const form = event.target;
  if (event.defaultPrevented || !form.matches("[data-once]")) return;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "1";
  setTimeout(() => {
    for (const button of form.querySelectorAll("button[type=submit]")) button.disabled = true;
  });
});

// Back from the browser's page cache: the form may be sent again (the server knows a doubled one by its token).
addEventListener("pageshow", event => {
  if (!event.persisted) return;
  for (const form of document.querySelectorAll("form[data-sent]")) {
    delete form.dataset.sent;
    for (const button of form.querySelectorAll("button[type=submit]")) button.disabled = false;
  }
});

// A part of a page asked for after the session has ended is answered with the login page: it belongs into no part.
document.addEventListener("htmx:beforeSwap", event => {
  const { pathname } = new URL(event.detail.xhr.responseURL || location.href, location.href);
  if (pathname !== event.detail.pathInfo.requestPath.split("?")[0]) event.detail.shouldSwap = false;
  // What follows a run by itself comes again in a moment: not between press and release.
  if (isPressed() && event.detail.elt.matches("[hx-trigger^=every]")) event.detail.shouldSwap = false;
});

// A report is a frame of another origin: while the focus is in there, some browsers say `:focus` of nothing out here.
const frames = on => { for (const frame of document.querySelectorAll("iframe")) frame.classList.toggle("has-focus", on && frame === document.activeElement); };
addEventListener("blur", () => frames(true));
addEventListener("focus", () => frames(false));

// An address says only what was chosen.
document.addEventListener("htmx:configRequest", event => {
  if (!event.detail.elt.matches("[data-tidy]")) return;
  for (const [name, value] of [...event.detail.formData]) if (!value) event.detail.formData.delete(name);
});
for (const element of document.querySelectorAll("[data-without-js]")) element.hidden = true;

if (document.querySelector("[data-made]")) arrived();
for (const form of document.querySelectorAll("[data-forget-drafts]")) form.addEventListener("submit", forget);

const menus = () => document.querySelectorAll("details[data-menu][open]");

document.addEventListener("click", event => {
  for (const menu of menus()) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", event => {
  if (event.key !== "Escape") return;
  for (const menu of menus()) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});
