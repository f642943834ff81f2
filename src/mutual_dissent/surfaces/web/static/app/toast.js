// Short messages at the edge of the page.
import { html, useEffect, useState } from "/static/vendor/preact-htm.js";

/** @typedef {{ text: string, wrong: boolean, id: number }} Toast */

/** @type {(toast: Toast) => void} */
let tell = () => {};
/** @param {string} text */
export const say = (text, wrong = false) => tell({ text, wrong, id: Math.random() });
/** @param {Error} error */
export const complain = (error) => say(error.message || String(error), true);

export function Toasts() {
  const [toasts, setToasts] = useState(/** @type {Toast[]} */ ([]));
  useEffect(() => {
    tell = (toast) => {
      setToasts((now) => [...now.slice(-3), toast]);
      setTimeout(() => setToasts((now) => now.filter((t) => t.id !== toast.id)), toast.wrong ? 9000 : 4000);
    };
  }, []);
  return html`<div class="toasts" role="status" aria-live="polite">
    ${toasts.map((t) => html`<div key=${t.id} class=${`toast ${t.wrong ? "wrong" : ""}`}>${t.text}</div>`)}</div>`;
}
