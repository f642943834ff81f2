// The panel bar: who is asked, by which route, in which part.
import { html, useEffect, useState, colour } from "/static/app/ui.js";
import { get, query } from "/static/app/api.js";
import { modeOf, takes } from "/static/app/debate/wanted.js";

/** @param {Props} props */
export function Panel({ setup, change, catalogue, quote }) {
  const usual = (quote.found?.panel || []).map((p) => ({
    model: p.written,
    persona: p.persona || "",
  }));
  const seats = setup.seats || usual;
  const mode = modeOf(setup, catalogue);
  /** @param {number} i @param {Partial<SeatChoice>} more */
  const put = (i, more) => change({ seats: seats.map((s, j) => (j === i ? { ...s, ...more } : s)) });
  const routes = Object.fromEntries((quote.found?.panel || []).map((p, i) => [i, p.route]));
  return html`<section class="panel-bar" aria-label="Panel">
    <div class="bar-head row"><h2>Panel</h2><span class="small muted grow">${setup.seats ? `${seats.length} seats` : "your default panel"}</span>
      ${setup.seats && html`<button type="button" class="bare" onClick=${() => change({ seats: null })}>Use the default</button>`}</div>
    <div class="seats-grid">${seats.map(
      (
        s,
        i,
      ) => html`<${SeatCard} key=${`${i}${s.model}`} seat=${s} index=${i} mode=${mode} route=${routes[i]} catalogue=${catalogue}
      put=${(/** @type {Partial<SeatChoice>} */ more) => put(i, more)} remove=${seats.length > 1 ? () => change({ seats: seats.filter((_, j) => j !== i) }) : null} />`,
    )}
      <${Add} catalogue=${catalogue} add=${(/** @type {string} */ model) => change({ seats: [...seats, { model, persona: "" }] })} />
    </div></section>`;
}

// What a seat may be given in some modes: the option, its field of the seat, its title.
/** @type {[option: string, field: "role" | "team", title: string][]} */
const PARTS = [
  ["roles", "role", "Role"],
  ["teams", "team", "Team"],
];

/** @param {Catalogue} catalogue @param {string} name */
const optionOf = (catalogue, name) => catalogue.options.find((o) => o.name === name);

/** @param {Props} props */
function SeatCard({ seat, index, mode, route, catalogue, put, remove }) {
  const known = catalogue.aliases.find((a) => a.alias === seat.model);
  const way = route || known?.route;
  const parts = PARTS.filter(([option]) => takes(mode, option));
  return html`<div class="seat-card" style=${{ "--mine": colour(index) }}>
    <div class="row"><span class="pane-number" aria-hidden="true">${index + 1}</span><strong class="grow clip" title=${seat.model}>${seat.model}</strong>
      ${remove && html`<button type="button" class="bare tiny" aria-label=${`Remove ${seat.model}`} onClick=${remove}>✕</button>`}</div>
    <p class="small muted clip" title=${known?.unreachable || way?.modelId}>${known?.unreachable ? html`<span class="wrong">not reachable</span>` : way ? routeWords(way) : "…"}</p>
    <div class="row parts">
      <select aria-label=${`Persona of ${seat.model}`} value=${seat.persona || ""} onChange=${(e) => put({ persona: e.target.value })}>
        <option value="">no persona</option>${catalogue.personas.map((p) => html`<option value=${p.name} title=${p.instructions}>${p.name}</option>`)}</select>
      ${parts.map(
        ([option, field, title]) =>
          html`<select aria-label=${`${title} of ${seat.model}`} value=${seat[field] || ""} onChange=${(e) => put({ [field]: e.target.value })}>
        <option value="">any ${field}</option>${optionOf(catalogue, option)?.choices.map((c) => html`<option>${c.name}</option>`)}</select>`,
      )}
    </div></div>`;
}

/** @param {any} route */
const routeWords = (route) =>
  route.vendor === "human"
    ? "you, asked like any panelist"
    : route.vendor === "local"
      ? "embedded model, on this machine"
      : route.viaOpenrouter
        ? `${route.modelId} via OpenRouter`
        : `${route.modelId} at ${route.vendor}`;

// Type an alias, or words of any known model's name.
/** @param {Props} props */
function Add({ catalogue, add }) {
  const [text, setText] = useState("");
  const [found, setFound] = useState(/** @type {Schemas["KnownModel"][]} */ ([]));
  useEffect(() => {
    if (text.trim().length < 2) {
      setFound([]);
      return undefined;
    }
    const timer = setTimeout(async () => {
      try {
        setFound((await get(`/api/models${query({ text, limit: 20 })}`)).models);
      } catch {
        setFound([]);
      }
    }, 200);
    return () => clearTimeout(timer);
  }, [text]);
  /** @param {string} name */
  const take = (name) => {
    if (name.trim()) add(name.trim());
    setText("");
  };
  const known = [...catalogue.aliases.filter((a) => a.route).map((a) => a.alias), ...found.map((m) => m.name)];
  return html`<div class="seat-card add"><label class="sr" for="add-model">Add a model</label>
    <input id="add-model" list="known-models" placeholder="Add a model" value=${text} autocomplete="off"
      onInput=${(e) => (known.includes(e.target.value) && !(e.inputType || "").startsWith("insertText") ? take(e.target.value) : setText(e.target.value))}
      onKeyDown=${(e) => {
        if (e.key === "Enter" && !e.ctrlKey) {
          e.preventDefault();
          take(text);
        }
      }} />
    <datalist id="known-models">${catalogue.aliases.map((a) => html`<option value=${a.alias}>${a.unreachable ? "not reachable" : routeWords(a.route)}</option>`)}
      ${found.map((m) => html`<option value=${m.name}>${m.inputUsd === null ? "" : `$${m.inputUsd} in, $${m.outputUsd} out`}</option>`)}</datalist>
    <div class="row quick">${catalogue.aliases
      .filter((a) => a.route)
      .slice(0, 6)
      .map(
        (a) => html`<button type="button" class="chip" onClick=${() => take(a.alias)}>+ ${a.alias}</button>`,
      )}<button type="button" class="chip" title="You sit on the panel yourself" onClick=${() => take("me")}>+ me</button></div></div>`;
}
