// What changed from one text to the next: sentences are aligned first, then words within those that
// were rewritten. Parts are {kind: "same" | "gone" | "new", text}.

const CELLS = 600_000; // pairs that are looked at; beyond that a stretch counts as replaced

/** @param {string} before @param {string} after */
export function diff(before, after) {
  const parts = /** @type {Change[]} */ ([]);
  for (const [a, b] of aligned(sentences(before), sentences(after))) {
    if (a === null) parts.push({ kind: "new", text: b || "" });
    else if (b === null) parts.push({ kind: "gone", text: a });
    else if (a === b) parts.push({ kind: "same", text: b });
    else parts.push(...words(a, b));
  }
  return joined(parts);
}

/** @param {Change[]} parts */
export const changed = (parts) => parts.some((p) => p.kind !== "same");

/** @param {string} text */
const pieces = (text) => text.match(/\S+\s*|\s+/g) || [];

// Words up to one that ends a sentence or a line.
/** @param {string} text */
function sentences(text) {
  const found = [];
  let open = [];
  for (const piece of pieces(text)) {
    open.push(piece);
    if (!/[.!?:]["')\]]?\s+$|\n/.test(piece.slice(-40))) continue;
    found.push(open.join(""));
    open = [];
  }
  return open.length ? [...found, open.join("")] : found;
}

// Pairs in order; sentences that share half of their words are one that was rewritten.
/** @param {string[]} a @param {string[]} b */
function aligned(a, b) {
  const bags = [a.map(bag), b.map(bag)];
  const path = common(a, b, (i, j) => (a[i] === b[j] ? 2 : overlap(bags[0][i], bags[1][j])));
  const pairs = [];
  let i = 0,
    j = 0;
  for (const [x, y] of [...path, [a.length, b.length]]) {
    while (i < x) pairs.push([a[i++], null]);
    while (j < y) pairs.push([null, b[j++]]);
    if (i < a.length && j < b.length) pairs.push([a[i++], b[j++]]);
  }
  return pairs;
}

/** @param {string} text */
const bag = (text) =>
  new Set(
    text
      .slice(0, 2000)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) || [],
  );

/** @param {Set<string>} a @param {Set<string>} b */
function overlap(a, b) {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  if (large.size > 4 * small.size) return 0;
  let both = 0;
  for (const word of small) if (large.has(word)) both += 1;
  const share = both / Math.max(1, small.size);
  return share >= 0.5 ? share : 0;
}

// What two lists have in common, as pairs of places: their equal beginnings and ends, and between them
// the heaviest common subsequence.
/** @param {string[]} a @param {string[]} b @param {(i: number, j: number) => number} weight */
function common(a, b, weight) {
  let head = 0,
    tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail])
    tail += 1;
  const path = Array.from({ length: head }, (_, i) => [i, i]);
  path.push(
    ...heaviest(a.length - head - tail, b.length - head - tail, (i, j) => weight(i + head, j + head)).map(
      ([i, j]) => [i + head, j + head],
    ),
  );
  for (let n = tail; n > 0; n -= 1) path.push([a.length - n, b.length - n]);
  return path;
}

/** @param {number} n @param {number} m @param {(i: number, j: number) => number} weight */
function heaviest(n, m, weight) {
  if (n * m > CELLS) return [];
  const weights = Array.from({ length: n }, (_, i) =>
    Float32Array.from({ length: m }, (_unused, j) => weight(i, j)),
  );
  const best = Array.from({ length: n + 1 }, () => new Float32Array(m + 1));
  for (let i = n - 1; i >= 0; i -= 1)
    for (let j = m - 1; j >= 0; j -= 1) {
      const w = weights[i][j];
      best[i][j] = Math.max(best[i + 1][j], best[i][j + 1], w ? best[i + 1][j + 1] + w : 0);
    }
  const path = [];
  let i = 0,
    j = 0;
  while (i < n && j < m) {
    const w = weights[i][j];
    if (w && best[i][j] === Math.fround(best[i + 1][j + 1] + w)) path.push([i++, j++]);
    else if (best[i][j] === best[i + 1][j]) i += 1;
    else j += 1;
  }
  return path;
}

// A word goes with the blanks that follow it; only the words are compared.
/** @param {string} a @param {string} b */
function words(a, b) {
  const x = pieces(a),
    y = pieces(b);
  const bare = [x.map((w) => w.trim()), y.map((w) => w.trim())];
  const path = common(bare[0], bare[1], (i, j) => (bare[0][i] === bare[1][j] ? 1 : 0));
  const parts = /** @type {Change[]} */ ([]);
  let i = 0,
    j = 0;
  for (const [p, q] of [...path, [x.length, y.length]]) {
    if (i < p) parts.push({ kind: "gone", text: x.slice(i, p).join("") });
    if (j < q) parts.push({ kind: "new", text: y.slice(j, q).join("") });
    if (p < x.length && q < y.length) parts.push({ kind: "same", text: y[q] });
    i = p + 1;
    j = q + 1;
  }
  return parts;
}

// Neighbours of one kind together.
/** @param {Change[]} parts */
function joined(parts) {
  const out = [];
  for (const part of parts) {
    const last = out[out.length - 1];
    if (last?.kind === part.kind) last.text += part.text;
    else out.push({ ...part });
  }
  return out;
}
