// A review: findings in order, each beside the lines of the text that it is about, or beside the whole of it.
import { html, useState, complain } from "/static/app/ui.js";
import { get } from "/static/app/api.js";
import { ReviewText } from "/static/app/debate/review_text.js";
import { nameOf } from "/static/app/debate/tables.js";
import { DOES, DOUBTFUL, LEAVES, NOT_THERE, TITLES } from "/static/app/words.js";

/** @param {Props & { review: Schemas["Review"], id: string }} props */
export function Review({ review, id, state }) {
  const [texts, setTexts] = useState(/** @type {AnnotatedText[] | null} */ (null));
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState({ label: "", times: 0 }); // whose place is shown; a second click shows it again
  const show = async (label = "") => {
    try {
      if (!texts) setTexts((await get(`/ui/review/${id}`)).texts);
      setOpen(true);
      setAt({ label, times: at.times + 1 });
    } catch (e) {
      complain(e);
    }
  };
  /** @param {string} standing */
  const of = (standing) => review.findings.filter((f) => f.standing === standing);
  const shown = Object.keys(TITLES).filter((s) => of(s).length);
  return html`<article class=${`card answer review ${open ? "with-text" : ""}`}>
    <div class="row"><span class="grow"></span><button type="button" aria-expanded=${open} onClick=${() => (open ? setOpen(false) : show())}>${open ? "Hide the text" : "Show the whole text"}</button></div>
    <div class="review-sides"><div class="review-findings">
      ${!shown.length && html`<p>${review.summary}</p>`}
      ${shown.map((standing) => html`<${Standing} key=${standing} standing=${standing} findings=${of(standing)} excerpts=${review.excerpts} show=${show} state=${state} />`)}
      ${review.limits.map((line) => html`<p class="small muted" dir="auto">${line}</p>`)}</div>
    ${texts && html`<${ReviewText} texts=${texts} findings=${review.findings} at=${at} hidden=${!open} />`}</div>
  </article>`;
}

/** @param {Props & { findings: Finding[], excerpts: Schemas["Review"]["excerpts"] }} props */
function Standing({ standing, findings, excerpts, show, state }) {
  const rows = findings.map(
    (f) => html`<${Finding} key=${f.label} f=${f} lines=${excerpts[f.label]} show=${show} state=${state} />`,
  );
  const title = `${TITLES[standing]} (${findings.length})`;
  if (standing === "refuted") return html`<details><summary>${title}</summary>${rows}</details>`;
  return html`<section aria-label=${TITLES[standing]}><h3>${title}</h3>${rows}</section>`;
}

/** @param {Props & { f: Finding, lines?: Schemas["ExcerptLine"][] }} props */
function Finding({ f, lines, show, state }) {
  const where = f.path ? `${f.path}${f.line ? `:${f.line}` : ""}` : f.heading;
  /** @param {string[]} seats */
  const names = (seats) => seats.map((s) => nameOf(state, s)).join(", ");
  const open = f.verdicts.filter((v) => !DOES[v.verdict] && !v.reason && !v.quote).map((v) => v.seat);
  return html`<div class="found" id=${f.label} tabindex="-1">
    <div><p dir="auto"><strong class="num">${f.number}.</strong> <span class=${`chip ${f.severity === "low" ? "" : "differ"}`}>${f.severity}</span> ${where && html`<${Where} f=${f} where=${where} show=${show} />`} ${f.lineDoubtful && html`<span class="small wrong">(${DOUBTFUL})</span>`} ${f.claim}</p>
      ${f.quoted === false && html`<p class="small wrong">${NOT_THERE}: <code>${f.quote}</code></p>`}
      ${f.fix && html`<p class="small" dir="auto">Fix: ${f.fix}</p>`}
      <p class="small muted">found by ${names(f.foundBy)}${open.length > 0 && `; left open by ${names([...new Set(open)])}`}</p>
      <${Reports} f=${f} names=${names} />
      ${f.verdicts.map((v) => (v.reason || v.quote || DOES[v.verdict]) && html`<p class="small muted" dir="auto">${nameOf(state, v.seat)} ${DOES[v.verdict] || LEAVES}${(v.reason || v.quote) && `: ${v.reason || v.quote}`}</p>`)}</div>
    ${lines && html`<pre class="small beside-text" tabindex="0" aria-label=${`Text at ${where}`}>${lines.map((l) => html`<span class=${l.marked ? "marked" : ""}>${String(l.number).padStart(5)}  ${l.text}${"\n"}</span>`)}</pre>`}
  </div>`;
}

// The same in the words of the others who reported it.
/** @param {Props & { f: Finding }} props */
function Reports({ f, names }) {
  const others = f.reports.filter((r) => r.claim !== f.claim);
  if (!others.length) return null;
  return html`<details class="small"><summary>In the words of the others</summary>
    ${f.joinedBy.length > 0 && html`<p class="muted">Taken for one defect by ${names(f.joinedBy)}.</p>`}
    ${others.map((r) => html`<p dir="auto">${names([r.seat])}: ${r.where && html`<code>${r.where}</code>`} ${r.claim}</p>`)}</details>`;
}

// A place that is in the text leads there.
/** @param {Props & { f: Finding, where: string }} props */
const Where = ({ f, where, show }) =>
  f.path && (f.line || f.heading)
    ? html`<a href=${`#at-${f.label}`} title="Show it in the text" onClick=${(e) => {
        e.preventDefault();
        show(f.label);
      }}><code>${where}</code></a>`
    : html`<code>${where}</code>`;
