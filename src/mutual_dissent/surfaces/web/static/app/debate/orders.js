// What a debate can be told: hold, go on, hear this, write it again, count it again.
import { html, useEffect, useRef, useState, Dialog, Link, complain, copy, go, say } from "/static/app/ui.js";
import { call, get, post } from "/static/app/api.js";
import { isLive } from "/static/app/debate/fold.js";

/** @type {Set<string>} */
const RESUMABLE = new Set(["paused", "stopped", "interrupted", "error"]);

/**
 * @param {Props["session"]} session
 * @param {Catalogue | null} catalogue
 * @param {(counted: Schemas["Counted"]) => void} onCounted
 */
export function useOrders(session, catalogue, onCounted) {
  const [busy, setBusy] = useState("");
  /** @param {string} name @param {object} [body] @param {string} [done] */
  const order = async (name, body, done) => {
    setBusy(name);
    try {
      await session.order(name, body);
      if (done) say(done);
    } catch (e) {
      complain(e);
    }
    setBusy("");
  };
  /** @param {string} outcome */
  const resolve = async (outcome) => {
    setBusy("outcome");
    try {
      await session.resolve(outcome);
    } catch (e) {
      complain(e);
    }
    setBusy("");
  };
  const markdown = () =>
    copy(get(`/api/sessions/${session.id}/export?format=markdown`), "The debate is copied as Markdown.");
  const recount = async () => {
    try {
      onCounted(await post(`/api/sessions/${session.id}/decide`, { rule: "all" }));
    } catch (e) {
      complain(e);
    }
  };
  const mode = catalogue?.modes.find((m) => m.name === session.state.brief?.mode);
  return { busy, order, resolve, markdown, recount, mode, rules: catalogue?.rules || [] };
}

/** @param {Props} props */
export function Orders({ session, orders, models }) {
  const { state } = session;
  const [open, setOpen] = useState("");
  const shut = () => setOpen("");
  const live = isLive(state);
  const done = state.status === "completed";
  return html`<div class="orders row" role="toolbar" aria-label="Orders">
    ${
      live &&
      html`<button disabled=${orders.busy} onClick=${() => orders.order("pause", {}, "It holds after the calls in flight.")}>Pause</button>
      <button class="danger" disabled=${orders.busy} onClick=${() => orders.order("stop")}>Stop</button>`
    }
    ${RESUMABLE.has(state.status) && html`<button class="primary" disabled=${orders.busy} onClick=${() => orders.order("resume")}>Resume</button>`}
    ${done && orders.mode?.rounds !== null && html`<button onClick=${() => setOpen("continue")}>Continue…</button>`}
    ${done && html`<button onClick=${() => setOpen("synthesize")}>Write it again…</button>`}
    ${done && orders.mode?.ballots && html`<button title="No model is asked; the debate stays as it is" onClick=${orders.recount}>Count by other rules</button>`}
    ${state.rounds.length > 0 && html`<${Link} class="button" href=${`/debates/${session.id}/study`}>Study<//>`}
    ${state.rounds.length > 0 && html`<button onClick=${orders.markdown}>Copy as Markdown</button><button onClick=${() => setOpen("share")}>Share…</button>`}
    <${Share} open=${open === "share"} onClose=${shut} id=${session.id} />
    <${Continue} open=${open === "continue"} onClose=${shut} orders=${orders} />
    <${Rewrite} open=${open === "synthesize"} onClose=${shut} orders=${orders} models=${models} now=${state.brief?.synthesizer.seat} />
  </div>`;
}

/** @param {Props} props */
function Continue({ open, onClose, orders }) {
  const [rounds, setRounds] = useState(1);
  const [remark, setRemark] = useState("");
  /** @param {PageEvent} e */
  const send = (e) => {
    e.preventDefault();
    onClose();
    orders.order("continue", { rounds, ...(remark.trim() ? { remark } : {}) });
    setRemark("");
  };
  return html`<${Dialog} open=${open} onClose=${onClose} title="Hold further rounds"><form class="col" onSubmit=${send}>
    <label class="field">Rounds<input type="number" min="1" max="10" value=${rounds} onInput=${(e) => setRounds(Number(e.target.value) || 1)} /></label>
    <label class="field">Tell the panel first (optional)<textarea rows="3" value=${remark} onInput=${(e) => setRemark(e.target.value)}></textarea></label>
    <div class="row"><span class="grow small muted">The answer is written anew afterwards; the old text is kept.</span><button class="primary">Continue</button></div></form><//>`;
}

/** @param {Props} props */
function Rewrite({ open, onClose, orders, models, now }) {
  const [who, setWho] = useState("");
  /** @param {PageEvent} e */
  const send = (e) => {
    e.preventDefault();
    onClose();
    orders.order("synthesize", who.trim() ? { synthesizer: who.trim() } : {});
  };
  return html`<${Dialog} open=${open} onClose=${onClose} title="Write the answer again"><form class="col" onSubmit=${send}>
    <label class="field">By whom<input list="models" placeholder=${now || ""} value=${who} onInput=${(e) => setWho(e.target.value)} /></label>
    <datalist id="models">${/** @type {Alias[]} */ (models || []).flatMap((m) => (m.route ? html`<option value=${m.alias}>${m.route.modelId}</option>` : []))}</datalist>
    <div class="row"><span class="grow small muted">The old text stays, beside the new one.</span><button class="primary">Write</button></div></form><//>`;
}

const FILES = [
  ["html", "A page that anybody can open, with charts and all answers"],
  ["markdown", "Markdown"],
  ["adr", "A decision record: decision, options, dissent, what would change it"],
  ["json", "JSON, with everything that is known"],
  ["csv", "CSV, an answer a line"],
];

/** @param {Props} props */
function Share({ open, onClose, id }) {
  const here = `${location.origin}/debates/${id}`;
  const native = Boolean(navigator.share);
  return html`<${Dialog} open=${open} onClose=${onClose} title="Share this debate"><div class="shares">
    ${FILES.map(([format, what]) => html`<a class="button" href=${`/api/sessions/${id}/export?format=${format}`} download=${`debate-${id.slice(0, 8)}.${{ markdown: "md", adr: "adr.md" }[format] || format}`}>${what}</a>`)}
    <button type="button" onClick=${() => copy(here, "The address is copied.")}>Copy the address of this page</button>
    ${native && html`<button type="button" onClick=${() => navigator.share({ title: document.title, url: here }).catch(() => {})}>Share by this device…</button>`}
    <p class="small muted">The address works for who may open this server; a file works for everybody.</p></div><//>`;
}

// One line to the panel: a remark while it debates, a further question once it is over.
/** @param {Props} props */
export function SayBox({ session }) {
  const { state } = session;
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const area = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const live = isLive(state);
  const over = state.status === "completed";
  useEffect(() => {
    const a = area.current;
    if (a) {
      a.style.height = "auto";
      a.style.height = `${Math.min(a.scrollHeight + 2, 200)}px`;
    }
  }, [text]);
  const send = async () => {
    if (!text.trim() || busy) return;
    setBusy(true);
    try {
      if (over) {
        const key = crypto.getRandomValues(new Uint32Array(4)).join("-");
        const next = await call(
          "POST",
          "/api/chat",
          { message: text, conversationId: session.id },
          { "Idempotency-Key": key },
        );
        go(`/debates/${next.sessionId}`);
      } else {
        await session.order("tell", { remark: text });
        say("The panel hears it with the next requests.");
      }
      setText("");
    } catch (e) {
      complain(e);
    }
    setBusy(false);
  };
  /** @param {ClipboardEvent} e */
  const pasted = (e) => {
    const copied = e.clipboardData;
    if (!copied?.files.length || copied.types.includes("text/plain")) return;
    e.preventDefault();
    say("Pictures and files go with a new question: attach them there.", true);
  };
  if (!live && !over) return null;
  const label = over ? "Ask a follow-up" : "Say something to the panel";
  return html`<form class="saybox card" onSubmit=${(e) => {
    e.preventDefault();
    send();
  }} data-send="">
    <textarea id="query" ref=${area} rows="1" aria-label=${label} placeholder=${over ? "Ask a follow-up: the panel knows this conversation" : "Say something to the panel; it hears it between rounds"}
      value=${text} onInput=${(e) => setText(e.target.value)} onPaste=${pasted}></textarea>
    <button class=${over ? "primary" : ""} disabled=${busy || !text.trim()}>${over ? "Ask" : "Tell"} <kbd>Ctrl ↵</kbd></button></form>`;
}
