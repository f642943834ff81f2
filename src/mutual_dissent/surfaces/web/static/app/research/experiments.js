// The experiments on record: how far each has come, and what came of it.
import { html, useEffect, useState, complain, count, money } from "/static/app/ui.js";
import { get, query } from "/static/app/api.js";
import { turn } from "/static/app/research/address.js";
import { day } from "/static/app/research/table.js";

/** @type {Record<string, string>} */
const TONES = { complete: "agree", running: "differ", interrupted: "oppose" };

export function Experiments() {
  const [found, setFound] = useState(/** @type {ExperimentPage | null} */ (null));
  const outcomes = useTold(found?.items || []);
  useEffect(() => {
    get("/ui/experiments").then(setFound, (error) => {
      setFound({ items: [] });
      complain(error);
    });
  }, []);
  if (!found) return html`<p class="empty">Looking…</p>`;
  if (!found.items.length)
    return html`<div class="empty"><p>No experiment is on record.</p><p class="small">An experiment holds many debates as one question. Begin with: <code>dissent experiment new NAME</code></p></div>`;
  return html`<div class="wide"><table class="debates trials"><caption class="sr">Experiments</caption>
    <thead><tr><th scope="col">Experiment</th><th scope="col">What came of it</th><th scope="col" class="num">Debates</th><th scope="col" class="num">Cost</th><th scope="col">Changed</th></tr></thead>
    <tbody>${found.items.map(
      (
        e,
      ) => html`<tr key=${e.name} data-experiment=${e.name}><td class="what"><button class="bare named" title="Show its debates" onClick=${() => turn({}, { experiment: e.name })}>${e.name}</button> <span class=${`chip ${TONES[e.state] || ""}`}>${e.state}</span></td>
      <td class="came"><${Told} sentences=${outcomes[e.name]} /></td>
      <td data-label="Debates" class="num">${count(e.completed)}${e.total === null ? "" : ` of ${count(e.total)}`}${e.failed ? html`<span class="wrong"> ${count(e.failed)} failed</span>` : ""}</td>
      <td data-label="Cost" class="num">${money(e.cost_usd)}</td><td data-label="Changed" class="small muted day">${day(e.updated_at)}</td></tr>`,
    )}</tbody></table></div>
    ${(found.total || 0) > found.items.length && html`<p class="small muted">The newest ${count(found.items.length)} of ${count(found.total)}.</p>`}`;
}

// What came of it in a sentence; the rest for who wants it.
/** @param {{ sentences?: string[] }} props */
function Told({ sentences }) {
  if (!sentences) return html`<span class="muted">adding up…</span>`;
  const [first, ...more] = sentences;
  return html`<p>${first || "Nothing can be said yet."}</p>${more.length > 0 && html`<details><summary>more</summary>${more.map((s) => html`<p>${s}</p>`)}</details>`}`;
}

// One after another: each takes the server some work.
/** @param {any[]} items */
function useTold(items) {
  const [told, setTold] = useState(/** @type {Record<string, string[]>} */ ({}));
  const names = JSON.stringify(items.map((e) => e.name));
  useEffect(() => {
    let here = true;
    const look = async () => {
      for (const name of JSON.parse(names)) {
        if (!here) return;
        const outcome = await get(`/ui/experiments/outcome${query({ name })}`).then(
          (r) => r.outcome,
          (error) => [error.message],
        );
        if (here) setTold((now) => ({ ...now, [name]: outcome }));
      }
    };
    look();
    return () => {
      here = false;
    };
  }, [names]);
  return told;
}
