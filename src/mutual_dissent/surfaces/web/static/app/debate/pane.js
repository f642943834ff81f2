// One panelist in one round: what it says, how it comes along, what it costs.
import { html, useEffect, useState, Said, colour, count, money, seconds } from "/static/app/ui.js";
import { Writing } from "/static/app/debate/live.js";
import { changed } from "/static/app/text/diff.js";
import { pieces } from "/static/app/text/plain.js";
import { read } from "/static/app/text/reader.js";
import { speed, textOf, usable } from "/static/app/debate/fold.js";
import { nameOf } from "/static/app/debate/tables.js";
import { REASONS } from "/static/app/words.js";

/** @param {Answered} r */
export const reason = (r) => REASONS[r.finish]?.[r.error_kind || ""] || r.finish;
/** @param {string} key */
export const anchor = (key) => key;

// What a panelist is at in a round, as a word and a tone.
/**
 * @param {Props["session"]} session
 * @param {string} key
 * @param {Answered | null | undefined} answer
 * @returns {[tone: string, word: string]}
 */
export function standing(session, key, answer) {
  if (answer) return usable(answer) ? ["done", "answered"] : ["bad", reason(answer)];
  const { state, live } = session;
  if (key && state.pending[key]) return live.text(key) ? ["on", "writing"] : ["on", "thinking"];
  if (key && state.cut.has(key)) return ["bad", "cut off"];
  return ["off", state.status === "active" ? "waiting" : "not asked"];
}

/** @param {Props} props */
export function Pane({ session, round, panelist, index, shown, showDiff, before, onAgain, isTarget }) {
  const key = round.keys[panelist.seat];
  const pending = key && session.state.pending[key];
  const answer = pending ? null : session.state.answers[key];
  const [tone, word] = standing(session, key, answer);
  return html`<article id=${key ? anchor(key) : undefined} class=${`pane ${tone} ${isTarget ? "target" : ""}`} tabindex="-1" data-pane=${index + 1} hidden=${!shown}
    style=${{ "--mine": colour(index) }} aria-label=${`${panelist.seat}, ${word}`}>
    <header class="pane-head">
      <span class="pane-number" aria-hidden="true">${index + 1}</span>
      <h3 class="pane-name" title=${panelist.seat}>${nameOf(session.state, panelist.seat)}</h3>
      <span class="pane-model" title=${`${panelist.route.vendor}: ${panelist.route.model_id}`}>${panelist.route.model_id}</span>
      <${Parts} panelist=${panelist} answer=${answer} />
      <span class=${`state ${tone}`} role="status">${word}</span>
    </header>
    <div class="pane-body" tabindex="0" role="region" aria-label=${`What ${panelist.seat} says`}>
      ${body(session, key, pending, answer, showDiff && before)}
    </div>
    <footer class="pane-foot num">
      ${answer ? html`<${Figures} r=${answer} />` : pending ? html`<${Running} session=${session} item=${pending} />` : html`<span class="muted">–</span>`}
      <span class="grow"></span>
      ${answer && onAgain && html`<button class="bare tiny" title="Ask this panelist again, and go on from there" aria-label=${`Ask ${panelist.seat} again`} onClick=${() => onAgain(key)}>↻</button>`}
      ${key && html`<a class="tiny link" href=${`#${encodeURI(key)}`} title="Link to this answer" aria-label=${`Link to the answer of ${panelist.seat}`}>#</a>`}
    </footer>
  </article>`;
}

/**
 * @param {Props["session"]} session
 * @param {string} key
 * @param {Pending} pending
 * @param {Answered | null} answer
 * @param {Answered | null} before
 */
function body(session, key, pending, answer, before) {
  if (pending) return html`<${Writing} live=${session.live} id=${key} key=${`w${key}`} />`;
  if (!answer && session.state.cut.has(key))
    return html`<p class="muted small">It was asked, and the debate stopped before it had answered; Resume asks it again.</p>
    ${session.live.text(key) && html`<div class="partial"><${Writing} live=${session.live} id=${key} key=${`c${key}`} /></div>`}`;
  if (!answer)
    return html`<p class="muted small">${session.state.status === "active" ? "Has not been asked yet." : "Was not asked."}</p>`;
  if (!usable(answer)) return html`<${Failed} r=${answer} />`;
  if (before && usable(before))
    return html`<${Changes} before=${textOf(session, before)} after=${textOf(session, answer)} />`;
  return html`<${Bottom} session=${session} answer=${answer} /><${Said} text=${textOf(session, answer)} citations=${answer.citations} key=${`s${answer.seq}`} />
    <${Lookups} r=${answer} />`;
}

// What an answer comes to in a sentence, where its text does not begin with it.
/** @param {Props & { answer: Answered }} props */
function Bottom({ session, answer }) {
  const table = session.said?.panel.rounds.find((r) => r.number === answer.round_number);
  const line = answer.closing?.bottom_line && table?.rows.find((r) => r.seat === answer.model_alias)?.holds;
  return line && !textOf(session, answer).startsWith(line) ? html`<p class="bottom-line">${line}</p>` : null;
}

// What it looked up before it answered, and what came back.
/** @param {Props} props */
function Lookups({ r }) {
  if (!r.uses?.length) return null;
  return html`<details class="small"><summary>Looked up: ${r.uses.length}</summary>${r.uses.map(
    (/** @type {Record<string, any>} */ u) => html`
    <p><strong>${u.name}</strong> ${Object.values(u.arguments || {})
      .map(String)
      .join(", ")
      .slice(0, 400)}</p>
    ${pieces(String(u.result || "")).map((part) => html`<blockquote class="muted">${part}</blockquote>`)}`,
  )}</details>`;
}

/** @param {Props} props */
function Failed({ r }) {
  return html`<div class="failed"><p><strong>${reason(r)}</strong></p><p class="small">${r.error || `the answer was ${r.finish}`}</p>
    ${r.attempts?.length > 0 && html`<p class="small muted">${r.attempts.length + 1} tries</p>`}
    ${r.content && html`<details class="small"><summary>What came before that</summary><${Said} text=${r.content} /></details>`}</div>`;
}

/** @param {Props} props */
export function Changes({ before, after }) {
  const [parts, setParts] = useState(/** @type {Change[] | null | undefined} */ (undefined));
  useEffect(() => {
    let gone = false;
    read("diff", { before, after }).then((found) => {
      if (!gone) setParts(found);
    });
    return () => {
      gone = true;
    };
  }, [before, after]);
  if (parts === undefined) return html`<p class="muted small">Comparing…</p>`;
  if (!parts || !changed(parts))
    return html`<p class="muted small">${parts ? "Word for word the same as before." : "The two differ too much to be marked."}</p><${Said} text=${after} />`;
  return html`<div class="said changes" dir="auto">${parts.map((p) =>
    p.kind === "same" ? p.text : p.kind === "new" ? html`<ins>${p.text}</ins>` : html`<del>${p.text}</del>`,
  )}</div>`;
}

/** @param {Props} props */
function Parts({ panelist, answer }) {
  const found = [panelist.persona, panelist.role, panelist.perspective, panelist.team].filter(Boolean);
  const sure = answer?.confidence;
  return html`${found.map((p) => html`<span class="tag" title=${p}>${p}</span>`)}
    ${answer?.stance && html`<span class="tag">${answer.stance}</span>`}
    ${sure !== null && sure !== undefined && html`<span class="tag num" title="How sure it says it is">${Math.round(sure * 100)} % sure</span>`}`;
}

/** @param {Props} props */
function Figures({ r }) {
  if (r.samples)
    return html`<span title="Chosen by code from its samples; the bill has all of them">sample ${r.samples.chosen} of ${r.samples.asked}</span>`;
  const rate = speed(r);
  const tools = (r.uses?.length || 0) + (r.tool_calls?.length || 0);
  return html`<span title="How long it took">${seconds(r.latency_ms)}</span>
    ${rate !== null && html`<span title="Tokens a second">${rate.toFixed(0)} tok/s</span>`}
    <span title="Tokens read and written">${count(r.input_tokens)}→${count(r.output_tokens)}</span>
    <span title="What it cost">${r.cost_usd === null ? "no price" : money(r.cost_usd)}</span>
    ${r.cached_tokens > 0 && html`<span class="muted" title="Tokens billed as cached">${count(r.cached_tokens)} cached</span>`}
    ${tools > 0 && html`<span class="muted" title="Tools used">${tools} tools</span>`}`;
}

/** @param {Props} props */
function Running({ session, item }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 500);
    return () => clearInterval(timer);
  }, []);
  const rate = session.live.speed(item.key);
  const passed = Math.max(0, Date.now() - new Date(item.at).getTime());
  return html`<span>${seconds(passed)}</span>${rate !== null && html`<span>${rate.toFixed(0)} tok/s</span>`}`;
}
