// What a model wrote, as elements that can do nothing: no script, no form, no picture, no style,
// no address that could be followed by accident. A link is shown as its words and its host.
import { marked } from "/static/vendor/marked.js";
import createPurifier from "/static/vendor/purify.js";

const TAGS = ["p", "br", "hr", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li",
  "h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "span", "sup", "sub"];

const purifier = createPurifier(window);

const renderer = {
  html({ text }) { return escaped(text); },
  link({ href, tokens }) { return `${this.parser.parseInline(tokens)} ${address(href)}`; },
  image({ href, text }) { return `${escaped(text || "picture")} ${address(href)}`; },
  checkbox({ checked }) { return checked ? "☑ " : "☐ "; },
};
marked.use({ gfm: true, breaks: false, renderer });

export function escaped(text) {
  return String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

function address(href) {
  let host = "";
  try { host = new URL(href, "invalid:").host; } catch { /* no address at all */ }
  return `<span class="address">[${escaped(host || String(href).slice(0, 60))}]</span>`;
}

export function rendered(text) {
  const html = marked.parse(String(text).slice(0, 400_000));
  return purifier.sanitize(html, { ALLOWED_TAGS: TAGS, ALLOWED_ATTR: ["class"], ALLOW_DATA_ATTR: false, ALLOW_ARIA_ATTR: false });
}
