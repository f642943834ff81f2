"""Findings from a judge's scores: did reflection help, and is the synthesis worth having."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mutual_dissent.analysis.scores.grades import SCORE
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.phrases import join_names, round_name


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """One scored response; a mark that could not be read is None."""

    seat: str
    round_number: int
    marks: dict[str, int | None]
    explanation: str

    @property
    def mean(self) -> float | None:
        """The mean of its marks; None unless every one could be read."""
        marks = [m for m in self.marks.values() if m is not None]
        return sum(marks) / len(marks) if marks and len(marks) == len(self.marks) else None

    @property
    def place(self) -> str:
        """Place of the response in the debate."""
        return "initial answer" if self.round_number == 0 else round_name(self.round_number)


def score_rows(t: Transcript) -> list[ScoreRow]:
    """Every scored response: the panel's by round, then the synthesis."""
    everyone = [*t.turns(), *([t.synthesis] if t.synthesis else [])]
    marked = [(r, r.analysis.get(SCORE)) for r in everyone]
    return [_row(t, r, score) for r, score in marked if isinstance(score, dict)]


def score_findings(t: Transcript) -> list[str]:
    """Findings from the scores, in sentences; empty if nothing was scored."""
    rows = score_rows(t)
    if not rows:
        return []
    panel = [r for r in rows if r.round_number >= 0]
    lines = [*_reflection(panel), *_synthesis(rows, panel)]
    if any(r.mean is None for r in rows):
        lines.append("Some marks could not be read from the judge's reply; they are left blank.")
    return [*lines, *_judge(t)]


def _row(t: Transcript, r: Response, score: dict[str, Any]) -> ScoreRow:
    marks = {d: _mark(score.get(d)) for d in t.brief.rubric.dimensions}
    return ScoreRow(
        seat=one_line(r.model_alias, 40),
        round_number=r.round_number,
        marks=marks,
        explanation=one_line(str(score.get("explanation") or ""), 400),
    )


def _mark(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _reflection(panel: list[ScoreRow]) -> list[str]:
    """Each panelist's first scored answer against its last."""
    changes: list[str] = []
    same: list[str] = []
    for seat in dict.fromkeys(r.seat for r in panel):
        own = [r for r in panel if r.seat == seat]
        before, after = own[0].mean, own[-1].mean
        if len(own) < 2 or before is None or after is None:
            continue
        if after == before:
            same.append(seat)
        else:
            verb = "improved" if after > before else "degraded"
            changes.append(f"{verb} {seat} ({before:g} to {after:g})")
    parts = [*changes, *([f"did not change {join_names(same)}"] if same else [])]
    return [f"Reflection {'; '.join(parts)}."] if parts else []


def _synthesis(rows: list[ScoreRow], panel: list[ScoreRow]) -> list[str]:
    own = rows[-1] if rows[-1].round_number < 0 else None
    rated = [r for r in panel if r.mean is not None]
    if own is None or own.mean is None:
        return []
    if not rated:
        return [f"The synthesis scored {own.mean:g} of 5."]
    best = max(rated, key=lambda r: r.mean or 0)
    assert best.mean is not None, "only rated rows were kept"
    word = (
        "better than"
        if own.mean > best.mean
        else "worse than"
        if own.mean < best.mean
        else "as good as"
    )
    rival = f"the best single answer ({best.seat}, {best.place}: {best.mean:g})"
    return [f"The synthesis ({own.mean:g}) is {word} {rival}."]


def _judge(t: Transcript) -> list[str]:
    score = next(iter(t.scores.values()), {})
    judge = one_line(str(score.get("judge") or ""), 40)
    if not judge:
        return []
    also = ", which also wrote the synthesis" if score.get("judge_is_synthesizer") else ""
    return [f"Judge: {judge}{also}."]
