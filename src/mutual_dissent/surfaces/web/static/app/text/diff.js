// What changed from one round to the next: sentences are aligned first, then words within those that
// were rewritten. Parts are {kind: "same" | "gone" | "new", text}.

const LONGEST = 4000;

export function diff(before, after) {
  const parts = [];
  for (const [a, b] of aligned(sentences(before), sentences(after))) {
    if (a === b) parts.push({ kind: "same", text: b });
    else if (a === null) parts.push({ kind: "new", text: b });
    else if (b === null) parts.push({ kind: "gone", text: a });
    else parts.push(...words(a, b));
  }
  return joined(parts);
}

export const changed = (parts) => parts.some((p) => p.kind !== "same");

function sentences(text) {
  return (text.match(/[^.!?\n]*(?:[.!?]+(?=\s|$)|\n|$)[ \t\n]*|\S+\s*/g) || []).filter((s) => s !== "");
}

// Pairs of sentences in order; those that share half of their words are one that was rewritten.
function aligned(a, b) {
  const bags = [a.map(bag), b.map(bag)];
  const alike = (i, j) => a[i] === b[j] ? 2 : overlap(bags[0][i], bags[1][j]);
  const path = longest(a.length, b.length, alike);
  const pairs = [];
  let i = 0, j = 0;
  for (const [x, y] of [...path, [a.length, b.length]]) {
    while (i < x) pairs.push([a[i++], null]);
    while (j < y) pairs.push([null, b[j++]]);
    if (i < a.length && j < b.length) pairs.push([a[i++], b[j++]]);
  }
  return pairs;
}

const bag = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || []);

function overlap(a, b) {
  let both = 0;
  for (const word of a) if (b.has(word)) both += 1;
  const share = both / Math.max(1, Math.min(a.size, b.size));
  return share >= 0.5 && Math.max(a.size, b.size) <= 4 * Math.min(a.size, b.size) ? share : 0;
}

// The heaviest common subsequence, by dynamic programming; too much of it is not looked at.
function longest(n, m, weight) {
  if (n * m > LONGEST * LONGEST / 4) return [];
  const best = Array.from({ length: n + 1 }, () => new Float32Array(m + 1));
  for (let i = n - 1; i >= 0; i -= 1) for (let j = m - 1; j >= 0; j -= 1) {
    const w = weight(i, j);
    best[i][j] = Math.max(best[i + 1][j], best[i][j + 1], w ? best[i + 1][j + 1] + w : 0);
  }
  const path = [];
  let i = 0, j = 0;
  while (i < n && j < m) {
    const w = weight(i, j);
    if (w && best[i][j] === Math.fround(best[i + 1][j + 1] + w)) path.push([i++, j++]);
    else if (best[i][j] === best[i + 1][j]) i += 1;
    else j += 1;
  }
  return path;
}

// A word goes with the blanks that follow it; only the words are compared.
function words(a, b) {
  const x = a.match(/\S+\s*|\s+/g) || [], y = b.match(/\S+\s*|\s+/g) || [];
  const bare = [x.map((w) => w.trim()), y.map((w) => w.trim())];
  const path = longest(x.length, y.length, (i, j) => (bare[0][i] === bare[1][j] ? 1 : 0));
  const parts = [];
  let i = 0, j = 0;
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
function joined(parts) {
  const out = [];
  for (const part of parts) {
    const last = out[out.length - 1];
    if (last?.kind === part.kind) last.text += part.text;
    else out.push({ ...part });
  }
  return out;
}
