// Two debates side by side: measures, answers, rounds.
import {
  html,
  useEffect,
  useState,
  Link,
  Said,
  complain,
  count,
  go,
  money,
  percent,
  seconds,
} from "/static/app/ui.js";
import { get, query } from "/static/app/api.js";
import { Changes } from "/static/app/debate/pane.js";
import { Figure } from "/static/app/research/chart.js";
import { day, short } from "/static/app/research/table.js";

/** @param {Props} props */
export default function Compare({ address }) {
  const said = new URLSearchParams(address.split("?")[1] || "");
  const [a, b] = [said.get("a") || "", said.get("b") || ""];
  const [found, setFound] = useState(/** @type {any} */ (null));
  useEffect(() => {
    setFound(null);
    if (a && b)
      get(`/ui/research/compare${query({ a, b })}`)
        .then(setFound)
        .catch((error) => setFound({ error }));
  }, [a, b]);
  return html`<article class="research compared"><h1>Compare two debates</h1>
    <div class="two">${[
      ["a", a, "First"],
      ["b", b, "Second"],
    ].map(
      ([side, id, name]) => html`<${Side} key=${side} name=${name} id=${id}
      about=${found?.sides?.[side === "a" ? 0 : 1]} onPick=${(picked) => go(`/compare${query({ a, b, [side]: picked })}`)} />`,
    )}</div>
    ${found?.error ? html`<p class="banner wrong">${found.error.message}</p>` : ""}
    ${found?.sides ? html`<${Both} found=${found} />` : a && b && !found ? html`<p class="empty">Reading…</p>` : ""}</article>`;
}

/** @param {Props} props */
function Side({ name, id, about, onPick }) {
  const [open, setOpen] = useState(!id);
  useEffect(() => setOpen(!id), [id]);
  return html`<section class="card side" aria-label=${`${name} debate`}>
    <div class="row"><span class="chip">${name}</span><span class="grow"></span>
      ${id ? html`<button class="bare" onClick=${() => setOpen(!open)} aria-expanded=${open}>Choose another</button>` : ""}</div>
    ${
      open
        ? html`<${Picker} name=${name} onPick=${onPick} />`
        : about
          ? html`<h2><${Link} href=${`/debates/${about.id}`}>${short(about.query, 240)}<//></h2>
      <p class="small muted">${about.heading}</p>
      <p class="small">${about.mode}${about.preset ? ` (${about.preset})` : ""} · ${about.topology} · ${about.panel.join(", ")} · ${day(about.createdAt)}</p>`
          : ""
    }</section>`;
}

/** @param {Props} props */
function Picker({ name, onPick }) {
  const [text, setText] = useState("");
  const [rows, setRows] = useState(/** @type {Row[]} */ ([]));
  useEffect(() => {
    let here = true;
    const timer = setTimeout(
      () =>
        get(`/ui/research/debates${query({ text, limit: 8 })}`)
          .then((page) => {
            if (here) setRows(page.items);
          })
          .catch(complain),
      150,
    );
    return () => {
      here = false;
      clearTimeout(timer);
    };
  }, [text]);
  return html`<input type="search" aria-label=${`Search for the ${name.toLowerCase()} debate`} placeholder="Search" value=${text} onInput=${(e) => setText(e.target.value)} />
    <ul class="picks">${rows.map(
      (
        r,
      ) => html`<li><button class="bare" onClick=${() => onPick(r.transcript_id)}><span class="grow">${short(r.query, 90)}</span>
      <span class="small muted">${r.mode} · ${day(r.created_at)}</span></button></li>`,
    )}</ul>`;
}

/** @param {{ found: Compared }} props */
function Both({ found }) {
  const { measures, figures, sides, rounds } = found;
  const [marked, setMarked] = useState(false);
  return html`<div class="two"><section class="card figure" aria-label="Measures"><h2>Measures</h2><div class="wide" tabindex="0" role="region" aria-label="Measures, table"><table class="measures"><thead><tr><th></th><th class="num">First</th><th class="num">Second</th><th class="num">Difference</th></tr></thead>
      <tbody>${measures.map((m) => html`<tr><th scope="row">${m.name}</th><td class="num">${told(m, m.a)}</td><td class="num">${told(m, m.b)}</td><td class="num muted">${apart(m)}</td></tr>`)}</tbody></table></div></section>
    <div class="col">${figures.map((f) => html`<${Figure} key=${f.name} figure=${f} />`)}</div></div>
    <div class="row"><h2>Answers</h2>${sides.every((s) => s.answer) && html`<label class="check"><input type="checkbox" checked=${marked} onChange=${(e) => setMarked(e.target.checked)} />Mark what differs</label>`}</div>
    ${
      marked
        ? html`<section class="card" aria-label="What differs"><p class="small muted">Struck out: only in the first. Marked: only in the second.</p><${Changes} before=${sides[0].answer} after=${sides[1].answer} /></section>`
        : html`<div class="two">${sides.map(
            (s) =>
              html`<section class="card" aria-label="Answer">${
                s.answer === null
                  ? html`<p class="muted">There is no answer.</p>`
                  : html`<p class="small muted">by ${s.answerBy}</p><${Said} text=${s.answer} />`
              }</section>`,
          )}</div>`
    }
    ${rounds.map(
      (round, i) => html`<details open=${i === rounds.length - 1}><summary><h2>${round.name}</h2></summary>
      ${round.seats.map((seat) => html`<h3>${seat.seat}</h3><div class="two">${[seat.a, seat.b].map((r) => html`<${Response} said=${r} />`)}</div>`)}</details>`,
    )}`;
}

/** @param {{ said: any }} props */
const Response = ({ said }) =>
  !said
    ? html`<section class="card nobody"><p class="muted">Not in this debate.</p></section>`
    : html`<section class="card"><p class="small muted">${said.model}</p>${said.holds ? html`<p class="bottom-line">${said.holds}</p>` : ""}${said.missing ? html`<p class="wrong">${said.missing}</p>` : html`<${Said} text=${said.text} />`}</section>`;

/** @type {Record<string, (value: any) => string>} */
const WORDS = {
  share: percent,
  count,
  money,
  mark: (v) => v.toFixed(1),
  seconds: (v) => seconds(v * 1000),
  text: (v) => v,
};
/** @param {Measure} m @param {unknown} value */
const told = (m, value) => (value === null || value === undefined ? "–" : WORDS[m.kind](value));

/** @param {Measure} m */
function apart(m) {
  if (typeof m.a !== "number" || typeof m.b !== "number" || m.a === m.b) return "";
  const [by, sign] = [Math.abs(m.b - m.a), m.b > m.a ? "+" : "−"];
  return `${sign}${WORDS[m.kind](by)}`;
}
