// Answers in a form come as JSON. While one is being written its words are shown, not its braces:
// names of fields become small headings, lists become lines. Plain text passes as it is.

/** @typedef {{ key: boolean, text: string, escape: string | null }} OpenString */

export class Fields {
  /** @type {"form" | "plain" | null} */
  mode = null;
  head = "";
  out = "";
  /** @type {{ list: boolean, name: string, wantsKey: boolean }[]} */
  stack = [];
  key = "";
  /** @type {OpenString | null} */
  string = null;
  ended = false;
  any = false;

  /** @param {string} text */
  read(text) {
    this.out = "";
    if (this.mode === null) {
      this.head += text;
      const start = this.head.trimStart();
      if (!start) return "";
      if ("```json".startsWith(start.trimEnd()) && start.length < 8) return "";
      const body = start.replace(/^```(?:json)?\s*/, "");
      if (!body) return "";
      this.mode = body[0] === "{" ? "form" : "plain";
      text = this.mode === "form" ? body : this.head;
    }
    if (this.mode === "plain") return text;
    for (const c of text) this.step(c);
    return this.out;
  }

  /** @param {string} c */
  step(c) {
    if (this.string !== null) return this.inString(c, this.string);
    if (this.mode !== "form" || (!this.isOpen && this.ended)) return undefined;
    if (c === "{" || c === "[") this.stack.push({ list: c === "[", name: this.key, wantsKey: c === "{" });
    else if (c === "}" || c === "]") {
      this.stack.pop();
      this.ended = !this.stack.length;
    } else if (c === ",") {
      if (this.top && !this.top.list) this.top.wantsKey = true;
    } else if (c === ":") {
      if (this.top) this.top.wantsKey = false;
    } else if (c === '"') this.open();
    else if (!/\s/.test(c) && this.top && !this.top.wantsKey) this.bare(c);
    return undefined;
  }

  get top() {
    return this.stack[this.stack.length - 1];
  }
  get isOpen() {
    return this.stack.length > 0;
  }

  open() {
    this.string = { key: Boolean(this.top && !this.top.list && this.top.wantsKey), text: "", escape: null };
    if (!this.string.key && this.top?.list) this.out += "\n• ";
  }

  /** @param {string} c */
  bare(c) {
    this.out += c;
  }

  /** @param {string} c @param {OpenString} s */
  inString(c, s) {
    if (s.escape !== null) return this.escaped(c, s);
    if (c === "\\") {
      s.escape = "";
      return undefined;
    }
    if (c === '"') {
      if (s.key) {
        this.key = s.text;
        this.out += `${this.any ? "\n\n" : ""}${s.text.replace(/_/g, " ")}: `;
        this.any = true;
      }
      this.string = null;
      return undefined;
    }
    return this.put(c, s);
  }

  /** @param {string} c @param {OpenString} s */
  put(c, s) {
    if (s.key) s.text += c;
    else this.out += c;
    return undefined;
  }

  /** @param {string} c @param {OpenString} s */
  escaped(c, s) {
    const written = (s.escape += c);
    if (written[0] === "u" && written.length < 5) return undefined;
    /** @type {Record<string, string>} */
    const plain = { n: "\n", t: "\t", r: "", b: "", f: "" };
    const first = written[0];
    const found =
      first === "u" ? String.fromCharCode(parseInt(written.slice(1), 16) || 0xfffd) : (plain[first] ?? first);
    s.escape = null;
    return this.put(found, s);
  }
}
