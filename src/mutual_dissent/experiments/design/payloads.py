"""Payload sources: where queries come from, and what is slipped to which panelist with each.

A source is named in `[source]` of an experiment's file. Packages add theirs by the entry point
group `mutual_dissent.sources`: a function from the options of that table and the file's folder to
payloads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from mutual_dissent.config.plugins import SOURCES, Plugins
from mutual_dissent.core.errors import BadInput, UnknownName, UserError, clip
from mutual_dissent.experiments.design.experiment import ExperimentQuery
from mutual_dissent.experiments.design.foreign import Shipped, read_payloads
from mutual_dissent.experiments.design.queries import MOST, guessed_kind, read_queries


class Payload(Protocol):
    """One debate's input: the question for all, and the private context of single panelists.

    It may also have `id`, `answer`, `kind`, `payload`, `target`, `campaign_id`, `finding_ref` and
    `variables`, as a query has.
    """

    def get_query(self) -> str:
        """Return the question."""
        ...

    def get_context(self, model_alias: str) -> str | None:
        """Return the private context of the panelist of that alias, if any."""
        ...


MakePayloads = Callable[[Mapping[str, Any], Path], Iterable[Payload]]


def queries_from(
    options: Mapping[str, Any], folder: Path, members: Sequence[str]
) -> list[ExperimentQuery]:
    """Return the queries of a source, with the private context of each member.

    Raises:
        UserError: if there is no such source, or it cannot be used.
    """
    known = Plugins(SOURCES, OURS)
    name = options.get("name")
    if not isinstance(name, str) or name not in known:
        raise UnknownName("source", str(name), known)
    rest = {k: v for k, v in options.items() if k != "name"}
    try:
        return [
            _query(p, i, members) for i, p in enumerate(_payloads(known[name], rest, folder), 1)
        ]
    except UserError:
        raise
    except Exception as e:  # noqa: BLE001 - a plugin may fail in any way; say which one did
        raise BadInput(f"the source {name!r} failed ({type(e).__name__}: {clip(str(e))})") from None


def _payloads(make: MakePayloads, options: Mapping[str, Any], folder: Path) -> Iterator[Payload]:
    for i, payload in enumerate(make(options, folder)):
        if i == MOST:
            raise BadInput(f"a source gives at most {MOST:,} payloads")
        yield payload


def _query(payload: Payload, number: int, members: Sequence[str]) -> ExperimentQuery:
    text = payload.get_query()
    if not isinstance(text, str) or not text.strip():
        raise BadInput(f"payload {number} has no query")
    answer = getattr(payload, "answer", None)
    contexts = {m: own for m in members if (own := payload.get_context(m))}
    return ExperimentQuery(
        id=str(getattr(payload, "id", None) or f"p{number}")[:80],
        text=text,
        answer=answer,
        kind=getattr(payload, "kind", None) or guessed_kind(answer),
        context=contexts,
        payload=getattr(payload, "payload", None),
        target=getattr(payload, "target", None),
        campaign_id=getattr(payload, "campaign_id", None),
        finding_ref=getattr(payload, "finding_ref", None),
        variables=dict(getattr(payload, "variables", None) or {}),
    )


def from_file(options: Mapping[str, Any], folder: Path) -> Iterator[Payload]:
    """Yield payloads from CSV or JSON lines; columns as in a file of queries."""
    _only(options, ("file", "kind"))
    for query in read_queries(_path(options, folder), None, _text(options, "kind")):
        yield Shipped(
            id=query.id, query=query.text, answer=query.answer, kind=query.kind,
            payload=query.payload, target=query.target, contexts=query.context,
        )  # fmt: skip


def from_tool(options: Mapping[str, Any], folder: Path) -> Iterator[Payload]:
    """Yield payloads from another tool's file: a campaign, a library, a scan."""
    _only(options, ("file", "query"))
    yield from read_payloads(_path(options, folder), _text(options, "query"))


OURS: dict[str, MakePayloads] = {
    "file": from_file,
    "countersignal": from_tool,
    "counteragent": from_tool,
}
TOOLS = ("countersignal", "counteragent")
"""Sources that are tools of their own, which transcripts name as their origin."""


def _only(options: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in options:
        if name not in known:
            raise UnknownName("option of this source", name, known)


def _path(options: Mapping[str, Any], folder: Path) -> Path:
    name = _text(options, "file")
    if not name:
        raise BadInput("a source needs the `file` that it reads")
    return folder / name


def _text(options: Mapping[str, Any], name: str) -> str | None:
    value = options.get(name)
    if value is not None and not isinstance(value, str):
        raise BadInput(f"{name} must be a text")
    return value
