// Keeps a page told: a socket on the page's own origin, polling where sockets are blocked. Holds no state but "connected or not".
//
// States: connecting, live, polling, reconnecting, signed-out, gone. What comes goes to `receive`, every change to `changed`.
const LOST_MS = 3000, DEAD_MS = 8000, HANDSHAKE_MS = 6000, LOOK_MS = 500;
const FIRST_BACKOFF_MS = 400, LONGEST_BACKOFF_MS = 10000, SOCKET_AGAIN_MS = 30000;
const POLL_MS = 1000, POLL_HIDDEN_MS = 10000, POLL_SIGNED_OUT_MS = 2500;
const FAILURES_TO_POLL = 2;
const SIGNED_OUT = 4403, NOT_FOUND = 4404;

export class Connection {
  constructor({ socket, poll, seq, receive, changed }) {
    Object.assign(this, { socketPath: socket, pollPath: poll, seq, receive, changed });
    this.state = "connecting";
    this.failures = 0;
    this.heard = Date.now();
  }

  start() {
    this.open();
    setInterval(() => this.look(), LOOK_MS);
    addEventListener("online", () => this.now());
    // A page from the back/forward cache has lost its socket without a word.
    addEventListener("pageshow", event => event.persisted && this.now());
    document.addEventListener("visibilitychange", () => { if (!document.hidden && this.polling) this.poll(); });
  }

  say(message) {
    if (this.ws?.readyState === WebSocket.OPEN) this.ws.send(JSON.stringify(message));
  }

  // Ask for everything: over the socket, or by a poll without a number.
  snapshot() {
    if (this.ws?.readyState === WebSocket.OPEN) this.say({ type: "snapshot" });
    else this.poll(true);
  }

  now() {
    if (this.state === "gone" || this.state === "live") return;
    clearTimeout(this.retry);
    this.open();
  }

  open() {
    this.drop();
    const seq = this.seq();
    const query = seq === null ? "" : `?seq=${seq}`;
    const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${this.socketPath}${query}`;
    this.opened = this.heard = Date.now();
    const ws = this.ws = new WebSocket(address);
    this.isHeard = false;
    ws.addEventListener("message", event => ws === this.ws && this.message(JSON.parse(event.data)));
    ws.addEventListener("close", event => ws === this.ws && this.closed(event.code));
  }

  // Leave the present socket; what it still says is not heard.
  drop() {
    const ws = this.ws;
    this.ws = null;
    ws?.close();
  }

  message(frame) {
    this.heard = Date.now();
    this.isHeard = true;
    this.failures = 0;
    this.stopPolling();
    this.become("live");
    this.receive(frame);
  }

  closed(code) {
    this.ws = null;
    if (code === NOT_FOUND) return this.end("gone");
    if (code === SIGNED_OUT) return this.signedOut();
    if (!this.isHeard) this.failures += 1;
    if (this.state !== "polling" && this.state !== "signed-out") this.become("reconnecting");
    if (this.failures >= FAILURES_TO_POLL) this.startPolling();
    this.again();
  }

  again() {
    const backoff = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(this.failures, 6));
    const wait = this.state === "polling" ? SOCKET_AGAIN_MS : backoff * (0.5 + Math.random());
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.open(), wait);
  }

  // The heartbeat: a socket that says nothing, or never opens, is not one.
  look() {
    if (!this.ws) return;
    const quiet = Date.now() - this.heard;
    const limit = this.ws.readyState === WebSocket.CONNECTING ? HANDSHAKE_MS : DEAD_MS;
    if (quiet > LOST_MS && this.state === "live") this.become("reconnecting");
    if (quiet > limit) {
      this.drop();
      this.closed(0);
    }
  }

  signedOut() {
    clearTimeout(this.retry);
    this.drop();
    this.become("signed-out");
    this.startPolling();
  }

  end(state) {
    clearTimeout(this.retry);
    this.stopPolling();
    this.drop();
    this.become(state);
  }

  become(state) {
    if (state === this.state) return;
    const before = this.state;
    this.state = state;
    this.changed(state, before);
  }

  startPolling() {
    if (this.polling) return;
    this.polling = true;
    this.poll();
  }

  stopPolling() {
    this.polling = false;
    clearTimeout(this.next);
  }

  // One request; the next one is planned when it is answered. A login elsewhere is noticed here as well.
  async poll(all = false) {
    clearTimeout(this.next);
    if (this.asking) return;
    this.asking = true;
    const seq = all ? null : this.seq();
    try {
      const answer = await fetch(this.pollPath + (seq === null ? "" : `?seq=${seq}`), {
        redirect: "manual", credentials: "same-origin", headers: { Accept: "application/json" },
      });
      if (answer.type === "opaqueredirect") this.signedOut();
      else if (answer.status === 404) this.end("gone");
      else if (answer.ok) this.polled(await answer.json());
      else this.unanswered();
    } catch {
      this.unanswered();
    }
    this.asking = false;
    if (this.polling) this.next = setTimeout(() => this.poll(), this.pause());
  }

  pause() {
    if (document.hidden) return POLL_HIDDEN_MS;
    return this.state === "signed-out" ? POLL_SIGNED_OUT_MS : POLL_MS;
  }

  polled(frame) {
    if (!this.polling && this.state !== "live") return;
    const came = this.state;
    if (this.state !== "live") this.become("polling");
    this.receive(frame);
    // The server is back, or the person is: perhaps the socket is, too.
    if (came === "reconnecting" || came === "signed-out") {
      this.failures = FAILURES_TO_POLL;
      clearTimeout(this.retry);
      this.open();
    }
  }

  unanswered() {
    if (this.state === "polling") this.become("reconnecting");
  }
}
