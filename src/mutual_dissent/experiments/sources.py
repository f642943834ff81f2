"""Payload sources: where queries come from, and what is slipped to whom with each.

A source is named in `[source]` of an experiment's file. Packages add theirs by the entry point
group `mutual_dissent.sources`: a function from the options of that table and the file's folder to
payloads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import orjson

from mutual_dissent.config.plugins import SOURCES, Plugins
from mutual_dissent.core.errors import BadInput, UnknownName, UserError, clip
from mutual_dissent.experiments.design import Query
from mutual_dissent.experiments.queries import MOST, MOST_BYTES, guessed_kind, read_queries


class Payload(Protocol):
    """One debate's input: what all are asked, and what one of them alone is told.

    It may also have `id`, `answer`, `kind`, `payload` and `target`, as a query has.
    """

    def get_query(self) -> str:
        """What is asked."""
        ...

    def get_context(self, model_alias: str) -> str | None:
        """What the panelist of that alias alone is told, if anything."""
        ...


MakePayloads = Callable[[Mapping[str, Any], Path], Iterable[Payload]]


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

    def get_query(self) -> str:
        """What is asked."""
        return self.query

    def get_context(self, model_alias: str) -> str | None:
        """What the panelist of that alias alone is told, if anything."""
        return self.contexts.get(model_alias)


def queries_from(options: Mapping[str, Any], folder: Path, members: Sequence[str]) -> list[Query]:
    """The queries of a source, with what each of the members is told.

    Raises:
        UserError: if there is no such source, or it cannot be used.
    """
    known = Plugins(SOURCES, OURS)
    name = options.get("name")
    if not isinstance(name, str) or name not in known:
        raise UnknownName("source", str(name), known)
    rest = {k: v for k, v in options.items() if k != "name"}
    try:
        return [_query(p, i, members) for i, p in enumerate(_made(known[name], rest, folder), 1)]
    except UserError:
        raise
    except Exception as e:  # noqa: BLE001 - a plugin may fail in any way; say which one did
        raise BadInput(f"the source {name!r} failed ({type(e).__name__}: {clip(str(e))})") from None


def _made(make: MakePayloads, options: Mapping[str, Any], folder: Path) -> Iterator[Payload]:
    for i, payload in enumerate(make(options, folder)):
        if i == MOST:
            raise BadInput(f"a source gives at most {MOST:,} payloads")
        yield payload


def _query(payload: Payload, number: int, members: Sequence[str]) -> Query:
    text = payload.get_query()
    if not isinstance(text, str) or not text.strip():
        raise BadInput(f"payload {number} has no query")
    answer = getattr(payload, "answer", None)
    told = {m: said for m in members if (said := payload.get_context(m))}
    return Query(
        id=str(getattr(payload, "id", None) or f"p{number}")[:80],
        text=text,
        answer=answer,
        kind=getattr(payload, "kind", None) or guessed_kind(answer),
        context=told,
        payload=getattr(payload, "payload", None),
        target=getattr(payload, "target", None),
    )


def from_file(options: Mapping[str, Any], folder: Path) -> Iterator[Payload]:
    """Payloads from CSV or JSON lines; columns as in a file of queries."""
    for query in read_queries(_path(options, folder), None, options.get("kind")):
        yield Shipped(
            id=query.id, query=query.text, answer=query.answer, kind=query.kind,
            payload=query.payload, target=query.target, contexts=query.context,
        )  # fmt: skip


def from_countersignal(options: Mapping[str, Any], folder: Path) -> Iterator[Payload]:
    """Payloads from a campaign: `payloads` (or `documents`), each with `content` to slip in."""
    yield from _from_json(options, folder, ("payloads", "documents", "items"))


def from_counteragent(options: Mapping[str, Any], folder: Path) -> Iterator[Payload]:
    """Payloads from a scan: `injections` (or `findings`), each with its `payload`."""
    yield from _from_json(options, folder, ("injections", "findings", "results", "payloads"))


OURS: dict[str, MakePayloads] = {
    "file": from_file,
    "countersignal": from_countersignal,
    "counteragent": from_counteragent,
}
WORDS = ("payload", "content", "text", "injection", "document")
QUERY = ("query", "question", "prompt", "user_query")
WANTED = ("target_answer", "target", "goal", "expected_output")


def _from_json(options: Mapping[str, Any], folder: Path, lists: Sequence[str]) -> Iterator[Payload]:
    path = _path(options, folder)
    whole = _json(path)
    rows = whole if isinstance(whole, list) else next(
        (whole[n] for n in lists if isinstance(whole.get(n), list)), None
    )  # fmt: skip
    if not rows:
        raise BadInput(f"{path} has no list called {' or '.join(lists)}")
    usual = options.get("query") or (whole.get("query") if isinstance(whole, dict) else None)
    for i, row in enumerate(rows, 1):
        yield _shipped(row, i, usual, f"{path}, entry {i}")


def _shipped(row: Any, number: int, usual: Any, where: str) -> Shipped:
    if not isinstance(row, dict):
        raise BadInput(f"{where}: a payload is a JSON object")
    query, words = _first(row, QUERY) or usual, _first(row, WORDS)
    if not query:
        raise BadInput(f"{where}: no `query`; give each payload one, or one in [source]")
    if not words:
        raise BadInput(f"{where}: nothing to slip in; name it `payload` or `content`")
    answer = row.get("answer", row.get("ground_truth"))
    seats = row.get("model") or row.get("alias")
    return Shipped(
        id=str(row.get("id") or row.get("payload_id") or f"p{number}"),
        query=str(query),
        answer=None if answer is None else str(answer),
        payload=str(words),
        target=_first(row, WANTED),
        contexts={str(seats): str(words)} if seats else {},
    )


def _first(row: Mapping[str, Any], names: Sequence[str]) -> str | None:
    return next((str(row[n]) for n in names if row.get(n)), None)


def _path(options: Mapping[str, Any], folder: Path) -> Path:
    name = options.get("file")
    if not isinstance(name, str) or not name:
        raise BadInput("a source needs the `file` that it reads")
    return folder / name


def _json(path: Path) -> Any:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadInput(f"{path} is larger than {MOST_BYTES:,} bytes; split it")
        found = orjson.loads(path.read_bytes())
    except OSError as e:
        raise BadInput(f"{path} cannot be read: {e.strerror}") from None
    except orjson.JSONDecodeError as e:
        raise BadInput(f"{path}, line {e.lineno}: this is not JSON") from None
    if not isinstance(found, dict | list):
        raise BadInput(f"{path} holds neither an object nor a list")
    return found
