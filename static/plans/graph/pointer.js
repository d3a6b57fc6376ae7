// Drag, pinch and wheel. Calls `moved` when a person pans, so that following can stop.
const SLACK = 4, STEP = 40;

export function pointers(svg, view, { moved, panning, leaveWheel }) {
  const down = new Map();
  let gap = 0, travelled = 0;

  svg.addEventListener("wheel", event => {
    if (leaveWheel && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    // A mouse wheel comes in large steps; small ones are two fingers on a pad, which pan.
    if (event.ctrlKey || event.metaKey || event.deltaMode || (Math.abs(event.deltaY) >= STEP && !event.deltaX)) {
      view.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 16 : 1) / 400), event.clientX, event.clientY);
    } else {
      view.pan(-event.deltaX, -event.deltaY);
      moved();
    }
  }, { passive: false });

  svg.addEventListener("pointerdown", event => {
    if (event.button > 0) return;
    down.set(event.pointerId, event);
    if (down.size === 1) travelled = 0;
    gap = 0;
  });

  svg.addEventListener("pointermove", event => {
    const last = down.get(event.pointerId);
    if (!last) return;
    down.set(event.pointerId, event);
    if (down.size === 2) {
      const [a, b] = [...down.values()], now = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      if (gap && now) view.zoom(now / gap, (a.clientX + b.clientX) / 2, (a.clientY + b.clientY) / 2);
      gap = now;
      travelled = SLACK + 1;
      return;
    }
    const dx = event.clientX - last.clientX, dy = event.clientY - last.clientY;
    travelled += Math.abs(dx) + Math.abs(dy);
    if (travelled <= SLACK) return;
    if (!svg.hasPointerCapture(event.pointerId)) svg.setPointerCapture(event.pointerId);
    panning(true);
    view.pan(dx, dy);
    moved();
  });

  const up = event => { down.delete(event.pointerId); gap = 0; if (!down.size) panning(false); };
  svg.addEventListener("pointerup", up);
  svg.addEventListener("pointercancel", up);
  // Links in an SVG can be dragged as text; a pan must not start that, nor end in a click.
  svg.addEventListener("dragstart", event => event.preventDefault());
  svg.addEventListener("click", event => {
    if (travelled > SLACK) { event.preventDefault(); event.stopPropagation(); travelled = 0; }
  }, true);
}
