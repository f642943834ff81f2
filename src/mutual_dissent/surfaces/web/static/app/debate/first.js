// What is shown before the first question: what this is, and on whose models it runs.
import { html, useEffect, useState, Link, complain, say, when } from "/static/app/ui.js";
import { get, post } from "/static/app/api.js";

export function First() {
  return html`<section class="first" aria-label="What this is">
    <div class="steps">
      <${Step} n="1" title="Each answers alone">Several models get your question at once; none knows what the others say.<//>
      <${Step} n="2" title="They read and challenge">In each round they see the others' answers, unsigned, and defend, correct or change their own.<//>
      <${Step} n="3" title="One answer, with dissent">You get one text that says how far the panel agrees, who does not, and what it cost.<//>
    </div>
    <${Recent} />
  </section>`;
}

/** @param {Props} props */
const Step = ({ n, title, children }) =>
  html`<div class="step"><span class="step-number" aria-hidden="true">${n}</span><div><h3>${title}</h3><p class="small muted">${children}</p></div></div>`;

const QUESTIONS = [
  "Should a small team start with a monolith or with services?",
  "Is it cheaper to heat with a heat pump or with gas over twenty years?",
  "How many piano tuners work in Chicago?",
  "What are the best arguments against a four-day week?",
];

// Questions to begin with, and a debate to look at.
/** @param {Props} props */
export const Examples = ({
  onPick,
}) => html`<div class="row examples" role="group" aria-label="Examples">${QUESTIONS.map((q) => html`<button type="button" class="chip" onClick=${() => onPick(q)}>${q}</button>`)}
  <${Link} class="small" href="/debates/sample">Look at a sample debate<//></div>`;

// Without a key there are three ways to somebody who answers.
/** @param {Props} props */
export function Keyless({ start, onChange }) {
  const fetching = start?.local.running;
  useEffect(() => {
    if (!fetching) return undefined;
    const timer = setTimeout(() => get("/ui/start").then(onChange, () => onChange({ ...start })), 700);
    return () => clearTimeout(timer);
  }, [start]);
  if (!start || start.anyKey) return null;
  return html`<section class="keyless" aria-label="Whom to ask">
    <div class="banner nokey"><p><strong>No key yet.</strong> ${onWhat(start)}</p></div>
    <div class="ways"><${Key} vendors=${start.vendors} onChange=${onChange} /><${Embedded} local=${start.local} onChange=${onChange} /><${Machine} server=${start.server} models=${start.running} onChange=${onChange} /></div></section>`;
}

/** @param {Start} start */
function onWhat({ server, running, local, ready }) {
  if (running.length) return `The panel is made of what your ${server} has: ${running.slice(0, 3).join(", ")}.`;
  if (ready && local.here)
    return "The panel runs on the embedded model. It is small and made to show how a debate goes; its answers are no evidence.";
  return "Nobody can be asked yet. There are three ways; each takes half a minute.";
}

// Whose key it is, by what it begins with: `sk-or-` says more than `sk-`.
/** @param {Start["vendors"]} vendors @param {string} key */
function vendorOf(vendors, key) {
  const fitting = Object.entries(vendors).filter(([, prefix]) => prefix && key.startsWith(prefix));
  return fitting.sort(([, a], [, b]) => b.length - a.length)[0]?.[0];
}

/** @param {Props & { vendors: Start["vendors"] }} props */
function Key({ vendors, onChange }) {
  const [key, setKey] = useState("");
  const [chosen, setChosen] = useState("");
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState("");
  const vendor = chosen || vendorOf(vendors, key.trim()) || "openrouter";
  /** @param {boolean} anyway */
  const send = async (anyway) => {
    setBusy(true);
    setWrong("");
    try {
      const found = await post("/ui/start/key", { vendor, key: key.trim(), anyway });
      say(found.model ? `${found.model} answers; the key is kept.` : "The key is kept.");
      onChange(found);
    } catch (e) {
      setWrong(e.message);
    }
    setBusy(false);
  };
  return html`<form class="card way" onSubmit=${(e) => {
    e.preventDefault();
    send(false);
  }}><h3>Paste a key</h3>
    <p class="small muted">One key of OpenRouter reaches all vendors. It is tried with one tiny question, kept on this machine, and sent to its vendor only.</p>
    <input type="password" autocomplete="off" aria-label="Key" placeholder="sk-…" value=${key} onInput=${(
      e,
    ) => {
      setKey(e.target.value);
      setWrong("");
    }} />
    <div class="row"><select aria-label="Vendor" value=${vendor} onChange=${(e) => setChosen(e.target.value)}>${Object.keys(vendors).map((v) => html`<option value=${v} selected=${v === vendor}>${v}</option>`)}</select>
      <button class="primary" disabled=${busy || key.trim().length < 8}>${busy ? "Trying it…" : "Try it and keep it"}</button></div>
    ${wrong && html`<p class="wrong" role="alert">${wrong} <button type="button" class="bare" onClick=${() => send(true)}>Keep it anyway</button></p>`}</form>`;
}

/** @param {Props} props */
function Embedded({ local, onChange }) {
  /** @param {string} model */
  const begin = (model) => post("/ui/start/local", { model }).then(onChange, complain);
  /** @param {number} bytes */
  const size = (bytes) => (bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`);
  const part = Math.round((local.fetched / local.total) * 100);
  return html`<div class="card way"><h3>Fetch a model</h3>
    <p class="small muted">It runs inside this program: no key, no network afterwards, no cost. Qwen2.5-Coder 1.5B answers simple questions; SmolLM2 only shows how a debate goes. Rely on neither.</p>
    ${
      !local.runtime
        ? html`<p class="small">What runs it is not installed: <code>pip install 'mutual-dissent[local]'</code>, then start the server anew.</p>`
        : local.here
          ? html`<p class="small"><span class="chip agree">ready</span></p>`
          : local.running
            ? html`<div class="bar" role="progressbar" aria-label="Fetching the model" aria-valuemin="0" aria-valuemax="100" aria-valuenow=${part}><i style=${{ width: `${part}%` }}></i></div><p class="small muted num">${part} % of ${size(local.total)}</p>`
            : html`<div class="row"><button type="button" class="primary" onClick=${() => begin("qwen")}>Fetch Qwen (${size(local.models.qwen)})</button><button type="button" onClick=${() => begin("smollm2")}>SmolLM2 (${size(local.models.smollm2)})</button></div>`
    }
    ${local.problem && html`<p class="wrong" role="alert">${local.problem}</p>`}</div>`;
}

/** @param {Props & { models: string[] }} props */
function Machine({ server, models, onChange }) {
  const again = () =>
    get("/ui/start").then((found) => {
      onChange(found);
      if (!found.running.length) say("No model server runs here.");
    }, complain);
  return html`<div class="card way"><h3>Use what runs here</h3>
    ${
      models.length
        ? html`<p class="small muted">Your ${server} has ${models.length === 1 ? "one model" : `${models.length} models`}; up to three sit on the panel.</p><p class="small">${models.map((m) => html`<span class="chip mono">${m}</span> `)}</p>`
        : html`<p class="small muted">With Ollama, LM Studio, llama.cpp or vLLM running on this machine, its models make the panel: nothing leaves the machine.</p><div class="row"><button type="button" onClick=${again}>Look again</button></div>`
    }</div>`;
}

function Recent() {
  const [found, setFound] = useState(/** @type {Schemas["SessionList"]["items"] | null} */ (null));
  useEffect(() => {
    get("/api/sessions?limit=6").then(
      (page) => setFound(page.items),
      () => setFound([]),
    );
  }, []);
  if (!found?.length) return null;
  return html`<div class="recent"><div class="row"><h2 class="grow">Recent debates</h2><${Link} href="/debates" class="small">All debates<//></div>
    <ul class="plain">${found.map(
      (d) => html`<li><${Link} href=${`/debates/${d.sessionId}`} class="recent-row">
      <span class="clip grow">${d.query}</span><span class=${`chip small ${d.status === "completed" ? "agree" : d.status === "error" ? "oppose" : ""}`}>${d.status}</span>
      <span class="small muted num recent-when">${when(d.createdAt)}</span><//></li>`,
    )}</ul></div>`;
}
