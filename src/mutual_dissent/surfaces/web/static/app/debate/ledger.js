// What is said about a debate: who holds what, what was corrected, what stays open, what only you can tell.
import { html } from "/static/app/ui.js";
import { Seat, nameOf } from "/static/app/debate/tables.js";
import { FATES } from "/static/app/words.js";

/** @type {Partial<Record<Schemas["DebateAccount"]["analysis"], string>>} */
const READING = {
  waiting: "",
  running: "The analyst is still reading the debate; what it finds is added here.",
  failed: "The analyst's reading could not be used; this is made of what the panelists say themselves.",
};

/** @param {Props} props */
export function Ledger({ state, said }) {
  const found = said?.ledger;
  if (!found) return null;
  return html`<section class="ledger card" aria-label="Who holds what">
    <${Positions} state=${state} positions=${found.positions} />
    <${Corrected} state=${state} corrections=${found.corrections} />
    <${Open} state=${state} found=${found} />
    <${Missing} missing=${found.missing} />
    <${Common} state=${state} shared=${found.commonGround} />
    <p class="small muted">${readingOf(state, found, said.analysis)}</p>
  </section>`;
}

// On whose word it rests, and how far the reading is.
/** @param {DebateState} state @param {Ledger} ledger @param {DebateAccount["analysis"]} analysis */
export const readingOf = (state, ledger, analysis) => `${source(state, ledger)} ${READING[analysis] || ""}`;

/** @param {DebateState} state @param {Ledger} found */
const source = (state, found) =>
  found.source === "analyst"
    ? `As ${nameOf(state, found.analyst || "")} reads the debate; quotes were looked up in the answers${found.droppedQuotes ? `, ${found.droppedQuotes} could not be found and are left out` : ""}.`
    : "Made of what the panelists say themselves.";

/** @param {Props & { names: string[] }} props */
const Seats = ({ state, names }) =>
  html`<span class="seats">${names.map((n) => html`<${Seat} state=${state} name=${n} />`)}</span>`;

/** @param {Props} props */
function Positions({ state, positions }) {
  if (!positions.length) return null;
  return html`<div class="part"><h3>Who holds what</h3><ul class="plain">${positions.map(
    (p) => html`<li class="position">
    <${Seats} state=${state} names=${p.holders} /><p>${p.statement}</p></li>`,
  )}</ul></div>`;
}

/** @param {Props} props */
export function Corrected({ state, corrections }) {
  if (!corrections.length) return null;
  const title = state.brief?.mode === "forecast" ? "Revised" : "Corrected in the debate";
  return html`<div class="part"><h3>${title}</h3><ul class="plain">${corrections.map(
    (c) => html`<li class="position">
    <${Seats} state=${state} names=${[c.by]} /><div><p>${c.before && html`<del>${c.before}</del> → `}<ins>${c.after}</ins></p>
    ${(c.reason || c.becauseOf.length > 0) && html`<p class="small muted">${because(state, c)}</p>`}</div></li>`,
  )}</ul></div>`;
}

/** @param {DebateState} state @param {Schemas["Correction"]} c */
const because = (state, c) =>
  [
    c.becauseOf.length ? `because of ${c.becauseOf.map((s) => state.names?.[s] || s).join(" and ")}` : "",
    c.reason,
  ]
    .filter(Boolean)
    .join(": ");

/** @param {Props & { found: Ledger }} props */
export function Open({ state, found }) {
  const left = found.minority.filter((m) => m.fate === "omitted");
  const other = found.minority.filter((m) => m.fate !== "omitted");
  if (!found.contested.length && !found.minority.length && !found.disputes.length) return null;
  return html`<div class="part"><h3>Stays open</h3>
    ${found.contested.map(
      (i) =>
        html`<div class="issue"><p><strong>${i.question}</strong></p><ul class="plain">${i.sides.map(
          (s) => html`<li class="position">
      <${Seats} state=${state} names=${s.holders} /><div><p>${s.statement}</p><${Words} state=${state} quote=${s.quote} /></div></li>`,
        )}</ul></div>`,
    )}
    ${left.map((m) => html`<${Claim} state=${state} m=${m} />`)}
    ${found.disputes.map((d) => html`<p class="small dispute">${d}</p>`)}
    ${other.length > 0 && html`<details class="small"><summary>${other.length === 1 ? "One more claim that only some make" : `${other.length} more claims that only some make`}</summary>${other.map((m) => html`<${Claim} state=${state} m=${m} />`)}</details>`}</div>`;
}

/** @param {Props & { m: Schemas["Minority"] }} props */
const Claim = ({
  state,
  m,
}) => html`<div class="position claim"><${Seats} state=${state} names=${m.holders} /><div>
  <p>${m.claim} <span class=${`chip ${m.fate === "omitted" ? "differ" : ""}`}>${FATES[m.fate] || m.fate}</span></p><${Words} state=${state} quote=${m.quote} /></div></div>`;

/** @param {{ state: DebateState, quote: Schemas["Quote"] | null }} props */
const Words = ({ state, quote }) =>
  quote &&
  html`<blockquote class="small">“${quote.text}” <cite class="muted">${state.names?.[quote.by] || quote.by}</cite></blockquote>`;

/** @param {Props} props */
const Missing = ({ missing }) =>
  missing.length === 0
    ? null
    : html`<div class="part"><h3>Only you can tell</h3><ul>${missing.map((m) => html`<li dir="auto">${m}</li>`)}</ul></div>`;

/** @param {Props & { shared: Ledger["commonGround"] }} props */
function Common({ state, shared }) {
  if (!shared.length) return null;
  return html`<details class="part"><summary><h3>Nobody contests</h3></summary><ul class="plain">${shared.map(
    (s) => html`<li><p>${s.statement}</p>
    ${s.quotes.map((q) => html`<${Words} state=${state} quote=${q} />`)}</li>`,
  )}</ul></details>`;
}
