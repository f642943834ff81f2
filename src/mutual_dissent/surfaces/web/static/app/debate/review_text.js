// The whole text under review: file by file, with the findings at their lines, which lead back to them.
import { html, useEffect, useMemo, useState, count } from "/static/app/ui.js";

const MOST = 3_000; // lines of a file at first; more are a click away
const BLOCK = 100; // lines that the browser lays out together, once they come near

/** @param {Props & { texts: AnnotatedText[], findings: Finding[], at: { label: string } }} props */
export function ReviewText({ texts, findings, at, hidden }) {
  const known = useMemo(() => new Map(findings.map((f) => [f.label, f])), [findings]);
  return html`<section class="review-text" aria-label="The text under review" tabindex="0" hidden=${hidden}>
    ${texts.map((t, i) => html`<${File} key=${i} text=${t} known=${known} at=${at} alone=${texts.length === 1} />`)}</section>`;
}

/** @param {Props & { text: AnnotatedText, known: Map<string, Finding>, at: { label: string } }} props */
function File({ text, known, at, alone }) {
  const marked = useMemo(() => places(text), [text]);
  const [open, setOpen] = useState(alone);
  const [most, setMost] = useState(MOST);
  const here = marked.get(at.label);
  useEffect(() => {
    if (here === undefined) return undefined;
    setOpen(true);
    setMost((now) => Math.max(now, here + BLOCK));
    const timer = setTimeout(() => lead(`at-${at.label}`), 30); // once the line is there
    return () => clearTimeout(timer);
  }, [at, here]);
  const about = `${count(text.lines.length)} ${text.lines.length === 1 ? "line" : "lines"}${marked.size ? `, ${marked.size} ${marked.size === 1 ? "finding" : "findings"}` : ""}`;
  return html`<details open=${open} onToggle=${(/** @type {{ currentTarget: HTMLDetailsElement }} */ e) => setOpen(e.currentTarget.open)}>
    <summary><code dir="auto">${text.name}</code> <span class="small muted num">${about}</span></summary>
    ${open && blocks(text.lines.slice(0, most)).map((lines, n) => html`<${Block} key=${n} lines=${lines} known=${known} label=${here === undefined ? "" : at.label} />`)}
    ${open && text.lines.length > most && html`<button type="button" onClick=${() => setMost(most + MOST)}>Show ${count(Math.min(MOST, text.lines.length - most))} of ${count(text.lines.length - most)} more lines</button>`}
  </details>`;
}

// Label -> the index of its line.
/** @param {AnnotatedText} text */
const places = (text) =>
  new Map(text.lines.flatMap((line, i) => (line.findings || []).map((label) => [label, i])));

/** @param {AnnotatedLine[]} lines */
const blocks = (lines) =>
  Array.from({ length: Math.ceil(lines.length / BLOCK) }, (_, n) => lines.slice(n * BLOCK, (n + 1) * BLOCK));

/** @param {Props & { lines: AnnotatedLine[], known: Map<string, Finding>, label: string }} props */
const Block = ({ lines, known, label }) =>
  html`<div class="text-block" style=${{ "--lines": lines.length }}>${lines.map((line, i) => html`<${Line} line=${line} gap=${i > 0 && (line.number || 0) > (lines[i - 1].number || 0) + 1} known=${known} label=${label} />`)}</div>`;

/** @param {Props & { line: AnnotatedLine, known: Map<string, Finding>, label: string }} props */
function Line({ line, gap, known, label }) {
  const found = (line.findings || []).flatMap((name) => known.get(name) || []);
  const tone = line.sign ? { "+": "added", "-": "removed" }[line.sign] : "";
  return html`${gap && html`<div class="gap muted" role="separator">⋯</div>`}
    <div class=${`text-line ${tone} ${found.length ? "marked" : ""} ${line.findings?.includes(label) ? "target" : ""}`}><span class="number num muted">${line.number}</span><span class="plus muted">${line.sign}</span><code dir="auto">${line.text}</code></div>
    ${found.map((f) => html`<${Mark} f=${f} />`)}`;
}

// What was found at a line, under it; it leads back to the finding.
/** @param {Props & { f: Finding }} props */
const Mark = ({ f }) =>
  html`<p class="at-line small" id=${`at-${f.label}`} tabindex="-1" dir="auto"><a href=${`#${f.label}`} onClick=${(
    /** @type {Event} */ e,
  ) => {
    e.preventDefault();
    lead(f.label);
  }}>${f.number}. ${f.severity}: ${f.claim.slice(0, 200)}${f.claim.length > 200 ? "…" : ""}</a></p>`;

// To an element, out of whatever it is folded in.
/** @param {string} id */
function lead(id) {
  const place = document.getElementById(id);
  const fold = place?.closest("details");
  if (fold) fold.open = true;
  place?.scrollIntoView({ block: "center" });
  place?.focus({ preventScroll: true });
}
