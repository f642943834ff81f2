// One debate studied: who holds what, when what happened, who moved whom, what it was worth.
import {
  html,
  useEffect,
  useState,
  Link,
  Dialog,
  Tabs,
  complain,
  count,
  go,
  money,
  say,
  seconds,
} from "/static/app/ui.js";
import { del, get } from "/static/app/api.js";
import { Ledger } from "/static/app/debate/ledger.js";
import { Ballots, Changed, Critiques, Estimates, Relations } from "/static/app/debate/tables.js";
import { Figure } from "/static/app/research/chart.js";
import { Rating, Tags, rate } from "/static/app/research/marks.js";
import { day } from "/static/app/research/table.js";

/** @param {Props} props */
export default function Study({ id }) {
  const [found, setFound] = useState(/** @type {any} */ (null));
  const [tags, setTags] = useState(/** @type {string[]} */ ([]));
  useEffect(() => {
    setFound(null);
    get(`/ui/research/debates/${id}`)
      .then(setFound)
      .catch((error) => setFound({ error }));
    get("/ui/research/choices")
      .then((c) => setTags(c.tag || []))
      .catch(() => {});
  }, [id]);
  if (!found) return html`<p class="splash">Reading…</p>`;
  if (found.error)
    return html`<div class="empty"><p>${found.error.message}</p><p><${Link} href="/debates">To all debates<//></p></div>`;
  /** @param {Partial<Row>} changes */
  const put = (changes) => setFound({ ...found, row: { ...found.row, ...changes } });
  return html`<article class="research studied">
    <${Top} found=${found} known=${tags} onChange=${put} />
    <${Panel} found=${found} />
    <div class="figures">
      ${found.figures.map((/** @type {Figure} */ f) => html`<${Figure} key=${f.name} figure=${f} />`)}
      <${Flips} flips=${found.flips} leader=${found.leader} /><${Worth} worth=${found.worth} /><${Scores} scores=${found.scores} /></div></article>`;
}

/** @param {Props} props */
function Top({ found, known, onChange }) {
  const { id, row } = found;
  const [asking, setAsking] = useState(false);
  /** @param {number | null} rating */
  const onRate = async (rating) => {
    try {
      await rate(id, rating);
      onChange({ rating });
    } catch (error) {
      complain(error);
    }
  };
  const remove = async () => {
    try {
      await del(`/api/sessions/${id}`);
      say("Deleted.");
      go("/debates");
    } catch (error) {
      complain(error);
    }
  };
  return html`<header class="col">
    <div class="row"><h1 class="grow">${found.query.slice(0, 300)}</h1></div>
    <p class="muted">${found.heading}</p>
    ${found.caveat ? html`<p class="banner">${found.caveat}</p>` : ""}
    <dl class="particulars">${facts(found).map(([name, value]) => html`<div><dt>${name}</dt><dd class="num">${value}</dd></div>`)}</dl>
    <div class="row"><${Rating} value=${row.rating} onRate=${onRate} /><${Tags} id=${id} tags=${row.tags} known=${known} onChange=${(tags) => onChange({ tags })} />
      <span class="grow"></span>
      <${Link} class="button" href=${`/debates/${id}`}>Read<//><${Link} class="button" href=${`/compare?a=${id}`}>Compare<//>
      <a class="button" href=${`/api/sessions/${id}/export?format=html`} download>Report</a>
      <button class="danger" onClick=${() => setAsking(true)}>Delete</button></div>
    <${Dialog} open=${asking} onClose=${() => setAsking(false)} title="Delete this debate?">
      <p>The record, its file and what it cost are forgotten. This cannot be undone.</p>
      <div class="row"><button class="danger" onClick=${remove}>Delete it</button><button autofocus onClick=${() => setAsking(false)}>Keep</button></div><//></header>`;
}

/** @param {Studied} found */
const facts = ({ row, mode, panel }) => [
  ["Mode", row.preset ? `${mode} (${row.preset})` : mode],
  ["Panel", panel.map((p) => p.seat).join(", ")],
  ["Rounds", count(row.rounds)],
  ["Calls", count(row.calls)],
  ["Tokens", count(row.tokens)],
  ["Cost", money(row.cost)],
  ["Time", seconds(row.duration_s * 1000)],
  ["Held", day(row.created_at)],
  ...(row.experiment_id ? [["Experiment", row.experiment_id]] : []),
];

// Who holds what, as the debate page has it, for every round.
/** @param {{ found: Studied }} props */
function Panel({ found }) {
  const { tables, ledger, panel } = found;
  const [chosen, setChosen] = useState(null);
  const state = { brief: { panel, mode: found.mode }, names: tables.names };
  const last = tables.rounds[tables.rounds.length - 1];
  const round = tables.rounds.find((r) => r.number === chosen) || last;
  if (!round) return null;
  /** @type {<T extends { round: number }>(list: T[]) => T | undefined} */
  const of = (list) => list.find((r) => r.round === round.number);
  return html`<div class="studied-panel"><${Ledger} state=${state} said=${{ ledger, analysis: "none" }} />
    <section class="card ledger" aria-label="Round by round">
      ${tables.rounds.length > 1 && html`<${Tabs} label="Rounds" chosen=${round.number} onChoose=${setChosen} tabs=${tables.rounds.map((r) => ({ id: r.number, name: r.name }))} />`}
      <${Relations} key=${round.number} state=${state} round=${round} /><${Changed} state=${state} round=${round} />
      <${Ballots} state=${state} ballots=${of(tables.ballots)} /><${Critiques} key=${`c${round.number}`} state=${state} critiques=${of(tables.critiques)} />
      <${Estimates} state=${state} estimates=${tables.estimates} /></section></div>`;
}

/** @param {Props} props */
const Card = ({ name, title, children }) =>
  html`<section class="card figure" id=${`figure-${name}`} aria-label=${title}><h2>${title}</h2>${children}</section>`;

/** @param {Pick<Studied, "flips" | "leader">} props */
const Flips = ({ flips, leader }) => html`<${Card} name="flips" title="Changes of position">
  ${
    flips.length
      ? html`<ul class="flips">${flips.map(
          (
            f,
          ) => html`<li><strong>${f.seat}</strong> <span class="chip">${f.round}</span> <span class="muted">${f.reason}</span>
    <div class="change"><del>${f.before}</del><ins>${f.after}</ins></div>
    ${f.read.length ? html`<p class="small muted">had read ${f.read.join(", ")}${f.towards.length ? `; says that ${f.towards.join(", ")} moved it` : ""}</p>` : ""}</li>`,
        )}</ul>`
      : html`<p class="muted">Nobody changed its position.</p>`
  }${leader ? html`<p class="small muted">${leader}</p>` : ""}<//>`;

/** @param {Pick<Studied, "worth">} props */
const Worth = ({ worth }) =>
  html`<${Card} name="worth" title="What deliberating was worth">${
    worth
      ? html`<p>${worth.summary}</p>
  <div class="wide" tabindex="0" role="region" aria-label="Cheaper ways"><table><thead><tr><th>Instead</th><th>Whose</th><th>Compared</th><th>Cost</th></tr></thead><tbody>
  ${worth.ways.map((w) => html`<tr><td>${w.name}</td><td class="small">${w.whose}</td><td>${w.outcome}</td><td>${w.price}</td></tr>`)}</tbody></table></div>
  <p class="small muted">The debate took ${worth.spent}.</p>`
      : html`<p class="muted">There is no finished answer to compare with cheaper ways.</p>`
  }<//>`;

/** @param {Pick<Studied, "scores">} props */
const Scores = ({ scores }) =>
  html`<${Card} name="marks" title="Judge's marks">${
    scores.rows.length
      ? html`<div class="wide" tabindex="0" role="region" aria-label="Marks"><table>
  <thead><tr><th>Answer</th>${scores.dimensions.map((d) => html`<th class="num">${d}</th>`)}<th>Explanation</th></tr></thead>
  <tbody>${scores.rows.map((r) => html`<tr><td>${r.seat}, ${r.place}</td>${scores.dimensions.map((d) => html`<td class="num">${r.marks[d] ?? "–"}</td>`)}<td class="small">${r.explanation}</td></tr>`)}</tbody></table></div>
  ${scores.findings.map((f) => html`<p class="small">${f}</p>`)}`
      : html`<p class="muted">It was not scored. With a known answer: dissent score.</p>`
  }<//>`;
