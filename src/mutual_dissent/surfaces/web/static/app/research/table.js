// The debates that were found, one row each; cards where there is no room for a table.
import { html, Link, Bar, count, money, percent } from "/static/app/ui.js";
import { Rating } from "/static/app/research/marks.js";
import { turn } from "/static/app/research/address.js";

const QUIET = "completed";
/** @type {Record<string, string>} */
const TONES = {
  active: "differ",
  created: "differ",
  paused: "differ",
  interrupted: "differ",
  stopped: "oppose",
  error: "oppose",
};
const COLUMNS = [
  { name: "Question" },
  { name: "Mode" },
  { name: "Panel" },
  { name: "Agreement", order: "agreement" },
  { name: "Cost", order: "cost", num: true },
  { name: "Tokens", order: "tokens", num: true },
  { name: "Score", order: "score", num: true },
  { name: "Rating", order: "rating" },
  { name: "When", order: "newest" },
];

/** @param {Props} props */
export function Table({ rows, outcomes, search, at, chosen, onChoose, onChooseAll, onRate }) {
  const whole = rows.length > 0 && rows.every((r) => chosen(r.transcript_id));
  return html`<div class="wide"><table class="debates"><caption class="sr">Stored debates</caption>
    <thead><tr><th class="pick"><input type="checkbox" aria-label="Select all on this page" checked=${whole} onChange=${(e) => onChooseAll(e.target.checked)} /></th>
      ${COLUMNS.map((c) => html`<${Head} column=${c} search=${search} />`)}<td></td></tr></thead>
    <tbody>${rows.map(
      (
        row,
        i,
      ) => html`<${Row} key=${row.transcript_id} row=${row} outcome=${outcomes[row.transcript_id]} here=${i === at} chosen=${chosen(row.transcript_id)}
      onChoose=${(e) => onChoose(i, e)} onRate=${(stars) => onRate(row, stars)} search=${search} />`,
    )}</tbody></table></div>`;
}

/** @param {Props} props */
function Head({ column, search }) {
  const { name, order, num } = column;
  if (!order) return html`<th scope="col">${name}</th>`;
  const now = search.order || "newest";
  const sorted = now === order || (order === "newest" && now === "oldest");
  const up = sorted && Boolean(search.reverse) !== (now === "oldest");
  const next = { order, reverse: sorted && !up ? "true" : undefined };
  return html`<th scope="col" class=${num ? "num" : ""} aria-sort=${sorted ? (up ? "ascending" : "descending") : undefined}>
    <button class="bare sort" onClick=${() => turn(search, next)}>${name}<span aria-hidden="true">${sorted ? (up ? " ↑" : " ↓") : ""}</span></button></th>`;
}

/** @param {Props} props */
function Row({ row, outcome, here, chosen, onChoose, onRate, search }) {
  const id = row.transcript_id;
  return html`<tr data-id=${id} class=${`${here ? "here" : ""} ${chosen ? "chosen" : ""}`}>
    <td class="pick"><input type="checkbox" aria-label=${`Select: ${short(row.query, 60)}`} checked=${chosen} onClick=${onChoose} /></td>
    <td class="what"><${Link} href=${`/debates/${id}`}>${short(row.query, 200)}<//>
      ${outcome && html`<p class="came small" dir="auto" title=${short(outcome, 1000)}>${short(outcome, 400)}</p>`}
      <div class="row under">${row.status === QUIET ? "" : html`<span class=${`chip ${TONES[row.status] || ""}`}>${row.status}</span>`}
        ${row.experiment_id ? html`<button class="chip mark" onClick=${() => turn(search, { experiment: row.experiment_id })}>${short(row.experiment_id, 30)}</button>` : ""}
        ${row.tags.map((t) => html`<button class="chip mark" onClick=${() => turn(search, { tag: t })}>${t}</button>`)}</div></td>
    <td data-label="Mode">${row.mode}${row.preset ? html` <span class="small muted">${row.preset}</span>` : ""}</td>
    <td data-label="Panel" class="panelists small" title=${row.models.join(", ")}>${named(row.panel)}</td>
    <td data-label="Agreement"><${Agreement} value=${row.agreement} /></td>
    <td data-label="Cost" class="num">${money(row.cost)}${row.unpriced ? html`<span title="some calls have no known price" class="muted">+</span>` : ""}</td>
    <td data-label="Tokens" class="num spare">${count(row.tokens)}</td>
    <td data-label="Score" class="num spare">${row.score === null ? "–" : row.score.toFixed(1)}</td>
    <td data-label="Rating"><${Rating} value=${row.rating} onRate=${onRate} /></td>
    <td data-label="When" class="small muted day"><time datetime=${row.created_at} title=${new Date(row.created_at).toLocaleString()}>${day(row.created_at)}</time></td>
    <td><${Link} class="small study" href=${`/debates/${id}/study`} aria-label=${`Study: ${short(row.query, 60)}`}>Study<//></td></tr>`;
}

/** @param {Props} props */
export const Agreement = ({ value }) =>
  value === null || value === undefined
    ? html`<span class="muted">–</span>`
    : html`<div class="row level"><${Bar} value=${value} label="Agreement" /><span class="small num">${percent(value)}</span></div>`;

/** @param {string} text @param {number} most */
export const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
/** @param {string} iso */
export const day = (iso) =>
  new Date(iso).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
/** @param {string[]} panel */
const named = (panel) =>
  panel.length > 4 ? `${panel.slice(0, 3).join(", ")} +${panel.length - 3}` : panel.join(", ");
