"""Translation of the store's SQL, which is SQLite's, into PostgreSQL's."""

from __future__ import annotations

import re
from functools import lru_cache

WORDS = "dissent_words"
"""The function that makes a search query of words."""

_PARTS = (
    (re.compile(r"\bCROSS JOIN\b"), "JOIN"),
    (re.compile(r"\binstr\("), "strpos("),
    # SQLite's max of two values; that of a column is the same in both.
    (re.compile(r"\bmax\(debates\."), "greatest(debates."),
    (re.compile(r"\bjson_group_array\(tag\)"), "coalesce(json_agg(tag ORDER BY tag), '[]')::text"),
    (re.compile(r"\bjson_each\(([^)]*)\)"), r"json_array_elements_text((\1)::json)"),
    (re.compile(r"\bsearch MATCH (:words)"), rf"s.words @@ {WORDS}(\1)"),
    (re.compile(r"/\* (FOR UPDATE) \*/"), r"\1"),
    # No writer waits for another that spends: each has a row of its own, or one of a few.
    (re.compile(r"\(day, vendor, model_id\) DO"), "(day, vendor, model_id, stripe) DO"),
    # Before the placeholders, which have a percent sign of their own.
    (re.compile("%"), "%%"),
    # A name such as :last_seq, but not the cast ::json.
    (re.compile(r"(?<!:):([a-z_]+)"), r"%(\1)s"),
)


@lru_cache(maxsize=512)
def in_postgres(sql: str) -> str:
    """Translate a statement for PostgreSQL, with placeholders as psycopg marks them."""
    for pattern, instead in _PARTS:
        sql = pattern.sub(instead, sql)
    return sql
