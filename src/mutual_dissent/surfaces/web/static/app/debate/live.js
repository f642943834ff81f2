// Text that is being written: read as it comes, of which only the last block is drawn anew. The page
// costs the same for the first word of an answer as for the hundred-thousandth.
import { html, useEffect, useRef } from "/static/app/ui.js";
import { Fields } from "/static/app/debate/fields.js";
import { Place } from "/static/app/text/place.js";
import { read } from "/static/app/text/reader.js";

const PAUSE = 60; // milliseconds between two readings of a text
let readings = 0;

export class Live {
  constructor() {
    this.texts = new Map();
    this.places = new Map();
  }

  // More of an answer. An attempt that began anew makes void what came before; who comes back after a
  // cut is told from the beginning, and only what is new is added.
  /** @param {{ key: string, [more: string]: any }} piece */
  take(piece) {
    const now = this.texts.get(piece.key);
    const same = now && now.attempt === piece.attempt;
    const text = (same ? now.text.slice(0, piece.offset) : "") + piece.text;
    const grows = same && (piece.offset === now.text.length || text.startsWith(now.text));
    const added = grows ? text.slice(now.text.length) : text;
    this.texts.set(piece.key, {
      attempt: piece.attempt,
      text,
      since: now?.since || performance.now(),
      last: performance.now(),
    });
    this.places
      .get(piece.key)
      ?.forEach((/** @type {Paper} */ place) => (grows ? place.add(added) : place.reset(text)));
  }

  /** @param {string} key */
  drop(key) {
    this.texts.delete(key);
  }

  /** @param {string} key */
  text(key) {
    return this.texts.get(key)?.text || "";
  }

  // Tokens a second so far, at four characters a token.
  /** @param {string} key */
  speed(key) {
    const now = this.texts.get(key);
    const passed = now ? (performance.now() - now.since) / 1000 : 0;
    return passed > 0.5 ? now.text.length / 4 / passed : null;
  }

  // Milliseconds in which nothing came of an answer that was asked for at some time.
  /** @param {Pending} item */
  silence(item) {
    const now = this.texts.get(item.key);
    return now ? performance.now() - now.last : Date.now() - new Date(item.at).getTime();
  }

  /** @param {string} key @param {Paper} place */
  show(key, place) {
    if (!this.places.has(key)) this.places.set(key, new Set());
    this.places.get(key).add(place);
    place.reset(this.text(key));
    return () => {
      this.places.get(key)?.delete(place);
      place.end();
    };
  }
}

// An element that takes text as it comes, and is scrolled along unless somebody has scrolled up.
class Paper {
  id = 0;
  fields = new Fields();
  text = "";
  done = "";
  raw = false;
  due = 0;
  frame = 0;
  ended = false;

  /** @param {HTMLElement} element */
  constructor(element) {
    this.place = new Place(element, () => this.scroll());
    this.scroller = element.closest(".pane-body");
    this.follows = true;
    this.looked = () => {
      const s = this.scroller;
      if (s) this.follows = s.scrollHeight - s.scrollTop - s.clientHeight < 40;
    };
    this.scroller?.addEventListener("scroll", this.looked, { passive: true });
  }

  /** @param {string} text */
  reset(text) {
    Object.assign(this, { id: (readings += 1), fields: new Fields(), text: "", done: "", raw: false });
    this.place.clear();
    this.add(text);
  }

  /** @param {string} text */
  add(text) {
    this.text += this.fields.read(text);
    if (this.text !== this.done && !this.due) this.due = setTimeout(() => this.read(), this.done ? PAUSE : 0);
  }

  async read() {
    const { id, text } = this;
    if (this.raw)
      this.place.plain(text); // it could not be read once, and is not tried again
    else {
      const found = await read("grow", { id, text });
      if (this.ended) return;
      if (id === this.id) {
        this.raw = !found;
        if (found) this.place.show(found.html, found.from);
        else this.place.plain(text);
      }
    }
    this.done = id === this.id ? text : "";
    this.due = 0;
    this.add("");
  }

  // Measured once a frame: asking for it after each word would have the page laid out each time.
  scroll() {
    if (this.scroller && this.follows)
      this.frame ||= requestAnimationFrame(() => {
        this.frame = 0;
        this.scroller?.scrollTo({ top: this.scroller.scrollHeight });
      });
  }

  end() {
    this.ended = true;
    clearTimeout(this.due);
    this.place.clear();
    cancelAnimationFrame(this.frame);
    this.scroller?.removeEventListener("scroll", this.looked);
  }
}

/** @param {Props} props */
export function Writing({ live, id }) {
  const element = useRef(/** @type {any} */ (null));
  useEffect(() => live.show(id, new Paper(element.current)), [live, id]);
  return html`<div class="said writing" ref=${element} data-writing=${id}></div>`;
}
