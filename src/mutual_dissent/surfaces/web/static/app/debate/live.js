// Text that is being written. It goes into the page as text, line by line, and nothing is drawn anew:
// the page costs the same for the first word of an answer as for the hundred-thousandth.
import { html, useEffect, useRef } from "/static/app/ui.js";
import { Fields } from "/static/app/debate/fields.js";

export class Live {
  constructor() { this.texts = new Map(); this.places = new Map(); }

  // More of an answer. An attempt that began anew makes void what came before; who comes back after a
  // cut is told from the beginning, and only what is new is added.
  take(piece) {
    const now = this.texts.get(piece.key);
    const same = now && now.attempt === piece.attempt;
    const text = (same ? now.text.slice(0, piece.offset) : "") + piece.text;
    const grows = same && (piece.offset === now.text.length || text.startsWith(now.text));
    const added = grows ? text.slice(now.text.length) : text;
    this.texts.set(piece.key, { attempt: piece.attempt, text, since: now?.since || performance.now() });
    this.places.get(piece.key)?.forEach((place) => (grows ? place.add(added) : place.reset(text)));
  }

  drop(key) { this.texts.delete(key); }

  text(key) { return this.texts.get(key)?.text || ""; }

  // Tokens a second so far, at four characters a token.
  speed(key) {
    const now = this.texts.get(key);
    const passed = now ? (performance.now() - now.since) / 1000 : 0;
    return passed > 0.5 ? now.text.length / 4 / passed : null;
  }

  show(key, place) {
    if (!this.places.has(key)) this.places.set(key, new Set());
    this.places.get(key).add(place);
    place.reset(this.text(key));
    return () => { this.places.get(key)?.delete(place); place.end(); };
  }
}

// An element that takes text as it comes, and is scrolled along unless somebody has scrolled up.
class Place {
  constructor(element) {
    this.element = element;
    this.scroller = element.closest(".pane-body");
    this.follows = true;
    this.looked = () => { const s = this.scroller; this.follows = s.scrollHeight - s.scrollTop - s.clientHeight < 40; };
    this.scroller?.addEventListener("scroll", this.looked, { passive: true });
    this.reset("");
  }

  reset(text) {
    this.element.replaceChildren();
    this.fields = new Fields();
    this.line = null;
    this.add(text);
  }

  add(text) {
    const words = this.fields.read(text);
    if (!words) return;
    words.split("\n").forEach((part, i) => {
      if (!this.line || i) {
        this.line = this.element.appendChild(document.createElement("div"));
        this.line.className = "line";
      }
      if (part) this.line.append(part);
    });
    // Measured once a frame: asking for it after each word would have the page laid out each time.
    if (this.scroller && this.follows) this.due ||= requestAnimationFrame(() => { this.due = 0; this.scroller.scrollTop = this.scroller.scrollHeight; });
  }

  end() {
    cancelAnimationFrame(this.due);
    this.scroller?.removeEventListener("scroll", this.looked);
  }
}

export function Writing({ live, id }) {
  const element = useRef(null);
  useEffect(() => live.show(id, new Place(element.current)), [live, id]);
  return html`<div class="said writing caret" ref=${element} data-writing=${id}></div>`;
}
