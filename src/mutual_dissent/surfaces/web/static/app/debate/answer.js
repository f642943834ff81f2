// The answer: what happened in one line, the text as it is written, who dissents, what it was worth.
import { html, useState, Said, copy, count, money, seconds } from "/static/app/ui.js";
import { Writing } from "/static/app/debate/live.js";
import { Changes, reason } from "/static/app/debate/pane.js";
import { Seat, Tally, minorities } from "/static/app/debate/findings.js";
import { answerOf, isLive, olderAnswers, readable, seatIndex, usable } from "/static/app/debate/fold.js";

const ACTIONS = { proceed: ["agree", "You can act on it"], verify: ["differ", "Check the main points first"], query_detail: ["oppose", "Read the single answers"] };

export function Answer({ session, counted }) {
  const { state, view } = session;
  const [beside, setBeside] = useState(null);
  const answer = answerOf(state);
  const older = olderAnswers(state);
  const other = older.find((r) => r.seq === beside) || null;
  return html`<section class="answer-page" aria-label="Answer">
    <div class=${`answer-texts ${other ? "two" : ""}`}>
      ${other && html`<${Text} r=${other} title="Older text" />`}
      <${Current} session=${session} answer=${answer} />
    </div>
    <aside class="beside">
      <${Trust} view=${view} state=${state} />
      <${Dissent} state=${state} />
      ${counted && html`<div class="card"><${Counted} state=${state} counted=${counted} /></div>`}
      <${Older} older=${older} answer=${answer} beside=${beside} onChoose=${setBeside} />
      <${Sources} answer=${answer} />
      <${Worth} view=${view} state=${state} answer=${answer} />
    </aside>
  </section>`;
}

function Current({ session, answer }) {
  const { state, view } = session;
  if (state.writing) return html`<article class="card answer" id=${state.writing}><${By} who=${state.pending[state.writing]?.seat} /><${Writing} live=${session.live} id=${state.writing} key=${state.writing} /></article>`;
  if (answer) return html`<${Text} r=${answer} heading=${view?.heading} />`;
  const stand = view?.fallback_answer;
  if (stand) return html`<${Text} r=${stand} heading=${view?.heading} title="The panel's nearest answer" />`;
  const failed = state.syntheses.filter((r) => !usable(r));
  return html`<article class="card answer"><p class="muted">${isLive(state) ? "The answer is written when the panel is done." : view?.heading || "There is no answer."}</p>
    ${failed.map((r) => html`<p class="small wrong">${r.model_alias}: ${reason(r)}${r.error ? ` (${r.error})` : ""}</p>`)}</article>`;
}

const By = ({ who, r }) => html`<p class="by small muted">${who && html`Written by <strong>${who}</strong>`}${r && html`<span class="num"> · ${seconds(r.latency_ms)} · ${count(r.output_tokens)} tokens · ${r.cost_usd === null ? "no price" : money(r.cost_usd)}</span>`}</p>`;

function Text({ r, heading, title }) {
  return html`<article class="card answer" id=${r.key}>
    ${title && html`<h3 class="muted">${title}</h3>`}
    ${heading && html`<p class="heading">${heading}</p>`}
    <${Said} text=${readable(r)} key=${r.seq} />
    ${r.finish === "truncated" && html`<p class="small chip differ">cut at a length limit</p>`}
    <div class="row"><${By} who=${r.model_alias} r=${r} /><span class="grow"></span>
      <button class="bare" onClick=${() => copy(readable(r), "The answer is copied.")}>Copy text</button></div>
  </article>`;
}

function Trust({ view, state }) {
  const decision = view?.metadata?.decision;
  if (!decision || isLive(state)) return null;
  const [tone, words] = ACTIONS[decision.action] || ["", decision.action];
  return html`<div class="card"><h4>How far to trust it</h4><p><span class=${`chip ${tone}`}>${words}</span></p><p class="small">${decision.reason}</p>
    ${decision.hints?.map((h) => html`<p class="small muted">${h.reason}</p>`)}</div>`;
}

function Dissent({ state }) {
  const last = [...state.rounds].reverse().find((r) => r.measures?.consensus);
  const found = minorities(last?.measures.consensus);
  const missing = Object.values(state.answers).filter((r) => r.round_number >= 0 && !usable(r) && seatOf(state, r));
  if (!found.length && !missing.length) return null;
  return html`<div class="card"><h4>${found.some((g) => g.contradicted) ? "Dissent" : found.length ? "Other positions" : "Missing"}</h4><ul class="plain">${found.map((g) => html`<li>
    <div class="seats">${g.members.map((m) => html`<${Seat} state=${state} name=${m} />`)}</div><p class="small">${g.summary}</p></li>`)}
    ${missing.map((r) => html`<li class="small muted">${r.model_alias} was not heard (${reason(r)})</li>`)}</ul></div>`;
}

const seatOf = (state, r) => state.brief?.panel.some((p) => p.seat === r.model_alias);

function Older({ older, answer, beside, onChoose }) {
  const other = older.find((r) => r.seq === beside);
  if (!older.length) return null;
  return html`<div class="card"><h4>Older texts</h4>${older.map((r) => html`<label class="row small pick"><input type="checkbox" checked=${r.seq === beside}
    onChange=${(e) => onChoose(e.target.checked ? r.seq : null)} />by ${r.model_alias}, ${new Date(r.at).toLocaleTimeString()}</label>`)}
    ${other && answer && html`<details class="small"><summary>What changed</summary><${Changes} before=${readable(other)} after=${readable(answer)} /></details>`}</div>`;
}

function Sources({ answer }) {
  if (!answer?.citations?.length) return null;
  return html`<div class="card"><h4>Sources</h4><ol class="small sources">${answer.citations.slice(0, 30).map((c) => html`<li>${c.title || ""} <span class="mono muted">[${host(c.url)}]</span>
    <button class="bare tiny" aria-label="Copy the address" onClick=${() => copy(c.url, "The address is copied.")}>copy</button></li>`)}</ol></div>`;
}

const host = (url) => { try { return new URL(url).host || "?"; } catch { return "?"; } };

function Counted({ state, counted }) {
  return counted.decisions.map((d) => html`<${Tally} state=${state} tally=${d} title=${`Counted by ${d.rule}`} />`);
}

function Worth({ view, state, answer }) {
  const stats = view?.metadata?.stats;
  if (!stats || isLive(state)) return null;
  const score = answer && state.scores[answer.key];
  const value = view.metadata.value;
  return html`<div class="card"><h4>What it took</h4>
    <table class="small num"><thead><tr><th>Panelist</th><th class="num">Calls</th><th class="num">Tokens</th><th class="num">Cost</th></tr></thead>
    <tbody>${Object.entries(stats.per_model).sort(([a], [b]) => seatIndex(state, a) - seatIndex(state, b)).map(([seat, s]) => html`<tr><td><${Seat} state=${state} name=${seat} /></td><td class="num">${s.calls}</td><td class="num">${count(s.tokens)}</td><td class="num">${s.cost_usd === undefined || s.cost_usd === null ? "–" : money(s.cost_usd)}</td></tr>`)}</tbody></table>
    ${value?.summary && html`<p class="small muted">${value.summary}</p>`}
    ${score && html`<p class="small">Judge: ${Object.entries(score).filter(([, v]) => typeof v === "number").map(([k, v]) => `${k} ${v}`).join(", ")}</p>`}</div>`;
}
