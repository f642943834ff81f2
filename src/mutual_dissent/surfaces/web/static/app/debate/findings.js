// What a round came to: agreement, who stands with whom, what is contested, who moved.
import { html, Bar, colour } from "/static/app/ui.js";
import { seatIndex } from "/static/app/debate/fold.js";

const MEASURES = { rules: "by rules", lexical: "by words", semantic: "by the semantic model", model: "by the analyst" };

export const Seat = ({ state, name }) => {
  const at = seatIndex(state, name);
  return html`<span class="seat" style=${{ color: at < 0 ? "var(--muted)" : colour(at) }}><i class="dot"></i>${name}</span>`;
};

export function Findings({ state, view, round }) {
  const found = round.measures;
  if (!found || !(found.consensus || found.tally || typeof found.agreement === "number")) return null;
  const consensus = found.consensus;
  return html`<section class="findings" aria-label="What the round came to">
    ${typeof found.agreement === "number" && html`<${Agreement} found=${found} view=${view} number=${round.number} />`}
    ${found.tally && html`<${Tally} state=${state} tally=${found.tally} />`}
    ${consensus?.clusters?.length > 0 && html`<${Groups} state=${state} consensus=${consensus} />`}
    ${round.number > 0 && html`<${Moved} state=${state} view=${view} round=${round} />`}
    ${consensus && html`<${Contested} state=${state} consensus=${consensus} />`}
  </section>`;
}

function Agreement({ found, view, number }) {
  const group = found.groupthink;
  const decision = view?.metadata?.decision;
  return html`<div class="finding"><h4>Agreement</h4>
    <div class="row"><strong class="big num">${found.agreement.toFixed(2)}</strong><div class="grow"><${Bar} value=${found.agreement} label="Agreement" /></div></div>
    <p class="small muted">${MEASURES[found.measure] || `by ${found.measure}`}${found.disagreements ? `, ${found.disagreements} ${found.disagreements === 1 ? "pair contradicts" : "pairs contradict"} each other` : ""}${found.consensus?.decided < 0.5 ? ", most pairs undecided" : ""}</p>
    ${group?.detected && html`<p class="small chip differ">possible groupthink</p>`}
    ${found.exit && html`<p class="small muted">${found.exit.details}</p>`}
    ${decision?.round_number === number && html`<p class="small">${decision.reason}</p>`}</div>`;
}

function Groups({ state, consensus }) {
  return html`<div class="finding"><h4>Who stands with whom</h4><ul class="plain">${consensus.clusters.map((c) => html`<li>
    <div class="seats">${c.members.map((m) => html`<${Seat} state=${state} name=${m} />`)}</div>
    <p class="small">${c.summary}</p></li>`)}</ul></div>`;
}

function Contested({ state, consensus }) {
  const found = consensus.conflicts || [];
  const open = [...(consensus.nuances?.partial || []), ...(consensus.nuances?.conditional || [])].slice(0, 4);
  if (!found.length && !open.length) return null;
  return html`<div class="finding wide-finding"><h4>Contested</h4>${found.map((c) => html`<div class="claim">
    <p><strong>${c.issue}</strong> <span class="small muted">${c.reason}</span></p>
    <dl>${c.positions.map((p) => html`<dt><${Seat} state=${state} name=${p.seat} /></dt><dd>${p.stance}</dd>`)}</dl></div>`)}
    ${open.map((line) => html`<p class="small muted">${line}</p>`)}</div>`;
}

function Moved({ state, view, round }) {
  const movement = view?.metadata?.movement;
  const shifts = (movement?.convergence?.shifts || []).filter((s) => s.round_number === round.number);
  if (!shifts.length) return null;
  const flips = (movement.flips || []).filter((f) => f.round_number === round.number);
  const order = [...shifts].sort((a, b) => seatIndex(state, a.seat) - seatIndex(state, b.seat));
  return html`<div class="finding"><h4>Movement</h4><ul class="plain moves">${order.map((s) => html`<li>
    <${Seat} state=${state} name=${s.seat} /><span class="small">${words(s, flips.find((f) => f.seat === s.seat))}</span>
    <span class="num small muted">${Math.round((1 - s.similarity) * 100)} % new</span></li>`)}</ul>
    ${movement.influence?.most_influential && html`<p class="small">The others moved most towards <${Seat} state=${state} name=${movement.influence.most_influential} />.</p>`}</div>`;
}

function words(step, flip) {
  if (flip) {
    const near = flip.towards?.length ? `, now with ${flip.towards.join(", ")}` : "";
    return `changed its ${flip.kind}${near}`;
  }
  if (step.stable) return "stable";
  if (step.same_cluster) return step.similarity >= 0.9 ? "unmoved" : "reworded";
  return "left its group";
}

export function Tally({ state, tally, title }) {
  const most = Math.max(...Object.values(tally.scores), 1e-9);
  const order = Object.entries(tally.scores).sort((a, b) => b[1] - a[1]);
  return html`<div class="finding"><h4>${title || `Votes, ${tally.rule}`}</h4><ul class="plain votes">${order.map(([seat, score]) => html`<li>
    <${Seat} state=${state} name=${seat} /><div class="bar"><i style=${{ width: `${Math.max(0, (score / most) * 100)}%` }}></i></div>
    <span class="num small">${Number(score.toFixed(3))}${tally.winners?.includes(seat) ? " ★" : ""}</span></li>`)}</ul>
    <p class="small muted">${tally.voters} ${tally.voters === 1 ? "vote" : "votes"}${tally.condorcet ? `; ${tally.condorcet} beats every other one by one` : ""}</p></div>`;
}

// Positions other than the largest group's; all of them where none is larger.
export function minorities(consensus) {
  const groups = consensus?.clusters || [];
  if (groups.length < 2) return [];
  const against = new Set((consensus.conflicts || []).flatMap((c) => c.positions.map((p) => p.seat)));
  const shown = groups[1].members.length < groups[0].members.length ? groups.slice(1) : groups;
  return shown.map((g) => ({ ...g, contradicted: g.members.some((m) => against.has(m)) }));
}
