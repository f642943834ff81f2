// What came of the debates in sight, in a sentence each: fetched after the list, as far as it is not known yet.
import { useEffect, useState } from "/static/app/ui.js";
import { post } from "/static/app/api.js";

/** @param {Row[]} rows */
export function useOutcomes(rows) {
  const [found, setFound] = useState(/** @type {Record<string, string>} */ ({}));
  const wanted = JSON.stringify(rows.map((r) => r.transcript_id));
  useEffect(() => {
    let here = true;
    /** @param {string[]} ids */
    const look = async (ids) => {
      if (!ids.length) return;
      try {
        const next = await post("/ui/research/outcomes", { ids });
        if (!here) return;
        setFound((now) => ({ ...now, ...next.outcomes }));
        if (next.unread.length < ids.length) look(next.unread);
      } catch {
        /* the list stands without them */
      }
    };
    look(JSON.parse(wanted));
    return () => {
      here = false;
    };
  }, [wanted]);
  return found;
}
