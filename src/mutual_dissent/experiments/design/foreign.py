"""Payloads in files of other tools: a CounterSignal campaign or library, a CounterAgent scan.

Neither tool promises one shape, so that every usual name is taken; an error lists them. Unknown
fields are ignored: these files say more than is needed here.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from mutual_dissent.core.errors import BadInput
from mutual_dissent.experiments.design.queries import read_bounded, read_rows

Row = Mapping[str, Any]

WRAPPED = ("campaign", "scan", "library", "report", "data")
LISTS = (
    "payloads", "documents", "injections", "injects", "pre_prompts", "findings", "results", "items",
    "entries",
)  # fmt: skip
WORDS = (
    "payload", "content", "text", "injection", "inject", "document", "pre_prompt", "body", "output",
)  # fmt: skip
QUERY = ("query", "question", "prompt", "user_query", "trigger")
QUERIES = ("queries", "questions", "prompts")
WANTED = ("target_answer", "target", "goal", "objective", "expected_output")
ANSWER = ("answer", "ground_truth", "correct_answer")
SEATS = ("model", "models", "alias", "model_alias", "panelist", "panelists")
CONTEXTS = ("panelist_context", "contexts", "context")
NAMES = ("id", "payload_id", "finding_id", "finding_ref", "name")
CAMPAIGN = ("campaign_id", "scan_id", "run_id")
REFERENCE = ("finding_ref", "finding_id")
NOTED = ("severity", "cvss", "cvss_vector", "cvss_score", "owasp", "atlas", "category", "technique")
"""Properties of a finding that go on every transcript that it leads to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shipped:
    """A payload from a file."""

    id: str
    query: str
    answer: str | None = None
    kind: str | None = None
    payload: str | None = None
    target: str | None = None
    contexts: Mapping[str, str] = field(default_factory=dict)
    campaign_id: str | None = None
    finding_ref: str | None = None
    variables: Mapping[str, Any] = field(default_factory=dict)

    def get_query(self) -> str:
        """Return the question."""
        return self.query

    def get_context(self, model_alias: str) -> str | None:
        """Return the private context of the panelist of that alias, if any."""
        return self.contexts.get(model_alias)


def read_payloads(path: Path, usual: str | None) -> Iterator[Shipped]:
    """Yield the payloads in a file of another tool; `usual` is the query where an entry has none.

    Raises:
        BadInput: if the file cannot be used; the sentence has the accepted names.
    """
    whole = _unwrap(_content(path))
    rows = _rows(whole)
    if not rows:
        raise BadInput(f"{path} has no payloads; accepted are a list, or one of {_any(LISTS)}")
    outside = {} if isinstance(whole, list) else whole
    asked = [usual] if usual else _queries(outside)
    for number, row in enumerate(rows, 1):
        yield from _payloads(
            row, number, asked, _first(outside, CAMPAIGN), f"{path}, entry {number}"
        )


def _payloads(
    row: Any, number: int, asked: Sequence[str], campaign: str | None, where: str
) -> Iterator[Shipped]:
    """Yield one payload for every query that it is tried with."""
    row = {"payload": row} if isinstance(row, str) else row
    if not isinstance(row, dict):
        raise BadInput(f"{where}: a payload is an object or a text")
    queries = _queries(row) or asked
    if not queries:
        raise BadInput(f"{where}: no query; name it {_any(QUERY)}, or give one in [source]")
    words, contexts = _words(row), _contexts(row)
    if words is None and not contexts:
        raise BadInput(f"{where}: nothing to slip in; name it {_any((*WORDS, CONTEXTS[0]))}")
    private = dict.fromkeys(_seats(row), words) if words else {}
    name = _first(row, NAMES) or f"p{number}"
    for turn, query in enumerate(queries, 1):
        yield Shipped(
            id=name if len(queries) == 1 else f"{name}.{turn}",
            query=query,
            answer=_first(row, ANSWER),
            kind=_first(row, ("kind",)),
            payload=words,
            target=_first(row, WANTED),
            contexts={**private, **contexts},
            campaign_id=_first(row, CAMPAIGN) or campaign,
            finding_ref=_first(row, REFERENCE),
            variables={k: row[k] for k in NOTED if row.get(k) is not None},
        )


def _rows(whole: Any) -> Sequence[Any] | None:
    """Return the entries: a list, a list or table under a usual name, or one payload alone."""
    if isinstance(whole, list):
        return whole
    entries = next((whole[n] for n in LISTS if isinstance(whole.get(n), list | dict)), None)
    if isinstance(entries, dict):
        return [_named(name, row) for name, row in entries.items()]
    if entries is None and (_words(whole) is not None or _contexts(whole)):
        return [whole]
    return entries


def _named(name: str, row: Any) -> Any:
    row = {"payload": row} if isinstance(row, str) else row
    return {"id": name, **row} if isinstance(row, dict) else row


def _unwrap(whole: Any) -> Any:
    """Return what is inside `campaign`, `scan` and the like, with the fields outside."""
    # {"campaign": {"id": "c1", "payloads": [...]}}, or {"scan": [...]}.
    if isinstance(whole, dict) and not any(n in whole for n in LISTS):
        for name in WRAPPED:
            if isinstance(inner := whole.get(name), list):
                return {**whole, "items": inner}
            if isinstance(inner, dict):
                known = {"campaign_id": inner["id"]} if inner.get("id") else {}
                return {**whole, **known, **inner}
    return whole


def _words(row: Row) -> str | None:
    """Return the text that is slipped in: a text, or an object that has one."""
    for name in WORDS:
        value = row.get(name)
        if isinstance(value, dict):
            value = _words(value)
        if isinstance(value, str) and value:
            return value
    context = row.get("context")
    return context if isinstance(context, str) and context else None


def _contexts(row: Row) -> dict[str, str]:
    """Return seat -> private context."""
    tables = (row[n] for n in CONTEXTS if isinstance(row.get(n), dict))
    return {str(k): str(v) for k, v in next(tables, {}).items() if v}


def _seats(row: Row) -> list[str]:
    value: Any = next((row[n] for n in SEATS if row.get(n)), [])
    return [str(v) for v in value] if isinstance(value, list) else [str(value)]


def _queries(row: Row) -> list[str]:
    several: Sequence[Any] = next((row[n] for n in QUERIES if isinstance(row.get(n), list)), [])
    texts = [q if isinstance(q, str) else _first(q, QUERY) for q in several if q]
    one = _first(row, QUERY)
    return [one] if one else [q for q in texts if q]


def _first(row: Any, names: Sequence[str]) -> str | None:
    if not isinstance(row, Mapping):
        return None
    values = (row.get(n) for n in names)
    return next((str(v) for v in values if isinstance(v, str | int | float) and v != ""), None)


def _any(names: Sequence[str]) -> str:
    return ", ".join(f"`{n}`" for n in names[:-1]) + f" or `{names[-1]}`"


def _content(path: Path) -> Any:
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        return [row for _, row in read_rows(path)]
    try:
        content = orjson.loads(read_bounded(path).removeprefix(BOM_UTF8))  # as Windows writes it
    except orjson.JSONDecodeError as e:
        raise BadInput(f"{path}, line {e.lineno}: this is not JSON") from None
    if not isinstance(content, dict | list):
        raise BadInput(f"{path} holds neither an object nor a list")
    return content
