// The debate page: a new question at `/`, any debate at `/debates/ID`.
import { html, useEffect, useLayoutEffect, useState, complain, go } from "/static/app/ui.js";
import { get } from "/static/app/api.js";
import { keys } from "/static/app/keys.js";
import { Debate } from "/static/app/debate/view.js";
import { First, Keyless } from "/static/app/debate/first.js";
import { Setup } from "/static/app/debate/setup.js";

/** @param {Props} props */
export default function Page({ id }) {
  const [catalogue, setStart] = useCatalogue();
  usePageKeys();
  if (id) return html`<${Debate} key=${id} id=${id} catalogue=${catalogue} />`;
  if (!catalogue) return html`<p class="splash">Loading…</p>`;
  return html`<div class="new"><h1 class="sr">New debate</h1><${Keyless} start=${catalogue.start} onChange=${setStart} /><${Setup} key=${catalogue.start.anyKey} catalogue=${catalogue} /><${First} /></div>`;
}

// Who can be asked, and how: fetched once a visit.
/** @returns {[Catalogue | null, (start: Start) => void]} */
function useCatalogue() {
  const [found, setFound] = useState(/** @type {Catalogue | null} */ (null));
  useEffect(() => {
    Promise.all([
      get("/api/modes"),
      get("/api/models"),
      get("/api/presets"),
      get("/api/options"),
      get("/ui/start"),
    ]).then(
      ([modes, models, presets, { options }, start]) =>
        setFound({
          start,
          options,
          mode: start.mode,
          modes: modes.modes,
          personas: modes.personas,
          rules: modes.rules,
          aliases: models.aliases,
          presets: presets.presets,
        }),
      complain,
    );
  }, []);
  return [found, (start) => setFound((now) => now && { ...now, start })];
}

function usePageKeys() {
  useLayoutEffect(
    () =>
      keys([
        {
          key: "/",
          label: "Write a question or a remark",
          run: () => document.getElementById("query")?.focus(),
        },
        {
          key: "Ctrl+Enter",
          shown: "Ctrl+↵",
          label: "Send it",
          run: () =>
            /** @type {HTMLFormElement | null} */ (document.querySelector("form[data-send]"))?.requestSubmit(),
        },
        {
          key: "n",
          shown: "N",
          label: "New debate",
          run: () => {
            go("/");
            setTimeout(() => document.getElementById("query")?.focus(), 50);
          },
        },
        {
          key: "Escape",
          shown: "Esc",
          label: "Leave a field",
          run: () => /** @type {HTMLElement | null} */ (document.activeElement)?.blur(),
        },
      ]),
    [],
  );
}
