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

  // Put new lines to the end of the log that is shown, so that what is selected in it stays. False: it is another log.
  extend(side, html) {
    const was = find(side), now = find(new DOMParser().parseFromString(html, "text/html"));
    if (!was || !now) return !was && !now;
    if (was.textContent === now.textContent) return true;
    if (!now.textContent.startsWith(was.textContent)) return false;
    const isAtEnd = this.position(side) === null;
    was.append(now.textContent.slice(was.textContent.length));
    if (isAtEnd) was.scrollTop = was.scrollHeight;
    return true;
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
