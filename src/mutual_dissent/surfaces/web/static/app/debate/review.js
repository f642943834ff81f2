// A review: findings in order, each beside the lines of the text that it is about.
import { html } from "/static/app/ui.js";
import { DOES, NOT_THERE, TITLES } from "/static/app/words.js";

/** @param {Props} props */
export function Review({ review }) {
  const of = (standing) => review.findings.filter((f) => f.standing === standing);
  const shown = Object.keys(TITLES).filter((s) => of(s).length);
  return html`<article class="card answer review">
    ${!shown.length && html`<p>${review.summary}</p>`}
    ${shown.map((standing) => html`<${Standing} key=${standing} standing=${standing} findings=${of(standing)} excerpts=${review.excerpts} />`)}
    ${review.limits.map((line) => html`<p class="small muted" dir="auto">${line}</p>`)}
  </article>`;
}

/** @param {Props} props */
function Standing({ standing, findings, excerpts }) {
  const rows = findings.map((f) => html`<${Finding} key=${f.label} f=${f} lines=${excerpts[f.label]} />`);
  const title = `${TITLES[standing]} (${findings.length})`;
  if (standing === "refuted") return html`<details><summary>${title}</summary>${rows}</details>`;
  return html`<section aria-label=${TITLES[standing]}><h3>${title}</h3>${rows}</section>`;
}

/** @param {Props} props */
function Finding({ f, lines }) {
  const where = f.path ? `${f.path}${f.line ? `:${f.line}` : ""}` : f.heading;
  const said = f.verdicts.filter((v) => v.verdict !== "open");
  return html`<div class="found">
    <div><p dir="auto"><span class=${`chip ${f.severity === "low" ? "" : "differ"}`}>${f.severity}</span> ${where && html`<code>${where}</code>`} ${f.claim}</p>
      ${f.quoted === false && html`<p class="small wrong">${NOT_THERE}: <code>${f.quote}</code></p>`}
      ${f.fix && html`<p class="small" dir="auto">Fix: ${f.fix}</p>`}
      <p class="small muted">found by ${f.foundBy.join(", ")}</p>
      ${said.map((v) => html`<p class="small muted" dir="auto">${v.seat} ${DOES[v.verdict]}: ${v.reason || v.quote}</p>`)}</div>
    ${lines && html`<pre class="small beside-text" tabindex="0" aria-label=${`Text at ${where}`}>${lines.map((l) => html`<span class=${l.marked ? "marked" : ""}>${String(l.number).padStart(5)}  ${l.text}${"\n"}</span>`)}</pre>`}
  </div>`;
}
