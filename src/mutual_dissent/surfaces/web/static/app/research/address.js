// The search as it stands in the address: a page that is reloaded, shared or gone back to is the same.
import { go } from "/static/app/ui.js";
import { query } from "/static/app/api.js";

export const FILTERS = [
  "text",
  "model",
  "mode",
  "preset",
  "experiment",
  "status",
  "tag",
  "since",
  "until",
  "minAgreement",
  "maxAgreement",
  "minCost",
  "maxCost",
  "minScore",
  "minRating",
];
const PAGE = ["order", "reverse", "limit", "offset"];
export const LIMITS = [50, 100, 200];

/** @param {string} address */
export function read(address) {
  const said = new URLSearchParams(address.split("?")[1] || "");
  const found = /** @type {Search} */ ({});
  for (const name of [...FILTERS, ...PAGE, "view"]) found[name] = said.get(name) || undefined;
  return found;
}

/** @param {Search} search */
export const narrowed = (search) =>
  Object.fromEntries(FILTERS.filter((n) => search[n]).map((n) => [n, search[n]]));

/** @param {Search} search */
export const listed = (search) =>
  query({
    ...Object.fromEntries([...FILTERS, ...PAGE].map((n) => [n, search[n]])),
    limit: search.limit || LIMITS[0],
  });

// Another filter or order begins at the first page; typing leaves one entry in the history, not one a letter.
/** @param {Search} search @param {Record<string, string | number | null | undefined>} changes */
export function turn(search, changes, { typing = false } = {}) {
  const first = Object.keys(changes).some((n) => n !== "offset" && n !== "view") ? { offset: undefined } : {};
  const address = `/debates${query({ ...search, ...first, ...changes })}`;
  if (!typing) return go(address);
  history.replaceState(null, "", address);
  return go(address);
}
