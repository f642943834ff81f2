// What the selection comes to, or all that match where nothing is selected.
import { html, useEffect, useState, complain, count } from "/static/app/ui.js";
import { post } from "/static/app/api.js";
import { Figure } from "/static/app/research/chart.js";

/** @param {Props} props */
export function Figures({ selection }) {
  const [found, setFound] = useState(/** @type {StudyOfMany | null} */ (null));
  const wanted = JSON.stringify(selection.meant);
  useEffect(() => {
    let here = true;
    /** @param {number} before */
    const look = async (before) => {
      try {
        const next = await post("/ui/research/study", JSON.parse(wanted));
        if (!here) return;
        setFound(next);
        if (next.unread && next.studied > before) look(next.studied);
      } catch (error) {
        if (here) {
          setFound({ figures: [], headlines: [], studied: 0 });
          complain(error);
        }
      }
    };
    look(-1);
    return () => {
      here = false;
    };
  }, [wanted]);
  if (!found) return html`<p class="empty">Adding up…</p>`;
  return html`<p class="small muted lead" role="status">${about(found, selection)}</p>
    ${found.headlines.length > 0 && html`<dl class="headlines" aria-label="At a glance">${found.headlines.map((h) => html`<div class="card" key=${h.name}><dt>${h.name}</dt><dd class="num">${h.value}</dd><dd class="small muted">${h.note}</dd></div>`)}</dl>`}
    <div class="figures">${found.figures.map((f) => html`<${Figure} key=${f.name} figure=${f} />`)}</div>`;
}

/** @param {StudyOfMany} found @param {Props["selection"]} selection */
function about(found, selection) {
  const which = selection.size && !selection.all ? "selected" : "matching";
  const said = [`${count(found.studied)} ${which} debates`];
  if (found.left_out) said.push(`the newest of ${count(found.studied + (found.unread || 0) + found.left_out)}`);
  if (found.unread) said.push(`reading ${count(found.unread)} more…`);
  if (found.unreadable) said.push(`${count(found.unreadable)} could not be read: run dissent doctor`);
  if (found.one_model)
    said.push(`${count(found.one_model)} by one model alone, whose agreement is no evidence`);
  return said.join(" · ");
}
