// Which debates are meant, and what can be done with them. The choice outlives a look at one of them.
import { html, useState, Dialog, Link, say, complain, count } from "/static/app/ui.js";
import { post } from "/static/app/api.js";
import { tag } from "/static/app/research/marks.js";
import { narrowed } from "/static/app/research/address.js";
import { Export } from "/static/app/research/export.js";

let kept = { ids: /** @type {string[]} */ ([]), all: "" };

// `all` is the search whose matches are meant: another search means nothing yet.
/** @param {Search} search @param {number} total */
export function useSelection(search, total) {
  const [now, set] = useState(kept);
  /** @param {string[]} ids */
  const choose = (ids, all = "") => {
    kept = { ids, all };
    set(kept);
  };
  const find = narrowed(search);
  const here = JSON.stringify(find);
  const all = now.all === here;
  const ids = new Set(now.ids);
  return {
    ids: now.ids,
    all,
    size: all ? total : now.ids.length,
    has: (/** @type {string} */ id) => all || ids.has(id),
    add: (/** @type {string[]} */ some) => choose([...new Set([...now.ids, ...some])]),
    remove: (/** @type {string[]} */ some) => {
      const gone = new Set(some);
      choose(now.ids.filter((id) => !gone.has(id)));
    },
    everything: () => choose([], here),
    clear: () => choose([]),
    // What the server is told; without a choice it is all that match.
    meant: now.ids.length && !all ? { ids: now.ids } : { find },
  };
}

/** @param {Props} props */
export function Actions({ selection, rows, total, onChanged }) {
  const [open, setOpen] = useState("");
  const { size, all } = selection;
  const close = () => setOpen("");
  const whole = rows.length > 0 && rows.every((r) => selection.has(r.transcript_id));
  return html`<div class="actions row" role="group" aria-label="What to do with the selection">
    <strong class="num">${all ? `All ${count(total)} that match` : `${count(size)} selected`}</strong>
    ${whole && !all && total > rows.length ? html`<button class="bare" onClick=${selection.everything}>Select all ${count(total)} that match</button>` : ""}
    <span class="grow"></span>
    ${size === 2 && !all ? html`<${Link} class="button" href=${`/compare?a=${selection.ids[0]}&b=${selection.ids[1]}`}>Compare<//>` : ""}
    <button onClick=${() => setOpen("tag")}>Tag</button>
    <button onClick=${() => setOpen("export")}>Export</button>
    <button class="danger" disabled=${all} title=${all ? "Only debates that were selected one by one or by the page can be deleted" : ""} onClick=${() => setOpen("delete")}>Delete</button>
    <button class="bare" onClick=${selection.clear}>Clear</button>
    <${Tagging} open=${open === "tag"} onClose=${close} selection=${selection} onChanged=${onChanged} />
    <${Export} open=${open === "export"} onClose=${close} selection=${selection} />
    <${Deletion} open=${open === "delete"} onClose=${close} selection=${selection} onChanged=${onChanged} /></div>`;
}

/** @param {Props} props */
function Tagging({ open, onClose, selection, onChanged }) {
  const [text, setText] = useState("");
  /** @param {string[]} add @param {string[]} remove @param {string} done */
  const send = async (add, remove, done) => {
    try {
      const reply = await tag(selection.meant, add, remove);
      say(`${done} ${count(Object.keys(reply.tags).length)} debates.`);
      setText("");
      onClose();
      onChanged();
    } catch (error) {
      complain(error);
    }
  };
  return html`<${Dialog} open=${open} onClose=${onClose} title="Tag the selection">
    <form class="col" onSubmit=${(e) => {
      e.preventDefault();
      send([text], [], "Tagged");
    }}>
      <label class="field">Tag<input autofocus maxlength="60" value=${text} onInput=${(e) => setText(e.target.value)} /></label>
      <div class="row"><button class="primary" type="submit" disabled=${!text.trim()}>Put on ${count(selection.size)}</button>
        <button type="button" disabled=${!text.trim()} onClick=${() => send([], [text], "Taken off")}>Take off</button></div></form><//>`;
}

/** @param {Props} props */
function Deletion({ open, onClose, selection, onChanged }) {
  const [busy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    try {
      const { forgotten, kept: left } = await post("/ui/research/forget", { ids: selection.ids });
      say(`Deleted ${count(forgotten.length)} debates.`);
      if (left.length) say(left[0].why, true);
      selection.remove(forgotten);
      onClose();
      onChanged();
    } catch (error) {
      complain(error);
    }
    setBusy(false);
  };
  const many = selection.size === 1 ? "this debate" : `these ${count(selection.size)} debates`;
  return html`<${Dialog} open=${open} onClose=${onClose} title=${`Delete ${many}?`}>
    <p>The record, its file and what it cost are forgotten. This cannot be undone.</p>
    <div class="row"><button class="danger" disabled=${busy} onClick=${send}>Delete ${many}</button><button autofocus onClick=${onClose}>Keep</button></div><//>`;
}
