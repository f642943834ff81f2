// A debate, under way or stored: the question, its rounds as tabs with a pane a panelist, the answer.
import {
  html,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  Guard,
  Link,
  Said,
  Tabs,
  complain,
  money,
  seconds,
  colour,
} from "/static/app/ui.js";
import { get } from "/static/app/api.js";
import { keys } from "/static/app/keys.js";
import { Answer } from "/static/app/debate/answer.js";
import { Findings } from "/static/app/debate/findings.js";
import { answerOf, cost, isLive, usable } from "/static/app/debate/fold.js";
import { Orders, SayBox, useOrders } from "/static/app/debate/orders.js";
import { Pane, standing } from "/static/app/debate/pane.js";
import { OwnSeat, isHidden, isSeated } from "/static/app/debate/seat.js";
import { useSession } from "/static/app/debate/session.js";
import { nameOf } from "/static/app/debate/tables.js";
import { pieces } from "/static/app/text/plain.js";

/** @param {DebateState} state */
const spentOf = (state) => (cost(state) === null ? "cost unknown" : money(cost(state)));

/** @type {Record<string, string>} */
const STATES = { created: "about to begin", active: "under way", completed: "done", error: "failed" };
/** @type {Record<string, string>} */
const TONES = {
  completed: "agree",
  error: "oppose",
  stopped: "differ",
  interrupted: "differ",
  paused: "differ",
};
/** @type {Record<string, string>} */
const NAMES = { initial: "First answers", evaluation: "Evaluation" };
/** @type {Record<string, string>} */
const LINES = {
  waiting: "The line is cut; trying again. What was answered is on record.",
  lost: "The line is cut: the server does not answer. Is `dissent serve` still running? What was answered is on record; this page goes on by itself once the server is back.",
};

/** @param {Props} props */
export function Debate({ id, catalogue }) {
  const session = useSession(id);
  const { state } = session;
  const [chosen, setChosen] = useState(/** @type {string | null} */ (null));
  const [pane, setPane] = useState(0);
  const [changes, setChanges] = useState(false);
  const [counted, setCounted] = useState(/** @type {Schemas["Counted"] | null} */ (null));
  const orders = useOrders(session, catalogue, (found) => {
    setCounted(found);
    setChosen("answer");
  });
  const target = useTarget(state, setChosen, setPane);
  const tabs = tabsOf(state, session.view);
  const current = tabs.some((t) => t.id === chosen) ? chosen : latest(state, tabs);
  usePaneKeys({ state, tabs, current, setChosen, setPane, orders, toggle: () => setChanges((now) => !now) });
  useTitle(state);
  if (session.problem)
    return html`<p class="empty">${session.problem} <${Link} href="/debates">See all debates<//></p>`;
  if (!state.brief) return html`<p class="splash">${LINES[session.line] || "Loading…"}</p>`;
  const round = state.rounds.find((r) => `r${r.number}` === current);
  return html`<div class="debate">
    <${Head} session=${session} orders=${orders} models=${catalogue?.aliases} />
    <${Guard} what="Your seat"><${OwnSeat} session=${session} /><//>
    ${
      !isHidden(state) &&
      html`<div class="tabs-row row"><${Tabs} tabs=${tabs} chosen=${current} onChoose=${setChosen} label="Rounds" />
      ${round && round.number > 0 && round.role !== "evaluation" && html`<label class="check small"><input type="checkbox" checked=${changes} onChange=${(e) => setChanges(e.target.checked)} />Changes <kbd>D</kbd></label>`}</div>
    ${
      round
        ? html`<${Round} key=${round.number} session=${session} round=${round} pane=${pane} onPane=${setPane} changes=${changes} target=${target} orders=${orders}
        onAgain=${state.status === "completed" && session.line !== "sample" ? (key) => orders.order("again", { key }) : null} />`
        : html`<${Guard} what="The answer"><${Answer} session=${session} counted=${counted} orders=${orders} /><//>`
    }`
    }
    <${Remarks} state=${state} />
    ${session.line !== "sample" && html`<${SayBox} key=${id} session=${session} />`}
  </div>`;
}

// -- the question and where it stands

/** @param {Props} props */
function Head({ session, orders, models }) {
  const { state } = session;
  const [all, setAll] = useState(false);
  const long = state.brief.query.length > 280 || state.brief.query.split("\n").length > 4;
  return html`<header class="debate-head">
    ${session.line !== "sample" && html`<${Thread} id=${session.id} brief=${state.brief} />`}
    <div class="question"><h1 dir="auto" class=${long && !all ? "cut" : ""}>${long && !all ? state.brief.query.slice(0, 600) : pieces(state.brief.query).map((part) => html`<span class="piece">${part}</span>`)}</h1>
      ${long && html`<button class="bare small" onClick=${() => setAll(!all)}>${all ? "less" : "all of it"}</button>`}</div>
    <${Attached} state=${state} />
    <div class="row facts"><span class=${`chip ${TONES[state.status] || "live"}`} role="status" data-status=${state.status}>${isLive(state) && html`<i class="dot pulse"></i>`}${standingOf(state)}</span>
      <${Facts} state=${state} /><span class="grow"></span>${session.line === "sample" ? html`<span class="small muted">A sample, written by hand: no model said this.</span><${Link} class="button" href="/">Ask a question of your own<//>` : html`<${Orders} session=${session} orders=${orders} models=${models} />`}</div>
    <${Progress} state=${state} id=${session.id} />
    ${LINES[session.line] && html`<p class="banner" role="alert">${LINES[session.line]}</p>`}
    ${state.brief.notices?.map((/** @type {string} */ n) => html`<p class="small muted">${n}</p>`)}
    <${Notes} notes=${toldOnce(state.notes)} />
  </header>`;
}

/** @param {DebateState} state */
function standingOf({ status, said, reason }) {
  const why = ["paused", "stopped"].includes(reason)
    ? ""
    : said || (["done", status].includes(reason) ? "" : reason);
  return (STATES[status] || status) + (why ? `: ${why}` : "");
}

// Who asks for the same in every round is heard once.
/** @param {DebateState["notes"]} notes */
const toldOnce = (notes) =>
  notes.filter((n, i) => n.text && notes.findIndex((other) => other.text === n.text) === i);

/** @param {Props} props */
function Notes({ notes }) {
  /** @param {DebateState["notes"][number]} n */
  const line = (n) => html`<p class="small muted note">${n.text}</p>`;
  if (notes.length < 2) return notes.map(line);
  return html`<details class="notes"><summary class="small muted">${notes.length} notes, the last: ${notes[notes.length - 1].text}</summary>${notes.map(line)}</details>`;
}

/** @param {Props} props */
function Facts({ state }) {
  const b = state.brief;
  const parts = [
    b.mode,
    b.mode === "reflection" && b.topology !== "mesh" && b.topology,
    b.preset && `preset ${b.preset}`,
    b.tools && "tools",
  ].filter(Boolean);
  return html`${parts.map((p) => html`<span class="chip">${p}</span>`)}
    ${!isLive(state) && html`<span class="small muted num">${spentOf(state)}${b.max_cost ? ` of ${money(b.max_cost)}` : ""}</span>`}
    <span class="small muted num"><${Took} state=${state} /></span>`;
}

// What went with the question. Pictures are looked at, so they are shown at once; texts are named if asked for.
/** @param {Props} props */
function Attached({ state }) {
  const { context = [], transcript_id: id } = state.brief;
  if (!context.length) return null;
  const pictured = context.some((/** @type {Attached} */ c) => c.picture);
  return html`<details class="small attached" open=${pictured}><summary>${context.length} attached</summary><ul class="plain">${context.map((/** @type {Attached} */ c) => html`<li>${c.picture && html`<${Pictured} id=${id} name=${c.name} picture=${c.picture} />`}<span class="attached-name" title=${c.name}>${c.name}</span></li>`)}</ul><${Described} state=${state} /></details>`;
}

// What those on the panel were told who see no pictures.
/** @param {Props} props */
function Described({ state }) {
  const told = Object.values(state.answers).find((r) => r.role === "description" && usable(r));
  if (!told) return null;
  const blind = state.brief.blind.map((/** @type {string} */ seat) => nameOf(state, seat)).join(", ");
  return html`<details class="described"><summary>${nameOf(state, told.model_alias)} described ${state.brief.context.filter((/** @type {Attached} */ c) => c.picture).length > 1 ? "them" : "it"} for ${blind}</summary><${Said} text=${told.content} key=${told.seq} /></details>`;
}

// A picture as the panel was shown it, from the record. Where there is no server behind the page, its name stands.
/** @param {Props & { id: string, name: string, picture: { sha256: string, width: number, height: number } }} props */
function Pictured({ id, name, picture }) {
  const [gone, setGone] = useState(false);
  if (gone) return null;
  const place = `/api/sessions/${id}/pictures/${picture.sha256}`;
  return html`<a href=${place} target="_blank" rel="noopener"><img class="shown" loading="lazy" src=${place} width=${picture.width} height=${picture.height} alt=${`Picture ${name}`} onError=${() => setGone(true)} /></a>`;
}

// How far it is: which round, how many calls, what it cost so far; of how much where that was said before it began.
/** @param {Props} props */
function Progress({ state, id }) {
  const quoted = useMemo(() => {
    try {
      return JSON.parse(sessionStorage.getItem(`quote-${id}`) || "{}");
    } catch {
      return {};
    }
  }, [id]);
  if (!isLive(state) || !state.brief) return null;
  const b = state.brief,
    now = state.rounds[state.rounds.length - 1];
  const calls = Object.keys(state.answers).length + state.replaced.length;
  const where = state.writing
    ? "the answer is written"
    : now
      ? now.number === 0
        ? "first answers"
        : `round ${now.number}${b.rounds > 0 ? ` of ${b.rounds}` : ""}`
      : "about to begin";
  const spent = `${spentOf(state)}${quoted.cost ? ` of about ${money(quoted.cost)}` : b.max_cost ? ` of ${money(b.max_cost)} at most` : ""}`;
  const part = quoted.calls ? Math.min(1, calls / quoted.calls) : null;
  return html`<div class="progress row small muted num" role="status">${part !== null && html`<div class="bar" aria-hidden="true"><i style=${{ width: `${Math.round(part * 100)}%` }}></i></div>`}
    <span>${where}, ${quoted.calls ? `${calls} of ${Math.max(calls, quoted.calls)}` : calls} ${calls === 1 && !quoted.calls ? "call" : "calls"}, ${spent}</span></div>`;
}

/** @param {Props} props */
function Took({ state }) {
  const [, tick] = useState(0);
  const live = isLive(state);
  useEffect(() => {
    if (!live) return undefined;
    const timer = setInterval(() => tick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, [live]);
  const end = live ? Date.now() : new Date(state.updated).getTime();
  return seconds(Math.max(0, end - new Date(state.begun).getTime() - state.idle));
}

// The questions before and after this one in its conversation; what was answered before stands above.
/** @param {Props} props */
function Thread({ id, brief }) {
  const [turns, setTurns] = useState(/** @type {Schemas["ConversationTurn"][]} */ ([]));
  useEffect(() => {
    get(`/api/conversations/${id}`).then((c) => setTurns(c.turns), complain);
  }, [id]);
  if (turns.length < 2) return null;
  const here = turns.findIndex((t) => t.sessionId === brief.transcript_id);
  return html`<nav class="thread" aria-label="Conversation">${turns.slice(0, here).map(
    (
      t,
      i,
    ) => html`<details key=${t.sessionId} class="turn"><summary dir="auto">${i + 1}. ${t.query.slice(0, 200)}</summary>
      <div class="card">${t.answer ? html`<${Said} text=${t.answer} />` : html`<p class="muted">There is no answer.</p>`}<p><${Link} class="small" href=${`/debates/${t.sessionId}`}>The whole debate<//></p></div></details>`,
  )}
    ${turns.slice(here + 1).map((t, i) => html`<${Link} class="small" href=${`/debates/${t.sessionId}`}>Then asked: ${here + i + 2}. ${t.query.slice(0, 60)}<//>`)}</nav>`;
}

/** @param {Props} props */
const Remarks = ({ state }) =>
  state.remarks.length === 0
    ? null
    : html`<ul class="plain remarks" aria-label="What you said">${state.remarks.map((r) => html`<li class="small"><strong>You:</strong> ${r.text}</li>`)}</ul>`;

// -- rounds

const SILENT = 30_000; // milliseconds after which it is asked whether to wait

// Who has been silent for long while others have answered: go on without it, or wait.
/** @param {Props} props */
function Stragglers({ session, round, orders }) {
  const [patience, setPatience] = useState(SILENT);
  const [, tick] = useState(0);
  const { state, live } = session;
  const late = Object.values(round.keys)
    .map((key) => state.pending[key])
    .filter((item) => item && live.silence(item) > patience);
  const heard = Object.values(round.keys).some((key) => state.answers[key] && !state.pending[key]);
  const active = isLive(state);
  useEffect(() => {
    if (!active) return undefined;
    const timer = setInterval(() => tick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, [active]);
  if (!active || !late.length || !heard || isSeated(state)) return null; // who sits there does not see who has answered
  const who = late.map((item) => nameOf(state, item.seat)).join(" and ");
  return html`<div class="banner row" role="alert"><span class="grow">${who} ${late.length === 1 ? "has" : "have"} been silent for ${seconds(Math.max(...late.map((item) => live.silence(item))))}.</span>
    <button disabled=${orders.busy} onClick=${() => orders.order("hurry", {}, "The panel goes on with those who have answered.")}>Go on without ${late.length === 1 ? "it" : "them"}</button>
    <button class="bare" onClick=${() => setPatience(patience + 2 * SILENT)}>Wait</button></div>`;
}

/** @param {Props} props */
function Round({ session, round, pane, onPane, changes, target, orders, onAgain }) {
  const { state, said } = session;
  const narrow = useNarrow();
  const panel = state.brief.panel.filter(
    (p) => round.seats.length === 0 || round.seats.includes(p.seat) || round.keys[p.seat],
  );
  /** @param {Panelist} p */
  const at = (p) => state.brief.panel.indexOf(p);
  const shown = panel.some((p) => at(p) === pane) ? pane : at(panel[0] || state.brief.panel[0]);
  return html`<${Stragglers} session=${session} round=${round} orders=${orders} />
    ${narrow && html`<div class="pane-tabs" role="tablist" aria-label="Panelists">${panel.map((p) => html`<${PaneTab} key=${p.seat} session=${session} round=${round} panelist=${p} index=${at(p)} chosen=${at(p) === shown} choose=${() => onPane(at(p))} />`)}</div>`}
    <div class=${`panes ${panel.some((p) => state.pending[round.keys[p.seat]]) ? "live" : ""}`} style=${{ "--columns": columns(panel.length) }}>${panel.map(
      (
        p,
      ) => html`<${Guard} key=${p.seat} what="This answer"><${Pane} session=${session} round=${round} panelist=${p} index=${at(p)}
      shown=${!narrow || at(p) === shown} showDiff=${changes} before=${previous(state, round, p.seat)} onAgain=${onAgain} isTarget=${target === round.keys[p.seat]} /><//>`,
    )}</div>
    <${Guard} what="What the round came to"><${Findings} state=${state} said=${said} round=${round} /><//>`;
}

const OTHERWISE = new Set(["late", "unsent"]); // who was not waited for or not asked has not failed

// One panelist among those that do not fit beside each other: its name, and in a word what it is at.
/** @param {Props} props */
function PaneTab({ session, round, panelist, index, chosen, choose }) {
  const { state } = session;
  const key = round.keys[panelist.seat];
  const answer = state.pending[key] ? null : state.answers[key];
  const [tone, word] = standing(session, key, answer);
  const short =
    tone === "done" ? "done" : tone === "bad" && answer && !OTHERWISE.has(answer.finish) ? "failed" : word;
  return html`<button role="tab" type="button" aria-selected=${chosen} tabindex=${chosen ? 0 : -1} style=${{ "--mine": colour(index) }} class=${tone} onClick=${choose}>
    <span class="pane-tab-name">${nameOf(state, panelist.seat)}</span> <span class=${`state ${tone}`} title=${word}>${short}</span></button>`;
}

/** @param {number} n */
const columns = (n) => (n <= 4 ? n : n === 6 || n === 5 ? 3 : 4);

/** @param {DebateState} state @param {Round} round @param {string} seat */
function previous(state, round, seat) {
  const earlier = state.rounds.filter(
    (r) => r.number < round.number && r.role !== "evaluation" && r.keys[seat],
  );
  return round.role === "evaluation" ? null : state.answers[earlier[earlier.length - 1]?.keys[seat]];
}

/** @param {DebateState} state @param {any} view a stored transcript */
function tabsOf(state, view) {
  const tabs = state.rounds.map((r) => ({ id: `r${r.number}`, name: NAMES[r.role] || `Round ${r.number}` }));
  const has =
    state.writing ||
    answerOf(state) ||
    (!isLive(state) && (view?.fallback_answer || state.syntheses.length)) ||
    state.brief?.mode === "single";
  if (has || !tabs.length) tabs.push({ id: "answer", name: "Answer" });
  return tabs;
}

/** @param {DebateState} state @param {Tab[]} tabs */
const latest = (state, tabs) => tabs[tabs.length - 1].id;

// -- deep links, keys, widths

// `#0/initial/claude` leads to that answer, in its round.
/** @param {DebateState} state @param {(tab: string) => void} setChosen @param {(pane: number) => void} setPane */
function useTarget(state, setChosen, setPane) {
  const [hash, setHash] = useState(decoded());
  useEffect(() => {
    const moved = () => setHash(decoded());
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  const known = Boolean(state.answers[hash] || state.pending[hash]);
  useEffect(() => {
    if (!known) return undefined;
    const number = Number(hash.split("/")[0]);
    setChosen(number < 0 ? "answer" : `r${number}`);
    const seat = hash.split("/").slice(2).join("/");
    const at = state.brief.panel.findIndex((p) => p.seat === seat);
    if (at >= 0) setPane(at);
    const timer = setTimeout(() => document.getElementById(hash)?.scrollIntoView({ block: "nearest" }), 80);
    return () => clearTimeout(timer);
  }, [hash, known]);
  return known ? hash : null;
}

function decoded() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

/** @param {Pick<Props, "state" | "tabs" | "orders"> & Record<string, any>} given */
function usePaneKeys({ state, tabs, current, setChosen, setPane, orders, toggle }) {
  const latestProps = useRef({ state, tabs, current });
  latestProps.current = { state, tabs, current };
  /** @param {number} move */
  const step = (move) => {
    const { tabs: all, current: now } = latestProps.current;
    const at = all.findIndex((t) => t.id === now) + move;
    if (all[at]) setChosen(all[at].id);
  };
  /** @param {number} i */
  const focus = (i) => {
    if (!latestProps.current.state.brief?.panel[i]) return;
    setPane(i);
    setTimeout(() => paneAt(i)?.focus(), 30);
  };
  const table = useMemo(
    () => [
      ...Array.from({ length: 9 }, (_, i) => ({
        key: String(i + 1),
        label: i ? undefined : "Go to a panelist",
        shown: "1…9",
        run: () => focus(i),
      })),
      { key: "[", label: "Round before", run: () => step(-1) },
      { key: "]", label: "Round after", run: () => step(1) },
      { key: "d", shown: "D", label: "Show what changed between rounds", run: toggle },
      { key: "m", shown: "M", label: "Copy the debate as Markdown", run: () => orders.markdown() },
      { key: "a", shown: "A", label: "Go to the answer", run: () => setChosen("answer") },
    ],
    [],
  );
  useLayoutEffect(() => keys(table), [table]);
}

/** @param {number} i @returns {HTMLElement | null} */
const paneAt = (i) => document.querySelector(`[data-pane="${i + 1}"]`);

function useNarrow() {
  const query = useMemo(() => matchMedia("(max-width: 900px)"), []);
  const [narrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const moved = () => setNarrow(query.matches);
    query.addEventListener("change", moved);
    return () => query.removeEventListener("change", moved);
  }, [query]);
  return narrow;
}

/** @param {DebateState} state */
function useTitle(state) {
  const text = state.brief
    ? `${isLive(state) ? "… " : ""}${state.brief.query.slice(0, 60)} · Mutual Dissent`
    : "";
  useEffect(() => {
    if (text) document.title = text;
  }, [text]);
}
