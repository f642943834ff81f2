// What is sent for a debate: only what was chosen; all else is left to presets and defaults.

export function wanted(message, setup, files, catalogue) {
  const mode = modeOf(setup, catalogue);
  const body = { message };
  const say = (name, value) => { if (value !== "" && value !== null && value !== undefined) body[name] = value; };
  say("preset", setup.preset);
  say("mode", setup.mode || (named(setup, catalogue)?.values?.mode ? "" : catalogue.mode));
  if (mode?.rounds !== null) say("rounds", setup.rounds === "auto" ? "auto" : setup.rounds && Number(setup.rounds));
  if (mode?.topologies?.length) say("topology", setup.topology);
  if (mode?.ballots) say("rule", setup.rule);
  if (debates(mode)) for (const part of ["synthesizer", "analyst"]) say(part, setup[part].trim());
  say("maxCostUsd", figure(setup.budget));
  if (body.maxCostUsd && setup.unpriced) body.allowUnpriced = true;
  if (setup.tools) body.tools = true;
  if (setup.truth.trim()) { body.groundTruth = setup.truth; say("judge", setup.judge.trim()); }
  if (takes(mode, "exitConsensus")) for (const exit of EXITS) say(exit, figure(setup[exit]));
  for (const name of ["quorum", "temperature", "seed"]) say(name, figure(setup[name]));
  for (const name of ["named", "followUp"]) if (setup[name]) body[name] = true;
  if (takes(mode, "perspectives")) say("perspectives", listed(setup.perspectives));
  if (files.length) body.context = files.map((f) => ({ name: f.name, text: f.text }));
  if (setup.seats) Object.assign(body, seated(setup.seats, mode));
  return body;
}

// What is no number goes as it is, and is refused with a sentence: left out it would mean "no limit".
const figure = (text) => { const word = String(text).trim(); return word === "" || Number.isNaN(Number(word)) ? word : Number(word); };

export const EXITS = ["exitConsensus", "exitConvergence", "exitConfidence"];
const listed = (text) => { const found = text.split(",").map((x) => x.trim()).filter(Boolean); return found.length ? found : ""; };

function seated(seats, mode) {
  const found = { panel: seats.map((s) => s.model) };
  const by = (field) => Object.fromEntries(names(seats).map((name, i) => [name, seats[i][field]]).filter(([, v]) => v));
  const put = (name, values) => { if (Object.keys(values).length) found[name] = values; };
  put("personas", by("persona"));
  if (takes(mode, "roles")) put("roles", by("role"));
  if (takes(mode, "teams")) put("teams", by("team"));
  return found;
}

// The names that seats have in a debate: a model that sits twice is numbered from its second seat.
export function names(seats) {
  const seen = {};
  return seats.map((s) => {
    seen[s.model] = (seen[s.model] || 0) + 1;
    return seen[s.model] > 1 ? `${s.model}#${seen[s.model]}` : s.model;
  });
}

export const takes = (mode, option) => mode?.options?.includes(option);

// Whether several are asked: where one model answers alone, nobody writes the answer up or reads it afterwards.
export const debates = (mode) => !mode || mode.order !== "";

const named = (setup, catalogue) => catalogue.presets.find((p) => p.name === setup.preset);

export function modeOf(setup, catalogue) {
  const name = setup.mode || named(setup, catalogue)?.values?.mode || catalogue.mode;
  return catalogue.modes.find((m) => m.name === name);
}
