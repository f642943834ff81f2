// The answer: what the panel holds in a sentence, the text as it is written, who holds what, what it cost.
import { html, useState, Guard, Said, copy, count, money, seconds } from "/static/app/ui.js";
import { Writing } from "/static/app/debate/live.js";
import { Changes, reason } from "/static/app/debate/pane.js";
import { Corrected, Open, readingOf } from "/static/app/debate/ledger.js";
import { Review } from "/static/app/debate/review.js";
import { Claims, Decision, Estimates, Recount, Relations, Seat, nameOf } from "/static/app/debate/tables.js";
import {
  answerOf,
  isLive,
  olderAnswers,
  readable,
  seatIndex,
  textOf,
  usable,
} from "/static/app/debate/fold.js";

/** @param {Props} props */
export function Answer({ session, counted, orders }) {
  const { state, view, said } = session;
  const [beside, setBeside] = useState(null);
  const answer = answerOf(state);
  const older = olderAnswers(state);
  const other = older.find((r) => r.seq === beside) || null;
  const ledger = said?.ledger;
  return html`<section class="answer-page" aria-label="Answer">
    <${Guard} what="What the panel holds"><${Sum} session=${session} /><//>
    <div class="answer-main">
      <div class=${`answer-texts ${other ? "two" : ""}`}>
        ${other && html`<${Text} session=${session} r=${other} title="Older text" />`}
        <${Current} session=${session} answer=${answer} orders=${orders} />
      </div>
    </div>
    <div class="beside">
      <${Citations} said=${said} />
      <${EarlierDebates} said=${said} past=${state.brief?.similar?.[0]} />
      <${Yours} said=${said} />
      <${Guard} what="What changed and what is open">${ledger && html`<${Changed} state=${state} ledger=${ledger} /><${StaysOpen} state=${state} ledger=${ledger} session=${session} orders=${orders} />`}<//>
      <${Absent} state=${state} />
      ${counted && html`<${Recount} state=${state} counted=${counted} rules=${orders?.rules || []} />`}
      <${Older} older=${older} answer=${answer} beside=${beside} onChoose=${setBeside} />
      <${Worth} view=${view} said=${said} state=${state} answer=${answer} />
    </div>
  </section>`;
}

// What the panel holds: in a sentence, then claim by claim.
/** @param {Props} props */
function Sum({ session }) {
  const { state, said, view } = session;
  const shown = answerOf(state) || (!isLive(state) && view?.fallback_answer);
  if (!said || state.writing || !shown) return null;
  const rounds = said.panel.rounds;
  if (said.review)
    return html`<section class="card ledger sum" aria-label="The panel"><p class="heading" dir="auto">${said.heading}</p>
      ${said.account.holds.length > 0 && html`<div class="part"><h3>What each says of the text</h3><ul class="plain">${said.account.holds.map((line) => html`<li dir="auto">${line}</li>`)}</ul></div>`}</section>`;
  const last = [...rounds].reverse().find((r) => r.source !== "nobody") || rounds[rounds.length - 1];
  const seats = (state.brief?.panel || [])
    .map((p) => p.seat)
    .filter((s) => rounds.some((r) => r.seats.includes(s)));
  const claims = said.panel.claims || [];
  const related = last && last.rows.length > 1;
  return html`<section class="card ledger sum" aria-label="The panel"><p class="heading" dir="auto">${said.heading}</p>
    ${claims.length > 0 && html`<${Claims} state=${state} claims=${claims} seats=${seats} />`}
    ${related && (claims.length ? html`<details><summary class="small muted">What each holds, and how they see each other</summary><${Relations} state=${state} round=${last} title=" " /></details>` : html`<${Relations} state=${state} round=${last} />`)}
    <${Decision} table=${said.panel.decision} />
    <${Estimates} state=${state} estimates=${said.panel.estimates} />
    ${said.ledger && html`<p class="small muted">${readingOf(state, said.ledger, said.analysis)}</p>`}</section>`;
}

// How your own answer fared, if you sat on the panel.
/** @param {Props} props */
const Yours = ({ said }) =>
  said?.account.yours
    ? html`<section class="card ledger" aria-label="Your answer"><div class="part"><h3>How your answer fared</h3><ul class="plain">${said.account.yours.map((line) => html`<li>${line}</li>`)}</ul></div></section>`
    : null;

// How the answer stands to an earlier debate on the matter.
/** @param {Props} props */
const EarlierDebates = ({ said, past }) =>
  said?.account.earlier
    ? html`<section class="card ledger" aria-label="Earlier debates"><div class="part"><h3>Earlier debates on this</h3><ul class="plain">${said.account.earlier.map((line) => html`<li dir="auto">${line}</li>`)}</ul>${past && html`<p class="small"><a href=${`/debates/${past.transcript_id}`}>Read that debate</a></p>`}</div></section>`
    : null;

/** @param {string} title @param {string[] | null | undefined} lines */
const cited = (title, lines) =>
  lines &&
  html`<div class="part"><h3>${title}</h3><ul class="plain">${lines.map((line) => html`<li dir="auto">${line}</li>`)}</ul></div>`;

// Citations whose pages do not say so; apart from them those whose pages could not be read.
/** @param {Props} props */
const Citations = ({ said }) =>
  said?.account.citations || said?.account.unchecked
    ? html`<section class="card ledger" aria-label="Citations">${cited("Citations that did not check out", said.account.citations)}${cited("Citations that could not be checked", said.account.unchecked)}</section>`
    : null;

/** @param {Props} props */
const Changed = ({ state, ledger }) =>
  ledger.corrections.length === 0
    ? null
    : html`<section class="card ledger" aria-label="What changed"><${Corrected} state=${state} corrections=${ledger.corrections} /></section>`;

/** @param {Props} props */
function StaysOpen({ state, ledger, session, orders }) {
  if (!ledger.contested.length && !ledger.minority.length && !ledger.disputes.length && !ledger.missing.length)
    return null;
  return html`<section class="card ledger" aria-label="What is open"><${Open} state=${state} found=${ledger} />
    ${ledger.missing.length > 0 && html`<${Reply} missing=${ledger.missing} session=${session} orders=${orders} />`}</section>`;
}

// What only the user can tell, and a place to tell it: the panel goes on with it.
/** @param {Props} props */
function Reply({ missing, session, orders }) {
  const [text, setText] = useState("");
  const can =
    session.state.status === "completed" && session.line !== "sample" && orders?.mode?.rounds !== null;
  /** @param {PageEvent} e */
  const send = (e) => {
    e.preventDefault();
    orders.order("continue", { rounds: 1, remark: text });
    setText("");
  };
  return html`<div class="part"><h3>Only you can tell</h3><ul>${missing.map((m) => html`<li dir="auto">${m}</li>`)}</ul>
    ${
      can &&
      html`<form class="reply" onSubmit=${send}><textarea rows="2" aria-label="Tell the panel" placeholder="Tell the panel; it holds one more round with it" value=${text} onInput=${(e) => setText(e.target.value)}></textarea>
      <button disabled=${!text.trim() || orders.busy}>Tell and go on</button></form>`
    }</div>`;
}

/** @param {Props} props */
function Current({ session, answer, orders }) {
  const { state, said, view } = session;
  const heading = said?.heading;
  if (state.writing)
    return html`<article class="card answer" id=${state.writing}><${By} who=${nameOf(state, state.pending[state.writing]?.seat)} /><${Writing} live=${session.live} id=${state.writing} key=${state.writing} /></article>`;
  if (answer && said?.review) return html`<${Review} review=${said.review} id=${session.id} state=${state} />`;
  if (answer) return html`<${Text} session=${session} r=${answer} orders=${orders} />`;
  const stand = !isLive(state) && view?.fallback_answer;
  if (stand)
    return html`<${Text} session=${session} r=${state.answers[stand.key] || stand} title="The panel's nearest answer" grading=${orders} />`;
  const failed = state.syntheses.filter((r) => !usable(r));
  return html`<article class="card answer"><p class="muted">${isLive(state) ? "The answer is written when the panel is done." : heading || "There is no answer."}</p>
    ${failed.map((r) => html`<p class="small wrong">${nameOf(state, r.model_alias)}: ${reason(r)}${r.error ? ` (${r.error})` : ""}</p>`)}</article>`;
}

// Where a panelist's answer stands as it is, nobody was asked to write one.
/** @param {Answered | undefined} r */
const isTaken = (r) => r?.role === "synthesis" && r.latency_ms === null && r.output_tokens === null;

/** @param {Props} props */
const By = ({ who, r }) =>
  html`<p class="by small muted">${who && html`${isTaken(r) ? "In the words of" : "Written by"} <strong>${who}</strong>`}${r && !isTaken(r) && html`<span class="num"> · ${seconds(r.latency_ms)} · ${count(r.output_tokens)} tokens · ${r.cost_usd === null ? "no price" : money(r.cost_usd)}</span>`}</p>`;

/** @param {Props} props */
function Text({ session, r, title, orders, grading = orders }) {
  const done = session.state.status === "completed" && session.line !== "sample";
  const text = textOf(session, r);
  // The numbers of its sources are those of every report on the debate.
  const known = session.state.answers[r.key] === r ? session.said?.cited : null;
  const numbered = known?.key === r.key ? known : null;
  return html`<article class="card answer" id=${r.key}>
    ${title && html`<h3 class="muted">${title}</h3>`}
    <${Said} text=${numbered ? numbered.text : text} citations=${numbered ? numbered.sources : r.citations} key=${r.seq} />
    ${r.finish === "truncated" && html`<p class="small chip differ">cut at a length limit</p>`}
    <div class="row"><${By} who=${nameOf(session.state, r.model_alias)} r=${r} /><span class="grow"></span>
      <button class="bare" onClick=${() => copy(text, "The answer is copied.")}>Copy text</button></div>
    ${orders && done && html`<${Writers} state=${session.state} r=${r} orders=${orders} />`}
    ${grading && done && html`<${Outcome} session=${session} orders=${grading} />`}
  </article>`;
}

// A forecast turns out yes, no or to be a figure; only a probability can be a yes.
/** @param {Props["session"]} session */
const verdicts = ({ state, said }) => {
  if (state.brief?.mode !== "forecast") return ["right", "wrong"];
  const last = said?.panel.estimates.at(-1);
  return last?.pooled["geometric mean of odds"] ? ["yes", "no"] : [];
};

// How it turned out: two buttons, and a field for the true value. Saying it again replaces it.
/** @param {Props} props */
function Outcome({ session, orders }) {
  const told = session.view?.outcome?.outcome;
  const words = verdicts(session);
  const [value, setValue] = useState("");
  /** @param {PageEvent} e */
  const send = (e) => {
    e.preventDefault();
    orders.resolve(value);
    setValue("");
  };
  return html`<form class="row small outcome" aria-label="How it turned out" onSubmit=${send}><span class="muted">It turned out</span>
    ${words.map((word) => html`<button type="button" class="chip" aria-pressed=${told === word} disabled=${orders.busy} onClick=${() => orders.resolve(word)}>${word}</button>`)}
    <input aria-label="The true value" placeholder=${words.length ? "or the true value" : "the true value"} maxlength="300" value=${value} onInput=${(e) => setValue(e.target.value)} />
    <button disabled=${orders.busy || !value.trim()}>Save</button></form>`;
}

// The same debate, written up by somebody else: one click each.
/** @param {Props} props */
function Writers({ state, r, orders }) {
  const able = state.brief.panel.filter((p) => p.route.vendor !== "human");
  const models = [...new Set(able.map((p) => p.seat.split("#")[0]))]
    .filter((m) => m !== r.model_alias)
    .slice(0, 6);
  if (!models.length) return null;
  return html`<div class="row small writers" role="group" aria-label="Write it again by"><span class="muted">Write it again by</span>${models.map((m) => html`<button class="chip" disabled=${orders.busy} onClick=${() => orders.order("synthesize", { synthesizer: m })}>${nameOf(state, m)}</button>`)}</div>`;
}

/** @param {Props} props */
function Absent({ state }) {
  const missing = Object.values(state.answers).filter(
    (r) => r.round_number >= 0 && !usable(r) && seatOf(state, r),
  );
  if (!missing.length) return null;
  return html`<div class="card"><h4>Not heard</h4><ul class="plain">${missing.map((r) => html`<li class="small muted">${nameOf(state, r.model_alias)} (${reason(r)})</li>`)}</ul></div>`;
}

/** @param {DebateState} state @param {Answered} r */
const seatOf = (state, r) => state.brief?.panel.some((p) => p.seat === r.model_alias);

/** @param {Props} props */
function Older({ older, answer, beside, onChoose }) {
  const other = older.find((r) => r.seq === beside);
  if (!older.length) return null;
  return html`<div class="card"><h4>Older texts</h4>${older.map(
    (r) => html`<label class="row small pick"><input type="checkbox" checked=${r.seq === beside}
    onChange=${(e) => onChoose(e.target.checked ? r.seq : null)} />by ${r.model_alias}, ${new Date(r.at).toLocaleTimeString()}</label>`,
  )}
    ${other && answer && html`<details class="small"><summary>What changed</summary><${Changes} before=${readable(other)} after=${readable(answer)} /></details>`}</div>`;
}

/** @param {Props} props */
function Worth({ view, said, state, answer }) {
  const stats = view?.metadata?.stats;
  if (!stats || (isLive(state) && !answer)) return null;
  const score = answer && state.scores[answer.key];
  const value = view.metadata.value;
  return html`<div class="card"><h4>What it cost</h4>
    ${said?.account.cost && html`<p class="small">${said.account.cost}</p>`}
    <table class="small num"><thead><tr><th>Who</th><th class="num">Calls</th><th class="num">Tokens</th><th class="num">Cost</th></tr></thead>
    <tbody>${Object.entries(stats.per_model)
      .sort(([a], [b]) => seatIndex(state, a) - seatIndex(state, b))
      .map(
        ([seat, s]) =>
          html`<tr><td><${Seat} state=${state} name=${seat} /></td><td class="num">${s.calls}</td><td class="num">${count(s.tokens)}</td><td class="num">${s.cost_usd === undefined || s.cost_usd === null ? "–" : money(s.cost_usd)}</td></tr>`,
      )}</tbody></table>
    ${value?.summary && html`<p class="small muted">${value.summary}</p>`}
    ${
      score &&
      html`<p class="small">Judge: ${Object.entries(score)
        .filter(([, v]) => typeof v === "number")
        .map(([k, v]) => `${k} ${v}`)
        .join(", ")}</p>`
    }</div>`;
}
