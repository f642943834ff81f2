// Your own seat on the panel: what you are asked, a form to answer it, and how long there is for that.
import { html, useEffect, useRef, useState, Said, complain, say } from "/static/app/ui.js";
import { get } from "/static/app/api.js";
import { isLive } from "/static/app/debate/fold.js";

const LOOK = 1000; // milliseconds between two looks at whether something is asked
const MORE = "::more"; // what follows a choice

/** @param {DebateState} state */
export const isSeated = (state) => Boolean(state.brief?.panel.some((p) => p.route.vendor === "human"));

// Until the panel is done, nothing is there to be shown of it.
/** @param {DebateState} state */
export const isHidden = (state) =>
  isSeated(state) && isLive(state) && !state.writing && Object.keys(state.answers).length === 0;

/** @param {Props} props */
export function OwnSeat({ session }) {
  const { state, id } = session;
  const asks = isSeated(state) && isLive(state) && !state.writing && session.line !== "sample";
  const [request, setRequest] = useState(/** @type {Schemas["OpenRequest"] | null} */ (null));
  const open = useRef(""); // what is asked and not handed in
  const done = useRef("");
  const [missed, setMissed] = useState(false);
  useEffect(() => {
    if (!asks) return undefined;
    let gone = false;
    let timer = 0;
    const look = async () => {
      try {
        const turn = await get(`/api/sessions/${id}/turn`);
        const asked = turn.request?.key === done.current ? null : turn.request;
        if (!gone) {
          if (open.current && asked?.key !== open.current) setMissed(true);
          open.current = asked?.key || "";
          setRequest(asked);
        }
      } catch {
        // the line is cut: the page says so above
      }
      if (!gone) timer = setTimeout(look, LOOK);
    };
    look();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [asks, id]);
  if (!asks) return null;
  const over = missed ? "The panel did not wait for you any longer: you sat that one out. " : "";
  if (!request)
    return html`<p class="banner" role="status">${over}You sit on this panel. What the others say is shown when the panel is done; you are asked again if there is a further round.</p>`;
  return html`<${Sheet} key=${request.key} session=${session} request=${request} handedIn=${() => {
    done.current = open.current;
    open.current = "";
    setMissed(false);
    setRequest(null);
  }} />`;
}

/** @param {Props & { request: Schemas["OpenRequest"] }} props */
function Sheet({ session, request, handedIn }) {
  const { sheet, key } = request;
  const draft = `answer-${session.id}-${key}`;
  const [busy, setBusy] = useState(false);
  const [values, setValues] = useState(() => kept(draft) || begun(sheet.fields));
  /** @param {string} name @param {string} value */
  const put = (name, value) => {
    const now = { ...values, [name]: value };
    setValues(now);
    sessionStorage.setItem(draft, JSON.stringify(now));
  };
  /** @param {object} body @param {string} done */
  const send = async (body, done) => {
    setBusy(true);
    try {
      await session.order("answer", { key, ...body });
      sessionStorage.removeItem(draft);
      say(done);
      handedIn();
    } catch (e) {
      complain(e);
    }
    setBusy(false);
  };
  /** @param {PageEvent} e */
  const submit = (e) => {
    e.preventDefault();
    send({ fields: filled(sheet.fields, values) }, "Your answer is in.");
  };
  return html`<section class="card own-seat" aria-label="Your turn">
    <header class="row"><h2 class="grow">Your turn, as ${sheet.label}</h2><span class="chip num" role="timer" title="Then the panel goes on without you">${left(request.seconds)} left</span></header>
    ${request.hurried ? html`<p class="banner" role="status">Enough others have answered: the panel goes on without you in ${left(request.seconds)}.</p>` : request.grace !== undefined && request.grace < request.seconds && html`<p class="small">Once enough others have answered, ${left(request.grace)} is left.</p>`}
    <p class="small muted">You see what any panelist sees here, and nobody learns that you are one of them.</p>
    ${[sheet.part, sheet.task].filter(Boolean).map((text) => html`<p class="task">${text}</p>`)}
    ${sheet.shown.length > 0 && html`<div class="shown">${sheet.shown.map((s) => html`<article class="card"><h3>${s.label === "you" ? "Your last answer" : s.label}</h3><${Said} text=${s.text} /></article>`)}</div>`}
    <form onSubmit=${submit}>${sheet.fields.map((f) => html`<${Field} key=${f.name} field=${f} values=${values} put=${put} />`)}
      <div class="row"><button class="primary" disabled=${busy}>Hand in</button>
        <button type="button" class="bare" disabled=${busy} onClick=${() => send({ skip: true }, "You sit this one out.")}>Sit this one out</button></div></form>
  </section>`;
}

// What was filled in before the page was loaded again.
/** @param {string} draft */
function kept(draft) {
  try {
    return JSON.parse(sessionStorage.getItem(draft) || "null");
  } catch {
    return null;
  }
}

// The last answer stands there to be changed; what is short is only named.
/** @param {Schemas["SheetField"][]} fields */
const begun = (fields) => Object.fromEntries(fields.map((f) => [f.name, f.kind === "text" ? f.value : ""]));

/** @param {number} seconds */
function left(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

// What is filled in, by the names of the fields; a few words may follow a choice.
/** @param {Schemas["SheetField"][]} fields @param {Record<string, string>} values */
function filled(fields, values) {
  /** @param {string} name */
  const worded = (name) => [values[name] || "", values[name + MORE] || ""].filter(Boolean).join(": ");
  return Object.fromEntries(fields.map((f) => [f.name, worded(f.name)]));
}

/** @param {Props & { field: Schemas["SheetField"] }} props */
function Field({ field, values, put }) {
  const must = field.needed && !field.value;
  const stays = field.value && field.kind !== "text" ? ` (left empty: ${field.value})` : "";
  const note = must || field.kind === "text" ? "" : stays || " (if you like)";
  /** @param {string} name */
  const box = (name) => ({
    name,
    value: values[name] || "",
    onInput: (/** @type {PageEvent} */ e) => put(name, e.target.value),
    maxLength: field.kind === "text" ? 100_000 : 500,
  });
  return html`<label class="field"><span>${field.words}${note}</span><${Box} field=${field} box=${box} must=${must} /></label>`;
}

/** @param {Props & { field: Schemas["SheetField"] }} props */
function Box({ field, box, must }) {
  const { name, kind, choices } = field;
  if (kind === "text") return html`<textarea rows="7" required=${must} ...${box(name)}></textarea>`;
  if (kind === "percent")
    return html`<input type="number" min="0" max="100" step="any" required=${must} ...${box(name)} />`;
  if (kind !== "choice") return html`<input required=${must} ...${box(name)} />`;
  return html`<span class="row"><select required=${must} ...${box(name)}><option value="">–</option>${choices.map((c) => html`<option value=${c}>${c}</option>`)}</select>
    <input class="grow" aria-label=${`${field.words}: why`} placeholder="on what, or why" ...${box(name + MORE)} /></span>`;
}
