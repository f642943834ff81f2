// What a model wrote, as HTML in blocks: Markdown, formulas, code with colours, numbered sources.
// Nothing of it is trusted: this runs in a worker, and the page cleans what comes out of it.
import MarkdownIt from "/static/vendor/markdown-it.js";
import { mathRules, rawMath } from "/static/app/text/math.js";
import { escaped, plain } from "/static/app/text/plain.js";

const LONGEST = 200_000; // characters; what comes after is shown as it is
const MOST_TAGS = 3_000; // in one block, and ten times as many in all
const NESTING = 40;
const PARAGRAPH = 8_000; // characters of one, and brackets in it: browsers are very slow to lay out more
const BRACKETS = 400;
const COLOURED = 20_000; // characters of code

const parts = { temml: /** @type {any} */ (null), highlight: /** @type {any} */ (null) }; // fetched when a text needs them

const md = new MarkdownIt({ html: false, linkify: true, maxNesting: NESTING, highlight: coloured });
md.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
md.validateLink = (/** @type {string} */ address) => /^https?:\/\/[^\s/]/i.test(address);
md.normalizeLinkText = (/** @type {string} */ address) =>
  address.length > 60 ? `${address.slice(0, 57)}…` : address;
md.use(mathRules);
md.inline.ruler.before("link", "citation", citation);
md.core.ruler.push("directions", directions);

// What markdown-it gives a rule: it has no types here.
/** @type {Record<string, (tokens: any[], i: number, options: any, env: any, self: any) => string>} */
const rules = md.renderer.rules;
rules.link_open = () => "";
rules.link_close = (tokens, i, _, env) => source(env, opening(tokens, i).attrGet("href"));
rules.image = (tokens, i, options, env, self) =>
  `${escaped(self.renderInlineAsText(tokens[i].children, options, env) || "picture")}${source(env, tokens[i].attrGet("src"))}`;
rules.citation = (tokens, i, _, env) => source(env, tokens[i].content);
rules.table_open = (tokens, i, options, _, self) =>
  `<div class="table">${self.renderToken(tokens, i, options)}`;
rules.table_close = () => "</table></div>";
rules.math = (tokens, i) => formula(tokens[i].content, tokens[i].block);
for (const kind of ["fence", "code_block"]) {
  const usual = rules[kind];
  rules[kind] = (...given) => `<div class="code">${usual(...given)}</div>`;
}

// The parts that a text needs and that are not here yet.
/** @param {string} text */
export async function prepare(text) {
  if (!parts.temml && /\$|\\[([]|\\begin\{/.test(text))
    parts.temml = (await import("/static/vendor/temml.js")).default;
  if (!parts.highlight && /```|~~~/.test(text))
    parts.highlight = (await import("/static/vendor/highlight.js")).default;
}

// A text as blocks of HTML. With what was made of its beginning, only what may have changed is made anew.
// `citations` are addresses with the numbers that marks in the text mean; further addresses come after them.
/** @param {string} text */
export function blocks(
  text,
  {
    citations = /** @type {{ number: number, url: string }[]} */ ([]),
    before = /** @type {any} */ (null),
    unfinished = false,
  } = {},
) {
  const byNumber = new Map(citations.map((c) => [c.number, c.url]));
  const sources = new Map();
  for (const { number, url } of citations) if (!sources.has(url)) sources.set(url, number);
  const first = { settled: "", count: 0, tags: 0, sources, references: {} };
  let kept = before && text.startsWith(before.settled) ? before : first;
  const { count: from, settled, references } = kept;
  const env = { byNumber, references, sources: new Map(kept.sources) };
  const tail = text.slice(settled.length, LONGEST);
  let tags = kept.tags;
  const html = parsed(unfinished ? closed(tail) : tail, env).flatMap((block, i) => {
    // Only the last block may still change; what it found is forgotten with it.
    kept = {
      settled: settled + tail.slice(0, block.start),
      count: from + i,
      tags,
      sources: new Map(env.sources),
      references,
    };
    const made = md.renderer.render(block.tokens, md.options, env).trim();
    const count = made.split("<").length;
    tags += count;
    return block.tokens.some(unfit) || count > MOST_TAGS || tags > 10 * MOST_TAGS ? plain(block.source) : made;
  });
  if (text.length > LONGEST) html.push(...plain(text.slice(LONGEST)));
  const listed = [...env.sources].map(([url, number]) => ({ number, url }));
  return { from, html, sources: listed, next: kept };
}

// The blocks of a text: their tokens, where they begin, and how they were written.
/** @param {string} text @param {any} env */
function parsed(text, env) {
  const tokens = md.parse(text, env);
  const lines = starts(text);
  const found = [];
  for (let at = 0, end = 1; at < tokens.length; at = end, end = at + 1) {
    if (tokens[at].nesting === 1)
      while (end < tokens.length && tokens[end - 1].level + tokens[end - 1].nesting !== -1) end += 1;
    const [first, last] = tokens[at].map || [0, lines.length];
    found.push({
      tokens: tokens.slice(at, end),
      start: lines[first],
      source: text.slice(lines[first], lines[last] ?? text.length),
    });
  }
  return found;
}

/** @param {any} token */
const unfit = (token) =>
  deep(token) ||
  (token.type === "inline" &&
    (token.content.length > PARAGRAPH || token.content.split(/[[\](){}]/).length > BRACKETS));
/** @param {any} token */
const deep = (token) =>
  token.level >= NESTING - 2 || token.children?.some((/** @type {any} */ t) => t.level >= NESTING - 2);

/** @param {string} text */
function starts(text) {
  const found = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) found.push(at + 1);
  return found;
}

// Marks that the writer has opened and will close in a moment.
/** @param {string} text */
function closed(text) {
  const block = text.slice(text.lastIndexOf("\n\n") + 1).slice(-4000);
  if (/^\s*(```|~~~)/m.test(block)) return text;
  const ticks = block.split("`").length % 2 === 0 ? "`" : "";
  const bold = !ticks && block.split("**").length % 2 === 0 && !/\*\*\s*$/.test(block) ? "**" : "";
  return text.trimEnd() + ticks + bold;
}

// -- sources

/** @type {Record<string, number>} */
const LINKS = { link_open: -1, link_close: 1 };

/** @param {any[]} tokens @param {number} at */
function opening(tokens, at) {
  let depth = 1;
  while (depth && at > 0) depth += LINKS[tokens[(at -= 1)].type] || 0;
  return tokens[at];
}

// An address by its number; the page lists them below the text.
/** @param {any} env @param {string} address */
function source(env, address) {
  if (!address || !md.validateLink(address)) return "";
  if (!env.sources.has(address)) env.sources.set(address, Math.max(0, ...env.sources.values()) + 1);
  const shown = escaped(address);
  return `<a class="source" href="${shown}" title="${shown}">${env.sources.get(address)}</a>`;
}

// `[2]` in a text that came with a list of sources.
/** @param {any} state @param {boolean} silent */
function citation(state, silent) {
  const found =
    state.src.charCodeAt(state.pos) === 0x5b &&
    /^\[(\d{1,3})\](?![(:])/.exec(state.src.slice(state.pos, state.pos + 6));
  const address = found && state.env.byNumber?.get(Number(found[1]));
  if (!address || !md.validateLink(address)) return false;
  if (!silent) state.push("citation", "", 0).content = address;
  state.pos += found[0].length;
  return true;
}

// -- directions, formulas, code

/** @param {{ tokens: any[] }} state */
function directions({ tokens }) {
  for (const token of tokens) {
    if (token.nesting !== 1 || !token.block) continue;
    const side = /text-align:(\w+)/.exec(token.attrGet("style") || "")?.[1];
    if (side) token.attrs = [["class", side]];
    token.attrSet("dir", "auto");
  }
}

/** @param {string} tex @param {any} block */
function formula(tex, block) {
  try {
    const made = parts.temml.renderToString(tex, {
      displayMode: block,
      throwOnError: true,
      maxExpand: 200,
      maxSize: [20, 20],
    });
    const bare = made.replace(/ style="[^"]*"/g, ""); // the page's policy forbids them
    return block ? `<div class="formula">${bare}</div>` : bare;
  } catch {
    return `<code>${escaped(rawMath(tex, block))}</code>`;
  }
}

/** @param {string} code @param {string} language */
function coloured(code, language) {
  const known = parts.highlight && code.length <= COLOURED && parts.highlight.getLanguage(language);
  return known ? parts.highlight.highlight(code, { language, ignoreIllegals: true }).value : "";
}
