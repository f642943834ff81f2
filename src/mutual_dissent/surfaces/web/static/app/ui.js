// What all pages share: elements, small words, the frame.
export { html, render } from "/static/vendor/preact-htm.js";
export {
  useState,
  useEffect,
  useLayoutEffect,
  useRef,
  useMemo,
  useCallback,
  useReducer,
} from "/static/vendor/preact-htm.js";
export { Toasts, complain, say } from "/static/app/toast.js";
export { copy } from "/static/app/clipboard.js";
export { Said } from "/static/app/text/said.js";
import { Component, html, useLayoutEffect, useRef } from "/static/vendor/preact-htm.js";
import { DIGITS, LEVELS } from "/static/app/words.js";

// -- words

/** @param {number | null | undefined} usd */
export function money(usd) {
  if (usd === null || usd === undefined) return "–";
  if (!usd) return "$0";
  const [least, digits] = DIGITS.find(([from]) => usd >= from) ?? DIGITS[DIGITS.length - 1];
  if (usd < least) return `under $${least}`;
  return `$${usd.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}
/** @param {number | null | undefined} n */
export const count = (n) => (n === null || n === undefined ? "–" : n.toLocaleString("en-US"));
/** @param {number | null} ms */
export const seconds = (ms) =>
  ms === null || !Number.isFinite(ms)
    ? "–"
    : ms < 99_950
      ? `${(ms / 1000).toFixed(1)} s`
      : minutes(Math.round(ms / 1000));
/** @param {number} s */
const minutes = (s) =>
  s < 6000
    ? `${Math.floor(s / 60)} min ${s % 60} s`
    : `${Math.floor(s / 3600)} h ${Math.round((s % 3600) / 60)} min`;
/** @param {number | null | undefined} x */
export const percent = (x) => (x === null || x === undefined ? "–" : `${Math.round(x * 100)} %`);
/** @param {string | null | undefined} iso */
export const when = (iso) => (iso ? new Date(iso).toLocaleString() : "–");
/** @param {number} x */
export const level = (x) => (x >= LEVELS.agree ? "agree" : x >= LEVELS.differ ? "differ" : "oppose");
/** @param {number} i */
export const colour = (i) => `var(--p${(i % 8) + 1})`;

// -- elements

// A part that cannot be shown says so, and the rest of the page stands.
export class Guard extends Component {
  constructor() {
    super();
    this.state = { wrong: null };
  }
  /** @param {any} wrong */
  static getDerivedStateFromError(wrong) {
    return { wrong };
  }
  /** @param {any} wrong */
  componentDidCatch(wrong) {
    console.warn(wrong);
  }
  /** @param {Props} props @param {{ wrong: any }} state */
  render({ what = "This part", children }, { wrong }) {
    if (!wrong) return children;
    return html`<div class="banner wrong" role="alert"><p>${what} could not be shown (${String(wrong.message || wrong).slice(0, 200)}). Nothing is lost: it is on record.</p>
      <p><button type="button" onClick=${() => this.setState({ wrong: null })}>Try again</button></p></div>`;
  }
}

/** @param {Props} props */
export const Bar = ({
  value,
  label,
}) => html`<div class=${`bar ${level(value)}`} role="meter" aria-label=${label}
  aria-valuemin="0" aria-valuemax="1" aria-valuenow=${value}><i style=${{ width: `${Math.round(value * 100)}%` }}></i></div>`;

/** @param {Props} props */
export function Tabs({ tabs, chosen, onChoose, label }) {
  /** @param {PageEvent} e */
  const step = (e) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!move) return;
    const at = tabs.findIndex((t) => t.id === chosen);
    const next = tabs[(at + move + tabs.length) % tabs.length];
    onChoose(next.id);
    const there = e.currentTarget.querySelector(`[data-tab="${next.id}"]`);
    /** @type {HTMLElement | null} */ (there)?.focus();
  };
  return html`<div role="tablist" aria-label=${label} onKeyDown=${step}>${tabs.map(
    (t) => html`
    <button role="tab" type="button" data-tab=${t.id} aria-selected=${t.id === chosen} tabindex=${t.id === chosen ? 0 : -1}
      onClick=${() => onChoose(t.id)}>${t.name}</button>`,
  )}</div>`;
}

/** @param {Props} props */
export function Dialog({ open, onClose, title, children }) {
  const place = useRef(/** @type {HTMLDialogElement | null} */ (null));
  // At once: what is typed in the next moment is meant for the dialog.
  useLayoutEffect(() => {
    const dialog = place.current;
    if (open && !dialog?.open) dialog?.showModal();
    if (!open && dialog?.open) dialog.close();
  }, [open]);
  return html`<dialog ref=${place} onClose=${onClose} aria-label=${title}
    onClick=${(e) => {
      if (e.target === e.currentTarget) onClose();
    }}>
    <div class="col"><div class="row"><h2 class="grow">${title}</h2>
    <button class="bare" aria-label="Close" onClick=${onClose}>✕</button></div>${open && children}</div></dialog>`;
}

// -- going elsewhere without loading the page anew

/** @param {string} address */
export function go(address) {
  if (address !== location.pathname + location.search) history.pushState(null, "", address);
  dispatchEvent(new PopStateEvent("popstate"));
}

/** @param {Props} props */
export const Link = ({ href, children, ...more }) =>
  html`<a href=${href} ...${more} onClick=${(e) => {
    if (e.metaKey || e.ctrlKey || e.shiftKey || e.button) return;
    e.preventDefault();
    go(href);
  }}>${children}</a>`;
