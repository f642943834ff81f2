// Where a text stands on the page: blocks of clean HTML, of which only those that changed are drawn anew.
import { plain } from "/static/app/text/plain.js";
import createPurifier from "/static/vendor/purify.js";

const SLICE = 12; // milliseconds of a frame, for all texts together: the rest is for laying them out
const HIDDEN = 100; // milliseconds after which to go on where no frame comes
const MATH = [
  "math",
  "mrow",
  "mi",
  "mo",
  "mn",
  "ms",
  "mtext",
  "mspace",
  "mfrac",
  "msqrt",
  "mroot",
  "mstyle",
  "mpadded",
  "mphantom",
  "msup",
  "msub",
  "msubsup",
  "mover",
  "munder",
  "munderover",
  "mmultiscripts",
  "mprescripts",
  "mtable",
  "mtr",
  "mtd",
  "menclose",
];
const PLAIN = [
  "class",
  "dir",
  "title",
  "start",
  "display",
  "displaystyle",
  "scriptlevel",
  "mathvariant",
  "stretchy",
  "fence",
  "separator",
  "form",
  "lspace",
  "rspace",
  "minsize",
  "maxsize",
  "symmetric",
  "movablelimits",
  "accent",
  "accentunder",
  "linethickness",
  "columnalign",
  "rowspacing",
  "columnspacing",
  "columnlines",
  "rowlines",
  "notation",
];
const CLEAN = {
  ALLOWED_TAGS: [
    "p",
    "br",
    "hr",
    "strong",
    "em",
    "s",
    "code",
    "pre",
    "blockquote",
    "ul",
    "ol",
    "li",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "div",
    "span",
    "a",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    ...MATH,
  ],
  ALLOWED_ATTR: [...PLAIN, "href"],
  ADD_URI_SAFE_ATTR: PLAIN,
  ALLOWED_URI_REGEXP: /^https?:\/\//i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};

const purifier = createPurifier(window);
purifier.addHook("uponSanitizeAttribute", (/** @type {Element} */ node, /** @type {any} */ data) => {
  if (data.attrName === "href" && node.localName !== "a") data.keepAttr = false;
});

let end = 0; // of what all texts may take of this frame; 0 while none has taken anything

function stretch() {
  if (!end) {
    end = performance.now() + SLICE;
    const over = () => {
      end = 0;
    };
    requestAnimationFrame(() => setTimeout(over));
    setTimeout(over, HIDDEN);
  }
  return end;
}

export class Place {
  /** @type {string[]} */
  shown = [];
  /** @type {string[]} */
  wanted = [];
  due = 0;

  /** @param {HTMLElement} element */
  constructor(element, onDrawn = () => {}) {
    this.element = element;
    this.onDrawn = onDrawn;
  }

  // These blocks from there on; nothing after them.
  /** @param {string[]} html */
  show(html, from = 0) {
    this.wanted = [...this.wanted.slice(0, from), ...html];
    this.draw();
  }

  // A text as it is, where it cannot be read.
  /** @param {string} text */
  plain(text) {
    this.show(plain(text));
  }

  clear() {
    clearTimeout(this.due);
    Object.assign(this, { shown: [], wanted: [], due: 0 });
    this.element.replaceChildren();
  }

  draw() {
    clearTimeout(this.due);
    let at = 0;
    while (at < this.shown.length && this.shown[at] === this.wanted[at]) at += 1;
    if (!this.shown.length) this.element.replaceChildren();
    const until = stretch();
    for (; at < this.wanted.length && performance.now() < until; at += 1) this.put(at);
    while (this.element.children.length > this.wanted.length) this.element.lastChild?.remove();
    this.shown.length = Math.min(this.shown.length, this.wanted.length);
    this.due = at < this.wanted.length ? setTimeout(() => this.draw(), 4) : 0;
    this.onDrawn();
  }

  /** @param {number} at */
  put(at) {
    const block = Object.assign(document.createElement("div"), { className: "block" });
    block.append(purifier.sanitize(this.wanted[at], CLEAN));
    dress(block);
    const old = this.element.children[at];
    if (old) old.replaceWith(block);
    else this.element.append(block);
    this.shown[at] = this.wanted[at];
  }
}

// What only we may add: links open elsewhere, code can be copied, what is wide can be scrolled by key.
/** @param {any} block */
function dress(block) {
  for (const link of block.querySelectorAll("a"))
    Object.assign(link, { target: "_blank", rel: "noopener noreferrer nofollow" });
  for (const wide of block.querySelectorAll(".table, pre, .formula")) wide.tabIndex = 0;
  for (const code of block.querySelectorAll(".code")) {
    code.append(
      Object.assign(document.createElement("button"), {
        type: "button",
        className: "copy-code",
        textContent: "Copy",
      }),
    );
  }
}
