// Following a debate: every event once, the text of answers as it grows, across cuts and restarts.

export class Following {
  // `onEvent(event)` for each numbered event, `onText(piece)` for text, `onState(word)` for the line:
  // "open", "waiting" while it tries again, "over" when the debate is.
  constructor(id, { onEvent, onText, onState }) {
    this.id = id;
    this.last = 0;
    this.told = { onEvent, onText, onState };
    this.pause = 500;
    this.closed = false;
    this.connect();
  }

  connect() {
    if (this.closed) return;
    const source = new EventSource(`/api/sessions/${this.id}/events?after=${this.last}`);
    this.source = source;
    source.onopen = () => { this.pause = 500; this.told.onState("open"); };
    source.onerror = () => this.again();
    source.addEventListener("tokens", (message) => {
      for (const piece of JSON.parse(message.data)) this.told.onText(piece);
    });
    for (const kind of KINDS) source.addEventListener(kind, (message) => this.take(message));
  }

  take(message) {
    const event = JSON.parse(message.data);
    if (event.seq <= this.last) return;
    this.last = event.seq;
    this.told.onEvent(event);
    if (event.kind === "closed") this.over();
  }

  // The browser would repeat by itself, but not after an answer that says no; so it is done here.
  again() {
    this.source.close();
    if (this.closed) return;
    this.told.onState("waiting");
    this.timer = setTimeout(() => this.connect(), this.pause);
    this.pause = Math.min(this.pause * 2, 8000);
  }

  over() {
    this.told.onState("over");
    this.close();
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.source?.close();
  }
}

export const KINDS = ["opened", "round_started", "asked", "answered", "round_ended", "scored", "noted",
  "remarked", "closed", "reopened"];
