// The answer: what the panel holds in a sentence, the text as it is written, who holds what, what it cost.
import { html, useState, Guard, Said, copy, count, money, seconds } from "/static/app/ui.js";
import { Writing } from "/static/app/debate/live.js";
import { Changes, reason } from "/static/app/debate/pane.js";
import { Tally } from "/static/app/debate/findings.js";
import { Ledger } from "/static/app/debate/ledger.js";
import { Estimates, Relations, Seat, nameOf } from "/static/app/debate/tables.js";
import { answerOf, isLive, olderAnswers, readable, seatIndex, textOf, usable } from "/static/app/debate/fold.js";

export function Answer({ session, counted }) {
  const { state, view, said } = session;
  const [beside, setBeside] = useState(null);
  const answer = answerOf(state);
  const older = olderAnswers(state);
  const other = older.find((r) => r.seq === beside) || null;
  return html`<section class="answer-page" aria-label="Answer">
    <div class="answer-main">
      <div class=${`answer-texts ${other ? "two" : ""}`}>
        ${other && html`<${Text} session=${session} r=${other} title="Older text" />`}
        <${Current} session=${session} answer=${answer} />
      </div>
      <${Guard} what="The agreement table"><${Panel} state=${state} said=${said} /><//>
      <${Guard} what="Who holds what"><${Ledger} state=${state} said=${said} /><//>
    </div>
    <aside class="beside">
      <${Absent} state=${state} />
      ${counted && html`<div class="card"><${Counted} state=${state} counted=${counted} /></div>`}
      <${Older} older=${older} answer=${answer} beside=${beside} onChoose=${setBeside} />
      <${Worth} view=${view} said=${said} state=${state} answer=${answer} />
    </aside>
  </section>`;
}

function Current({ session, answer }) {
  const { state, said, view } = session;
  const heading = said?.heading;
  if (state.writing) return html`<article class="card answer" id=${state.writing}><${By} who=${nameOf(state, state.pending[state.writing]?.seat)} /><${Writing} live=${session.live} id=${state.writing} key=${state.writing} /></article>`;
  if (answer) return html`<${Text} session=${session} r=${answer} heading=${heading} />`;
  const stand = !isLive(state) && view?.fallback_answer;
  if (stand) return html`<${Text} session=${session} r=${state.answers[stand.key] || stand} heading=${heading} title="The panel's nearest answer" />`;
  const failed = state.syntheses.filter((r) => !usable(r));
  return html`<article class="card answer"><p class="muted">${isLive(state) ? "The answer is written when the panel is done." : heading || "There is no answer."}</p>
    ${failed.map((r) => html`<p class="small wrong">${nameOf(state, r.model_alias)}: ${reason(r)}${r.error ? ` (${r.error})` : ""}</p>`)}</article>`;
}

const By = ({ who, r }) => html`<p class="by small muted">${who && html`Written by <strong>${who}</strong>`}${r && html`<span class="num"> · ${seconds(r.latency_ms)} · ${count(r.output_tokens)} tokens · ${r.cost_usd === null ? "no price" : money(r.cost_usd)}</span>`}</p>`;

function Text({ session, r, heading, title }) {
  const text = textOf(session, r);
  return html`<article class="card answer" id=${r.key}>
    ${title && html`<h3 class="muted">${title}</h3>`}
    ${heading && html`<p class="heading">${heading}</p>`}
    <${Said} text=${text} citations=${r.citations} key=${r.seq} />
    ${r.finish === "truncated" && html`<p class="small chip differ">cut at a length limit</p>`}
    <div class="row"><${By} who=${nameOf(session.state, r.model_alias)} r=${r} /><span class="grow"></span>
      <button class="bare" onClick=${() => copy(text, "The answer is copied.")}>Copy text</button></div>
  </article>`;
}

// What panelists held last, and how they see each other.
function Panel({ state, said }) {
  const rounds = said?.panel.rounds || [];
  const last = [...rounds].reverse().find((r) => r.source !== "nobody") || rounds[rounds.length - 1];
  if (!last || (last.rows.length < 2 && !said.panel.estimates.length)) return null;
  return html`<section class="card ledger" aria-label="The panel"><${Relations} state=${state} round=${last} /><${Estimates} state=${state} estimates=${said.panel.estimates} /></section>`;
}

function Absent({ state }) {
  const missing = Object.values(state.answers).filter((r) => r.round_number >= 0 && !usable(r) && seatOf(state, r));
  if (!missing.length) return null;
  return html`<div class="card"><h4>Not heard</h4><ul class="plain">${missing.map((r) => html`<li class="small muted">${nameOf(state, r.model_alias)} (${reason(r)})</li>`)}</ul></div>`;
}

const seatOf = (state, r) => state.brief?.panel.some((p) => p.seat === r.model_alias);

function Older({ older, answer, beside, onChoose }) {
  const other = older.find((r) => r.seq === beside);
  if (!older.length) return null;
  return html`<div class="card"><h4>Older texts</h4>${older.map((r) => html`<label class="row small pick"><input type="checkbox" checked=${r.seq === beside}
    onChange=${(e) => onChoose(e.target.checked ? r.seq : null)} />by ${r.model_alias}, ${new Date(r.at).toLocaleTimeString()}</label>`)}
    ${other && answer && html`<details class="small"><summary>What changed</summary><${Changes} before=${readable(other)} after=${readable(answer)} /></details>`}</div>`;
}

function Counted({ state, counted }) {
  return counted.decisions.map((d) => html`<${Tally} state=${state} tally=${d} title=${`Counted by ${d.rule}`} />`);
}

function Worth({ view, said, state, answer }) {
  const stats = view?.metadata?.stats;
  if (!stats || (isLive(state) && !answer)) return null;
  const score = answer && state.scores[answer.key];
  const value = view.metadata.value;
  return html`<div class="card"><h4>What it cost</h4>
    ${said?.account.cost && html`<p class="small">${said.account.cost}</p>`}
    <table class="small num"><thead><tr><th>Who</th><th class="num">Calls</th><th class="num">Tokens</th><th class="num">Cost</th></tr></thead>
    <tbody>${Object.entries(stats.per_model).sort(([a], [b]) => seatIndex(state, a) - seatIndex(state, b)).map(([seat, s]) => html`<tr><td><${Seat} state=${state} name=${seat} /></td><td class="num">${s.calls}</td><td class="num">${count(s.tokens)}</td><td class="num">${s.cost_usd === undefined || s.cost_usd === null ? "–" : money(s.cost_usd)}</td></tr>`)}</tbody></table>
    ${value?.summary && html`<p class="small muted">${value.summary}</p>`}
    ${score && html`<p class="small">Judge: ${Object.entries(score).filter(([, v]) => typeof v === "number").map(([k, v]) => `${k} ${v}`).join(", ")}</p>`}</div>`;
}
