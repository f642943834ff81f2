// Texts are read here, beside the page: whatever they are, the page goes on. One job at a time.
import { blocks, prepare } from "/static/app/text/markdown.js";
import { diff } from "/static/app/text/diff.js";

const growing = new Map(); // what was made of texts that are still being written
const MOST = 64;

/** @type {Record<string, (job: any) => unknown>} */
const JOBS = {
  async read({ text, citations }) {
    await prepare(text);
    const { html, sources } = blocks(text, { citations });
    return { html, sources };
  },
  async grow({ id, text }) {
    await prepare(text);
    const { next, from, html } = blocks(text, { before: growing.get(id), unfinished: true });
    growing.delete(id);
    growing.set(id, next);
    if (growing.size > MOST) growing.delete(growing.keys().next().value);
    return { from, html };
  },
  diff: ({ before, after }) => diff(before, after),
};

addEventListener("message", async ({ data }) => {
  try {
    postMessage({ found: await JOBS[data.what](data) });
  } catch (error) {
    postMessage({ wrong: String(error) });
  }
});
