"""Queries from files: CSV or JSON lines, each with the known answer where there is one."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

import orjson

from mutual_dissent.core.errors import BadInput, clip
from mutual_dissent.experiments.design.experiment import KINDS, ExperimentQuery

MOST = 1_000_000
MOST_BYTES = 200_000_000
TEXT = ("query", "question", "text", "prompt", "input")
ANSWER = ("answer", "ground_truth", "label", "target", "expected")


class BadQuery(BadInput):
    """A query that cannot be used.

    Attributes:
        key: the wrong key; `accepted` says what would be right.
    """

    def __init__(self, where: str, key: str, accepted: str) -> None:
        super().__init__(f"{where}: {accepted}")
        self.key, self.accepted = key, accepted


def read_queries(
    path: Path, limit: int | None = None, kind: str | None = None
) -> list[ExperimentQuery]:
    """Return the queries of a file, at most `limit`.

    Raises:
        BadInput: naming the line of the file that cannot be used.
    """
    queries: list[ExperimentQuery] = []
    for line, row in read_rows(path):
        if len(queries) == (limit or MOST):
            break
        queries.append(
            query_of(row, f"{path}, line {line}", f"{path.stem}-{len(queries) + 1}", kind)
        )
    if not queries:
        raise BadInput(f"{path} has no query; it needs a column `query`, and `answer` if known")
    check_distinct(queries, str(path))
    return queries


def read_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Return the rows of a CSV file or of one with JSON lines, each with its line.

    Raises:
        BadInput: if it cannot be read.
    """
    try:
        text = read_bounded(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{path} must be UTF-8 text") from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _csv(text, path) if path.suffix.lower() == ".csv" else _json_lines(text, path)


def read_bounded(path: Path) -> bytes:
    """Return all of a file; never more than is accepted, for a device may have no end.

    Raises:
        BadInput: if it cannot be read, or is too large.
    """
    try:
        with path.open("rb") as file:
            size, pieces = 0, []
            while piece := file.read(1 << 20):
                size += len(piece)
                pieces.append(piece)
                if size > MOST_BYTES:
                    raise BadInput(f"{path} is larger than {MOST_BYTES:,} bytes; split it")
    except OSError as e:
        raise BadInput(f"{path} cannot be read: {e.strerror}") from None
    return b"".join(pieces)


def query_of(
    row: Mapping[str, Any], where: str, usual_id: str, usual_kind: str | None = None
) -> ExperimentQuery:
    """Return the query in a row or table.

    Raises:
        BadQuery: if it is missing, or something of it cannot be used.
    """
    text, answer = _first(row, TEXT), _first(row, ANSWER)
    if text is None or not str(text).strip():
        sentence = "no query; name it `query`, the known answer `answer`"
        raise BadQuery(where, "query" if "query" in row else "text", sentence)
    kind = str(row.get("kind") or usual_kind or guessed_kind(answer))
    if kind not in KINDS:
        sentence = f"kind is one of {', '.join(KINDS)}, not {clip(kind)!r}"
        raise BadQuery(where, "kind", sentence)
    context = row.get("context") or {}
    if not isinstance(context, Mapping):
        raise BadQuery(where, "context", "context is a table of seat and text")
    return ExperimentQuery(
        id=str(row.get("id") or usual_id)[:80],
        text=str(text),
        answer=_text(answer),
        kind=kind,
        context={str(k): str(v) for k, v in context.items()},
        payload=_text(row.get("payload")),
        target=_text(row.get("target_answer")),
    )


def _text(value: Any) -> str | None:
    return None if value is None or str(value) == "" else str(value)


def guessed_kind(answer: Any) -> str:
    """Return the kind of a known answer, by its looks."""
    if answer is None:
        return "free"
    text = str(answer).strip().lower()
    if text in ("yes", "no", "true", "false"):
        return "yes-no"
    if len(text) == 1 and text.isalpha():
        return "choice"
    try:
        # The words "nan" and "infinity" are floats too, and names.
        if isfinite(float(text.replace(",", "").removeprefix("$").removesuffix("%"))):
            return "number"
    except ValueError:
        pass
    return "text" if len(text) <= 60 else "free"


def check_distinct(queries: Iterable[ExperimentQuery], where: str) -> None:
    """Check that no two queries have the same id.

    Raises:
        BadInput: naming the first duplicate.
    """
    seen: set[str] = set()
    for query in queries:
        if query.id in seen:
            raise BadInput(f"{where}: two queries have the id {clip(query.id)!r}; ids are distinct")
        seen.add(query.id)


def _csv(text: str, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        for row in reader:
            # Under None are the cells beyond the last heading.
            yield reader.line_num, {k.strip(): v for k, v in row.items() if k is not None}
    except csv.Error as e:
        raise BadInput(f"{path}, line {reader.line_num}: {e}") from None


def _json_lines(text: str, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    # Not splitlines: JSON allows U+2028 and U+0085 within a text.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError:
            raise BadInput(f"{path}, line {number}: not a JSON object on one line") from None
        if not isinstance(row, dict):
            raise BadInput(f"{path}, line {number}: a query is a JSON object")
        yield number, row


def _first(row: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((row[n] for n in names if row.get(n) is not None), None)
