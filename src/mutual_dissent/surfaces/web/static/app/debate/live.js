// Text that is being written. It goes into the page as text, line by line, and nothing is drawn anew:
// the page costs the same for the first word of an answer as for the hundred-thousandth.
import { html, useEffect, useRef } from "/static/app/ui.js";
import { Fields } from "/static/app/debate/fields.js";

export class Live {
  constructor() { this.texts = new Map(); this.places = new Map(); }

  // More of an answer. An attempt that began anew makes void what came before.
  take(piece) {
    const now = this.texts.get(piece.key);
    const joins = now && now.attempt === piece.attempt && piece.offset === now.text.length;
    if (joins) {
      now.text += piece.text;
      this.places.get(piece.key)?.forEach((place) => place.add(piece.text));
      return;
    }
    const kept = now && now.attempt === piece.attempt ? now.text.slice(0, piece.offset) : "";
    this.texts.set(piece.key, { attempt: piece.attempt, text: kept + piece.text, since: now?.since || performance.now() });
    this.places.get(piece.key)?.forEach((place) => place.reset(kept + piece.text));
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
    return () => this.places.get(key)?.delete(place);
  }
}

// An element that takes text as it comes.
class Place {
  constructor(element) { this.element = element; this.reset(""); }

  reset(text) {
    this.element.replaceChildren();
    this.fields = new Fields();
    this.line = null;
    this.add(text);
  }

  add(text) {
    const words = this.fields.read(text);
    if (!words) return;
    const scroller = this.element.closest(".pane-body");
    const follows = scroller && scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 40;
    words.split("\n").forEach((part, i) => {
      if (!this.line || i) {
        this.line = this.element.appendChild(document.createElement("div"));
        this.line.className = "line";
      }
      if (part) this.line.append(part);
    });
    if (follows) scroller.scrollTop = scroller.scrollHeight;
  }
}

export function Writing({ live, id }) {
  const element = useRef(null);
  useEffect(() => live.show(id, new Place(element.current)), [live, id]);
  return html`<div class="said writing caret" ref=${element} data-writing=${id}></div>`;
}
