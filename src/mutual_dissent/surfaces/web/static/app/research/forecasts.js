// Forecasts: those that wait for their outcome, due ones first, and how resolved ones fared.
import { html, useEffect, useState, Link, complain, count } from "/static/app/ui.js";
import { get } from "/static/app/api.js";
import { Figure } from "/static/app/research/chart.js";

export function Forecasts() {
  const [found, setFound] = useState(/** @type {ForecastPage | null} */ (null));
  useEffect(() => {
    get("/ui/research/forecasts").then(setFound, complain);
  }, []);
  if (!found) return html`<p class="empty">Looking…</p>`;
  const { forecasts, record, figures } = found;
  return html`<${Waiting} forecasts=${forecasts} />
    ${record.resolved > 0 && html`<${Scores} record=${record} />`}
    <div class="figures">${figures.map((f) => html`<${Figure} key=${f.name} figure=${f} />`)}</div>`;
}

/** @param {{ forecasts: Schemas["ListedForecast"][] }} props */
function Waiting({ forecasts }) {
  if (!forecasts.length)
    return html`<div class="empty"><p>No forecast waits for its outcome.</p><p class="small">Ask a question that the future answers in the mode forecast, and say on which day it can be resolved.</p></div>`;
  return html`<div class="wide"><table class="debates trials"><caption class="sr">Forecasts that wait for their outcome</caption>
    <thead><tr><th scope="col">Question</th><th scope="col">The panel says</th><th scope="col">Due</th></tr></thead>
    <tbody>${forecasts.map(
      (
        f,
      ) => html`<tr key=${f.sessionId}><td class="came"><${Link} href=${`/debates/${f.sessionId}`} title="Open it, and say how it turned out">${f.query.slice(0, 300)}<//></td>
      <td class="came">${f.forecast || "no figure"}</td><td data-label="Due" class="small day">${f.due || "no day was said"}${f.isDue && html` <span class="chip differ">due</span>`}</td></tr>`,
    )}</tbody></table></div>
    <p class="small muted">Open one to say how it turned out.</p>`;
}

/** @param {{ record: Schemas["ForecastRecord"] }} props */
function Scores({ record }) {
  const few = record.missing > 0 ? ` About ${count(record.missing)} more until this says much.` : "";
  return html`<section class="card figure" aria-label="How resolved forecasts fared"><h2>How resolved forecasts fared</h2>
    ${
      record.brier.length > 0 &&
      html`<div class="wide" tabindex="0" role="region" aria-label="Brier scores"><table><thead><tr><th scope="col">Forecaster</th><th scope="col" class="num">Resolved</th><th scope="col" class="num">Brier score</th></tr></thead>
      <tbody>${record.brier.map((b) => html`<tr><th scope="row">${b.name}</th><td class="num">${count(b.resolved)}</td><td class="num">${b.brier.toFixed(3)}</td></tr>`)}</tbody></table></div>
      <p class="small muted">0 is perfect, 0.25 is what a coin gets.</p>`
    }
    ${record.ranges > 0 && html`<p class="small">${count(record.rangesHeld)} of ${count(record.ranges)} ranges held; 8 of 10 are meant to.</p>`}
    <p class="small muted">Resolved: ${count(record.resolved)}.${few}</p></section>`;
}
