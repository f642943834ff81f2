"""The answer of a debate: its synthesis or, without one, the best of the panel's answers."""

from __future__ import annotations

from mutual_dissent.analysis.rounds.clusters import spokesman
from mutual_dissent.analysis.rounds.recorded import consensus_of
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.defects import REVIEW_MODE
from mutual_dissent.views.findings import election, last_opinions
from mutual_dissent.views.phrases import round_name


def fallback_answer(t: Transcript) -> Response | None:
    """The answer shown instead of a synthesis; None if there is a synthesis, or no answer."""
    if t.synthesis is not None:
        return None
    return vote_winner(t) or _leading(t)


def _leading(t: Transcript) -> Response | None:
    """The answer that speaks for the largest group; the panel's first if there is no such group."""
    held, known = last_opinions(t), consensus_of(t)
    if held is None or not held.usable:
        return None
    last = known[max(known)] if known else None
    heaviest = last.weightiest if last else None
    largest = last.clusters[0].members if last and last.clusters else ()
    largest = heaviest.members if heaviest else largest
    answers = {r.model_alias: r for r in held.usable}
    if last and (len(largest) > 1 or heaviest):
        lines = {s: r.bottom_line for s, r in answers.items()}
        return answers.get(spokesman(largest, last.pairs, lines), held.usable[0])
    return held.usable[0]


def vote_winner(t: Transcript) -> Response | None:
    """The answer that the panel's votes put first, if they put one alone there."""
    votes = election(t)
    return t.latest_of(votes.winners[0]) if votes and len(votes.winners) == 1 else None


def is_review(t: Transcript) -> bool:
    """Return whether the answer of a debate is a list of findings."""
    return t.brief.mode == REVIEW_MODE


def round_of(t: Transcript, r: Response) -> str:
    """Name of the round that a response belongs to; of a review, the step."""
    return round_name(r.round_number, r.role if is_review(t) else "", t.brief.mode)


def subject_of(t: Transcript) -> str:
    """The query; of a review what is reviewed, where the query is the program's own."""
    if not is_review(t):
        return t.query
    from mutual_dissent.analysis.review.report import ASKED, UNNAMED
    from mutual_dissent.analysis.review.text import documents

    what, asked, focus = t.query.partition(ASKED)
    if not asked or not what.startswith("Review "):
        return t.query
    if what != UNNAMED:
        return f"Review of {what.removeprefix('Review ')}.{focus}"
    first, *more = (d.name for d in documents(t.brief))
    return f"Review of {first}{f' and {len(more)} more' if more else ''}.{focus}"


def answer(t: Transcript) -> Response | None:
    """The response that is shown as the debate's answer, if any."""
    return t.synthesis or fallback_answer(t)
