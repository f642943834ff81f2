// The frame around all pages: navigation, theme, keys, palette. Each page is loaded when it is needed.
import {
  html,
  render,
  useEffect,
  useLayoutEffect,
  useState,
  Guard,
  Link,
  Toasts,
  Dialog,
  go,
} from "/static/app/ui.js";
import { keys, known } from "/static/app/keys.js";
import { History, found as debates } from "/static/app/history.js";

const PAGES = [
  { path: /^\/$/, name: "Debate", href: "/", load: () => import("/static/app/pages/debate.js") },
  {
    path: /^\/debates$/,
    name: "Research",
    href: "/debates",
    load: () => import("/static/app/pages/debates.js"),
  },
  { path: /^\/debates\/([0-9a-z-]+)$/, name: "Debate", load: () => import("/static/app/pages/debate.js") },
  {
    path: /^\/debates\/([0-9a-z-]+)\/study$/,
    name: "Study",
    under: "Research",
    load: () => import("/static/app/pages/study.js"),
  },
  {
    path: /^\/compare$/,
    name: "Compare",
    under: "Research",
    load: () => import("/static/app/pages/compare.js"),
  },
  {
    path: /^\/settings$/,
    name: "Settings",
    href: "/settings",
    load: () => import("/static/app/pages/settings.js"),
  },
];

/** @param {string} path */
function found(path) {
  for (const page of PAGES) {
    const match = page.path.exec(path);
    if (match) return { page, id: match[1] };
  }
  return { page: PAGES[0] };
}

function useAddress() {
  const [address, setAddress] = useState(location.pathname + location.search);
  useLayoutEffect(() => {
    const moved = () => setAddress(location.pathname + location.search);
    addEventListener("popstate", moved);
    return () => removeEventListener("popstate", moved);
  }, []);
  return address;
}

function turnTheme() {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("theme", next);
}

/** @param {Props} props */
function Sheet({ open, onClose }) {
  return html`<${Dialog} open=${open} onClose=${onClose} title="Keys">
    <table><tbody>${known()
      .filter((k) => k.label)
      .map(
        (k) => html`<tr><td><kbd>${k.shown || k.key}</kbd></td><td>${k.label}</td></tr>`,
      )}</tbody></table><//>`;
}

/** @param {Props} props */
function Palette({ open, onClose }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  useEffect(() => {
    setText("");
    setAt(0);
  }, [open]);
  const [past, setPast] = useState(/** @type {Row[]} */ ([]));
  useEffect(() => {
    let here = true;
    setPast([]);
    if (!open || text.trim().length < 3) return undefined;
    const timer = setTimeout(
      () =>
        debates(text, 6).then(
          (rows) => {
            if (here) setPast(rows);
          },
          () => {},
        ),
      150,
    );
    return () => {
      here = false;
      clearTimeout(timer);
    };
  }, [text, open]);
  const orders = known().filter((k) => k.label?.toLowerCase().includes(text.toLowerCase()));
  const fits = [
    ...orders,
    ...past.map((r) => ({
      key: "",
      label: r.query.slice(0, 90),
      shown: "debate",
      run: () => go(`/debates/${r.transcript_id}`),
    })),
  ];
  /** @param {KeyEntry | undefined} entry */
  const run = (entry) => {
    onClose();
    entry?.run(new KeyboardEvent("keydown"));
  };
  /** @param {PageEvent} e */
  const step = (e) => {
    if (e.key === "ArrowDown") setAt(Math.min(at + 1, fits.length - 1));
    else if (e.key === "ArrowUp") setAt(Math.max(at - 1, 0));
    else if (e.key === "Enter") run(fits[at]);
    else return;
    e.preventDefault();
  };
  return html`<${Dialog} open=${open} onClose=${onClose} title="What next?">
    <input aria-label="Command" placeholder="A command, or words of a debate" autofocus value=${text} onInput=${(
      e,
    ) => {
      setText(e.target.value);
      setAt(0);
    }} onKeyDown=${step} />
    <div class="col" role="listbox" aria-label="Commands">${fits.map(
      (k, i) => html`<button class="bare" role="option" aria-selected=${i === at}
      style=${i === at ? { background: "var(--raised)", color: "var(--text)" } : {}} onClick=${() => run(k)}>
      <span class="grow" style="text-align: left">${k.label}</span><kbd>${k.shown || k.key}</kbd></button>`,
    )}</div><//>`;
}

// The server was started anew, and does not know this page any more.
function ShutOut() {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState("");
  useEffect(() => {
    const shut = () => setOpen(true);
    addEventListener("shut-out", shut);
    return () => removeEventListener("shut-out", shut);
  }, []);
  /** @param {PageEvent} e */
  const enter = (e) => {
    e.preventDefault();
    const token = /[?&]token=([^&\s]+)/.exec(text)?.[1] || encodeURIComponent(text.trim());
    location.assign(`${location.pathname}?token=${token}`);
  };
  return html`<${Dialog} open=${open} onClose=${() => setOpen(false)} title="The server was started anew"><form class="col" onSubmit=${enter}>
    <p>It printed a new address when it started. Paste it here, or the token in it.</p>
    <input aria-label="Address or token" autocomplete="off" value=${text} onInput=${(e) => setText(e.target.value)} />
    <div class="row"><span class="grow"></span><button class="primary" disabled=${!text.trim()}>Open</button></div></form><//>`;
}

const Unreachable = () =>
  html`<div class="empty"><p>The server does not answer. Is \`dissent serve\` still running?</p><p><button onClick=${() => location.reload()}>Try again</button></p></div>`;

function App() {
  const address = useAddress();
  const { page, id } = found(address.split("?")[0]);
  const [Page, setPage] = useState(/** @type {any} */ (null));
  const [sheet, setSheet] = useState(false);
  const [palette, setPalette] = useState(false);
  const [history, setHistory] = useState(localStorage.getItem("history") === "open");
  useEffect(() => localStorage.setItem("history", history ? "open" : ""), [history]);
  useEffect(() => {
    page.load().then(
      (module) => setPage(() => module.default),
      () => setPage(() => Unreachable),
    );
  }, [page]);
  useEffect(() => {
    document.title = page.name === "Debate" ? "Mutual Dissent" : `${page.name} · Mutual Dissent`;
  }, [page]);
  useLayoutEffect(
    () =>
      keys([
        { key: "?", label: "Show all keys", run: () => setSheet(true) },
        { key: "Ctrl+K", label: "Command palette", run: () => setPalette(true) },
        { key: "Alt+1", label: "Go to the debate", run: () => go("/") },
        { key: "Alt+2", label: "Go to research", run: () => go("/debates") },
        { key: "Alt+3", label: "Go to settings", run: () => go("/settings") },
        { key: "Alt+H", label: "History", run: () => setHistory((now) => !now) },
        { key: "Alt+T", label: "Light or dark", run: turnTheme },
      ]),
    [],
  );
  return html`
    <a class="skip" href="#main">To the content</a>
    <header class="top">
      <button class="bare" aria-label="History" aria-expanded=${history} onClick=${() => setHistory(!history)}>☰</button>
      <${Link} href="/" class="brand" aria-label="Mutual Dissent"><img src="/static/icon.svg" alt="" /><span>Mutual Dissent</span><//>
      <nav aria-label="Pages">${PAGES.filter((p) => p.href).map((p) => html`<${Link} href=${p.href} aria-current=${p.name === (page.under || page.name) ? "page" : undefined}>${p.name}<//>`)}</nav>
      <span class="hint small muted"><kbd>Ctrl</kbd> <kbd>K</kbd></span>
      <button class="bare" onClick=${turnTheme} aria-label="Light or dark">◐</button>
      <button class="bare" onClick=${() => setSheet(true)} aria-label="Keys">?</button>
    </header>
    <div class=${history ? "with-history" : "alone"}>${history && html`<${History} address=${address} onClose=${() => setHistory(false)} />`}
    <main id="main" tabindex="-1">${Page ? html`<${Guard} key=${page.path + (id || "")} what="This page"><${Page} id=${id} address=${address} /><//>` : html`<p class="splash">Loading…</p>`}</main></div>
    <${Sheet} open=${sheet} onClose=${() => setSheet(false)} />
    <${Palette} open=${palette} onClose=${() => setPalette(false)} />
    <${ShutOut} />
    <${Toasts} />`;
}

const root = /** @type {HTMLElement} */ (document.getElementById("app"));
root.replaceChildren();
render(html`<${App} />`, root);
