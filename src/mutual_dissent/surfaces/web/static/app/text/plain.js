// A text as it is.

/** @param {string} text */
export const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

// Blocks of a text that is not to be read as Markdown.
/** @param {string} text */
export const plain = (text) => pieces(text).map((piece) => `<p class="plain" dir="auto">${escaped(piece)}</p>`);

// Pieces of a text, cut at lines where it has some: one very long line takes browsers very long.
/** @param {string} text */
export const pieces = (text) =>
  (text.match(/[^]{1,2000}(?=\n|$)|[^]{1,2000}/g) || []).map((piece) => piece.replace(/^\n/, ""));
