// Attachments: drop or choose, several times; remove by mouse or keyboard; what is too large is said before it is sent.
const UNITS = ["bytes", "KB", "MB", "GB"];

function size(bytes) {
  let unit = 0;
  while (bytes >= 1024 && unit < UNITS.length - 1) {
    bytes /= 1024;
    unit += 1;
  }
  return `${unit ? Number(bytes.toFixed(1)) : bytes} ${UNITS[unit]}`;
}

class Drop {
  constructor(zone) {
    this.zone = zone;
    this.words = zone.dataset;
    this.field = zone.closest(".field");
    this.input = zone.querySelector("input[type=file]");
    this.list = zone.querySelector("[data-chosen]");
    this.errors = this.field.querySelector(".errorlist");
    this.said = this.field.querySelector("[data-drop-said]");
    this.files = [];
    zone.classList.add("is-live");
    zone.querySelector("[data-drop-hint]").hidden = false;
    this.input.addEventListener("change", () => this.add(this.input.files));
    this.listen();
  }

  listen() {
    const over = on => event => {
      event.preventDefault();
      this.zone.classList.toggle("is-over", on);
    };
    for (const name of ["dragenter", "dragover"]) this.zone.addEventListener(name, over(true));
    for (const name of ["dragleave", "dragend"]) this.zone.addEventListener(name, over(false));
    this.zone.addEventListener("drop", event => {
      over(false)(event);
      this.add(event.dataTransfer.files);
    });
  }

  add(files) {
    const problems = [];
    for (const file of files) {
      const problem = this.problem(file);
      if (problem) problems.push(problem);
      else if (!this.has(file)) this.files.push(file);
    }
    this.complain(problems);
    this.draw();
  }

  has(file) {
    return this.files.some(one => one.name === file.name && one.size === file.size && one.lastModified === file.lastModified);
  }

  problem(file) {
    const { largest, most, tooLarge, empty, tooMany } = this.words;
    const stored = this.zone.querySelectorAll("[data-stored] li").length;
    if (file.size > Number(largest)) return tooLarge.replace("{name}", file.name).replace("{limit}", size(Number(largest)));
    if (!file.size) return empty.replace("{name}", file.name);
    if (stored + this.files.length >= Number(most)) return tooMany.replace("{limit}", most);
    return "";
  }

  complain(problems) {
    this.errors.replaceChildren(...[...new Set(problems)].map(text => {
      const line = document.createElement("li");
      line.textContent = text;
      return line;
    }));
    if (problems.length) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
    this.said.textContent = problems.join(" ");
  }

  // The input's own list is what is sent, so it always holds exactly what is shown.
  draw() {
    const held = new DataTransfer();
    for (const file of this.files) held.items.add(file);
    this.input.files = held.files;
    this.list.replaceChildren(...this.files.map(file => this.row(file)));
  }

  row(file) {
    const item = document.createElement("li"), line = document.createElement("div"), label = document.createElement("span");
    const name = document.createElement("b"), bytes = document.createElement("span"), button = document.createElement("button");
    item.className = "file";
    line.className = "spread";
    label.className = "name";
    name.dir = "auto";
    name.textContent = file.name;
    bytes.className = "muted";
    bytes.textContent = size(file.size);
    label.append(name, bytes);
    button.type = "button";
    button.className = "btn quiet small icon-only";
    button.textContent = "✕";
    button.setAttribute("aria-label", this.words.remove.replace("{name}", file.name));
    button.addEventListener("click", () => this.remove(file));
    line.append(label, button);
    item.append(line);
    return item;
  }

  // The focus goes to the next file, or back to the chooser.
  remove(file) {
    const place = this.files.indexOf(file);
    this.files.splice(place, 1);
    this.complain([]);
    this.draw();
    const rows = this.list.querySelectorAll("button");
    (rows[Math.min(place, rows.length - 1)] ?? this.input).focus();
    this.said.textContent = this.words.removed.replace("{name}", file.name);
  }
}

export function dropZones() {
  for (const zone of document.querySelectorAll("[data-drop]")) new Drop(zone);
}
