"""Responses as a table, one row each, for spreadsheets and data frames."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mutual_dissent.analysis.scores.grades import SCORE
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.text.sanitize import plain
from mutual_dissent.views.remarks.readable import ballot_line

# A spreadsheet runs a cell that begins so, also with the full-width signs of East Asian keyboards.
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def to_csv(t: Transcript) -> str:
    """The responses of a debate, in the order in which they arrived."""
    return transcripts_to_csv([t])


def transcripts_to_csv(transcripts: Iterable[Transcript]) -> str:
    """The responses of several debates in one table."""
    return table_to_csv(COLUMNS, (row for t in transcripts for row in answer_rows(t)))


def answer_rows(t: Transcript) -> Iterator[dict[str, Any]]:
    """The responses of a debate, each with every one of `COLUMNS`; None is an empty cell."""
    return (_row(t, key, r) for key, r in t.responses())


def table_to_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """A table in which no cell is a formula."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows([_cell(row[c]) for c in columns] for row in rows)
    return out.getvalue()


COLUMNS = tuple(
    "transcript_id query created_at status mode round_number role model_alias model_id provider "
    "served_model persona finish error_kind error reused token_count input_tokens output_tokens "
    "cached_tokens reasoning_tokens first_token_ms latency_ms attempts cost_usd agreement score "
    "timestamp experiment_id condition agent_role perspective team position bottom_line confidence "
    "estimate unit change stance stated_stance ballot flags content".split()
)


def _row(t: Transcript, key: str, r: Response) -> dict[str, Any]:
    """Every column by name; None is an empty cell."""
    experiment = t.brief.experiment
    round_ = t.round(r.round_number)
    return {
        **{c: getattr(r, c) for c in COLUMNS if hasattr(r, c)},
        "transcript_id": t.transcript_id,
        "query": t.query,
        "created_at": t.created_at.isoformat(),
        "status": t.status.value,
        "mode": t.brief.mode,
        "reused": "yes" if key in t.reused else "no",
        "attempts": r.tries,
        "agreement": round_.agreement if round_ else None,
        "score": _mean(t, r),
        "timestamp": r.timestamp.isoformat(),
        "experiment_id": experiment.experiment_id if experiment else None,
        "condition": experiment.condition if experiment else None,
        "bottom_line": r.bottom_line or None,
        "estimate": r.closing.estimate.value if r.closing and r.closing.estimate else None,
        "unit": (r.closing.estimate.unit or None) if r.closing and r.closing.estimate else None,
        "change": r.closing.change.kind if r.closing and r.closing.change else None,
        "ballot": ballot_line(r) or None,
        "flags": "; ".join(r.flags) or None,
    }


def _mean(t: Transcript, r: Response) -> float | None:
    score = r.analysis.get(SCORE)
    marks = [score.get(d) for d in t.brief.rubric.dimensions] if isinstance(score, dict) else []
    numbers = [m for m in marks if isinstance(m, int | float)]
    return sum(numbers) / len(numbers) if numbers and len(numbers) == len(marks) else None


def _cell(value: object) -> str:
    """A value as text that no spreadsheet takes for a formula. Numbers stay numbers."""
    if value is None:
        return ""
    if isinstance(value, int | float):
        return str(value)
    text = plain(str(value))
    return f"'{text}" if text.lstrip().startswith(FORMULA) else text
