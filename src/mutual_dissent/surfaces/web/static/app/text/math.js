// Formulas in Markdown: $a$, \(a\), $$a$$, \[a\] and \begin{…}…\end{…}. Dollars of prices stay dollars.

const LONGEST = 4_000;
/** @type {[string, string, boolean][]} */
const INLINE = [
  ["$$", "$$", true],
  ["\\[", "\\]", true],
  ["\\(", "\\)", false],
  ["$", "$", false],
];

/** @param {string} tex @param {boolean} wide */
export const rawMath = (tex, wide) => (wide ? `$$${tex}$$` : `$${tex}$`);

/** @param {any} md */
export function mathRules(md) {
  md.inline.ruler.before("escape", "math", inline);
  md.block.ruler.before("fence", "math", block, { alt: ["paragraph", "list"] });
}

/** @param {any} state @param {boolean} silent */
function inline(state, silent) {
  const src = state.src.slice(state.pos, Math.min(state.posMax, state.pos + LONGEST));
  const pair = INLINE.find(([open]) => src.startsWith(open));
  if (!pair) return false;
  const [open, close, wide] = pair;
  const end = src.indexOf(close, open.length);
  const tex = src.slice(open.length, end);
  if (end < 0 || !tex.trim() || (open === "$" && !isFormula(tex, src[end + 1]))) return false;
  if (!silent) push(state, tex, wide);
  state.pos += end + close.length;
  return true;
}

// As pandoc has it: no blank inside the dollars, no digit after them.
/** @param {string} tex @param {string} next */
const isFormula = (tex, next) => !/^\s|\s$|\n\s*\n/.test(tex) && !/\d/.test(next || "");

/** @param {any} state @param {number} start @param {number} last @param {boolean} silent */
function block(state, start, last, silent) {
  /** @param {number} n */
  const line = (n) => state.src.slice(state.bMarks[n] + state.tShift[n], state.eMarks[n]);
  const first = line(start);
  const found = /^(\$\$|\\\[|\\begin\{([a-z]{1,20}\*?)\})/.exec(first);
  if (!found || state.sCount[start] - state.blkIndent >= 4) return false;
  const close = { $$: "$$", "\\[": "\\]" }[found[1]] || `\\end{${found[2]}}`;
  const lines = [];
  for (let n = start, size = 0; n < last && size < LONGEST; n += 1) {
    const text = n === start && !found[2] ? first.slice(2) : line(n);
    size += text.length + 1;
    const end = text.indexOf(close);
    if (end >= 0 && text.slice(end + close.length).trim()) return false;
    lines.push(end < 0 ? text : text.slice(0, found[2] ? end + close.length : end));
    if (end < 0) continue;
    if (silent) return true;
    state.line = n + 1;
    push(state, lines.join("\n"), true).map = [start, n + 1];
    return true;
  }
  return false;
}

/** @param {any} state @param {string} tex @param {boolean} wide */
function push(state, tex, wide) {
  const token = state.push("math", "", 0);
  token.content = tex;
  token.block = wide;
  return token;
}
