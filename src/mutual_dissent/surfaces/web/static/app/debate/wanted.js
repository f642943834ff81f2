// What is sent for a debate: only what was chosen; all else is left to presets and defaults.
import { EFFORTS } from "/static/app/words.js";

/**
 * @param {string} message
 * @param {Setup} setup
 * @param {TextFile[]} files
 * @param {Catalogue} catalogue
 */
export function wanted(message, setup, files, catalogue) {
  const mode = modeOf(setup, catalogue);
  const body = /** @type {Record<string, any> & { message: string }} */ ({ message });
  for (const option of catalogue.options.filter((o) => applies(o, mode, setup))) {
    const value = READ[option.kind]?.(setup[option.name] ?? "");
    const fits = mode?.only[option.name]?.includes(String(value)) ?? true;
    if (fits && value !== "" && value !== undefined && value !== false) body[option.name] = value;
  }
  if (!body.mode && !named(setup, catalogue)?.values?.mode) body.mode = catalogue.mode;
  if (files.length) body.context = files.map(sentAs);
  if (setup.seats) Object.assign(body, seated(setup.seats, mode));
  return body;
}

/** @param {TextFile} file */
const sentAs = ({ name, text, data }) => (data ? { name, data } : { name, text });

// What is no number goes as it is, and is refused with a sentence: left out it would mean "no limit".
/** @param {string} text */
const figure = (text) => {
  const word = String(text).trim();
  return word === "" || Number.isNaN(Number(word)) ? word : Number(word);
};
/** @param {string} text */
const listed = (text) => {
  const found = text
    .split(",")
    .map((x) => x.trim())
    .filter(Boolean);
  return found.length ? found : "";
};
/** @type {Record<string, (chosen: any) => unknown>} */
const READ = {
  flag: Boolean,
  number: figure,
  choice: String,
  model: (text) => text.trim(),
  words: listed,
  text: (text) => (text.trim() ? text : ""),
};

// Whether an option is in the form, makes sense in the mode, and has what it goes with.
/** @param {Option} option @param {Mode | undefined} mode @param {Setup} setup */
export function applies(option, mode, setup) {
  if (!option.inForm || (option.beside && !String(setup[option.beside] ?? "").trim())) return false;
  // One model that answers alone writes its answer itself.
  if (option.name === "synthesizer" && mode?.order === "") return false;
  return mode?.only[option.name]?.length !== 0;
}

/** @param {SeatChoice[]} seats @param {Mode | undefined} mode */
function seated(seats, mode) {
  const found = /** @type {Record<string, unknown>} */ ({ panel: seats.map((s) => s.model) });
  /** @param {"persona" | "role" | "team"} field */
  const by = (field) =>
    Object.fromEntries(
      names(seats)
        .map((name, i) => [name, seats[i][field]])
        .filter(([, v]) => v),
    );
  /** @param {string} name @param {Record<string, any>} values */
  const put = (name, values) => {
    if (Object.keys(values).length) found[name] = values;
  };
  put("personas", by("persona"));
  if (takes(mode, "roles")) put("roles", by("role"));
  if (takes(mode, "teams")) put("teams", by("team"));
  return found;
}

const WRITTEN = new RegExp(`^(.*?)(@(?:${EFFORTS.join("|")}))?(\\*\\d+)?$`);

// The names that seats have in a debate: a model that sits twice is numbered from its second seat; its effort is
// a part of its name only where another seat differs by it.
/** @param {SeatChoice[]} seats */
export function names(seats) {
  const seen = /** @type {Record<string, number>} */ ({});
  const read = seats.map((s) => (WRITTEN.exec(s.model) || ["", s.model]).slice(1, 3));
  return read.map(([model, effort = ""]) => {
    const differs = read.some(([other, its = ""]) => other === model && its !== effort);
    const name = differs ? `${model}${effort}` : model;
    seen[name] = (seen[name] || 0) + 1;
    return seen[name] > 1 ? `${name}#${seen[name]}` : name;
  });
}

/** @param {Mode | undefined} mode @param {string} option */
export const takes = (mode, option) => mode?.options?.includes(option);

/** @param {Setup} setup @param {Catalogue} catalogue */
const named = (setup, catalogue) => catalogue.presets.find((p) => p.name === setup.preset);

/** @param {Setup} setup @param {Catalogue} catalogue */
export function modeOf(setup, catalogue) {
  const name = setup.mode || named(setup, catalogue)?.values?.mode || catalogue.mode;
  return catalogue.modes.find((m) => m.name === name);
}
