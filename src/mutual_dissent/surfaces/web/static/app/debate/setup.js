// A new debate: the question, what goes with it, who is asked and how; and what it would cost.
import { html, useEffect, useMemo, useRef, useState, complain, count, go, money } from "/static/app/ui.js";
import { call, post } from "/static/app/api.js";
import { Examples } from "/static/app/debate/first.js";
import { Panel } from "/static/app/debate/panel.js";
import { Options } from "/static/app/debate/options.js";
import { AttachButton, Attachments, LinkedPages, useFiles } from "/static/app/debate/files.js";
import { wanted } from "/static/app/debate/wanted.js";

const KEPT = "setup";
/** @type {Setup} */
const EMPTY = { seats: null };

// The known answer belongs to one question.
const kept = () => {
  try {
    return { ...EMPTY, ...JSON.parse(localStorage.getItem(KEPT) || "{}"), groundTruth: "" };
  } catch {
    return EMPTY;
  }
};

/** @param {Props} props */
export function Setup({ catalogue }) {
  const [text, setText] = useState(sessionStorage.getItem("draft") || "");
  const [setup, setSetup] = useState(kept);
  const [busy, setBusy] = useState(false);
  const [reason, setReason] = useState("");
  const files = useFiles();
  /** @param {Partial<Setup>} more */
  const change = (more) => setSetup((/** @type {Setup} */ now) => ({ ...now, ...more }));
  useEffect(() => localStorage.setItem(KEPT, JSON.stringify({ ...setup, groundTruth: "" })), [setup]);
  useEffect(() => sessionStorage.setItem("draft", text), [text]);
  const body = useMemo(() => wanted(text, setup, files.all, catalogue), [text, setup, files.all, catalogue]);
  const quote = useQuote(body);
  const key = useRef(/** @type {string | null} */ (null));
  const ready = catalogue.start.ready || Boolean(setup.seats);
  const ask = async () => {
    if (!text.trim() || busy || files.reading) return;
    setBusy(true);
    key.current ||= crypto.getRandomValues(new Uint32Array(4)).join("-");
    try {
      const made = await call("POST", "/api/chat", body, { "Idempotency-Key": key.current });
      key.current = null;
      sessionStorage.removeItem("draft");
      if (quote.found)
        sessionStorage.setItem(
          `quote-${made.sessionId}`,
          JSON.stringify({ calls: quote.found.calls, cost: quote.found.costUsd }),
        );
      go(`/debates/${made.sessionId}`);
    } catch (e) {
      if (e.status) key.current = null;
      complain(e);
    }
    setBusy(false);
  };
  // One small call, made when somebody asks for it; what it proposes is in the form before the panel is asked.
  const propose = async () => {
    setBusy(true);
    try {
      const found = await post("/api/quote", { ...body, preset: "auto", mode: setup.mode || undefined });
      const p = found.proposal;
      if (p && !p.note) change(proposed(p, setup));
      if (p) setReason(p.note || `${p.by} proposes ${p.preset}: ${p.reason}`);
    } catch (e) {
      complain(e);
    }
    setBusy(false);
  };
  return html`<form class="setup" data-send="" onSubmit=${(e) => {
    e.preventDefault();
    ask();
  }} ...${files.dropping}>
    <div class="ask card">
      <label class="sr" for="query">Your question</label>
      <textarea id="query" rows="4" placeholder="What should the panel look into?" value=${text} onInput=${(e) => setText(e.target.value)}></textarea>
      <${Attachments} files=${files} />
      ${quote.found && html`<${Viewers} attached=${quote.found.attached} />`}
      <${LinkedPages} text=${text} files=${files} />
      <div class="row ask-foot"><${AttachButton} files=${files} />
        <button type="button" class="bare" disabled=${busy || !text.trim() || !ready} title="A model of the panel chooses preset, mode and panel, by one small call" onClick=${propose}>Propose how</button>
        <span class="small muted grow" role="status">${reason}</span>${ready ? html`<${Quote} quote=${quote} asked=${Boolean(text.trim())} />` : html`<span class="small muted quote">Nobody can be asked yet: choose a way above.</span>`}
        <button class="primary" disabled=${busy || !text.trim() || !ready || Boolean(files.reading)}>${busy ? "Asking…" : "Ask the panel"} <kbd>Ctrl ↵</kbd></button></div>
      ${text.trim() && quote.found && html`<${Similar} debates=${quote.found.similar} />`}
    </div>
    ${!text && html`<${Examples} onPick=${setText} />`}
    <${Panel} setup=${setup} change=${change} catalogue=${catalogue} quote=${quote} />
    <${Options} setup=${setup} change=${change} catalogue=${catalogue} quote=${quote} reset=${() => setSetup(EMPTY)} />
  </form>`;
}

// What a proposal changes in the form; who was seated by hand stays.
/** @param {Schemas["QuotedProposal"]} p @param {Setup} setup */
const proposed = (p, setup) => ({
  preset: p.preset,
  mode: p.mode || setup.mode || "",
  perspectives: p.perspectives.join(", "),
  seats: setup.seats || (p.panel.length > 1 ? p.panel.map((model) => ({ model, persona: "" })) : null),
});

// What it would cost, asked for when nothing has changed for a moment.
/** @param {ReturnType<typeof wanted>} body */
function useQuote(body) {
  const [quote, setQuote] = useState(/** @type {{ found?: Quoted, wrong?: string }} */ ({}));
  // Whether something changed is seen without going through megabytes of pictures.
  const plain = JSON.stringify(body, (name, value) => (name === "data" ? value.length : value));
  useEffect(() => {
    let gone = false;
    const timer = setTimeout(async () => {
      try {
        const found = await post("/api/quote", { ...body, message: body.message.trim() ? body.message : "?" });
        if (!gone) setQuote({ found });
      } catch (e) {
        if (!gone) setQuote({ wrong: e.message });
      }
    }, 350);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [plain]);
  return quote;
}

// To whom pictures would go, and who would describe them to the others.
/** @param {{ attached: Quoted["attached"] }} props */
function Viewers({ attached }) {
  const shown = attached.find((a) => a.picture)?.picture;
  if (!shown) return null;
  const told = shown.describedBy && `; ${shown.describedBy} describes it for ${shown.describedFor.join(", ")}`;
  return html`<p class="small muted files viewers">Shown to ${shown.shownTo.join(", ")}${told || ""}.</p>`;
}

// Earlier debates on the matter: there, a further question goes on from what was answered.
/** @param {{ debates: Quoted["similar"] }} props */
function Similar({ debates }) {
  if (!debates.length) return null;
  return html`<ul class="small similar" role="status" aria-label="Asked before">${debates.map(
    (d) =>
      html`<li>${d.attached ? "The panel is told what you asked" : "You asked something like this"} on ${new Date(d.createdAt).toLocaleDateString()}: <a href=${`/debates/${d.sessionId}`}>${d.query}</a>${d.heading && ` (${d.heading})`}</li>`,
  )}</ul>`;
}

/** @param {Props} props */
function Quote({ quote, asked }) {
  if (quote.wrong) return html`<span class="wrong quote" role="alert">${quote.wrong}</span>`;
  const q = quote.found;
  if (!q) return html`<span class="small muted quote">…</span>`;
  const searching = q.searching.map((s) => ` ${s.text}`).join("");
  return html`<span class="small muted num quote" title=${`About ${count(q.inputTokens)} tokens read and ${count(q.outputTokens)} written.${searching}`}>
    ${asked ? "" : "about "}${q.leastCalls < q.calls ? `${q.leastCalls} to ` : ""}${q.calls} calls, ${priced(q)}${searching && html`<span class="searching">${searching}</span>`}</span>`;
}

/** @param {Quoted} q */
function priced(q) {
  if (q.costUsd === null) return "no price known";
  if (q.costUsd === 0) return "free";
  const least = q.leastCalls < q.calls ? q.leastCostUsd : null;
  return least === null ? `up to about ${money(q.costUsd)}` : `about ${money(least)} to ${money(q.costUsd)}`;
}
