// The end of a log: followed only while the person is at its end; copied as it is shown.
const NEAR = 8;

const find = side => side.querySelector("[data-log]");

export const log = {
  // null: at the end, or no log.
  position(side) {
    const box = find(side);
    if (!box) return null;
    return box.scrollHeight - box.scrollTop - box.clientHeight <= NEAR ? null : box.scrollTop;
  },

  dress(side, top) {
    const box = find(side), button = side.querySelector("[data-log-copy]");
    if (!box) return;
    box.scrollTop = top ?? box.scrollHeight;
    if (!button || !navigator.clipboard) return;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(box.textContent);
      button.textContent = button.dataset.copied;
    });
  },
};
