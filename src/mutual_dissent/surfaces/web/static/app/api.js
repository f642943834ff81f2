// The routes, as every other client has them. An error is one sentence.

export class Problem extends Error {
  /** @param {number} status @param {string} code @param {string} message */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * @template {string} const P
 * @param {string} method
 * @param {P} path
 * @param {unknown} [body]
 * @param {Record<string, string>} [headers]
 * @returns {Promise<AnswerTo<P>>}
 */
export function call(method, path, body, headers = {}) {
  if (body === undefined) return asked(path, { method, headers });
  return asked(path, {
    method,
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

// A file as it is.
/** @param {string} path @param {File} file */
export const sent = (path, file) =>
  asked(path, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });

/** @param {string} path @param {RequestInit} what */
async function asked(path, what) {
  let reply;
  try {
    reply = await fetch(path, { ...what, headers: { ...what.headers, "X-Asked-By": "page" } });
  } catch {
    throw new Problem(0, "offline", "The server does not answer. Is `dissent serve` still running?");
  }
  const text = await reply.text();
  const json = (reply.headers.get("content-type") || "").includes("json");
  const value = json && text ? JSON.parse(text) : text;
  if (reply.status === 401) dispatchEvent(new Event("shut-out"));
  if (!reply.ok) {
    const said = json && value.error ? value.error : {};
    throw new Problem(reply.status, said.code || "error", said.message || `The server said ${reply.status}.`);
  }
  return value;
}

/** @type {<const P extends string>(path: P) => Promise<AnswerTo<P>>} */
export const get = (path) => call("GET", path);
/** @type {<const P extends string>(path: P, body?: unknown) => Promise<AnswerTo<P>>} */
export const post = (path, body = {}) => call("POST", path, body);
/** @param {string} path @param {unknown} body */
export const put = (path, body) => call("PUT", path, body);
/** @param {string} path */
export const del = (path) => call("DELETE", path);

/** @param {Record<string, any>} values */
export function query(values) {
  const wanted = Object.entries(values).filter(([, v]) => v !== undefined && v !== null && v !== "");
  const text = new URLSearchParams(wanted.map(([k, v]) => [k, String(v)])).toString();
  return text ? `?${text}` : "";
}
