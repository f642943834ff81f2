"""Reading the file of an experiment: every mistake is one line with its place, before any call."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mutual_dissent.config.file import not_toml
from mutual_dissent.core.errors import BadConfig, BadInput, UserError, clip
from mutual_dissent.experiments.design.conditions import read_conditions
from mutual_dissent.experiments.design.experiment import (
    Condition,
    Experiment,
    ExperimentQuery,
    Judging,
)
from mutual_dissent.experiments.design.payloads import TOOLS, queries_from
from mutual_dissent.experiments.design.queries import (
    BadQuery,
    check_distinct,
    query_of,
    read_queries,
)
from mutual_dissent.experiments.design.sheet import DesignSheet, Table

MOST_BYTES = 5_000_000
MOST_TRIALS = 1_000_000
TOP = (
    "name summary repeats seed budget concurrency judge source_tool campaign_id "
    "queries query source defaults grid condition baselines judging"
).split()
OF_QUERIES = ("file", "limit", "kind")
OF_QUERY = ("id", "text", "query", "answer", "kind", "context", "payload", "target_answer")
OF_JUDGING = ("judges", "pairs", "all")


def read_experiment(path: Path) -> Experiment:
    """Read the experiment in a file.

    Raises:
        BadConfig: file, line, key and what is accepted.
    """
    try:
        with path.open("rb") as file:  # a device may have no end
            raw = file.read(MOST_BYTES + 1)
    except OSError as e:
        raise BadConfig(str(path), "file", f"cannot be read: {e.strerror}") from None
    if len(raw) > MOST_BYTES:
        raise BadConfig(str(path), "file", f"must not be larger than {MOST_BYTES:,} bytes")
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise BadConfig(str(path), "file", "must be UTF-8 text") from None
    return parse_experiment(text, str(path), path.parent)


def parse_experiment(
    text: str, file: str, folder: Path, queries: Sequence[ExperimentQuery] | None = None
) -> Experiment:
    """Parse the experiment in a text.

    Args:
        file: its name in errors.
        folder: where the files that it names are searched for.
        queries: those that it had when it was first run; its own are not read then.

    Raises:
        BadConfig: file, line, key and what is accepted.
    """
    table, sheet = _table(text, file), DesignSheet(file, text)
    sheet.only(table, TOP, ())
    if "name" not in table:
        raise BadConfig(file, "name", 'is missing; begin the file with: name = "pilot"', 1)
    name = sheet.name(table["name"], ("name",))
    conditions = tuple(read_conditions(sheet, table))
    if queries is None:
        queries = tuple(_queries(sheet, table, folder, conditions))
    experiment = Experiment(
        name=name,
        summary=sheet.word(table, "summary") or "",
        queries=tuple(queries),
        conditions=conditions,
        repeats=sheet.whole(table, "repeats", 1, 1, 10_000),
        # The largest whole number that JSON carries everywhere.
        seed=sheet.whole(table, "seed", 0, 0, 2**53 - 1),
        budget=sheet.dollars(table, "budget"),
        concurrency=sheet.whole(table, "concurrency", 10, 1, 500),
        judge=sheet.word(table, "judge"),
        judging=_judging(sheet, table.get("judging"), conditions),
        source_tool=sheet.word(table, "source_tool") or _tool(table),
        campaign_id=sheet.word(table, "campaign_id") or _campaign(queries),
        text=text,
        file=file,
        folder=str(folder),
    )
    if experiment.size > MOST_TRIALS:
        raise sheet.wrong(
            ("name",), f"asks for {experiment.size:,} debates; {MOST_TRIALS:,} at most"
        )
    return experiment


def _table(text: str, file: str) -> Table:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as e:
        raise not_toml(file, text, str(e)) from None
    except (ValueError, RecursionError):
        raise BadConfig(file, "file", "must be TOML without absurd numbers or nesting") from None


def _queries(
    sheet: DesignSheet, table: Table, folder: Path, conditions: Sequence[Condition]
) -> Iterator[ExperimentQuery]:
    tables = table.get("query", [])
    if not isinstance(tables, list) or not all(isinstance(row, dict) for row in tables):
        raise sheet.wrong(("query",), "must be written as [[query]], once for each")
    queries = list(_inline(sheet, tables))
    if "queries" in table:
        queries += _from_file(sheet, table["queries"], folder)
    if "source" in table:
        queries += _from_source(sheet, table["source"], folder, conditions)
    if not queries:
        raise sheet.wrong(("query",), 'no queries; add [[query]] or [queries] file = "x.jsonl"')
    try:
        check_distinct(queries, "queries")
    except BadInput as e:
        raise sheet.wrong(("query",), str(e)) from None
    yield from queries


def _inline(sheet: DesignSheet, tables: Sequence[Table]) -> Iterator[ExperimentQuery]:
    seen: set[str] = set()
    for number, row in enumerate(tables, 1):
        here = sheet.at(number)
        here.only(row, OF_QUERY, ("query",))
        try:
            query = query_of(row, f"query {number}", f"q{number}")
        except BadQuery as e:
            raise here.wrong(("query", e.key), e.accepted) from None
        if query.id in seen:
            sentence = f"{clip(query.id)!r} is there twice; ids are distinct"
            raise here.wrong(("query", "id"), sentence)
        seen.add(query.id)
        yield query


def _from_file(sheet: DesignSheet, source: Any, folder: Path) -> list[ExperimentQuery]:
    if not isinstance(source, dict):
        raise sheet.wrong(("queries",), 'must be a table: [queries] with file = "x.jsonl" below')
    sheet.only(source, OF_QUERIES, ("queries",))
    name, limit = source.get("file"), source.get("limit")
    if not isinstance(name, str) or not name:
        raise sheet.wrong(("queries", "file"), "must be the path of a CSV or JSONL file")
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise sheet.wrong(("queries", "limit"), "must be a whole number of 1 or more")
    try:
        return read_queries(folder / name, limit, sheet.word(source, "kind", ("queries",)))
    except BadInput as e:
        raise sheet.wrong(("queries", "file"), str(e)) from None


def _from_source(
    sheet: DesignSheet, options: Any, folder: Path, conditions: Sequence[Condition]
) -> list[ExperimentQuery]:
    if not isinstance(options, dict):
        raise sheet.wrong(("source",), "must be a table with a `name`")
    members = [m for c in conditions for m in c.options.get("panel") or ()]
    try:
        return queries_from(options, folder, list(dict.fromkeys(members)))
    except UserError as e:
        raise sheet.wrong(("source",), str(e)) from None


def _tool(table: Table) -> str:
    """Return the tool that the queries come from."""
    name = table.get("source", {}).get("name")
    return name if name in TOOLS else "manual"


def _campaign(queries: Sequence[ExperimentQuery]) -> str | None:
    """Return the campaign that all queries come from, if it is one."""
    campaigns = {q.campaign_id for q in queries}
    return campaigns.pop() if len(campaigns) == 1 else None


def _judging(sheet: DesignSheet, table: Any, conditions: Sequence[Condition]) -> Judging | None:
    if table is None:
        return None
    sheet.only(table, OF_JUDGING, ("judging",))
    known = {c.name for c in conditions}
    pairs = table.get("pairs", [])
    fine = isinstance(pairs, list) and all(isinstance(p, list) and len(p) == 2 for p in pairs)
    if not fine or not all(name in known for pair in pairs for name in pair):
        raise sheet.wrong(("judging", "pairs"), "must be pairs of conditions' names: [[A, B], ...]")
    return Judging(
        judges=sheet.words(table, "judges", ("judging",)),
        pairs=tuple((a, b) for a, b in pairs),
        all=sheet.flag(table, "all", False, ("judging",)),
    )
