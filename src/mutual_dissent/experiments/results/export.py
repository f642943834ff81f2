"""Exports of an experiment: results for notebooks, findings for other tools."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import asdict
from typing import Any

import orjson

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.codec.plain import to_bytes
from mutual_dissent.experiments.design.experiment import Experiment
from mutual_dissent.experiments.results.results import TrialResult
from mutual_dissent.experiments.results.table import frame, polars, read_results
from mutual_dissent.views.documents.csv import FORMULA

COLUMNS = (
    "condition", "way", "query", "repeat", "answer", "right", "score", "cost_usd", "tokens",
    "calls", "seconds", "agreement", "cluster", "confidence", "tied", "followed", "transcript_id",
)  # fmt: skip
_NEGATIVE = re.compile(r"-[0-9]+(,[0-9]{3})*(\.[0-9]+)?(e[-+]?[0-9]+)?", re.IGNORECASE)


def export_experiment(md: MutualDissent, experiment: Experiment, form: str) -> bytes:
    """Return an experiment as `parquet`, `csv`, `jsonl`, `findings` or `sarif`.

    Raises:
        UserError: if a package that the form needs is not installed.
    """
    if form == "parquet":
        polars()
    results = read_results(md, experiment).results
    match form:
        case "parquet":
            data = io.BytesIO()
            frame(results).drop("mark").write_parquet(data)
            return data.getvalue()
        case "csv":
            return _csv(results)
        case "jsonl":
            lines = (orjson.dumps({**_row(r), "opinions": _opinions(r)}) for r in results)
            return b"".join(line + b"\n" for line in lines)
        case _:
            return _security(experiment, results, form)


def _security(experiment: Experiment, results: list[TrialResult], form: str) -> bytes:
    from mutual_dissent.experiments.results.security import as_findings, as_sarif, security_findings

    found = security_findings(experiment, results, seed=experiment.seed)
    plain = as_sarif(found) if form == "sarif" else as_findings(found)
    return to_bytes(plain, indent=True) + b"\n"


def _csv(results: list[TrialResult]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for r in results:
        writer.writerow({k: _harmless(v) for k, v in _row(r).items()})
    return text.getvalue().encode("utf-8", "replace")


def _row(r: TrialResult) -> dict[str, Any]:
    plain = {**{n: getattr(r, n, None) for n in COLUMNS}, **asdict(r.took)}
    return {n: plain[n] for n in COLUMNS}


def _opinions(r: TrialResult) -> list[dict[str, Any]]:
    return [asdict(o) for o in r.opinions]


def _harmless(value: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula; a plain number stays one."""
    if not isinstance(value, str) or _NEGATIVE.fullmatch(value):
        return value
    risky = value.startswith(("\t", "\r")) or value.lstrip().startswith(FORMULA)
    return "'" + value if risky else value
