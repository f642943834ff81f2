"""Two debates side by side: their measures, their answers, and their rounds, aligned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from mutual_dissent.analysis.rounds.consensus import position
from mutual_dissent.core.figures.stats import stats
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Round, Transcript
from mutual_dissent.text.sanitize import one_line, plain
from mutual_dissent.views.account import account
from mutual_dissent.views.answer import answer
from mutual_dissent.views.findings import find_movement, findings
from mutual_dissent.views.panel.names import letters, name, replace_letters, text_with_names
from mutual_dissent.views.phrases import explanation, reason, round_name
from mutual_dissent.views.remarks.citations import cite_answer
from mutual_dissent.views.remarks.readable import readable
from mutual_dissent.views.research.figure import Figure
from mutual_dissent.views.research.relations import relations
from mutual_dissent.views.scores import score_rows

Json = dict[str, Any]


def compare_debates(a: Transcript, b: Transcript) -> Json:
    """Both debates, as a page shows them."""
    return {
        "sides": [_side(a), _side(b)],
        "measures": [
            {"name": name, "kind": kind, "a": left, "b": right}
            for (name, kind, left), (_, _, right) in zip(_measures(a), _measures(b), strict=True)
        ],
        "figures": [asdict(f) for f in _figures(a, b)],
        "rounds": list(_rounds(a, b)),
    }


def _side(t: Transcript) -> Json:
    response, summary = answer(t), account(t)
    return {
        "id": t.transcript_id,
        "query": plain(t.query),
        "heading": summary.headline,
        "account": asdict(summary),
        "mode": t.brief.mode,
        "preset": t.brief.preset,
        "topology": t.brief.topology,
        "status": t.status.value,
        "createdAt": t.created_at,
        "panel": [f"{p.seat} ({p.model_id})" for p in t.brief.panel],
        "synthesizer": t.brief.synthesizer.seat,
        "answer": plain(text_with_names(t, cite_answer(t, response), response))
        if response
        else None,
        "answerBy": name(t, response.model_alias) if response else None,
    }


def _measures(t: Transcript) -> Iterator[tuple[str, str, float | str | None]]:
    """Name, kind and value: the same names for every debate."""
    figures, last, changed = stats(t), findings(t), find_movement(t)
    total = figures.total
    scores = [r.mean for r in score_rows(t) if r.round_number < 0]
    yield "Agreement at first", "share", next(iter(figures.agreement.values()), None)
    yield "Agreement at last", "share", next(reversed(list(figures.agreement.values())), None)
    yield "What follows", "text", last.decision.reason if last else None
    yield "Contradicting pairs", "count", figures.disagreements
    yield "Rounds", "count", len(t.rounds)
    yield "Changes of position", "count", len(changed.flips) if changed else None
    yield "Judge's score", "mark", scores[0] if scores else None
    yield "Calls", "count", total.calls
    yield "Tokens", "count", total.tokens
    yield "Cost", "money", total.cost_usd
    yield "Time at work", "seconds", t.worked.total_seconds()


def _figures(a: Transcript, b: Transcript) -> list[Figure]:
    """Relations between the panelists in either debate."""
    return [
        replace(figure, name=f"{figure.name}-{which}", title=f"{figure.title}: {which}")
        for which, figure in (("first", relations(a)), ("second", relations(b)))
    ]


def _rounds(a: Transcript, b: Transcript) -> Iterator[Json]:
    numbers = sorted({r.round_number for t in (a, b) for r in t.rounds})
    for number in numbers:
        left, right = a.round(number), b.round(number)
        seats = dict.fromkeys(
            r.model_alias for round_ in (left, right) if round_ for r in round_.responses
        )
        yield {
            "name": _name(left, right, number),
            "seats": [{"seat": s, "a": _said(a, left, s), "b": _said(b, right, s)} for s in seats],
        }


def _name(left: Round | None, right: Round | None, number: int) -> str:
    types = dict.fromkeys(r.round_type for r in (left, right) if r)
    return " / ".join(dict.fromkeys(round_name(number, t) for t in types))


def _said(t: Transcript, round_: Round | None, seat: str) -> Json | None:
    own = next((r for r in round_.responses if r.model_alias == seat), None) if round_ else None
    return _response(t, own) if own else None


def _response(t: Transcript, r: Response) -> Json:
    return {
        "model": r.model_id,
        "holds": one_line(replace_letters(position(r, t.query), letters(t, r)), 600)
        if r.usable
        else "",
        "text": plain(text_with_names(t, readable(r), r)) if r.usable else "",
        "missing": "" if r.usable else f"{reason(r)}: {explanation(r)}",
    }
