// The Inbox follows what happens elsewhere: what is decided there settles here, what is new appears; what is typed stays.
import { released } from "./live/press.js";
import { localise } from "./times.js";

const list = document.querySelector("[data-inbox]");
const cards = root => [...root.querySelectorAll("[data-inbox-request]")];
const idOf = card => card.dataset.inboxRequest;

function settle(card) {
  if (card.classList.contains("is-gone")) return;
  const note = document.createElement("p");
  note.className = "settled";
  note.setAttribute("role", "status");
  note.textContent = list.dataset.gone;
  card.classList.add("is-gone");
  for (const control of card.querySelectorAll("button, input, textarea, select")) control.disabled = true;
  card.querySelector(".from").after(note);
}

async function renew() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected) return;
  const text = await answer.text();
  await released();
  const fresh = cards(new DOMParser().parseFromString(text, "text/html"));
  const open = new Set(fresh.map(idOf)), here = new Set(cards(list).map(idOf));
  for (const card of cards(list)) if (!open.has(idOf(card))) settle(card);
  for (const card of fresh) if (!here.has(idOf(card))) list.append(document.adoptNode(card));
  if (open.size) list.querySelector("[data-inbox-empty]")?.remove();
  localise(list);
}

let asking = Promise.resolve();
addEventListener("plans:inbox", ({ detail: { open } }) => {
  const shown = cards(list).filter(card => !card.classList.contains("is-gone")).length;
  if (open !== shown) asking = asking.then(renew).catch(() => null);
});
