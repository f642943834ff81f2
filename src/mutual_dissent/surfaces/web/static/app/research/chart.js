// A chart that the server drew. It is ours, yet it carries strangers' names: only what draws is let in.
import { html, useLayoutEffect, useRef } from "/static/app/ui.js";
import createPurifier from "/static/vendor/purify.js";

const purifier = createPurifier(window);
const DRAWN = {
  ALLOWED_TAGS: ["svg", "g", "title", "desc", "text", "line", "path", "rect", "circle", "polyline"],
  ALLOW_DATA_ATTR: false,
};

// One that is wider than a phone is scrolled, also by keys.
/** @param {Props} props */
export function Chart({ svg, title, wide }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    if (place.current) place.current.innerHTML = purifier.sanitize(svg, DRAWN);
  }, [svg]);
  return wide
    ? html`<div class="plot" ref=${place} tabindex="0" role="region" aria-label=${`${title}, chart`}></div>`
    : html`<div class="plot" ref=${place}></div>`;
}

/** @param {Props} props */
export const Figure = ({
  figure,
}) => html`<section class=${`card figure ${figure.wide ? "broad" : ""}`} id=${`figure-${figure.name}`} aria-label=${figure.title}>
  <h2>${figure.title}</h2><${Chart} ...${figure} />${figure.note ? html`<p class="small muted">${figure.note}</p>` : ""}</section>`;
