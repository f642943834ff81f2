// The page's side of the worker: what it cannot read in time is shown as it is.
const PATIENCE = 5_000;

/** @typedef {{ message: object, done: (found: any) => void, timer?: number }} Job */

let worker = /** @type {Worker | null} */ (null);
let now = /** @type {Job | undefined} */ (undefined);
const waiting = /** @type {Job[]} */ ([]);

// What the worker makes of a job; null where it cannot, or takes too long.
/** @param {string} what @param {object} job @returns {Promise<any>} */
export function read(what, job) {
  return new Promise((done) => {
    waiting.push({ message: { what, ...job }, done });
    next();
  });
}

function next() {
  if (now || !waiting.length) return;
  const job = /** @type {Job} */ (waiting.shift());
  now = job;
  job.timer = setTimeout(() => {
    worker?.terminate();
    worker = null;
    ended(null);
  }, PATIENCE);
  try {
    worker ||= begun();
    worker.postMessage(job.message);
  } catch {
    ended(null);
  }
}

function begun() {
  const made = new Worker("/static/app/text/worker.js", { type: "module" });
  made.onmessage = ({ data }) => ended(data.found ?? null);
  made.onerror = () => {
    made.terminate();
    worker = null;
    ended(null);
  };
  return made;
}

/** @param {any} found */
function ended(found) {
  const job = now;
  if (!job) return;
  now = undefined;
  clearTimeout(job.timer);
  job.done(found);
  next();
}
