// What somebody wrote, to be read: formatted, with its sources numbered below it.
import { html, useEffect, useRef, useState } from "/static/vendor/preact-htm.js";
import { copy } from "/static/app/clipboard.js";
import { Place } from "/static/app/text/place.js";
import { read } from "/static/app/text/reader.js";

const known = new Map(); // what was read lately, so that going back and forth does not flicker
const MOST = 100;
const SOON = 150; // milliseconds after which the bare text is better than nothing
const LISTED = 60;

// Sources keep the numbers that they are given; those of an answer are its places among its citations.
/** @param {{ text: string, citations?: (Citation & { number?: number })[] | null }} props */
export function Said({ text, citations }) {
  const element = useRef(/** @type {any} */ (null));
  const [sources, setSources] = useState(/** @type {Source[]} */ ([]));
  const cited = (citations || [])
    .map((c, i) => ({ url: c?.url, title: c?.title || "", number: c?.number ?? i + 1 }))
    .filter((c) => c.url)
    .slice(0, 200);
  const key = JSON.stringify([text, cited.map((c) => [c.number, c.url])]);
  useEffect(() => {
    const here = element.current;
    let whole = false;
    delete here.dataset.read; // of a text that stood here before
    const place = new Place(here, () => {
      if (whole && !place.due) here.dataset.read = "";
    });
    /** @param {any} found */
    const put = (found) => {
      whole = true;
      if (found) {
        place.show(found.html);
        setSources(found.sources);
      } else place.plain(text);
    };
    if (known.has(key)) {
      put(known.get(key));
      return () => place.clear();
    }
    let gone = false;
    const timer = setTimeout(() => place.plain(text), SOON);
    read("read", { text: String(text), citations: cited }).then((found) => {
      clearTimeout(timer);
      known.set(key, found);
      if (known.size > MOST) known.delete(known.keys().next().value);
      if (!gone) put(found);
    });
    return () => {
      gone = true;
      clearTimeout(timer);
      place.clear();
    };
  }, [key]);
  return html`<div class="said" ref=${element} onClick=${pressed}></div><${Sources} sources=${sources} cited=${cited} />`;
}

/** @param {PageEvent} e */
const pressed = (e) => {
  if (e.target.className === "copy-code")
    copy(e.target.parentElement?.querySelector("pre")?.textContent || "", "The code is copied.");
};

/** @typedef {{ number: number, url: string }} Source */
/** @param {{ sources: Source[], cited: Citation[] }} props */
function Sources({ sources, cited }) {
  if (!sources.length) return null;
  /** @param {string} url */
  const title = (url) => cited.find((c) => c.url === url)?.title || "";
  return html`<details class="sources" open=${sources.length <= 8}><summary class="small">${sources.length === 1 ? "1 source" : `${sources.length} sources`}</summary><ol class="small">${sources
    .slice(0, LISTED)
    .map(
      ({ number, url }) => html`<li value=${number}>
    ${title(url) && html`<span dir="auto">${title(url)} </span>`}${/^https?:\/\//i.test(url) ? html`<a class="mono" href=${url} title=${url} target="_blank" rel="noopener noreferrer nofollow">${shortened(url)}</a>` : html`<span class="mono muted">${shortened(url)}</span>`}
    <button type="button" class="bare tiny" aria-label="Copy the address" onClick=${() => copy(url, "The address is copied.")}>copy</button></li>`,
    )}</ol></details>`;
}

// The host is never cut: it says where one would go.
/** @param {string} url */
function shortened(url) {
  try {
    const { host, pathname, search } = new URL(url);
    const rest = pathname === "/" ? "" : pathname + search;
    return host ? `${host}${rest.length > 50 ? `${rest.slice(0, 49)}…` : rest}` : url.slice(0, 60);
  } catch {
    return String(url).slice(0, 60);
  }
}
