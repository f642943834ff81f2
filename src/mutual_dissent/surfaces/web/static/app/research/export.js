// The selection as a file.
import { html, useState, Dialog, complain, count } from "/static/app/ui.js";
import { Problem } from "/static/app/api.js";

const FORMATS = {
  csv: ["CSV", "a table for spreadsheets"],
  json: ["JSON", "whole transcripts, as dissent export writes them"],
  parquet: ["Parquet", "a typed table for data frames"],
};

/** @param {object} selection @param {string} format @param {string} table */
export async function download(selection, format, table) {
  const reply = await fetch("/ui/research/export", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...selection, format, table }),
  });
  if (!reply.ok) {
    const said = await reply.json().catch(() => ({}));
    throw new Problem(
      reply.status,
      said.error?.code,
      said.error?.message || `The server said ${reply.status}.`,
    );
  }
  const name = /filename="([\w.-]+)"/.exec(reply.headers.get("content-disposition") || "");
  save(await reply.blob(), name ? name[1] : `debates.${format}`);
}

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** @param {Props} props */
export function Export({ open, onClose, selection }) {
  const [format, setFormat] = useState("csv");
  const [table, setTable] = useState("answers");
  const [busy, setBusy] = useState(false);
  /** @param {PageEvent} e */
  const send = async (e) => {
    e.preventDefault();
    setBusy(true);
    try {
      await download(selection.meant, format, table);
      onClose();
    } catch (error) {
      complain(error);
    }
    setBusy(false);
  };
  return html`<${Dialog} open=${open} onClose=${onClose} title=${`Export ${count(selection.size)} debates`}>
    <form class="col" onSubmit=${send}>
      <fieldset class="choice"><legend>Format</legend>${Object.entries(FORMATS).map(
        ([value, [name, about]]) => html`
        <label><input type="radio" name="format" value=${value} checked=${format === value} onChange=${() => setFormat(value)} /> <strong>${name}</strong> <span class="muted">${about}</span></label>`,
      )}</fieldset>
      <fieldset class="choice" disabled=${format === "json"}><legend>One row for each</legend>${[
        ["answers", "answer"],
        ["debates", "debate"],
      ].map(
        ([value, name]) => html`
        <label><input type="radio" name="table" value=${value} checked=${table === value} onChange=${() => setTable(value)} /> ${name}</label>`,
      )}</fieldset>
      <div class="row"><button class="primary" type="submit" disabled=${busy}>${busy ? "Writing…" : "Export"}</button></div></form><//>`;
}
