// Tables of what panelists said: how they relate to each other, estimates, ballots, critiques.
import { html, useState, colour } from "/static/app/ui.js";
import { seatIndex } from "/static/app/debate/fold.js";

/** @type {Record<Schemas["View"]["relation"], string>} */
const SIGNS = { agree: "✓", partly: "◐", disagree: "✕" };
/** @type {Record<Schemas["View"]["relation"], string>} */
const TONES = { agree: "agree", partly: "differ", disagree: "oppose" };
/** @type {Record<string, string>} */
const CHANGES = { detail: "changed a detail", yes: "changed its answer" };

/** @param {{ names?: Record<string, string> }} state @param {string} seat @returns {string} */
export const nameOf = (state, seat) => state.names?.[seat] || seat;

/** @param {Props} props */
export const Seat = ({ state, name }) => {
  const at = seatIndex(state, name);
  return html`<span class="seat" style=${{ color: at < 0 ? "var(--muted)" : colour(at) }}><i class="dot"></i>${nameOf(state, name)}</span>`;
};

/** @param {Props} props */
const Place = ({ state, seat }) =>
  html`<span class="pane-number" style=${{ "--mine": colour(Math.max(0, seatIndex(state, seat))) }} title=${nameOf(state, seat)}>${seatIndex(state, seat) + 1}<span class="sr"> ${nameOf(state, seat)}</span></span>`;

// Panelists by what they hold and how they relate to each other; a click shows the sentence.
/** @param {Props & { round: PanelRound }} props */
export function Relations({ state, round, title }) {
  const [chosen, setChosen] = useState(/** @type {{ by: string, on: string } | null} */ (null));
  if (!round || round.rows.length === 0) return null;
  const picked = round.rows.find((r) => r.seat === chosen?.by)?.views.find((v) => v.seat === chosen?.on);
  const review = state.brief?.mode === "review"; // reviewers judge a text, not each other
  const many = round.rows.length > 1 && !review;
  const usual = review ? "What each says of the text" : "What they hold, and how they see each other";
  return html`<div class="relations"><h3>${title || usual}</h3>
    <div class="wide" tabindex="0" role="region" aria-label="Agreement table"><table class="relation-table">
      <thead><tr><th scope="col">Panelist</th>${many && round.seats.map((s) => html`<th scope="col" class="rel"><${Place} state=${state} seat=${s} /></th>`)}<th scope="col" class="holds">${review ? "Says" : "Holds"}</th></tr></thead>
      <tbody>${round.rows.map(
        (r) => html`<tr>
        <th scope="row"><span class="who"><${Place} state=${state} seat=${r.seat} /><span>${nameOf(state, r.seat)}</span></span></th>
        ${
          many &&
          round.seats.map(
            (s) =>
              html`<td class="rel">${
                s === r.seat
                  ? html`<span class="faint" aria-hidden="true">–</span>`
                  : html`<${Cell} view=${r.views.find((v) => v.seat === s)} on=${chosen?.by === r.seat && chosen?.on === s} choose=${() => setChosen(chosen?.by === r.seat && chosen?.on === s ? null : { by: r.seat, on: s })} />`
              }</td>`,
          )
        }
        <td class="holds">${r.holds || html`<span class="muted">${round.silent.includes(r.seat) ? "took no position" : "did not say it in a sentence"}</span>`}${r.estimate && html` <span class="chip num">${r.estimate}</span>`}</td></tr>`,
      )}</tbody></table></div>
    ${many && html`<p class="small sentence" role="status">${picked ? picked.sentence : html`<span class="muted">${legend(round)}</span>`}</p>`}</div>`;
}

/** @param {PanelRound} round */
const legend = (round) =>
  round.source === "nobody"
    ? "How they see each other was not measured."
    : "✓ agrees, ◐ partly, ✕ disagrees, · not measured. Click a sign for the sentence; a row says how its panelist sees the others.";

/** @param {Props & { view?: PanelView }} props */
const Cell = ({ view, on, choose }) =>
  html`<button type="button" class=${`sign ${(view?.relation && TONES[view.relation]) || "none"}`} aria-pressed=${on} aria-label=${view?.sentence || "not measured"} title=${view?.sentence || "not measured"} onClick=${choose}>${(view?.relation && SIGNS[view.relation]) || "·"}</button>`;

// Claims by panelists; a click on a sign shows the sentence.
/** @param {Props} props */
export function Claims({ state, claims, seats }) {
  const [chosen, setChosen] = useState(/** @type {{ at: number, seat: string } | null} */ (null));
  const [all, setAll] = useState(false);
  const picked = chosen && claims[chosen.at]?.cells[chosen.seat];
  const rows = claims.map((c, at) => ({
    ...c,
    at,
    opens: c.question && c.question !== claims[at - 1]?.question,
  }));
  const sided = claims.some((c) => Object.values(c.cells).some((cell) => cell.stand === "other"));
  const common = rows.filter((c) => c.kind === "common"),
    other = rows.filter((c) => c.kind !== "common");
  /** @param {(typeof rows)[number]} c */
  const row = (
    c,
  ) => html`${c.opens && html`<tr class="issue-row"><th scope="rowgroup" colspan=${seats.length + 1} dir="auto">${c.question}</th></tr>`}
    <tr><th scope="row" class="holds" dir="auto">${c.claim}</th>${seats.map(
      (
        s,
      ) => html`<td class="rel"><${Stand} cell=${c.cells[s]} who=${nameOf(state, s)} on=${chosen?.at === c.at && chosen?.seat === s}
      choose=${() => setChosen(chosen?.at === c.at && chosen?.seat === s ? null : { at: c.at, seat: s })} /></td>`,
    )}</tr>`;
  return html`<div class="claims"><div class="wide" tabindex="0" role="region" aria-label="Claims and panelists"><table class="relation-table">
    <thead><tr><th scope="col" class="holds">Claim</th>${seats.map((s) => html`<th scope="col" class="rel"><${Seat} state=${state} name=${s} /></th>`)}</tr></thead>
    <tbody>${other.map(row)}${common.length > 0 && html`<tr class="issue-row"><th scope="rowgroup" colspan=${seats.length + 1}><button type="button" class="bare small" aria-expanded=${all} onClick=${() => setAll(!all)}>${all ? "▾" : "▸"} ${common.length === 1 ? "One claim that nobody contests" : `${common.length} claims that nobody contests`}</button></th></tr>`}${all && common.map(row)}</tbody></table></div>
    <p class="small sentence" role="status" dir="auto">${picked ? html`${!picked.sentence?.startsWith(`${nameOf(state, chosen.seat)} `) && html`<strong>${nameOf(state, chosen.seat)}</strong>: `}${picked.sentence || STANDS[picked.stand].words}` : html`<span class="muted">✓ agrees, ◐ partly, ✕ disagrees,${sided ? " ≠ holds another side," : ""} · not known. Click a sign for the sentence.</span>`}</p></div>`;
}

/** @type {Record<PanelClaim["cells"][string]["stand"], { sign: string, tone: string, words: string }>} */
const STANDS = {
  agree: { sign: SIGNS.agree, tone: TONES.agree, words: "agree" },
  partly: { sign: SIGNS.partly, tone: TONES.partly, words: "partly" },
  disagree: { sign: SIGNS.disagree, tone: TONES.disagree, words: "disagree" },
  other: { sign: "≠", tone: "differ", words: "holds another" },
};

/** @param {Props & { cell?: PanelClaim["cells"][string] }} props */
const Stand = ({ cell, who, on, choose }) =>
  cell
    ? html`<button type="button" class=${`sign ${STANDS[cell.stand].tone}`} aria-pressed=${on} aria-label=${`${who}: ${STANDS[cell.stand].words}`} title=${cell.sentence} onClick=${choose}>${STANDS[cell.stand].sign}</button>`
    : html`<span class="faint" title="how it stands to this is not known">·<span class="sr"> not known</span></span>`;

// What each says that it changed, and because of whom.
/** @param {Props & { round: PanelRound }} props */
export function Changed({ state, round }) {
  const all = (round?.rows || []).flatMap(({ seat, change }) => (change ? [{ seat, ...change }] : []));
  const rows = all.filter((r) => r.kind !== "nothing");
  const same = all.filter((r) => r.kind === "nothing");
  if (!all.length) return null;
  return html`<div class="finding"><h3>What they changed</h3><ul class="plain">${rows.map(
    (r) => html`<li class="position"><${Seat} state=${state} name=${r.seat} />
    <div><p class="small">${CHANGES[r.kind]}${r.becauseOf.length ? `, because of ${r.becauseOf.map((s) => nameOf(state, s)).join(" and ")}` : ""}</p>
    ${r.what && html`<p class="small muted">${r.what}</p>`}</div></li>`,
  )}
    ${same.length > 0 && html`<li class="position"><span class="seats">${same.map((r) => html`<${Seat} state=${state} name=${r.seat} />`)}</span><p class="small">changed nothing</p></li>`}</ul></div>`;
}

// Options by criteria, as the panel rated them.
/** @param {{ table: { rows: string[][], notes: string[] } | null | undefined }} props */
export function Decision({ table }) {
  if (!table) return null;
  const [head, ...rows] = table.rows;
  return html`<div class="finding"><h3>Options rated by the panel</h3><div class="wide" tabindex="0" role="region" aria-label="Options rated"><table class="estimates small"><thead><tr>${head.map((c) => html`<th scope="col" dir="auto">${c}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((c, i) => (i ? html`<td class="num">${c}</td>` : html`<th scope="row" dir="auto">${c}</th>`))}</tr>`)}</tbody></table></div>
    <ul class="small">${table.notes.map((note) => html`<li dir="auto">${note}</li>`)}</ul></div>`;
}

// Estimates round by round, with the median of the panel; of forecasts every way of pooling them.
/** @param {Props} props */
export function Estimates({ state, estimates }) {
  if (!estimates?.length) return null;
  const seats = (state.brief?.panel || []).map((p) => p.seat).filter((s) => estimates.some((e) => e.values[s]));
  const ways = Object.keys(estimates[estimates.length - 1].pooled);
  return html`<div class="finding"><h3>${ways.length ? "Forecasts" : "Estimates"} by round</h3><div class="wide" tabindex="0" role="region" aria-label="Estimates"><table class="estimates small"><thead><tr><th></th>${estimates.map((e) => html`<th scope="col">${e.name}</th>`)}</tr></thead>
    <tbody>${seats.map((s) => html`<tr><th scope="row"><${Seat} state=${state} name=${s} /></th>${estimates.map((e) => html`<td class="num">${e.values[s]?.words || "–"}</td>`)}</tr>`)}
    ${ways.map((way) => html`<tr class="median"><th scope="row">${way}</th>${estimates.map((e) => html`<td class="num">${e.pooled[way] || "–"}</td>`)}</tr>`)}
    ${!ways.length && estimates.some((e) => e.median !== null) && html`<tr class="median"><th scope="row">median</th>${estimates.map((e) => html`<td class="num">${e.median === null ? "–" : `${e.median.toLocaleString("en-US", { maximumSignificantDigits: 6 })}${e.unit ? ` ${e.unit}` : ""}${e.given < e.answers ? ` (${e.given} of ${e.answers})` : ""}`}</td>`)}</tr>`}</tbody></table></div></div>`;
}

// Who put whom at which place.
/** @param {Props & { ballots?: RoundBallots }} props */
export function Ballots({ state, ballots }) {
  if (!ballots) return null;
  return html`<div class="finding"><h3>Ballots</h3><div class="wide" tabindex="0" role="region" aria-label="Ballots"><table class="relation-table small"><thead><tr><th scope="col">Voter</th>${ballots.candidates.map((c) => html`<th scope="col" class="rel"><${Place} state=${state} seat=${c} /></th>`)}</tr></thead>
    <tbody>${ballots.rows.map((r) => html`<tr><th scope="row"><${Seat} state=${state} name=${r.seat} /></th>${ballots.candidates.map((c) => html`<td class=${`rel num ${r.places[c] === 1 ? "first-place" : ""}`}>${r.places[c] ?? html`<span class="faint">·</span>`}</td>`)}</tr>`)}</tbody></table></div>
    <p class="small muted">The place that each voter gave.</p></div>`;
}

// The same ballots under every rule: who wins, and what each candidate gets.
/** @param {Props & { rules: string[] }} props */
export function Recount({ state, counted, rules }) {
  const now = state.brief?.rule,
    known = counted.decisions;
  const left = rules.filter((rule) => !known.some((d) => d.rule === rule));
  const same = known.every((d) => String([...d.winners].sort()) === String([...known[0].winners].sort()));
  /** @param {string[]} seats */
  const who = (seats) => (seats.length ? seats.map((s) => nameOf(state, s)).join(" and ") : "nobody");
  const sum = same ? `By every rule: ${who(known[0].winners)}.` : "Who wins depends on the rule.";
  return html`<section class="card" aria-label="Counted by every rule"><h4>Counted by every rule</h4><p>${sum}</p>
    <div class="wide" tabindex="0" role="region" aria-label="Rules and winners"><table class="relation-table small recount"><thead><tr><th scope="col">Rule</th><th scope="col">Wins</th>${counted.candidates.map((c) => html`<th scope="col" class="rel"><${Place} state=${state} seat=${c} /></th>`)}</tr></thead>
      <tbody>${known.map(
        (
          d,
        ) => html`<tr><th scope="row">${d.rule}${d.rule === now ? html` <span class="chip" title="The debate was decided by this rule">in force</span>` : ""}</th><td>${d.winners.length ? d.winners.map((s) => html`<${Seat} state=${state} name=${s} /> `) : html`<span class="muted">nobody</span>`}</td>
        ${counted.candidates.map((c) => html`<td class=${`rel num ${d.winners.includes(c) ? "first-place" : ""}`}>${d.scores[c] === undefined ? "–" : Number(d.scores[c].toFixed(2))}</td>`)}</tr>`,
      )}</tbody></table></div>
    <p class="small muted">${voices(known[0])}${counted.condorcet ? `; ${nameOf(state, counted.condorcet)} beats every other one by one` : ""}. Figures are each rule's own: the higher, the better.${left.length ? ` Not counted with so many candidates: ${left.join(", ")}.` : ""}</p></section>`;
}

/** @param {{ voters: number }} counted */
const voices = ({ voters }) => (voters === 1 ? "1 vote" : `${voters} votes`);

// What reviewers said of whom: strengths and weaknesses.
/** @param {Props & { critiques?: RoundCritiques }} props */
export function Critiques({ state, critiques }) {
  const [chosen, setChosen] = useState(/** @type {{ by: string, on: string } | null} */ (null));
  if (!critiques) return null;
  const seats = (state.brief?.panel || [])
    .map((p) => p.seat)
    .filter((s) => critiques.rows.some((r) => r.about[s]));
  const picked = chosen && critiques.rows.find((r) => r.seat === chosen.by)?.about[chosen.on];
  /** @param {{ strengths?: string[], weaknesses?: string[] }} points */
  const sign = (points) => `+${points.strengths?.length || 0} −${points.weaknesses?.length || 0}`;
  return html`<div class="finding wide-finding"><h3>Reviews</h3><div class="wide" tabindex="0" role="region" aria-label="Reviews"><table class="relation-table small"><thead><tr><th scope="col">Reviewer</th>${seats.map((s) => html`<th scope="col" class="rel"><${Place} state=${state} seat=${s} /></th>`)}</tr></thead>
    <tbody>${critiques.rows.map((r) => html`<tr><th scope="row"><${Seat} state=${state} name=${r.seat} /></th>${seats.map((s) => html`<td class="rel">${r.about[s] ? html`<button type="button" class="sign none num" aria-pressed=${chosen?.by === r.seat && chosen?.on === s} aria-label=${`${nameOf(state, r.seat)} on ${nameOf(state, s)}: ${sign(r.about[s])}`} onClick=${() => setChosen({ by: r.seat, on: s })}>${sign(r.about[s])}</button>` : html`<span class="faint">·</span>`}</td>`)}</tr>`)}</tbody></table></div>
    ${
      picked
        ? html`<div class="review" role="status"><p class="small muted">${nameOf(state, chosen.by)} on ${nameOf(state, chosen.on)}</p><ul class="small">${(picked.strengths || []).map((p) => html`<li class="plus">${p}</li>`)}${(picked.weaknesses || []).map((p) => html`<li class="minus">${p}</li>`)}</ul></div>`
        : html`<p class="small muted">Strengths and weaknesses that a reviewer named. Click to read them.</p>`
    }</div>`;
}
