// What the page says about itself: the connection in words, news for screen readers, the count in title and favicon.
const SAID_MS = 5000;

export class Status {
  constructor(host) {
    this.words = host?.dataset ?? {};
    this.line = host?.querySelector("[data-connection]");
    this.region = host?.querySelector("[data-announce]");
    this.icon = document.querySelector('link[rel="icon"]');
    this.plainIcon = this.icon?.href;
    this.base = document.title;
    this.news = [];
    this.waits = { open: 0, label: "" };
  }

  word(name, fallback) { return this.words[name] || fallback; }

  connection(state, before) {
    const texts = {
      "reconnecting": this.word("reconnecting", "Reconnecting …"),
      "polling": this.word("polling", "Live updates are blocked here, so this page asks every second."),
      "signed-out": this.word("signedOut", "You are signed out. What is shown stays; log in to go on."),
      "gone": this.word("gone", "This run can no longer be shown to you."),
    };
    if (this.line) this.show(state, texts[state] ?? "");
    if (state === "polling" || state === "connecting") return;
    if (texts[state]) this.announce(texts[state]);
    else if (before !== "connecting" && before !== "polling") this.announce(this.word("back", "Connected again."));
  }

  show(state, text) {
    this.line.textContent = text;
    this.line.dataset.state = state;
    this.line.hidden = !text;
    if (state !== "signed-out" || !this.words.login) return;
    const link = document.createElement("a");
    link.href = `${this.words.login}?next=${encodeURIComponent(location.pathname + location.search)}`;
    link.textContent = this.word("logIn", "Log in");
    this.line.append(" ", link);
  }

  // At most one message in five seconds; what comes sooner is said together, each thing once.
  announce(text) {
    if (!this.region || !text || this.news.includes(text)) return;
    this.news.push(text);
    if (this.timer) return;
    const wait = Math.max(0, (this.saidAt ?? -Infinity) + SAID_MS - performance.now());
    this.timer = setTimeout(() => {
      this.region.textContent = this.news.slice(-5).join(" ");
      this.news = [];
      this.timer = null;
      this.saidAt = performance.now();
    }, wait);
  }

  // The page's own part of the title, when what it says has changed.
  title(base) {
    this.base = base;
    this.write();
  }

  waiting(open, label) {
    this.waits = { open, label };
    this.write();
    for (const badge of document.querySelectorAll("[data-inbox-count]")) {
      badge.textContent = open;
      badge.hidden = !open;
    }
    if (this.icon && this.words.iconDot) this.icon.href = open ? this.words.iconDot : this.plainIcon;
  }

  write() {
    const { open, label } = this.waits;
    const title = open ? `(${open}) ${label || this.word("needs", "Needs approval")} · ${this.base}` : this.base;
    if (document.title !== title) document.title = title;
  }
}
