// What the list is narrowed to.
import { html, useEffect, useRef, useState } from "/static/app/ui.js";
import { narrowed, turn } from "/static/app/research/address.js";
import { STATUSES } from "/static/app/words.js";

const ORDERS = {
  newest: "newest",
  oldest: "oldest",
  cost: "cost",
  tokens: "tokens",
  agreement: "agreement",
  duration: "duration",
  score: "judge's score",
  rating: "rating",
};
const PATIENCE = 150;

/** @param {Props} props */
export function Filters({ search, choices, field }) {
  const count = Object.keys(narrowed(search)).filter((n) => n !== "text").length;
  const [open, setOpen] = useState(matchMedia("(min-width: 901px)").matches || count > 0);
  return html`<section class="filters" aria-label="Search and filters">
    <div class="row">
      <${Search} search=${search} field=${field} />
      <label class="row small muted order">Sort by <select aria-label="Sort by" value=${search.order || "newest"} onChange=${(e) => turn(search, { order: e.target.value, reverse: undefined })}>
        ${Object.entries(ORDERS).map(([value, name]) => html`<option value=${value}>${name}</option>`)}</select></label>
      <button aria-expanded=${open} aria-controls="filters" onClick=${() => setOpen(!open)}>Filters${count ? html` <span class="badge">${count}</span>` : ""}</button>
      ${count || search.text ? html`<button class="bare" onClick=${() => turn({ order: search.order, view: search.view }, { text: undefined })}>Clear</button>` : ""}
    </div>
    <div id="filters" class="narrow" hidden=${!open}>
      <${Listed} name="model" label="Model" ...${{ search, choices }} />
      <${Picked} name="mode" label="Mode" values=${choices.mode} search=${search} />
      <${Picked} name="preset" label="Preset" values=${choices.preset} search=${search} />
      <${Listed} name="experiment" label="Experiment" ...${{ search, choices }} />
      <${Picked} name="status" label="Status" values=${STATUSES} search=${search} />
      <${Picked} name="tag" label="Tag" values=${choices.tag} search=${search} />
      <${Given} name="since" label="From" type="date" search=${search} />
      <${Given} name="until" label="To" type="date" search=${search} />
      <${Span} label="Agreement" names=${["minAgreement", "maxAgreement"]} step="0.05" max="1" search=${search} />
      <${Span} label="Cost, $" names=${["minCost", "maxCost"]} step="0.001" search=${search} />
      <${Picked} name="minRating" label="Rating" values=${["1", "2", "3", "4", "5"]} words=${(/** @type {number} */ v) => `${"★".repeat(v)} or more`} search=${search} />
    </div></section>`;
}

/** @param {Props} props */
function Search({ search, field }) {
  const [text, setText] = useState(search.text || "");
  const timer = useRef(0);
  useEffect(() => {
    if (document.activeElement !== field.current) setText(search.text || "");
  }, [search.text]);
  /** @param {string} value */
  const look = (value) => {
    clearTimeout(timer.current);
    turn(search, { text: value || undefined }, { typing: true });
  };
  /** @param {PageEvent} e */
  const type = (e) => {
    const value = e.target.value;
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => look(value), PATIENCE);
  };
  return html`<form class="grow" role="search" onSubmit=${(e) => {
    e.preventDefault();
    look(text);
  }}>
    <input ref=${field} type="search" id="search" aria-label="Search questions and answers" placeholder="Search questions and answers" maxlength="1000" value=${text} onInput=${type} /></form>`;
}

// What is being typed stays when the page is drawn anew; only another search replaces it.
/** @param {Search} search @param {string} name */
const kept = (search, name) => ({ key: `${name} ${search[name] || ""}`, defaultValue: search[name] || "" });
/** @param {Search} search @param {string} name */
const set = (search, name) => (/** @type {PageEvent} */ e) =>
  turn(search, { [name]: e.target.value || undefined });

/** @param {Props & { values?: string[], words?: (value: any) => string }} props */
const Picked = ({ name, label, values = [], words = (v) => v, search }) => html`<label class="field">${label}
  <select aria-label=${label} value=${search[name] || ""} onChange=${set(search, name)}><option value="">any</option>
    ${[...new Set([...values, ...(search[name] ? [search[name]] : [])])].map((v) => html`<option value=${v}>${words(v)}</option>`)}</select></label>`;

/** @param {Props & { choices: Record<string, string[]> }} props */
const Listed = ({ name, label, choices, search }) => html`<label class="field">${label}
  <input list=${`known-${name}`} placeholder="any" ...${kept(search, name)} onChange=${set(search, name)} />
  <datalist id=${`known-${name}`}>${(choices[name] || []).map((v) => html`<option value=${v} />`)}</datalist></label>`;

/** @param {Props} props */
const Given = ({ name, label, search, ...more }) => html`<label class="field">${label}
  <input ...${more} ...${kept(search, name)} onChange=${set(search, name)} /></label>`;

/** @param {Props & { names: string[] }} props */
const Span = ({ label, names, search, ...more }) => html`<fieldset class="field span"><legend>${label}</legend>
  ${names.map(
    (
      name,
      i,
    ) => html`<input type="number" min="0" ...${more} aria-label=${`${label}, ${i ? "at most" : "at least"}`}
    placeholder=${i ? "most" : "least"} ...${kept(search, name)} onChange=${set(search, name)} />`,
  )}</fieldset>`;
