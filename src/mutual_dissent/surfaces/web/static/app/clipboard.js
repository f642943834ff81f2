// To the clipboard: text, or a promise of it. Browsers differ in when they allow it, so there are three ways.
import { complain, say } from "/static/app/toast.js";

/** @param {string | Promise<string>} given */
export async function copy(given, what = "Copied.") {
  const text = Promise.resolve(given);
  try {
    await (byItem(text) || text.then(written));
    say(what);
  } catch (error) {
    if (error?.status !== undefined) {
      complain(error);
      return;
    } // there was nothing to copy
    text.then((found) => say(bySelection(found) ? what : "The browser did not let us copy.", !found), complain);
  }
}

// WebKit wants to be told while the button is pressed, and takes a promise of what is to come.
/** @param {Promise<string>} text */
function byItem(text) {
  if (!navigator.clipboard?.write || typeof ClipboardItem === "undefined") return null;
  const blob = text.then((found) => new Blob([found], { type: "text/plain" }));
  return navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]).catch(() => text.then(written));
}

/** @param {string} text */
const written = (text) => navigator.clipboard.writeText(text);

// Without a secure address there is no clipboard to write to; what is selected can be copied.
/** @param {string} text */
function bySelection(text) {
  const area = Object.assign(document.createElement("textarea"), {
    value: text,
    readOnly: true,
    className: "sr",
  });
  (document.querySelector("dialog[open]") || document.body).append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
