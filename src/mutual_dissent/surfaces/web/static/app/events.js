// Following a debate: every event once, the text of answers as it grows, across cuts and restarts.

const LONG = 10_000; // milliseconds without a line after which the server may be gone

export class Following {
  /** @type {EventSource | undefined} */
  source;
  /** @type {number | undefined} */
  timer;

  // `onEvent(event)` for each numbered event, `onText(piece)` for text, `onState(word)` for the line:
  // "open", "waiting" while it tries again, "lost" when it has for long, "over" when nobody works on the debate any more.
  /** @param {string} id @param {Record<"onEvent" | "onText" | "onState", (told: any) => void>} told */
  constructor(id, { onEvent, onText, onState }, after = 0) {
    this.id = id;
    this.last = after;
    this.told = { onEvent, onText, onState };
    this.pause = 500;
    this.since = /** @type {number | null} */ (null); // when the line was cut
    this.closed = false;
    this.ended = false;
    this.connect();
  }

  connect() {
    if (this.closed) return;
    const source = new EventSource(`/api/sessions/${this.id}/events?after=${this.last}`);
    this.source = source;
    source.onopen = () => {
      this.pause = 500;
      this.since = null;
      this.told.onState("open");
    };
    source.onerror = () => this.again(source);
    source.addEventListener("tokens", (message) => {
      for (const piece of JSON.parse(message.data)) this.told.onText(piece);
    });
    for (const kind of Object.keys(KINDS)) source.addEventListener(kind, (message) => this.take(message));
  }

  /** @param {MessageEvent} message */
  take(message) {
    const event = JSON.parse(message.data);
    if (event.seq <= this.last) return;
    this.last = event.seq;
    // A debate that was closed may have been reopened since: the stream's own end is the end.
    this.ended = event.kind === "closed";
    this.told.onEvent(event);
  }

  // The browser would repeat by itself, but not after an answer that says no; so it is done here.
  /** @param {EventSource} source */
  async again(source) {
    const refused = source.readyState === EventSource.CLOSED;
    source.close();
    if (this.closed) return;
    if (this.ended) {
      this.over();
      return;
    }
    this.since ??= Date.now();
    this.told.onState(Date.now() - this.since < LONG ? "waiting" : "lost");
    if (refused && (await this.isIdle())) {
      this.over();
      return;
    }
    this.timer = setTimeout(() => this.connect(), this.pause);
    this.pause = Math.min(this.pause * 2, 4000);
  }

  // Whether the server is there and says that nobody works on the debate: its process died.
  async isIdle() {
    try {
      const reply = await fetch(`/api/sessions/${this.id}`);
      if (!reply.ok) return reply.status === 404;
      const { status } = await reply.json();
      if (status === "active" || status === "created") return false;
      this.told.onEvent({ kind: "closed", seq: this.last, status, reason: status, text: "" });
      return true;
    } catch {
      return false;
    }
  }

  over() {
    this.close();
    this.told.onState("over");
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.source?.close();
  }
}

// Every kind is here, or `make check` fails: one that is not named would never be heard.
/** @type {Record<EventKind, true>} */
const KINDS = {
  opened: true,
  round_started: true,
  asked: true,
  answered: true,
  round_ended: true,
  scored: true,
  noted: true,
  citations_read: true,
  remarked: true,
  closed: true,
  reopened: true,
  resolved: true,
};
