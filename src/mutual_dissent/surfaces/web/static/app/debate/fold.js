// A debate as the page shows it: a fold over its events, as the transcript is. Nothing is guessed.

import { PANEL_ROLES } from "/static/app/words.js";

const ENDINGS = new Set(["continued", "synthesized", "asked again"]);

/** @returns {DebateState} */
export const blank = () => ({
  brief: /** @type {any} */ (null),
  status: "created",
  reason: "",
  said: "",
  seq: 0,
  begun: "",
  updated: "",
  idle: 0,
  rounds: [],
  answers: {},
  pending: {},
  cut: new Set(),
  writing: null,
  syntheses: [],
  notes: [],
  remarks: [],
  scores: {},
  replaced: [],
});

/** @param {DebateState} state @param {any} event */
export function fold(state, event) {
  state.seq = event.seq;
  // The time without work does not count: between an end and a new beginning.
  if (state.updated && (event.kind === "reopened" || event.kind === "resolved"))
    state.idle += Math.max(0, Date.parse(event.at) - Date.parse(state.updated));
  state.updated = event.at || state.updated;
  (TAKEN[event.kind] || (() => {}))(state, event);
}

/** @type {Record<string, (s: DebateState, e: any) => void>} */
const TAKEN = {
  opened(s, e) {
    s.brief = e.brief;
    s.begun = e.at;
  },
  round_started(s, e) {
    s.status = "active";
    if (PANEL_ROLES.includes(e.role)) round(s, e.round_number, e.role).seats = e.seats;
  },
  asked(s, e) {
    s.status = "active";
    if (e.role === "sample") {
      sampled(s, e);
      return;
    }
    s.cut.delete(e.key);
    s.pending[e.key] = { key: e.key, seat: e.seat, role: e.role, round: e.round_number, at: e.at };
    if (PANEL_ROLES.includes(e.role)) place(s, e.round_number, e.role, e.seat, e.key);
    else if (e.role === "synthesis") s.writing = e.key;
  },
  answered(s, e) {
    const r = { ...e.response, key: e.key, at: e.at, seq: e.seq, reused: e.reused };
    delete s.pending[e.key];
    if (s.answers[e.key] && r.role !== "synthesis") s.replaced.push(s.answers[e.key]);
    s.answers[e.key] = r;
    if (PANEL_ROLES.includes(r.role)) place(s, r.round_number, r.role, r.model_alias, e.key);
    else if (r.role === "synthesis") {
      s.syntheses.push(r);
      s.writing = null;
    }
  },
  round_ended(s, e) {
    if (PANEL_ROLES.includes(e.role)) round(s, e.round_number, e.role).measures = e.measures;
  },
  scored(s, e) {
    s.scores[e.about] = e.score;
  },
  noted(s, e) {
    s.notes.push(e);
  },
  remarked(s, e) {
    s.remarks.push({ text: e.text, at: e.at, after: s.rounds.length });
    s.notes = s.notes.filter((n) => n.code !== "request"); // what was asked of the user is answered
  },
  closed(s, e) {
    Object.keys(s.pending).forEach((key) => s.cut.add(key));
    Object.assign(s, { status: e.status, reason: e.reason, said: e.text, pending: {}, writing: null });
  },
  reopened(s, e) {
    Object.assign(s, { status: "active", reason: "", said: "" });
    if (e.brief) s.brief = e.brief;
    if (ENDINGS.has(e.reason))
      s.syntheses.forEach((r) => {
        r.old = true;
      });
    if (e.again) forget(s, e.again);
  },
};

// A seat that is sampled is asked several times under keys of their own; one answer comes under the seat's.
/** @param {DebateState} s @param {any} e */
function sampled(s, e) {
  const key = e.key.slice(0, e.key.lastIndexOf("/"));
  const role = key.split("/")[1];
  s.cut.delete(key);
  s.pending[key] ??= { key, seat: e.seat, role, round: e.round_number, at: e.at };
  place(s, e.round_number, role, e.seat, key);
}

// A turn is taken again: what came after it was said to an answer that no longer stands.
/** @param {DebateState} s @param {string} key */
function forget(s, key) {
  const number = Number(key.split("/")[0]);
  s.rounds = s.rounds.filter((r) => r.number <= number);
  for (const r of s.rounds) if (r.number === number) r.measures = null;
}

/** @param {DebateState} s @param {number} number @param {string} role */
function round(s, number, role) {
  let found = s.rounds.find((r) => r.number === number);
  if (!found) {
    found = { number, role, seats: [], keys: {}, measures: null };
    s.rounds.push(found);
    s.rounds.sort((a, b) => a.number - b.number);
  }
  return found;
}

/** @param {DebateState} s @param {number} number @param {string} role @param {string} seat @param {string} key */
function place(s, number, role, seat, key) {
  round(s, number, role).keys[seat] = key;
}

// -- what is asked of it

/** @param {Answered | null | undefined} r */
export const usable = (r) => r && !r.error && (r.finish === "complete" || r.finish === "truncated");
/** @param {DebateState} s */
export const isLive = (s) => s.status === "active" || s.status === "created";
/** @param {DebateState} s */
export const answerOf = (s) => s.syntheses.filter((r) => usable(r) && !r.old).pop() || null;
/** @param {DebateState} s */
export const olderAnswers = (s) => s.syntheses.filter((r) => usable(r) && r !== answerOf(s));
// What it cost as far as prices are known; null where none is, which is not the same as nothing.
/** @param {DebateState} s */
export const cost = (s) => {
  const bought = Object.values(s.answers)
    .concat(
      s.replaced,
      olderAnswers(s).filter((r) => s.answers[r.key] !== r),
    )
    .filter((r) => !r.reused && r.model_id); // what code put together has no model, and no price
  const known = bought.flatMap((r) => (typeof r.cost_usd === "number" ? [r.cost_usd] : []));
  return bought.length && !known.length ? null : known.reduce((sum, usd) => sum + usd, 0);
};
/** @param {{ brief?: { panel: { seat: string }[] } }} s @param {string} seat */
export const seatIndex = (s, seat) => (s.brief?.panel || []).findIndex((p) => p.seat === seat);

// An answer as the server shows it, with names in the place of letters; until it has, as it was written.
/** @param {{ state: DebateState, said: DebateAccount | null }} session @param {Answered} r */
export const textOf = (session, r) =>
  (session.state.answers[r.key] === r && session.said?.texts[r.key]) || readable(r);

// The answer in words that a person reads, as every other view has them.
/** @param {Answered | null | undefined} r @returns {string} */
export function readable(r) {
  if (!r) return "";
  if (r.position === null || r.position === undefined) return withCalls(r);
  const parts = [
    r.position,
    r.reasoning || "",
    (r.key_points || []).map((/** @type {string} */ p) => `- ${p}`).join("\n"),
  ];
  if (r.critique && typeof r.critique === "object") parts.push(critique(r.critique).join("\n"));
  if (r.ballot)
    parts.push(`Ranking: ${r.ballot.map((/** @type {string[]} */ level) => level.join(" = ")).join(" > ")}`);
  if (r.questions?.length)
    parts.push(`Open questions:\n\n${r.questions.map((/** @type {string} */ q) => `- ${q}`).join("\n")}`);
  return parts.filter(Boolean).join("\n\n");
}

// A final answer that calls tools of the user's program, with what it calls.
/** @param {Answered} r */
function withCalls(r) {
  const calls = (r.calls || []).map(
    (/** @type {{ name: string, arguments: Record<string, unknown> }} */ c) =>
      `${c.name}(${argumentWords(c.arguments)})`,
  );
  const line = calls.length ? `call ${calls.join(" and ")}` : "";
  const told = r.role !== "synthesis" || line === r.content;
  return told ? r.content : [r.content, line].filter(Boolean).join("\n\n");
}

/** @param {Record<string, unknown>} named */
const argumentWords = (named) =>
  Object.entries(named)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");

/** @param {any} given */
function critique(given) {
  return Object.entries(given).flatMap(([seat, points]) =>
    ["strengths", "weaknesses"].flatMap((kind) =>
      Array.isArray(points?.[kind]) && points[kind].length
        ? [`- ${kind} of ${seat}: ${points[kind].join("; ")}`]
        : [],
    ),
  );
}

/** @param {Answered} r */
export const speed = (r) => {
  const ms = r.latency_ms - (r.first_token_ms || 0);
  return r.output_tokens && ms > 0 ? r.output_tokens / (ms / 1000) : null;
};
