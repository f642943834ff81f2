// How it is debated: a form of the options that the server lists, as far as they fit the mode.
import { html, useState } from "/static/app/ui.js";
import { applies, modeOf } from "/static/app/debate/wanted.js";

/** @type {[string, (option: Option) => boolean][]} */
const FOLDS = [
  ["When to stop, who reads it afterwards, how it is sampled", (o) => o.section !== "Scoring"],
  ["Known answer and judge", (o) => o.section === "Scoring"],
];

/** @param {Props} props */
export function Options({ setup, change, catalogue, quote, reset }) {
  const mode = modeOf(setup, catalogue);
  const preset = catalogue.presets.find((p) => p.name === setup.preset);
  const about = { setup, change, catalogue, quote, mode, preset };
  const fitting = catalogue.options.filter((o) => CONTROLS[o.kind] && applies(o, mode, setup));
  /** @param {Option[]} some */
  const fields = (some) =>
    boxesLast(some).map(
      (o) =>
        html`<${CONTROLS[o.kind]} key=${o.name} option=${o} value=${setup[o.name] ?? ""} set=${(value) => change({ [o.name]: value, ...resetWith(o) })} ...${about} />`,
    );
  const open = fitting.filter((o) => !o.folded);
  const first = open.filter((o) => o.section === "Procedure");
  return html`<section class="panel-bar" aria-label="How it is debated">
    <div class="bar-head row"><h2>Procedure</h2><span class="small muted grow clip">${preset?.summary || mode?.summary}</span>
      <button type="button" class="bare" onClick=${reset}>Reset</button></div>
    <div class="options">${fields([...first, ...open.filter((o) => !first.includes(o))])}</div>
    ${FOLDS.map(
      ([title, has]) => html`<details class="judge" key=${title}><summary class="small">${title}</summary>
      <div class="options">${fields(fitting.filter((o) => o.folded && has(o)))}</div></details>`,
    )}
  </section>`;
}

/** @param {Option[]} some */
const boxesLast = (some) => [
  ...some.filter((o) => o.kind !== "flag"),
  ...some.filter((o) => o.kind === "flag"),
];

// Another mode counts its rounds in another way, and need not have a topology.
/** @param {Option} option */
const resetWith = (option) => (option.name === "mode" ? { rounds: "", topology: "" } : {});

/** @param {Option} option @param {any} preset @param {Mode | undefined} mode @param {Catalogue} catalogue */
const usual = (option, preset, mode, catalogue) =>
  preset?.values?.[option.name] ??
  (option.name === "mode" ? catalogue.mode : option.name === "rounds" ? mode?.rounds : option.usual);

/** @param {Props & { choices?: Option["choices"] }} props */
function Choice({ option, value, set, preset, mode, catalogue, choices }) {
  const only = mode?.only[option.name];
  const takes = (/** @type {string} */ name) => !only || only.includes(name);
  const otherwise = usual(option, preset, mode, catalogue);
  return html`<label class="field">${option.label}<select aria-label=${option.label} value=${value} onChange=${(e) => set(e.target.value)}>
    <option value="">${otherwise && takes(otherwise) ? `${otherwise} (default)` : "as usual"}</option>${(choices || option.choices).filter((c) => takes(c.name)).map((c) => html`<option value=${c.name} title=${c.summary}>${c.name}</option>`)}</select></label>`;
}

// Rounds are few enough to choose from; other numbers are written.
/** @param {Props} props */
function Figure({ option, value, set, ...more }) {
  if (option.name === "rounds") {
    const all = Array.from({ length: more.mode.maxRounds }, (_, i) => ({ name: String(i + 1), summary: "" }));
    const auto = more.mode.firstCounts ? [] : [{ name: "auto", summary: "until it settles" }];
    return html`<${Choice} option=${option} value=${value} set=${set} choices=${[...all, ...auto]} ...${more} />`;
  }
  return html`<${Line} option=${option} value=${value} set=${set} hint=${["default", ...option.words].join(", or ")} />`;
}

/** @param {Props} props */
const Line = ({
  option,
  value,
  set,
  hint,
}) => html`<label class="field">${option.label}<input title=${option.summary} inputmode=${option.kind === "number" ? "decimal" : "text"} autocomplete="off"
  placeholder=${option.name === "maxCostUsd" ? "no limit" : hint} value=${value} onInput=${(e) => set(e.target.value)} /></label>`;

/** @param {Props} props */
const Words = (props) => html`<${Line} hint="technical, economic, …" ...${props} />`;

/** @param {Props} props */
const Check = ({ option, value, set }) =>
  html`<label class="check" title=${option.summary}><input type="checkbox" checked=${Boolean(value)} onChange=${(e) => set(e.target.checked)} />${option.label}</label>`;

/** @param {Props} props */
const Prose = ({ option, value, set }) =>
  html`<label class="field wide-field">${option.label}<textarea rows="2" value=${value} onInput=${(e) => set(e.target.value)}></textarea></label>`;

// The models that can be had now: aliases with a route, and whoever sits on the panel.
/** @param {Catalogue} catalogue @param {Quoted | undefined} quoted */
function reachable(catalogue, quoted) {
  const known = catalogue.aliases.flatMap(({ alias, route }) =>
    route ? [{ name: alias, about: route.modelId, vendor: route.vendor }] : [],
  );
  const seated = (quoted?.panel || []).map((p) => ({
    name: p.written.split("*")[0],
    about: p.route.modelId,
    vendor: p.route.vendor,
  }));
  return [...new Map([...seated, ...known].map((m) => [m.name, m])).values()];
}

const OTHER = "…";

// One of the models that can be had, or one by its own name.
/** @param {Props} props */
function Model({ option, value, set, catalogue, quote }) {
  const { label } = option;
  const none = option.words.includes("none");
  const models = reachable(catalogue, quote.found).filter((m) => !none || m.vendor !== "local");
  const writer = option.name === "synthesizer" && !value && quote.found?.synthesizer.written;
  const listed = !value || (none && value === "none") || models.some((m) => m.name === value);
  const [typing, setTyping] = useState(false);
  /** @param {PageEvent} e */
  const pick = (e) => {
    setTyping(e.target.value === OTHER);
    set(e.target.value === OTHER ? "" : e.target.value);
  };
  if (typing || !listed)
    return html`<label class="field">${label}<span class="typed"><input aria-label=${label} autocomplete="off" list="known-models" placeholder="its name" autofocus=${typing} value=${value} onInput=${(e) => set(e.target.value)} />
    <button type="button" class="bare tiny" aria-label=${`${label}: back to the list`} onClick=${() => {
      setTyping(false);
      set("");
    }}>✕</button></span></label>`;
  return html`<label class="field">${label}<select aria-label=${label} value=${value} onChange=${pick}><option value="">${writer ? `automatic (${writer})` : "automatic"}</option>${none && html`<option value="none">nobody</option>`}
    ${models.map((m) => html`<option value=${m.name} title=${m.about}>${m.name}</option>`)}<option value=${OTHER}>another model…</option></select></label>`;
}

// Kind of value -> its control; who sits on the panel has a bar of its own.
/** @type {Record<string, (props: any) => unknown>} */
const CONTROLS = { flag: Check, number: Figure, choice: Choice, model: Model, words: Words, text: Prose };
