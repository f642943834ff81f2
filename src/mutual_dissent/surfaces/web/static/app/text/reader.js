// The page's side of the worker: what it cannot read in time is shown as it is.
const PATIENCE = 5_000;

let worker = null;
let now = null;
const waiting = [];

// What the worker makes of a job; null where it cannot, or takes too long.
export function read(what, job) {
  return new Promise((done) => {
    waiting.push({ message: { what, ...job }, done });
    next();
  });
}

function next() {
  if (now || !waiting.length) return;
  now = waiting.shift();
  now.timer = setTimeout(() => {
    worker.terminate();
    worker = null;
    ended(null);
  }, PATIENCE);
  try {
    worker ||= begun();
    worker.postMessage(now.message);
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

function ended(found) {
  const job = now;
  if (!job) return;
  now = null;
  clearTimeout(job.timer);
  job.done(found);
  next();
}
