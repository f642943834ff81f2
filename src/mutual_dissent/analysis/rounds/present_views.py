"""Views of what panelists hold at present: those of an answer that was left since do not count."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from mutual_dissent.analysis.rounds.clusters import SAID, clusters, conflicts
from mutual_dissent.analysis.rounds.consensus import level, position
from mutual_dissent.analysis.rounds.exposure import answer_before
from mutual_dissent.core.measures import PARTLY, Consensus, Pair
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Round, Transcript


def present_consensus(
    t: Transcript, consensus: Consensus, round_: Round | None, moved: Collection[str]
) -> Consensus:
    """A round's findings without views of answers that their authors have left since.

    Args:
        moved: panelists that left their first answer, as the analyst reads it.
    """
    answers = {r.model_alias: r for r in round_.usable} if round_ else {}
    left = {seat for seat in moved if seat in answers and not _says_so_itself(answers[seat])}
    pairs = tuple(_present_pair(t, p, answers, left) for p in consensus.pairs)
    if pairs == consensus.pairs:
        return consensus
    seats = [m for c in consensus.clusters for m in c.members]
    lines = {seat: position(answers[seat], t.query) for seat in seats if seat in answers}
    found = clusters(seats, pairs, lines)
    known = sum(p.measured for p in pairs)
    return replace(
        consensus,
        pairs=pairs,
        clusters=found,
        agreement_level=level(seats, pairs),
        conflicts=conflicts(lines, pairs, found),
        decided=round(known / len(pairs), 4),
    )


def _says_so_itself(response: Response) -> bool:
    """Return whether an author says if it changed: its own word goes before the analyst's."""
    return bool(response.closing and response.closing.change)


def _present_pair(
    t: Transcript, pair: Pair, answers: dict[str, Response], left: Collection[str]
) -> Pair:
    a, b = answers.get(pair.a), answers.get(pair.b)
    if pair.source != SAID or a is None or b is None:
        return pair
    a_says = None if pair.b in left and _is_about_first(t, a, b) else pair.a_says
    b_says = None if pair.a in left and _is_about_first(t, b, a) else pair.b_says
    if (a_says, b_says) == (pair.a_says, pair.b_says):
        return pair
    said = [s for s in (a_says, b_says) if s]
    if not said:
        return Pair(a=pair.a, b=pair.b, reason="said of an answer that was left since")
    return replace(
        pair,
        relation=said[0] if len(set(said)) == 1 else PARTLY,
        a_says=a_says,
        b_says=b_says,
        a_about=pair.a_about if a_says else "",
        b_about=pair.b_about if b_says else "",
        reason=f"{pair.a if a_says else pair.b} says {said[0]}",
    )


def _is_about_first(t: Transcript, reader: Response, subject: Response) -> bool:
    """Return whether a reader had only the first answer of a subject that has answered anew.

    In longer debates it cannot be told in which round the analyst saw a subject move.
    """
    own = (r for r in t.turns() if r.usable and r.model_alias == subject.model_alias)
    read = answer_before(t, subject.model_alias, reader)
    return read is not None and read is next(own, None) and read is not subject
