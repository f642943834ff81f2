// What a round came to: who holds what and how they see each other, votes and reviews, who changed what.
import { html } from "/static/app/ui.js";
import { Ballots, Changed, Critiques, Estimates, Relations, Seat } from "/static/app/debate/tables.js";

/** @param {Props} props */
export function Findings({ state, said, round }) {
  const panel = said?.panel;
  const table = panel?.rounds.find((r) => r.number === round.number);
  const found = round.measures;
  if (!found || !panel || !table) return null;
  /** @type {<T extends { round: number }>(list: T[]) => T | undefined} */
  const of = (list) => list.find((r) => r.round === round.number);
  return html`<section class="findings" aria-label="What the round came to">
    <div class="finding whole-finding"><${Relations} state=${state} round=${table} />
      ${found.groupthink?.detected && html`<p class="small"><span class="chip differ">possible groupthink</span> ${found.groupthink.indicators?.join("; ")}</p>`}
      ${found.exit && html`<p class="small muted">${found.exit.details}</p>`}</div>
    ${round.number > 0 && html`<${Changed} state=${state} round=${table} />`}
    ${found.tally && html`<${Tally} state=${state} tally=${found.tally} />`}
    <${Ballots} state=${state} ballots=${of(panel.ballots)} />
    <${Critiques} state=${state} critiques=${of(panel.critiques)} />
    <${Estimates} state=${state} estimates=${panel.estimates.filter((e) => e.round <= round.number)} />
  </section>`;
}

/** @param {Props} props */
export function Tally({ state, tally }) {
  const most = Math.max(...Object.values(tally.scores), 1e-9);
  const order = Object.entries(tally.scores).sort((a, b) => b[1] - a[1]);
  return html`<div class="finding"><h3>Votes, ${tally.rule}</h3><ul class="plain votes">${order.map(
    ([seat, score]) => html`<li>
    <${Seat} state=${state} name=${seat} /><div class="bar"><i style=${{ width: `${Math.max(0, (score / most) * 100)}%` }}></i></div>
    <span class="num small">${Number(score.toFixed(3))}${tally.winners?.includes(seat) ? " ★" : ""}</span></li>`,
  )}</ul>
    <p class="small muted">${tally.voters} ${tally.voters === 1 ? "vote" : "votes"}${tally.condorcet ? `; ${tally.condorcet} beats every other one by one` : ""}</p></div>`;
}
