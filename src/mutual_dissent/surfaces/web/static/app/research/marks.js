// What a person says of a debate: a rating and tags.
import { html, useState, complain } from "/static/app/ui.js";
import { post, put } from "/static/app/api.js";

const WORDS = ["not rated", "1 of 5", "2 of 5", "3 of 5", "4 of 5", "5 of 5"];

/** @param {string} id @param {number | null} rating */
export const rate = (id, rating) => put(`/ui/research/debates/${id}/rating`, { rating });
/** @param {object} chosen @param {string[]} add @param {string[]} [remove] */
export const tag = (chosen, add, remove = []) => post("/ui/research/tags", { ...chosen, add, remove });

/** @param {Props} props */
export function Rating({ value, onRate }) {
  return html`<select class=${`stars ${value ? "" : "none"}`} aria-label="Rating" value=${String(value || 0)}
    onChange=${(e) => onRate(Number(e.target.value) || null)}>
    ${WORDS.map((word, n) => html`<option value=${String(n)} aria-label=${word}>${n ? "★".repeat(n) : "–"}</option>`)}</select>`;
}

/** @param {Props & { tags: string[], known?: string[] }} props */
export function Tags({ id, tags, known = [], onChange }) {
  const [text, setText] = useState("");
  /** @param {string[]} add @param {string[]} remove */
  const send = async (add, remove) => {
    try {
      const reply = await tag({ ids: [id] }, add, remove);
      onChange(reply.tags[id] || []);
      setText("");
    } catch (error) {
      complain(error);
    }
  };
  return html`<form class="row tags" onSubmit=${(e) => {
    e.preventDefault();
    if (text.trim()) send([text], []);
  }}>
    ${tags.map((t) => html`<span class="chip" key=${t}>${t}<button type="button" class="bare" aria-label=${`Remove the tag ${t}`} onClick=${() => send([], [t])}>✕</button></span>`)}
    <input aria-label="New tag" placeholder="Add a tag" maxlength="60" list="known-tags" value=${text} onInput=${(e) => setText(e.target.value)} />
    <datalist id="known-tags">${known.map((t) => html`<option value=${t} />`)}</datalist>
    <button type="submit" disabled=${!text.trim()}>Add</button></form>`;
}
