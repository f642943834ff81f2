"""Reading the file of an experiment: every mistake is one line with its place, before any call."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from typing import Any

from mutual_dissent.config.briefing import Options
from mutual_dissent.config.document import line_of
from mutual_dissent.core.errors import BadConfig, BadInput, clip
from mutual_dissent.experiments.design import (
    BEST,
    PANEL,
    SAMPLES,
    SINGLE,
    VOTE,
    Condition,
    Experiment,
    Query,
)
from mutual_dissent.experiments.queries import check_distinct, query_of, read_queries

MOST_BYTES = 5_000_000
MOST_TRIALS = 1_000_000
MOST_SAMPLES = 64
TOP = (
    "name summary repeats seed budget concurrency judge source_tool campaign_id "
    "queries query defaults grid condition baselines"
).split()
NOT_HERE = frozenset({"experiment", "context", "panelist_context", "ground_truth", "seed", "score"})
OPTIONS = tuple(n for n in Options.__dataclass_fields__ if n not in NOT_HERE)
OF_CONDITION = ("name", "context", "variables")
OF_QUERIES = ("file", "limit", "kind")
OF_BASELINES = ("single", "self-consistency", "best-of", "vote", "matched", "samples", "panel")

Table = Mapping[str, Any]


def read_experiment(path: Path) -> Experiment:
    """The experiment in a file.

    Raises:
        BadConfig: file, line, key and what is accepted.
        BadInput: if a file of queries cannot be used.
    """
    try:
        raw = path.read_bytes()
    except OSError as e:
        raise BadConfig(str(path), "file", f"cannot be read: {e.strerror}") from None
    if len(raw) > MOST_BYTES:
        raise BadConfig(str(path), "file", f"must not be larger than {MOST_BYTES:,} bytes")
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise BadConfig(str(path), "file", "must be UTF-8 text") from None
    return parse_experiment(text, str(path), path.parent)


def parse_experiment(text: str, file: str, folder: Path) -> Experiment:
    """The experiment in a text; files that it names are looked for in `folder`.

    Raises:
        BadConfig: file, line, key and what is accepted.
    """
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as e:
        raise BadConfig(file, "file", f"must be TOML: {clip(str(e), 120)}") from None
    sheet = _Sheet(file, text)
    sheet.only(table, TOP, ())
    queries = tuple(_queries(sheet, table, folder))
    conditions = tuple(_conditions(sheet, table))
    found = Experiment(
        name=sheet.name(table.get("name"), ("name",)),
        summary=sheet.word(table, "summary") or "",
        queries=queries,
        conditions=conditions,
        repeats=sheet.whole(table, "repeats", 1, 1, 10_000),
        seed=sheet.whole(table, "seed", 0, 0, 2**53 - 1),
        budget=sheet.dollars(table, "budget"),
        concurrency=sheet.whole(table, "concurrency", 10, 1, 500),
        judge=sheet.word(table, "judge"),
        source_tool=sheet.word(table, "source_tool") or "manual",
        campaign_id=sheet.word(table, "campaign_id"),
        text=text,
    )
    if found.size > MOST_TRIALS:
        raise sheet.wrong(("name",), f"asks for {found.size:,} debates; {MOST_TRIALS:,} at most")
    return found


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A file, for errors that name the line."""

    file: str
    text: str

    def wrong(self, place: Sequence[str], sentence: str) -> BadConfig:
        return BadConfig(self.file, ".".join(place), sentence, line_of(self.text, tuple(place)))

    def only(self, table: Any, known: Sequence[str], place: tuple[str, ...]) -> None:
        if not isinstance(table, Mapping):
            raise self.wrong(place, "must be a table")
        for key in table:
            if key not in known:
                near = get_close_matches(key[:80], known, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
                raise self.wrong((*place, key), f"no such key; {hint}")

    def name(self, value: Any, place: tuple[str, ...]) -> str:
        fine = isinstance(value, str) and 0 < len(value) <= 80
        if not fine or not all(c.isalnum() or c in "-_.: +" for c in value):
            raise self.wrong(place, "must be a name of 1 to 80 letters, digits, dashes and dots")
        return str(value)

    def word(self, table: Table, key: str) -> str | None:
        value = table.get(key)
        if value is not None and not isinstance(value, str):
            raise self.wrong((key,), "must be a text")
        return value

    def whole(self, table: Table, key: str, usual: int, low: int, high: int) -> int:
        value = table.get(key, usual)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.wrong((key,), f"must be a whole number from {low} to {high:,}")
        return value

    def dollars(self, table: Table, key: str) -> float | None:
        value = table.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
            raise self.wrong((key,), "must be a number of dollars above 0")
        return float(value)


def _queries(sheet: _Sheet, table: Table, folder: Path) -> Iterator[Query]:
    given = table.get("query", [])
    if not isinstance(given, list):
        raise sheet.wrong(("query",), "must be written as [[query]], once for each")
    found = [_inline(sheet, row, i) for i, row in enumerate(given, 1)]
    if source := table.get("queries"):
        sheet.only(source, OF_QUERIES, ("queries",))
        name, limit = source.get("file"), source.get("limit")
        if not isinstance(name, str) or not name:
            raise sheet.wrong(("queries", "file"), "must be the path of a CSV or JSONL file")
        if limit is not None and (not isinstance(limit, int) or limit < 1):
            raise sheet.wrong(("queries", "limit"), "must be a whole number of 1 or more")
        try:
            found += read_queries(folder / name, limit, source.get("kind"))
        except BadInput as e:
            raise sheet.wrong(("queries", "file"), str(e)) from None
    if not found:
        raise sheet.wrong(("query",), 'no queries; add [[query]] or [queries] file = "x.jsonl"')
    try:
        check_distinct(found, "queries")
    except BadInput as e:
        raise sheet.wrong(("query",), str(e)) from None
    yield from found


def _inline(sheet: _Sheet, row: Any, number: int) -> Query:
    known = ("id", "text", "query", "answer", "kind", "context")
    sheet.only(row, known, ("query",))
    try:
        return query_of(row, f"query {number}", f"q{number}")
    except BadInput as e:
        raise sheet.wrong(("query",), str(e)) from None


def _conditions(sheet: _Sheet, table: Table) -> Iterator[Condition]:
    usual = table.get("defaults", {})
    sheet.only(usual, OPTIONS, ("defaults",))
    given = table.get("condition", [])
    if not isinstance(given, list):
        raise sheet.wrong(("condition",), "must be written as [[condition]], once for each")
    panels = [*_grid(sheet, table.get("grid"), usual), *_listed(sheet, given, usual)]
    if not panels and "baselines" not in table:
        panels = [Condition(name="panel", options=dict(usual))]
    baselines = _baselines(sheet, table.get("baselines"), panels, usual)
    names: set[str] = set()
    for condition in (*panels, *baselines):
        if condition.name in names:
            raise sheet.wrong(("condition", "name"), f"{condition.name!r} is there twice")
        names.add(condition.name)
        yield condition


def _grid(sheet: _Sheet, grid: Any, usual: Table) -> Iterator[Condition]:
    """Every combination of the listed values is a condition."""
    if grid is None:
        return
    sheet.only(grid, OPTIONS, ("grid",))
    for key, values in grid.items():
        if not isinstance(values, list) or not values:
            raise sheet.wrong(("grid", key), "must be a list of the values to combine")
    for values in product(*grid.values()):
        chosen = dict(zip(grid, values, strict=True))
        name = " ".join(_said(k, v) for k, v in chosen.items())
        yield Condition(name=name, options={**usual, **chosen}, variables=chosen)


def _said(key: str, value: Any) -> str:
    if isinstance(value, list):
        return "+".join(map(str, value))
    return value if isinstance(value, str) else f"{key}-{value}"


def _listed(sheet: _Sheet, given: Sequence[Any], usual: Table) -> Iterator[Condition]:
    for row in given:
        sheet.only(row, (*OF_CONDITION, *OPTIONS), ("condition",))
        context = row.get("context", {})
        if not isinstance(context, Mapping) or not all(
            isinstance(v, str) for v in context.values()
        ):
            raise sheet.wrong(("condition", "context"), "must be a table of seat and text")
        yield Condition(
            name=sheet.name(row.get("name"), ("condition", "name")),
            options={**usual, **{k: v for k, v in row.items() if k not in OF_CONDITION}},
            context=dict(context),
            variables=dict(row.get("variables", {})),
        )


def _baselines(
    sheet: _Sheet, wanted: Any, panels: Sequence[Condition], usual: Table
) -> Iterator[Condition]:
    """What the panel is compared with; `matched` decides later how often a model is asked."""
    if wanted is None:
        return
    samples, matched = _matching(sheet, wanted)
    members = wanted.get("panel") or usual.get("panel") or _members(panels)
    if not isinstance(members, list) or not all(isinstance(m, str) for m in members):
        raise sheet.wrong(("baselines", "panel"), "must be a list of models")
    limits = {k: v for k, v in usual.items() if k in _OF_ONE}
    for member in dict.fromkeys(m.partition("#")[0] for m in members):
        alone = {**limits, "mode": "single", "panel": [member]}
        if wanted.get("single", True):
            yield Condition(name=f"single {member}", way=SINGLE, options=alone)
        for way in (w for w in (SAMPLES, BEST) if wanted.get(w)):
            yield Condition(
                name=f"{way} {member}",
                way=way,
                options=alone,
                samples=samples,
                variables={"matched": matched},
            )
    if wanted.get("vote", True):
        for panel in panels:
            if panel.way == PANEL:
                yield Condition(name=f"vote of {panel.name}", way=VOTE, of=panel.name)


def _matching(sheet: _Sheet, wanted: Any) -> tuple[int, str]:
    """How often a model is asked, 0 where that follows from what the panel costs; and by what."""
    sheet.only(wanted, OF_BASELINES, ("baselines",))
    matched, samples = wanted.get("matched", "dollars"), wanted.get("samples", 0)
    if matched not in ("dollars", "tokens", "samples"):
        raise sheet.wrong(("baselines", "matched"), "must be dollars, tokens or samples")
    if (
        isinstance(samples, bool)
        or not isinstance(samples, int)
        or not 0 <= samples <= MOST_SAMPLES
    ):
        raise sheet.wrong(("baselines", "samples"), f"must be a number from 1 to {MOST_SAMPLES}")
    if matched == "samples" and not samples:
        raise sheet.wrong(("baselines", "samples"), "must be given where matched = samples")
    return samples, matched


_OF_ONE = frozenset({"temperature", "max_tokens", "call_timeout", "timeout", "max_cost",
                     "allow_unpriced", "strict_model"})  # fmt: skip


def _members(panels: Sequence[Condition]) -> list[str]:
    found = [m for c in panels for m in c.options.get("panel", [])]
    return list(dict.fromkeys(found))
