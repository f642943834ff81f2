"""An answer beside that of an earlier debate, which the panel was told: asked, not guessed."""

from __future__ import annotations

from mutual_dissent.analysis.bottom_lines import compare_lines
from mutual_dissent.analysis.ledger.entries import EarlierAnswer, EarlierRelation
from mutual_dissent.analysis.ledger.lookup import ledger_of
from mutual_dissent.analysis.rounds.consensus import position
from mutual_dissent.core.brief import SimilarDebate
from mutual_dissent.core.measures import AGREE, DISAGREE
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript

_RELATIONS: dict[str, EarlierRelation] = {AGREE: "confirms", DISAGREE: "contradicts"}


def earlier_answer(t: Transcript) -> EarlierAnswer | None:
    """The relation of the answer to that of the attached debate; None if they were not compared.

    The analyst says it. Without one, code compares estimates and closed answers to one question;
    an answer to a question in other words may be about something else.
    """
    past, final = t.brief.attached, t.synthesis
    if past is None or final is None:
        return None
    ledger = ledger_of(t)
    if ledger and ledger.earlier:
        return ledger.earlier
    from mutual_dissent.text.likeness import same_question

    if not same_question(past.query, t.query):
        return None
    return _by_estimate(past, final) or _by_value(past, final, t.query)


def _by_estimate(past: SimilarDebate, final: Response) -> EarlierAnswer | None:
    from mutual_dissent.analysis.answers.closing_lines import estimate_in
    from mutual_dissent.analysis.rounds.estimates import overlap

    before, now = estimate_in(past.estimate), final.closing.estimate if final.closing else None
    found = overlap(before, now) if before and now else None
    relation = _RELATIONS.get(found[0]) if found else None
    if not (found and relation and now):
        return None
    return EarlierAnswer(
        transcript_id=past.transcript_id, relation=relation, source="estimate",
        before=past.estimate, now=now.words, reason=found[1],
    )  # fmt: skip


def _by_value(past: SimilarDebate, final: Response, query: str) -> EarlierAnswer | None:
    lines = {"before": past.bottom_line, "now": position(final, query)}
    found = compare_lines(lines, query).get(("before", "now")) if all(lines.values()) else None
    relation = _RELATIONS.get(found.relation) if found else None
    if not (found and relation):
        return None
    return EarlierAnswer(
        transcript_id=past.transcript_id, relation=relation, source="value", **lines
    )
