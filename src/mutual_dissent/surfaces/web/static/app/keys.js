// Keys: a page names what each one does; the sheet and the palette list the same. They are named in layout
// effects: what is on the screen has its keys.
/** @type {KeyEntry[][]} */
const tables = [];

/** @param {KeyEntry[]} table */
export function keys(table) {
  tables.push(table);
  return () => tables.splice(tables.indexOf(table), 1);
}

export const known = () => tables.flat();

/** @param {KeyboardEvent} event */
export function name(event) {
  const parts = [];
  if (event.ctrlKey || event.metaKey) parts.push("Ctrl");
  if (event.altKey) parts.push("Alt");
  parts.push(event.key.length === 1 && parts.length ? event.key.toUpperCase() : event.key);
  return parts.join("+");
}

/** @param {EventTarget | null} target */
const typing = (target) =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable]");

addEventListener("keydown", (event) => {
  const pressed = name(event);
  const free = pressed.startsWith("Ctrl+") || pressed === "Escape";
  if (event.defaultPrevented || (typing(event.target) && !free)) return;
  if (document.querySelector("dialog[open]")) return; // a dialog has its keys for itself
  for (const entry of known().reverse()) {
    if (entry.key === pressed && entry.run) {
      event.preventDefault();
      entry.run(event);
      return;
    }
  }
});
