// Research: find stored debates, choose among them, and look at what they come to together.
import {
  html,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  Tabs,
  complain,
  count,
  go,
} from "/static/app/ui.js";
import { get } from "/static/app/api.js";
import { keys } from "/static/app/keys.js";
import { LIMITS, listed, narrowed, read, turn } from "/static/app/research/address.js";
import { Filters } from "/static/app/research/filters.js";
import { Table } from "/static/app/research/table.js";
import { Actions, useSelection } from "/static/app/research/selection.js";
import { Experiments } from "/static/app/research/experiments.js";
import { Forecasts } from "/static/app/research/forecasts.js";
import { Figures } from "/static/app/research/figures.js";
import { useOutcomes } from "/static/app/research/outcomes.js";
import { rate } from "/static/app/research/marks.js";

/** @param {Props} props */
export default function Debates({ address }) {
  const search = useMemo(() => read(address), [address]);
  const [page, again, put] = usePage(search);
  const choices = useChoices(page);
  const { items: rows, total } = page || { items: [], total: 0 };
  const outcomes = useOutcomes(rows);
  const selection = useSelection(search, total);
  const [cursor, setCursor] = useState({ at: -1, address });
  const at = cursor.address === address ? cursor.at : -1;
  /** @param {number} place */
  const setAt = (place) => setCursor({ at: place, address });
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const view = search.view || "list";
  /** @param {number} i @param {PageEvent} [event] */
  const choose = (i, event) => {
    const id = rows[i].transcript_id;
    if (event?.shiftKey && at >= 0)
      selection.add(rows.slice(Math.min(i, at), Math.max(i, at) + 1).map((r) => r.transcript_id));
    else if (selection.has(id)) selection.remove(selection.all ? [] : [id]);
    else selection.add([id]);
    setAt(i);
  };
  useKeys({ rows, at, setAt, choose, field, search, view, selection });
  /** @param {Row} row @param {number | null} rating */
  const onRate = async (row, rating) => {
    try {
      await rate(row.transcript_id, rating);
      put({ ...row, rating });
    } catch (error) {
      complain(error);
    }
  };
  /** @param {boolean} on */
  const onChooseAll = (on) => (on ? selection.add : selection.remove)(rows.map((r) => r.transcript_id));
  const tabs = [
    { id: "list", name: html`Debates <span class="badge num">${page ? count(total) : "…"}</span>` },
    {
      id: "figures",
      name: selection.size ? html`Figures <span class="badge num">${count(selection.size)}</span>` : "Figures",
    },
    { id: "forecasts", name: "Forecasts" },
    { id: "experiments", name: "Experiments" },
  ];
  const searched = view !== "experiments" && view !== "forecasts";
  return html`<div class="research"><h1 class="sr">Research</h1>
    ${searched && html`<${Filters} search=${search} choices=${choices} field=${field} />`}
    ${selection.size && searched ? html`<${Actions} ...${{ selection, rows, total }} onChanged=${again} />` : ""}
    <${Tabs} tabs=${tabs} chosen=${view} label="What is shown" onChoose=${(/** @type {string} */ id) => turn(search, { view: id === "list" ? undefined : id })} />
    ${
      view === "figures"
        ? html`<${Figures} selection=${selection} />`
        : view === "experiments"
          ? html`<${Experiments} />`
          : view === "forecasts"
            ? html`<${Forecasts} />`
            : !page
              ? html`<p class="empty">Looking…</p>`
              : rows.length
                ? html`<${Table} ...${{ rows, outcomes, search, at, onChooseAll, onRate }} chosen=${selection.has} onChoose=${choose} />
        <${Pages} search=${search} page=${page} />`
                : html`<${Nothing} search=${search} />`
    }</div>`;
}

/** @param {Search} search @returns {[RowPage | null, () => void, (row: Row) => void]} */
function usePage(search) {
  const [page, setPage] = useState(/** @type {RowPage | null} */ (null));
  const [turns, setTurns] = useState(0);
  const asked = useRef(0);
  const wanted = listed(search);
  useEffect(() => {
    const mine = ++asked.current;
    get(`/ui/research/debates${wanted}`)
      .then((found) => {
        if (mine === asked.current) setPage(found);
      })
      .catch((error) => {
        if (mine === asked.current) {
          setPage({ items: [], total: 0 });
          complain(error);
        }
      });
  }, [wanted, turns]);
  /** @param {Row} row */
  const put = (row) =>
    setPage(
      (now) =>
        now && { ...now, items: now.items.map((r) => (r.transcript_id === row.transcript_id ? row : r)) },
    );
  return [page, () => setTurns(turns + 1), put];
}

/** @param {RowPage | null} page */
function useChoices(page) {
  const [choices, setChoices] = useState(/** @type {Record<string, string[]>} */ ({}));
  const ready = Boolean(page);
  // After the list: that is what a person waits for.
  useEffect(() => {
    if (ready) get("/ui/research/choices").then(setChoices).catch(complain);
  }, [ready, page?.items]);
  return choices;
}

// Keys read what holds when they are pressed, however fast one follows another.
/** @param {any} given */
function useKeys(given) {
  const now = useRef(given);
  Object.assign(now.current, given);
  useLayoutEffect(() => {
    /** @param {number} by */
    const move = (by) => {
      const { rows, at, setAt } = now.current;
      const next = Math.min(Math.max(at + by, 0), rows.length - 1);
      now.current.at = next;
      setAt(next);
      document
        .querySelector(`tr[data-id="${rows[next]?.transcript_id}"]`)
        ?.scrollIntoView({ block: "nearest" });
    };
    /** @param {(now: any) => void} work */
    const inList = (work) => () => {
      if (now.current.view === "list") work(now.current);
    };
    /** @param {string} more */
    const open = (more) =>
      inList(({ rows, at }) => {
        if (rows[at]) go(`/debates/${rows[at].transcript_id}${more}`);
      });
    return keys([
      { key: "/", label: "Search debates", run: () => now.current.field.current?.focus() },
      {
        key: "f",
        label: "Figures or list",
        run: () => turn(now.current.search, { view: now.current.view === "list" ? "figures" : undefined }),
      },
      { key: "j", label: "Next debate", run: inList(() => move(1)) },
      { key: "k", label: "Previous debate", run: inList(() => move(-1)) },
      {
        key: "x",
        label: "Select the debate",
        run: inList(({ rows, at, choose }) => {
          if (rows[at]) choose(at);
        }),
      },
      { key: "o", label: "Open the debate", run: open("") },
      { key: "s", label: "Study the debate", run: open("/study") },
      {
        key: "Escape",
        label: "Select nothing",
        run: () => {
          const { field, selection } = now.current;
          if (document.activeElement === field.current) field.current.blur();
          else selection.clear();
        },
      },
    ]);
  }, []);
}

/** @param {Props} props */
function Pages({ search, page }) {
  const limit = Number(search.limit || LIMITS[0]),
    offset = page.offset || 0;
  /** @param {number} place */
  const to = (place) => turn(search, { offset: place || undefined });
  return html`<nav class="row pages" aria-label="Pages of the list">
    <span class="small muted num">${count(offset + 1)}–${count(offset + page.items.length)} of ${count(page.total)}</span>
    <button disabled=${!offset} onClick=${() => to(Math.max(0, offset - limit))}>Previous</button>
    <button disabled=${offset + limit >= page.total} onClick=${() => to(offset + limit)}>Next</button>
    <label class="row small muted">Rows <select aria-label="Rows" value=${String(limit)} onChange=${(e) => turn(search, { limit: e.target.value })}>
      ${LIMITS.map((n) => html`<option value=${String(n)}>${n}</option>`)}</select></label></nav>`;
}

/** @param {Props} props */
function Nothing({ search }) {
  const some = Object.keys(narrowed(search)).length > 0;
  return html`<div class="empty"><p>${some ? "No stored debate matches." : "No debate is stored yet."}</p>
    <p>${some ? html`<button onClick=${() => turn({}, { text: undefined })}>Show all</button>` : html`<button class="primary" onClick=${() => go("/")}>Ask the panel</button>`}</p></div>`;
}
