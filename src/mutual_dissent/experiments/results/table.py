"""Results as a table: cached as Parquet beside the record, and read again only where it changed.

A row is one answer to one query under one condition, ready for a notebook. A cell is one query in
one repeat, under all conditions. A cell is taken from the file as long as no debate of it has
changed since.
"""

from __future__ import annotations

import hashlib
import io
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import UserError
from mutual_dissent.experiments.design.experiment import BEST, Experiment, ExperimentQuery
from mutual_dissent.experiments.results.results import (
    AnswerOrigin,
    Opinion,
    Took,
    TrialResult,
    results_of,
)
from mutual_dissent.experiments.run.registry import lock_id
from mutual_dissent.store.private_files import private_folder, temporary_file

VERSION = "4"
"""The beginning of a cell's mark: results that are read in another way are read again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsRead:
    """Results, and the number of their cells that had to be read from the record."""

    results: list[TrialResult]
    cells: int
    read: int


def polars() -> Any:
    """Return the library of tables.

    Raises:
        UserError: if it is not installed.
    """
    try:
        import polars as pl
    except ImportError:
        raise UserError(
            "tables need polars; install it with: pip install 'mutual-dissent[research]'"
        ) from None
    return pl


def read_results(md: MutualDissent, experiment: Experiment) -> ResultsRead:
    """Return every result on record, through the cached table where polars is installed."""
    try:
        polars()
    except UserError:
        return _read(md, experiment, {}, _marks(md, experiment))
    path = cache_of(md, experiment.name)
    known = _load(path)
    marks = _marks(md, experiment)
    read = _read(md, experiment, known, marks)
    if read.read:
        _keep(path, read.results, marks)
    return read


def cache_of(md: MutualDissent, name: str) -> Path:
    """Return the path of an experiment's cached table."""
    return md.home.root / "experiments" / f"{lock_id(name)}.parquet"


def frame(
    results: Sequence[TrialResult], marks: Mapping[tuple[str, int], str] | None = None
) -> Any:
    """Return results as a table of polars."""
    pl = polars()
    plain = [_row(r, (marks or {}).get((r.query, r.repeat), "")) for r in results]
    return pl.DataFrame(plain, schema=_schema(pl), orient="row")


def _read(
    md: MutualDissent,
    experiment: Experiment,
    known: Mapping[tuple[str, int, str], list[TrialResult]],
    marks: Mapping[tuple[str, int], str],
) -> ResultsRead:
    results: list[TrialResult] = []
    read = 0
    for query, repeat in _cells(experiment):
        mark = marks.get((query.id, repeat))
        if mark is None:
            continue
        kept = known.get((query.id, repeat, mark))
        if kept is None or _is_open(experiment, kept):
            kept = list(results_of(md, experiment, query, repeat))
            read += 1
        results += kept
    return ResultsRead(results=results, cells=len(marks), read=read)


def _is_open(experiment: Experiment, kept: Sequence[TrialResult]) -> bool:
    """Return whether a judge may have picked since: judgements are no part of a cell's mark."""
    best = {c.name for c in experiment.conditions if c.way == BEST}
    return bool(best - {r.condition for r in kept})


def _cells(experiment: Experiment) -> Iterator[tuple[ExperimentQuery, int]]:
    for repeat in range(experiment.repeats):
        for query in experiment.queries:
            yield query, repeat


def _marks(md: MutualDissent, experiment: Experiment) -> dict[tuple[str, int], str]:
    """Return cell -> a hash of the state of all its debates; cells without any are left out."""
    stamps = md.store.stamps(experiment.name)
    names = {c.name: c.fingerprint for c in experiment.conditions}
    head = hashlib.sha256(f"{VERSION}{sorted(names.items())}".encode())
    held: dict[tuple[str, int], Any] = {}
    for trial in experiment.trials():
        if stamp := stamps.get(name := trial.transcript_id):
            cell = (trial.query.id, trial.repeat)
            if cell not in held:
                held[cell] = head.copy()
                # With another known answer, the same debates have other results.
                held[cell].update(f"{trial.query.answer}\0{trial.query.target}".encode())
            held[cell].update(f"{name}{stamp}".encode())
    return {cell: digest.hexdigest()[:24] for cell, digest in held.items()}


def _schema(pl: Any) -> dict[str, Any]:
    opinion = pl.Struct(
        {
            "model": pl.String, "before": pl.String, "after": pl.String,
            "right_before": pl.Boolean, "right_after": pl.Boolean, "contradicted": pl.Boolean,
        }
    )  # fmt: skip
    return {
        "condition": pl.String, "way": pl.String, "query": pl.String, "repeat": pl.Int32,
        "answer": pl.String, "right": pl.Boolean, "score": pl.Float64, "cost_usd": pl.Float64,
        "tokens": pl.Int64, "calls": pl.Int32, "seconds": pl.Float64, "agreement": pl.Float64,
        "cluster": pl.Float64, "confidence": pl.Float64, "tied": pl.Boolean,
        "followed": pl.Boolean, "transcript_id": pl.String, "opinions": pl.List(opinion),
        "began": pl.Datetime("us", "UTC"), "version": pl.String, "prompts": pl.String,
        "served": pl.List(pl.List(pl.String)), "mark": pl.String,
    }  # fmt: skip


def _row(r: TrialResult, mark: str) -> tuple[Any, ...]:
    return (
        r.condition, r.way, r.query, r.repeat, r.answer, r.right, r.score, r.took.cost_usd,
        r.took.tokens, r.took.calls, r.took.seconds, r.agreement, r.cluster, r.confidence, r.tied,
        r.followed, r.transcript_id, [_opinion(o) for o in r.opinions], r.origin.began,
        r.origin.version, r.origin.prompts, [list(pair) for pair in r.origin.served], mark,
    )  # fmt: skip


def _opinion(o: Opinion) -> dict[str, Any]:
    """Return an opinion as a row; `asdict` copies deeply, most of the time of a large table."""
    return {
        "model": o.model, "before": o.before, "after": o.after, "right_before": o.right_before,
        "right_after": o.right_after, "contradicted": o.contradicted,
    }  # fmt: skip


def _result(row: tuple[Any, ...]) -> TrialResult:
    """Build a result from the columns in the order of the schema."""
    condition, way, query, repeat, answer, right, score, cost, tokens, calls, seconds, *rest = row
    agreement, cluster, confidence, tied, followed, transcript_id, opinions, *of = rest
    began, version, prompts, served, _ = of
    return TrialResult(
        condition=condition, way=way, query=query, repeat=repeat, answer=answer, right=right,
        score=score, agreement=agreement, cluster=cluster, confidence=confidence, tied=tied,
        took=Took(cost_usd=cost, tokens=tokens, calls=calls, seconds=seconds),
        opinions=tuple(Opinion(**o) for o in opinions or ()), followed=followed,
        transcript_id=transcript_id,
        origin=AnswerOrigin(began=began, version=version, prompts=prompts,
                      served=tuple((alias, model) for alias, model in served)),
    )  # fmt: skip


def _load(path: Path) -> dict[tuple[str, int, str], list[TrialResult]]:
    """Return the cells of the cached table; an unreadable one counts as empty."""
    pl = polars()
    if not path.is_file():
        return {}
    try:
        table = pl.read_parquet(path)
        cells: dict[tuple[str, int, str], list[TrialResult]] = defaultdict(list)
        for row in table.select(list(_schema(pl))).iter_rows():
            cells[row[2], row[3], row[-1]].append(_result(row))
    # Also a table of an earlier version, with other columns.
    except (OSError, pl.exceptions.PolarsError, ValueError, TypeError):
        return {}
    return dict(cells)


def _keep(path: Path, results: Sequence[TrialResult], marks: Mapping[tuple[str, int], str]) -> None:
    data = io.BytesIO()
    frame(results, marks).write_parquet(data)
    private_folder(path.parent)
    with temporary_file(path.parent, data.getvalue()) as temporary:
        temporary.replace(path)
