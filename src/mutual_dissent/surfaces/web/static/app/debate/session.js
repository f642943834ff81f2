// One debate, followed: its fold, its text, what the server has worked out of it, and what it can be told.
import { useEffect, useReducer, useRef } from "/static/app/ui.js";
import { get, post } from "/static/app/api.js";
import { Following } from "/static/app/events.js";
import { Live } from "/static/app/debate/live.js";
import { blank, fold, isLive } from "/static/app/debate/fold.js";

const WEIGHED = new Set(["opened", "round_ended", "closed", "scored", "reopened", "resolved"]);
const READ = new Set(["synthesis", "analysis"]); // answers after which there is more to say about the debate
export const SAMPLE = "sample";
const UNSEEN = 30_000; // milliseconds after which a hidden tab stops to follow; it catches up when it is seen

// Tabs tell each other when one of them made a debate go on.
const others = new BroadcastChannel("debates");

export class Session {
  state = blank();
  live = new Live();
  line = "connecting";
  view = /** @type {any} */ (null); // a stored transcript
  said = /** @type {DebateAccount | null} */ (null);
  weighed = 0; // the number of the event up to which it was weighed
  problem = "";
  following = { close() {} };
  drawing = 0;

  /** @param {string} id @param {(action?: any) => void} drawn */
  constructor(id, drawn) {
    this.id = id;
    this.drawn = drawn;
    if (id === SAMPLE) this.sample();
    else this.follow();
    this.heard = (/** @type {MessageEvent} */ message) => {
      if (message.data === id && !isLive(this.state)) this.follow(true);
    };
    this.seen = () => this.look();
    others.addEventListener("message", this.heard);
    document.addEventListener("visibilitychange", this.seen);
  }

  // A debate that comes with the program: it is in no record, and nothing can be told to it.
  async sample() {
    try {
      const { events, view, said } = await get("/ui/start/sample");
      for (const event of events) fold(this.state, event);
      Object.assign(this, { view, said, line: "sample" });
      this.state.names = said.panel.names;
    } catch (e) {
      this.problem = e.message;
    }
    this.draw();
  }

  // `goes` says that somebody has just made it go on, although the last event says that it is closed.
  follow(goes = false) {
    this.following.close();
    const following = new Following(
      this.id,
      {
        onEvent: (event) => this.take(event),
        onText: (piece) => {
          if (!this.live.text(piece.key)) this.draw();
          this.live.take(piece);
        },
        onState: (word) => this.turn(word),
      },
      this.state.seq,
    );
    following.ended = !goes && this.state.seq > 0 && !isLive(this.state);
    this.following = following;
  }

  /** @param {any} event */
  take(event) {
    fold(this.state, event);
    if (event.kind === "answered") this.live.drop(event.key);
    if (event.kind === "asked") this.live.drop(event.key);
    if (WEIGHED.has(event.kind) || READ.has(event.response?.role)) this.weigh();
    this.draw();
  }

  /** @param {string} word */
  turn(word) {
    this.line = word;
    if (word === "over" && !this.state.brief) this.weigh();
    this.draw();
  }

  // What is said about the debate is made in one place for all surfaces, with names for letters.
  weigh() {
    clearTimeout(this.weighing);
    this.weighing = setTimeout(async () => {
      const asked = this.state.seq;
      try {
        const [view, said] = await Promise.all([
          get(`/api/sessions/${this.id}`),
          get(`/api/sessions/${this.id}/account`),
        ]);
        if (asked < this.weighed) return; // a later look was quicker
        Object.assign(this, { view, said, weighed: asked });
        this.state.names = said.panel.names;
      } catch (e) {
        if (!this.state.brief) this.problem = e.message;
      }
      this.draw();
    }, 60);
  }

  /** @param {any} what */
  async order(what, body = {}) {
    await post(`/api/sessions/${this.id}/${what}`, body);
    others.postMessage(this.id);
    if (!isLive(this.state)) this.follow(true);
  }

  // How it turned out: nobody works on the debate for it, so that there is nothing to follow.
  /** @param {string} outcome */
  async resolve(outcome) {
    await post(`/api/sessions/${this.id}/outcome`, { outcome });
    others.postMessage(this.id);
    this.weigh();
  }

  look() {
    clearTimeout(this.hidden);
    if (document.hidden && this.id !== SAMPLE)
      this.hidden = setTimeout(() => {
        this.line = "unseen";
        this.following.close();
      }, UNSEEN);
    else if (this.id !== SAMPLE && (this.line === "unseen" || this.line === "over")) this.follow();
  }

  draw() {
    if (this.drawing) return;
    this.drawing = requestAnimationFrame(() => {
      this.drawing = 0;
      this.drawn();
    });
  }

  close() {
    this.following.close();
    clearTimeout(this.weighing);
    clearTimeout(this.hidden);
    cancelAnimationFrame(this.drawing);
    others.removeEventListener("message", this.heard);
    document.removeEventListener("visibilitychange", this.seen);
  }
}

/** @param {string} id */
export function useSession(id) {
  const [, drawn] = useReducer((n) => n + 1, 0);
  const held = useRef(/** @type {Session | null} */ (null));
  if (held.current?.id !== id) {
    held.current?.close();
    held.current = new Session(id, drawn);
  }
  useEffect(() => () => held.current?.close(), []);
  return /** @type {Session} */ (held.current);
}
