// Settings: keys, the panel's models, defaults, personas, presets, prompts, tokens. Each change is
// written at once; what cannot be used is said beside its field.
import { html, useEffect, useState, Tabs, Dialog, say, complain, copy, money, when } from "/static/app/ui.js";
import { get, put, post, del } from "/static/app/api.js";

const BASE = "/ui/settings";
const TABS = [
  { id: "keys", name: "Keys" },
  { id: "models", name: "Models" },
  { id: "defaults", name: "Defaults" },
  { id: "personas", name: "Personas" },
  { id: "presets", name: "Presets" },
  { id: "prompts", name: "Prompts" },
  { id: "limits", name: "Limits" },
  { id: "tokens", name: "Tokens" },
];
/** @type {Record<string, string[]>} */
const GROUPS = {
  defaults: ["defaults"],
  limits: [
    "limits",
    "server",
    "store",
    "search",
    "local",
    "programs",
    "desktop",
    "providers",
    "prices",
    "routing",
  ],
};

/** @param {unknown} value */
const plain = (value) =>
  value === null || value === undefined ? "" : Array.isArray(value) ? value.join(", ") : String(value);

// The name of a setting as a person would say it: its last part, with where it belongs if that is needed.
/** @param {string} name */
const inWords = (name) => {
  const parts = name.split(".").slice(1).join(" of ").replace(/_/g, " ");
  const said = parts || name;
  return said[0].toUpperCase() + said.slice(1);
};

// One setting: its value, where it comes from, and what it accepts. Saved on Enter or on leaving it.
/** @param {Props & { setting: SettingField }} props */
function Field({ setting, onChange }) {
  const own = setting.source !== "default";
  const there = own ? plain(setting.value) : "";
  const [text, setText] = useState(there);
  const [wrong, setWrong] = useState("");
  useEffect(() => {
    setText(there);
    setWrong("");
  }, [there]);
  /** @param {string} value */
  const save = async (value) => {
    try {
      if (value !== there) await onChange(setting.name, value);
      setWrong("");
    } catch (e) {
      setWrong(e.message);
    }
  };
  const id = `s-${setting.name}`;
  const flag = setting.what === "true or false";
  const choices = flag
    ? ["true", "false"]
    : setting.choices.length
      ? setting.choices
      : (setting.what.match(/^one of (.*)$/)?.[1].match(/"([^"]+)"/g) || []).map((w) => w.slice(1, -1));
  return html`<div class="setting">
    <div class="grow"><label for=${id}>${inWords(setting.name)} <span class="mono small muted">${setting.name}</span></label><p class="small muted">${setting.about}</p></div>
    <div class="edit">
      ${
        choices.length
          ? html`<select id=${id} disabled=${setting.fixed} aria-invalid=${Boolean(wrong)} value=${text} onChange=${(e) => save(e.target.value)}>
            <option value="">${own ? "back to the default" : `default${setting.default === null ? "" : `: ${plain(setting.default)}`}`}</option>
            ${choices.map((c) => html`<option value=${c} selected=${own && text === c}>${c}</option>`)}</select>`
          : html`<input id=${id} disabled=${setting.fixed} aria-invalid=${Boolean(wrong)} aria-describedby=${`${id}-w`} value=${text}
            placeholder=${setting.default === null ? "not set" : plain(setting.default)} onInput=${(e) => setText(e.target.value)}
            onBlur=${(e) => save(e.target.value)} onKeyDown=${(e) => {
              if (e.key === "Enter") save(e.target.value);
            }} />`
      }
      <p class="small muted">${setting.guarded ? `changed at the machine only: dissent config set ${setting.name}` : setting.fixed ? `set by ${setting.source} in the environment` : own ? `from ${setting.source}` : ""}</p>
      <p id=${`${id}-w`} class="wrong" role="alert">${wrong}</p>
    </div></div>`;
}

/** @param {Props} props */
function Keys({ all, onChange, onKept }) {
  return html`<div class="col">
    ${
      !all.anyKey &&
      html`<div class="banner"><strong>No key yet.</strong> Debates run on a small embedded model, as a demonstration.
      Paste a key below (an OpenRouter key reaches every model), or set <code>OPENROUTER_API_KEY</code> before you start the server.</div>`
    }
    <p class="muted small">Keys are kept in ${all.file}, readable by you alone, and sent to their own vendor only. Here you see the last four characters.</p>
    ${all.keys.map((k) => html`<${KeyRow} key=${k.name} found=${k} all=${all} onChange=${onChange} onKept=${onKept} />`)}</div>`;
}

/** @param {Props & { found: KeySetting }} props */
function KeyRow({ found, all, onChange, onKept }) {
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState("");
  const [tested, setTested] = useState("");
  const [refused, setRefused] = useState(false);
  const [busy, setBusy] = useState(false);
  const { vendor } = found;
  /** @param {PageEvent} e */
  const type = (e) => {
    setText(e.target.value);
    setWrong("");
    setRefused(false);
  };
  // A key is tried before it is kept; one that does not work is kept on a second click only.
  /** @param {boolean} anyway */
  const keep = async (anyway) => {
    setBusy(true);
    setWrong("");
    setTested("");
    try {
      const { model, said } = await post("/ui/start/key", { vendor, key: text.trim(), anyway });
      setText("");
      setRefused(false);
      setTested(model ? `${model} answers${said ? `: “${said}”` : ""}` : "kept without an answer");
      say(`The key for ${vendor} is kept.`);
      await onKept();
    } catch (e) {
      setWrong(e.message);
      setRefused(e.code === "key_refused" || e.code === "untested");
    }
    setBusy(false);
  };
  const remove = async () => {
    try {
      await onChange(found.name, "");
      setTested("");
      setWrong("");
      say(`The key for ${vendor} is gone.`);
    } catch (e) {
      setWrong(e.message);
    }
  };
  const model =
    all.aliases.find((a) => a.vendor === vendor)?.name || (vendor === "openrouter" ? all.aliases[0]?.name : "");
  const test = async () => {
    setTested("asking…");
    try {
      const {
        agents: [agent],
      } = await post(`${BASE}/test`, { name: model });
      setTested(agent.healthy ? `${model} answers` : agent.problem || "no answer");
    } catch (e) {
      setTested(e.message);
    }
  };
  return html`<div class="setting"><div class="grow"><label for=${found.name}>${vendor}</label>
      <p class="small muted">${found.ending ? `ends in ${found.ending}, from ${found.source}` : "not set"} ${tested && html`<span class="chip came-back" role="status">${tested}</span>`}</p></div>
    <div class="edit row">
      <input id=${found.name} type="password" autocomplete="off" disabled=${found.fixed} placeholder=${found.fixed ? "set in the environment" : "paste a key"} value=${text} aria-invalid=${Boolean(wrong)} onInput=${type} />
      <button disabled=${!text.trim() || found.fixed || busy} title="It is tried with one tiny question first" onClick=${() => keep(false)}>${busy ? "Trying…" : "Keep"}</button>
      <button disabled=${!found.ending || !model} onClick=${test}>Test</button>
      <button class="bare danger" disabled=${!found.ending || found.fixed} onClick=${remove} aria-label=${`Remove the key for ${vendor}`}>Remove</button>
      <p class="wrong" role="alert">${wrong}${refused ? html`${/[.!?]$/.test(wrong) ? "" : "."} It is not kept. <button type="button" disabled=${busy} onClick=${() => keep(true)}>Keep it anyway</button>` : ""}</p></div></div>`;
}

/** @param {Props} props */
function Models({ all, onChange }) {
  const [draft, setDraft] = useState({ name: "", model: "" });
  /** @param {(alias: string) => string} field */
  const change = (field) => async (/** @type {string} */ alias, /** @type {string} */ value) => {
    try {
      await onChange(field(alias), value);
    } catch (e) {
      complain(e);
    }
  };
  const id = change((a) => `model_aliases.${a}.openrouter`);
  const direct = change((a) => `model_aliases.${a}.direct`);
  const route = change((a) => `routing.${a}`);
  const add = async () => {
    try {
      await onChange(`model_aliases.${draft.name}.openrouter`, draft.model);
      setDraft({ name: "", model: "" });
    } catch (e) {
      complain(e);
    }
  };
  return html`<div class="col"><p class="muted small">An alias is a short name for a model. “auto” calls its maker directly where there is a key, else OpenRouter.</p>
    <div class="wide"><table><thead><tr><th>Alias</th><th>At OpenRouter</th><th>At its maker</th><th>Maker</th><th>Route</th></tr></thead><tbody>
      ${all.aliases.map(
        (a) => html`<tr key=${a.name}><td class="mono">${a.name}</td>
        <td><input aria-label=${`${a.name} at OpenRouter`} value=${a.openrouter || ""} onBlur=${(e) => e.target.value !== (a.openrouter || "") && id(a.name, e.target.value)} /></td>
        <td><input aria-label=${`${a.name} at its maker`} value=${a.direct || ""} onBlur=${(e) => e.target.value !== (a.direct || "") && direct(a.name, e.target.value)} /></td>
        <td>${a.vendor}</td>
        <td><select aria-label=${`Route of ${a.name}`} value=${a.routing} onChange=${(e) => route(a.name, e.target.value)}>
          ${["auto", "direct", "openrouter"].map((r) => html`<option value=${r} selected=${a.routing === r}>${r}</option>`)}</select></td></tr>`,
      )}
    </tbody></table></div>
    <div class="row"><input aria-label="New alias" placeholder="new alias" value=${draft.name} onInput=${(e) => setDraft({ ...draft, name: e.target.value.trim() })} />
      <input aria-label="Its id at OpenRouter" placeholder="its id at OpenRouter" value=${draft.model} onInput=${(e) => setDraft({ ...draft, model: e.target.value.trim() })} />
      <button disabled=${!draft.name || !draft.model} onClick=${add}>Add</button></div></div>`;
}

/** @param {Props & { tables: string[] }} props */
function Group({ all, tables, onChange }) {
  const [filter, setFilter] = useState("");
  const shown = all.settings.filter(
    (s) =>
      tables.includes(s.name.split(".")[0]) &&
      `${s.name} ${s.about}`.toLowerCase().includes(filter.toLowerCase()),
  );
  return html`<div class="col"><input aria-label="Find a setting" placeholder="find a setting" value=${filter} onInput=${(e) => setFilter(e.target.value)} />
    ${shown.map((s) => html`<${Field} key=${s.name} setting=${s} onChange=${onChange} />`)}
    ${!shown.length && html`<p class="empty">Nothing of that name.</p>`}</div>`;
}

/** @param {Props} props */
function Personas({ all, onChange }) {
  const [name, setName] = useState("");
  const [open, setOpen] = useState(/** @type {{ name: string, text: string } | null} */ (null));
  /** @param {string} persona @param {string} text */
  const save = async (persona, text) => {
    try {
      await onChange(`personas.${persona}.instructions`, text);
      say(text ? `${persona} is kept.` : `${persona} is as it was.`);
      setOpen(null);
    } catch (e) {
      complain(e);
    }
  };
  return html`<div class="col"><p class="muted small">A persona is what a panelist is told to be.</p>
    ${Object.entries(all.personas).map(
      ([
        p,
        text,
      ]) => html`<div class="setting" key=${p}><div class="grow"><strong>${p}</strong><p class="small muted clamp">${text}</p></div>
      <button onClick=${() => setOpen({ name: p, text })} aria-label=${`Edit ${p}`}>Edit</button></div>`,
    )}
    <div class="row"><input aria-label="New persona" placeholder="new persona" value=${name} onInput=${(e) => setName(e.target.value.trim())} /><button disabled=${!name} onClick=${() => {
      setOpen({ name, text: "" });
      setName("");
    }}>Add</button></div>
    <${Dialog} open=${Boolean(open)} onClose=${() => setOpen(null)} title=${open ? open.name : ""}>
      ${
        open &&
        html`<textarea rows="9" aria-label="Instructions" value=${open.text} onInput=${(e) => setOpen({ ...open, text: e.target.value })}></textarea>
      <div class="row"><button class="primary" disabled=${!open.text.trim()} onClick=${() => save(open.name, open.text)}>Keep</button><button onClick=${() => save(open.name, "")}>Back to ours</button></div>`
      }<//></div>`;
}

/** @param {Props} props */
function Presets({ all, onChange }) {
  const [open, setOpen] = useState("");
  const [name, setName] = useState("");
  const preset = all.presets.find((p) => p.name === open) || { name: open, summary: "", values: {} };
  /** @param {AllSettings["presetFields"][number]} f */
  const field = (f) => ({
    name: `presets.${open}.${f.name}`,
    value: f.name === "summary" ? preset.summary : (preset.values[f.name] ?? null),
    what: f.what,
    about: f.about,
    default: null,
    choices: [],
    source:
      preset.values[f.name] === undefined && !(f.name === "summary" && preset.summary)
        ? "default"
        : "this preset",
    fixed: false,
  });
  return html`<div class="col"><p class="muted small">A preset is a panel with its mode and options under one name; clients see each as a model.</p>
    ${all.presets.map(
      (
        p,
      ) => html`<div class="setting" key=${p.name}><div class="grow"><strong class="mono">${p.name}</strong> <span class="muted">${p.summary}</span>
      <p class="small muted">${Object.entries(p.values)
        .map(([k, v]) => `${k}: ${plain(v)}`)
        .join(
          " · ",
        )}</p></div><button onClick=${() => setOpen(p.name)} aria-label=${`Edit ${p.name}`}>Edit</button></div>`,
    )}
    <div class="row"><input aria-label="New preset" placeholder="new preset" value=${name} onInput=${(e) => setName(e.target.value.trim())} /><button disabled=${!name} onClick=${() => {
      setOpen(name);
      setName("");
    }}>Add</button></div>
    <${Dialog} open=${Boolean(open)} onClose=${() => setOpen("")} title=${open}>${open && all.presetFields.map((f) => html`<${Field} key=${`${open}.${f.name}`} setting=${field(f)} onChange=${onChange} />`)}<//></div>`;
}

function Prompts() {
  const [names, setNames] = useState(/** @type {any[]} */ ([]));
  const [one, setOne] = useState(/** @type {any} */ (null));
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState("");
  const list = () => get(`${BASE}/prompts`).then(setNames, complain);
  useEffect(() => {
    list();
  }, []);
  /** @param {any} found */
  const take = (found) => {
    setOne(found);
    setText(found.text);
    setWrong(found.problem);
  };
  /** @param {string} name */
  const open = (name) => get(`${BASE}/prompts/${name}`).then(take, complain);
  const save = async () => {
    try {
      take(await put(`${BASE}/prompts/${one.name}`, { text }));
      list();
      say("The next debate is asked so.");
    } catch (e) {
      setWrong(e.message);
    }
  };
  const back = async () => {
    try {
      take(await del(`${BASE}/prompts/${one.name}`));
      list();
    } catch (e) {
      setWrong(e.message);
    }
  };
  return html`<div class="prompts"><nav aria-label="Prompts" class="col">${names.map((n) => html`<button class="bare" aria-current=${one?.name === n.name ? "true" : undefined} onClick=${() => open(n.name)}><span class="mono grow">${n.name}</span>${n.own && html`<span class="chip differ">yours</span>`}</button>`)}</nav>
    ${
      one
        ? html`<div class="col grow"><h2 class="mono">${one.name}</h2>
      <p class="small muted">Blanks: ${one.blanks.map((/** @type {string} */ b) => `{${b}}`).join(" ") || "none"}${one.place ? ` · from ${one.place}` : ""}</p>
      <textarea rows="14" class="mono" aria-label="Text of the prompt" aria-invalid=${Boolean(wrong)} value=${text} onInput=${(e) => setText(e.target.value)}></textarea>
      <p class="wrong" role="alert">${wrong}</p>
      <div class="row"><button class="primary" disabled=${text === one.text} onClick=${save}>Keep</button><button disabled=${!one.own} onClick=${back}>Back to ours</button></div>
      <h3>How it reads</h3><pre class="card wrap">${one.preview}</pre></div>`
        : html`<p class="empty grow">Choose a prompt to read or rewrite it.</p>`
    }</div>`;
}

function Tokens() {
  const [tokens, setTokens] = useState(/** @type {any[]} */ ([]));
  const [draft, setDraft] = useState({ name: "", budget: "" });
  const [made, setMade] = useState(/** @type {{ name: string, token: string } | null} */ (null));
  const list = () => get(`${BASE}/tokens`).then(setTokens, complain);
  useEffect(() => {
    list();
  }, []);
  // What is no number would be sent as null, which stands for no limit.
  const budget = draft.budget.trim() ? Number(draft.budget) : undefined;
  const make = async () => {
    try {
      if (budget !== undefined && !(budget > 0))
        throw new Error(`“${draft.budget}” is no budget; write dollars as 5 or 2.50.`);
      setMade(await post(`${BASE}/tokens`, { name: draft.name.trim(), budget }));
      setDraft({ name: "", budget: "" });
      list();
    } catch (e) {
      complain(e);
    }
  };
  /** @param {string} name */
  const revoke = async (name) => {
    try {
      await del(`${BASE}/tokens/${encodeURIComponent(name)}`);
      list();
    } catch (e) {
      complain(e);
    }
  };
  return html`<div class="col"><p class="muted small">A token lets a program in: <code>Authorization: Bearer TOKEN</code>. As soon as there is one, programs on this machine need one too.</p>
    ${made && html`<div class="banner"><strong>${made.name}</strong>: copy it now, it is not shown again.<div class="row"><code class="grow wrap">${made.token}</code><button onClick=${() => copy(made.token)}>Copy</button></div></div>`}
    ${
      tokens.length
        ? html`<div class="wide"><table><thead><tr><th>Name</th><th>Since</th><th class="num">Spent</th><th class="num">Budget</th><th>Mode</th><th></th></tr></thead><tbody>
      ${tokens.map((t) => html`<tr key=${t.name}><td>${t.name}</td><td>${when(t.createdAt)}</td><td class="num">${money(t.spentUsd)}</td><td class="num">${t.budgetUsd === null ? "no limit" : money(t.budgetUsd)}</td><td>${t.mode || "–"}</td><td><button class="bare danger" onClick=${() => revoke(t.name)} aria-label=${`Revoke ${t.name}`}>Revoke</button></td></tr>`)}</tbody></table></div>`
        : html`<p class="empty">No token yet.</p>`
    }
    <div class="row"><input aria-label="Name of the token" placeholder="name" value=${draft.name} onInput=${(e) => setDraft({ ...draft, name: e.target.value })} />
      <input aria-label="Budget in dollars" placeholder="budget in dollars" inputmode="decimal" value=${draft.budget} onInput=${(e) => setDraft({ ...draft, budget: e.target.value })} />
      <button disabled=${!draft.name.trim()} onClick=${make}>Make a token</button></div></div>`;
}

/** @param {Props} props */
export default function Settings({ address }) {
  const wanted = new URLSearchParams(address.split("?")[1] || "").get("tab");
  const [tab, setTab] = useState(TABS.find((t) => t.id === wanted)?.id ?? "keys");
  const [all, setAll] = useState(/** @type {AllSettings | null} */ (null));
  const [wrong, setWrong] = useState("");
  useEffect(() => {
    get(BASE).then(setAll, (e) => setWrong(e.message));
  }, []);
  /** @param {string} id */
  const choose = (id) => {
    setTab(id);
    history.replaceState(null, "", `/settings?tab=${id}`);
  };
  /** @param {string} name @param {string} value */
  const change = async (name, value) => {
    setAll(/** @type {AllSettings} */ (await put(`${BASE}/value`, { name, value })));
  };
  if (wrong) return html`<div class="banner wrong" role="alert">${wrong}</div>`;
  if (!all) return html`<p class="splash">Loading…</p>`;
  return html`<div class="settings col"><div class="row"><h1 class="grow">Settings</h1><span class="small muted mono">${all.file}</span></div>
    ${all.notices.map((n) => html`<div class="banner">${n}</div>`)}
    <${Tabs} tabs=${TABS} chosen=${tab} onChoose=${choose} label="Settings" />
    <section role="tabpanel" aria-label=${TABS.find((t) => t.id === tab)?.name}>
      ${tab === "keys" && html`<${Keys} all=${all} onChange=${change} onKept=${() => get(BASE).then(setAll)} />`}
      ${tab === "models" && html`<${Models} all=${all} onChange=${change} />`}
      ${GROUPS[tab] && html`<${Group} key=${tab} all=${all} tables=${GROUPS[tab]} onChange=${change} />`}
      ${tab === "personas" && html`<${Personas} all=${all} onChange=${change} />`}
      ${tab === "presets" && html`<${Presets} all=${all} onChange=${change} />`}
      ${tab === "prompts" && html`<${Prompts} />`}
      ${tab === "tokens" && html`<${Tokens} />`}</section></div>`;
}
