// Texts and pictures that go with the question. Texts are read here, in the browser, and sent as words; of documents
// that it cannot read, the server takes the text out first. Pictures are what the server makes of them: checked, and
// without what they tell about where they were taken.
import { html, useRef, useState, count, say } from "/static/app/ui.js";
import { post, query, sent } from "/static/app/api.js";
import { MAX_CONTEXT, MAX_FILE, MAX_PICTURE, MAX_PICTURES } from "/static/app/words.js";

const ADDRESS = /https?:\/\/[^\s<>"']{3,1990}[^\s<>"'.,;:!?)]/g;
const DOCUMENT = /\.(pdf|docx|html?|xhtml|png|jpe?g|gif|webp|svg|bmp|tiff?|heic|avif)$/i;
const PICTURE = /\.(png|jpe?g|gif|webp)$/i;

/** @param {number} bytes */
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
/** @param {{ name: string }} file */
const called = (file) => file.name.slice(0, 80);
/** @param {TextFile} f */
const bytesOf = (f) => Math.floor(((f.data?.length ?? 0) * 3) / 4);

export function useFiles() {
  const [all, setAll] = useState(/** @type {TextFile[]} */ ([]));
  const [over, setOver] = useState(false);
  const [reading, setReading] = useState("");
  /** @param {Iterable<File>} list */
  const add = async (list) => {
    const read = /** @type {TextFile[]} */ ([]);
    for (const file of list) {
      setReading(file.name.slice(0, 80));
      const found = await taken(file);
      if (typeof found === "string") say(found, true);
      else read.push(found, ...(found.more ?? []));
    }
    setReading("");
    setAll((now) => fitting([...now, ...read]));
  };
  /** @param {string} address */
  const addPage = async (address) => {
    setReading(address.slice(0, 80));
    try {
      const page = await post("/ui/files/page", { address });
      setAll((now) => fitting([...now, { ...page, address }]));
    } catch (e) {
      say(e.message, true);
    }
    setReading("");
  };
  const dropping = {
    onDragOver: (/** @type {DragEvent} */ e) => {
      if (e.dataTransfer?.types.includes("Files")) {
        e.preventDefault();
        setOver(true);
      }
    },
    onDragLeave: () => setOver(false),
    onDrop: (/** @type {DragEvent} */ e) => {
      if (e.dataTransfer?.files.length) {
        e.preventDefault();
        setOver(false);
        add(e.dataTransfer.files);
      }
    },
    // A table or a paragraph is often copied as a picture of itself, too: then its text is meant.
    onPaste: (/** @type {ClipboardEvent} */ e) => {
      const copied = e.clipboardData;
      if (copied?.files.length && !copied.types.includes("text/plain")) {
        e.preventDefault();
        add([...copied.files]);
      }
    },
  };
  return {
    all,
    over,
    reading,
    add,
    addPage,
    dropping,
    remove: (/** @type {number} */ i) => setAll((now) => now.filter((_, j) => j !== i)),
  };
}

/** @param {File} file */
const isDocument = (file) => DOCUMENT.test(file.name) || file.type.startsWith("image/");

// Why a file cannot go with a question, seen before it is sent anywhere; empty if it can.
/** @param {File} file */
function tooLarge(file) {
  const has = `${called(file)} has ${megabytes(file.size)}, and`;
  if (PICTURE.test(file.name) || /^image\/(png|jpeg|gif|webp)$/.test(file.type))
    return file.size > MAX_PICTURE
      ? `${has} a picture may have ${megabytes(MAX_PICTURE)}: save it smaller, or as JPEG.`
      : "";
  if (isDocument(file))
    return file.size > MAX_FILE
      ? `${has} a file may have ${megabytes(MAX_FILE)} here: attach a part of it.`
      : "";
  return file.size > MAX_CONTEXT * 4
    ? `${has} all text of a question may have ${count(MAX_CONTEXT)} characters: attach a part of it.`
    : "";
}

/** @param {File} file */
async function taken(file) {
  const large = tooLarge(file);
  if (large) return large;
  if (isDocument(file)) return extracted(file);
  const bytes = new Uint8Array(await file.arrayBuffer());
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (text.includes("\0")) throw new Error("no text");
    return { name: file.name.slice(0, 200), text };
  } catch {
    return extracted(file); // it may be a picture under another name; else the server says what it is not
  }
}

/** @param {File} file */
async function extracted(file) {
  try {
    return await sent(`/ui/files/text${query({ name: file.name.slice(-200) })}`, file);
  } catch (e) {
    return e.message;
  }
}

/** @param {TextFile[]} files */
function fitting(files) {
  let left = MAX_CONTEXT;
  let room = MAX_PICTURES;
  return files.slice(0, 100).filter((f) => {
    const size = bytesOf(f);
    if (size > room) {
      say(
        `${called(f)} has ${megabytes(size)}, and all pictures of a question may have ${megabytes(MAX_PICTURES)} together: ${megabytes(room)} are left.`,
        true,
      );
      return false;
    }
    if (f.text.length > left) {
      say(
        `${called(f)} has ${count(f.text.length)} characters, and all text of a question may have ${count(MAX_CONTEXT)}: ${count(left)} are left.`,
        true,
      );
      return false;
    }
    room -= size;
    left -= f.text.length;
    return true;
  });
}

/** @param {Props & { files: ReturnType<typeof useFiles> }} props */
export function Attachments({ files }) {
  if (files.reading) return html`<p class="small muted files" role="status">Reading ${files.reading}…</p>`;
  if (!files.all.length) return files.over ? html`<p class="small muted files">Drop to attach.</p>` : null;
  return html`<ul class="files plain row">${files.all.map(
    (
      f,
      i,
    ) => html`<li class=${f.picture ? "chip pictured" : "chip"}>${f.picture && html`<img class="thumb" src=${`data:${f.picture.mediaType};base64,${f.data}`} alt=${`Picture ${f.name}`} />`}<span class="file-name" title=${f.name}>${f.name}</span>
    <span class="num muted">${f.picture ? `${f.picture.width} × ${f.picture.height}` : count(f.text.length)}</span><button type="button" class="bare tiny" aria-label=${`Remove ${f.name}`} onClick=${() => files.remove(i)}>✕</button></li>`,
  )}</ul>`;
}

// Addresses in the question: their pages are fetched only if somebody says so.
/** @param {Props & { files: ReturnType<typeof useFiles> }} props */
export function LinkedPages({ text, files }) {
  const found = [...new Set(text.match(ADDRESS) || [])].slice(0, 5);
  const open = found.filter((a) => !files.all.some((f) => f.address === a));
  if (!open.length) return null;
  return html`<p class="small row linked">${open.map(
    (a) =>
      html`<button type="button" class="bare tiny" disabled=${Boolean(files.reading)} onClick=${() => files.addPage(a)}>Attach the page ${a.slice(0, 80)}</button>`,
  )}</p>`;
}

/** @param {Props & { files: ReturnType<typeof useFiles> }} props */
export function AttachButton({ files }) {
  const picker = useRef(/** @type {HTMLInputElement | null} */ (null));
  /** @param {PageEvent} e */
  const chosen = (e) => {
    files.add([...(e.target.files || [])]);
    e.target.value = "";
  };
  return html`<input type="file" multiple class="sr" id="files" ref=${picker} tabindex="-1" aria-label="Files" onChange=${chosen} />
    <button type="button" class="bare" onClick=${() => picker.current?.click()} title="Text, code, pdf, docx, pictures">Attach files</button>`;
}
