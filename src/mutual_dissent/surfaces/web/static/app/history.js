// What was asked before, beside whatever is shown.
import { html, useEffect, useState, Link, complain } from "/static/app/ui.js";
import { get, query } from "/static/app/api.js";

/** @param {string} text @param {number} limit @returns {Promise<Row[]>} */
export async function found(text, limit) {
  return (await get(`/ui/research/debates${query({ text, limit })}`)).items;
}

/** @param {Props} props */
export function History({ address, onClose }) {
  const [text, setText] = useState("");
  const [rows, setRows] = useState(/** @type {Row[] | null} */ (null));
  useEffect(() => {
    let here = true;
    const timer = setTimeout(
      () =>
        found(text, 40).then((all) => {
          if (here) setRows(all);
        }, complain),
      text ? 150 : 0,
    );
    return () => {
      here = false;
      clearTimeout(timer);
    };
  }, [text, address]);
  return html`<aside class="history" aria-label="History">
    <div class="row"><${Link} class="button grow" href="/">New debate<//><button class="bare" aria-label="Close the history" onClick=${onClose}>✕</button></div>
    <input type="search" aria-label="Search the history" placeholder="Search" value=${text} onInput=${(e) => setText(e.target.value)} />
    <ul class="plain">${(rows || []).map(
      (
        r,
      ) => html`<li key=${r.transcript_id}><${Link} href=${`/debates/${r.transcript_id}`} aria-current=${address.startsWith(`/debates/${r.transcript_id}`) ? "page" : undefined}>
      <span class="past-query" dir="auto">${r.query.slice(0, 160)}</span><span class="small muted num">${outcome(r)} · ${new Date(r.created_at).toLocaleDateString()}</span><//></li>`,
    )}</ul>
    ${rows && !rows.length && html`<p class="small muted">${text ? "Nothing found." : "Nothing was asked yet."}</p>`}</aside>`;
}

// What came of a debate, in a word.
/** @param {Row} r */
function outcome(r) {
  return r.status === "completed" ? "answered" : r.status;
}
