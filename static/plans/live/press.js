// Nothing is drawn anew while a pointer is pressed. A click belongs to what was pressed and released: when that is gone or
// has moved in between, the browser gives the click to nobody, or to what came under the pointer.
let isDown = false, waiting = [];

// The click comes with the release; parts that waited come after it.
function up() {
  isDown = false;
  const now = waiting;
  waiting = [];
  if (now.length) setTimeout(() => { for (const go of now) go(); }, 0);
}

addEventListener("pointerdown", () => { isDown = true; }, { capture: true, passive: true });
for (const name of ["pointerup", "pointercancel", "dragend"]) addEventListener(name, up, { capture: true, passive: true });
addEventListener("blur", up);

export const isPressed = () => isDown;
export const released = () => (isDown ? new Promise(go => waiting.push(go)) : Promise.resolve());
