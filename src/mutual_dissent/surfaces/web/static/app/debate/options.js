// How it is debated: preset, mode and what the mode can be told, who writes, who judges, what it may cost.
import { html, useState } from "/static/app/ui.js";
import { EXITS, debates, modeOf, takes } from "/static/app/debate/wanted.js";

export function Options({ setup, change, catalogue, quote, reset }) {
  const mode = modeOf(setup, catalogue);
  const models = reachable(catalogue, quote.found);
  const writer = !setup.synthesizer && quote.found?.synthesizer.seat.split("#")[0];
  const set = (name) => (e) => change({ [name]: e.target.type === "checkbox" ? e.target.checked : e.target.value });
  const preset = catalogue.presets.find((p) => p.name === setup.preset);
  return html`<section class="panel-bar" aria-label="How it is debated">
    <div class="bar-head row"><h2>Procedure</h2><span class="small muted grow clip">${preset?.summary || mode?.summary}</span>
      <button type="button" class="bare" onClick=${reset}>Reset</button></div>
    <div class="options">
      <${Choice} label="Preset" value=${setup.preset} onChange=${set("preset")} empty="none" from=${catalogue.presets.map((p) => [p.name, p.summary])} />
      <${Choice} label="Mode" value=${setup.mode} onChange=${(e) => change({ mode: e.target.value, rounds: "", topology: "" })} empty=${`${preset?.values?.mode || catalogue.mode} (default)`} from=${catalogue.modes.map((m) => [m.name, m.summary])} />
      ${mode?.rounds !== null && mode && html`<${Rounds} mode=${mode} value=${setup.rounds} onChange=${set("rounds")} preset=${preset} />`}
      ${mode?.topologies?.length > 0 && html`<${Choice} label="Who reads whom" value=${setup.topology} onChange=${set("topology")} empty=${`${preset?.values?.topology || "mesh"} (default)`} from=${catalogue.topologies.filter((t) => mode.topologies.includes(t.name)).map((t) => [t.name, t.summary])} />`}
      ${mode?.ballots && html`<${Choice} label="Votes counted by" value=${setup.rule} onChange=${set("rule")} empty="borda (default)" from=${catalogue.rules.map((r) => [r, ""])} />`}
      ${takes(mode, "perspectives") && html`<${Words} label="Perspectives, by comma" value=${setup.perspectives} onInput=${set("perspectives")} placeholder="technical, economic, …" />`}
      ${debates(mode) && html`<${Model} label="Answer written by" value=${setup.synthesizer} onChange=${set("synthesizer")} usual=${writer ? `automatic (${writer})` : "automatic"} models=${models} />`}
      <label class="field">Budget in dollars<input inputmode="decimal" autocomplete="off" placeholder="no limit" value=${setup.budget} onInput=${set("budget")} /></label>
      <label class="check"><input type="checkbox" checked=${setup.tools} onChange=${set("tools")} />May search the web and check facts</label>
      ${Number(setup.budget) > 0 && html`<label class="check"><input type="checkbox" checked=${setup.unpriced} onChange=${set("unpriced")} />Also models without a known price</label>`}
    </div>
    <details class="judge"><summary class="small">When to stop, who reads it afterwards, how it is sampled</summary><div class="options">
      ${takes(mode, "exitConsensus") && EXITS.map((exit) => html`<${Words} key=${exit} label=${STOPS[exit]} value=${setup[exit]} onInput=${set(exit)} placeholder="default, or off" />`)}
      ${debates(mode) && html`<${Model} label="Analyst" value=${setup.analyst} onChange=${set("analyst")} usual="automatic" none="nobody" models=${models.filter((m) => m.vendor !== "local")} />`}
      <${Figure} label="Answers a round needs" value=${setup.quorum} onInput=${set("quorum")} step="1" min="1" />
      <${Figure} label="Temperature" value=${setup.temperature} onInput=${set("temperature")} step="any" min="0" />
      <${Figure} label="Seed" value=${setup.seed} onInput=${set("seed")} step="1" min="0" />
      <label class="check"><input type="checkbox" checked=${setup.named} onChange=${set("named")} />Panelists see each other's names</label>
      <label class="check"><input type="checkbox" checked=${setup.followUp} onChange=${set("followUp")} />The writer may ask one panelist back</label></div></details>
    <details class="judge"><summary class="small">Known answer and judge</summary><div class="options">
      <label class="field wide-field">The known answer: a judge scores the debate against it<textarea rows="2" value=${setup.truth} onInput=${set("truth")}></textarea></label>
      ${setup.truth.trim() && html`<${Model} label="Judge" value=${setup.judge} onChange=${set("judge")} usual="automatic" models=${models} />`}</div></details>
  </section>`;
}

const Choice = ({ label, value, onChange, empty, from }) => html`<label class="field">${label}<select aria-label=${label} value=${value} onChange=${onChange}>
  <option value="">${empty}</option>${from.map(([name, what]) => html`<option value=${name} title=${what}>${name}</option>`)}</select></label>`;

// The models that can be had now: aliases with a route, and whoever sits on the panel.
function reachable(catalogue, quoted) {
  const known = catalogue.aliases.filter((a) => a.route).map((a) => ({ name: a.alias, about: a.route.modelId, vendor: a.route.vendor }));
  const seated = (quoted?.panel || []).map((p) => ({ name: p.seat.split("#")[0], about: p.route.modelId, vendor: p.route.vendor }));
  return [...new Map([...seated, ...known].map((m) => [m.name, m])).values()];
}

const OTHER = "…";

// One of the models that can be had, or one by its own name.
function Model({ label, value, onChange, usual, none, models }) {
  const listed = !value || (none && value === "none") || models.some((m) => m.name === value);
  const [typing, setTyping] = useState(false);
  const pick = (e) => { setTyping(e.target.value === OTHER); onChange({ target: { value: e.target.value === OTHER ? "" : e.target.value } }); };
  if (typing || !listed) return html`<label class="field">${label}<span class="typed"><input aria-label=${label} autocomplete="off" list="known-models" placeholder="its name" autofocus=${typing} value=${value} onInput=${onChange} />
    <button type="button" class="bare tiny" aria-label=${`${label}: back to the list`} onClick=${() => { setTyping(false); onChange({ target: { value: "" } }); }}>✕</button></span></label>`;
  return html`<label class="field">${label}<select aria-label=${label} value=${value} onChange=${pick}><option value="">${usual}</option>${none && html`<option value="none">${none}</option>`}
    ${models.map((m) => html`<option value=${m.name} title=${m.about}>${m.name}</option>`)}<option value=${OTHER}>another model…</option></select></label>`;
}

const STOPS = { exitConsensus: "Stop at agreement", exitConvergence: "Stop after rounds without a move", exitConfidence: "Stop at confidence" };

const Figure = ({ label, ...more }) => html`<label class="field">${label}<input type="number" placeholder="default" ...${more} /></label>`;

const Words = ({ label, ...more }) => html`<label class="field">${label}<input autocomplete="off" ...${more} /></label>`;

function Rounds({ mode, value, onChange, preset }) {
  const usual = preset?.values?.rounds ?? mode.rounds;
  const all = Array.from({ length: mode.maxRounds }, (_, i) => [String(i + 1), ""]);
  return html`<${Choice} label="Rounds" value=${value} onChange=${onChange} empty=${`${usual} (default)`} from=${mode.firstCounts ? all : [...all, ["auto", "until it settles"]]} />`;
}
