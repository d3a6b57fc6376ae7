// The camera: one viewBox. Nothing here touches the layout of the graph.
const MIN_SCALE = 0.04, MAX_SCALE = 3, NEAR = 1.15, FAR_BELOW = 0.35, MOVE_MS = 220;
const stillness = matchMedia("(prefers-reduced-motion: reduce)");

export class View {
  constructor(svg) {
    this.svg = svg;
    const [x, y, w, h] = svg.dataset.box.split(" ").map(Number);
    this.whole = { x, y, w, h };
    this.now = { ...this.whole };
    this.frame = 0;
  }

  // The frame's, not the SVG's own: that one may still be on its way to its size.
  rect() { return this.svg.parentElement.getBoundingClientRect(); }
  get scale() { return this.rect().width / this.now.w || this.held || 1; }

  set(box) {
    this.now = box;
    this.svg.setAttribute("viewBox", `${box.x} ${box.y} ${box.w} ${box.h}`);
    this.held = this.scale;
    this.svg.classList.toggle("is-far", this.held < FAR_BELOW);
  }

  // Show everything; never smaller than `least`, then the top is kept.
  fit(least = 0) {
    this.stop();
    const rect = this.rect();
    if (!rect.width || !rect.height) return;
    const head = 12, foot = 56;
    const all = Math.min(rect.width / this.whole.w, Math.max(40, rect.height - head - foot) / this.whole.h);
    const scale = Math.max(MIN_SCALE, Math.min(NEAR, Math.max(all, least)));
    const w = rect.width / scale, h = rect.height / scale, free = h - (head + foot) / scale - this.whole.h;
    this.set({ x: this.whole.x + (this.whole.w - w) / 2, y: this.whole.y - head / scale - Math.max(0, free) / 2, w, h });
  }

  // Zoom by `factor`; the point under (clientX, clientY) stays where it is. Without one: the middle.
  zoom(factor, clientX, clientY) {
    this.stop();
    const rect = this.rect(), now = this.now;
    const k = Math.min(MAX_SCALE, Math.max(MIN_SCALE, this.scale * factor)) / this.scale;
    const px = clientX === undefined ? 0.5 : (clientX - rect.left) / rect.width;
    const py = clientY === undefined ? 0.5 : (clientY - rect.top) / rect.height;
    this.set({ x: now.x + now.w * px * (1 - 1 / k), y: now.y + now.h * py * (1 - 1 / k), w: now.w / k, h: now.h / k });
  }

  // Move by screen pixels.
  pan(dx, dy) {
    this.stop();
    const k = 1 / this.scale;
    this.set({ ...this.now, x: this.now.x - dx * k, y: this.now.y - dy * k });
  }

  // The host has another size: same scale, same middle.
  resize(scale = this.held) {
    const rect = this.rect(), now = this.now;
    if (!rect.width || !rect.height) return;
    const w = rect.width / scale, h = rect.height / scale;
    this.set({ x: now.x + (now.w - w) / 2, y: now.y + (now.h - h) / 2, w, h });
  }

  isVisible(box, margin = 24) {
    const m = margin / this.scale, now = this.now;
    return box.x >= now.x + m && box.y >= now.y + m && box.x + box.width <= now.x + now.w - m && box.y + box.height <= now.y + now.h - m;
  }

  centre(box, glides = true) {
    this.stop();
    const { w, h } = this.now;
    this.glide({ x: box.x + box.width / 2 - w / 2, y: box.y + box.height / 2 - h / 2, w, h }, glides);
  }

  reveal(box, glides = true) { if (!this.isVisible(box)) this.centre(box, glides); }

  glide(to, glides) {
    if (!glides || stillness.matches) return this.set(to);
    const from = { ...this.now }, start = performance.now();
    const step = time => {
      const t = Math.min(1, Math.max(0, time - start) / MOVE_MS), e = 1 - (1 - t) ** 3;
      const mix = name => from[name] + (to[name] - from[name]) * e;
      this.set({ x: mix("x"), y: mix("y"), w: mix("w"), h: mix("h") });
      this.frame = t < 1 ? requestAnimationFrame(step) : 0;
    };
    this.frame = requestAnimationFrame(step);
  }

  stop() { if (this.frame) cancelAnimationFrame(this.frame); this.frame = 0; }
}

// Place and size of a node in the graph's own units.
export function boxOf(node) {
  const at = node.transform.baseVal.consolidate().matrix, box = node.querySelector(".box, .lab");
  return { x: at.e, y: at.f, width: Number(box.getAttribute("width")), height: Number(box.getAttribute("height")) };
}
