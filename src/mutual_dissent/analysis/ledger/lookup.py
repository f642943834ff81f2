"""The ledger of a debate: as the analyst reads it, else as the panel itself tells it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from mutual_dissent.analysis.ledger.analyst import is_readable, texts_by_seat
from mutual_dissent.analysis.ledger.entries import (
    Correction,
    EarlierTexts,
    Issue,
    Ledger,
    Position,
    Shared,
    Side,
)
from mutual_dissent.analysis.rounds.clusters import SAID
from mutual_dissent.analysis.rounds.consensus import position
from mutual_dissent.analysis.rounds.exposure import previous
from mutual_dissent.analysis.rounds.recorded import consensus_of
from mutual_dissent.core.closing import Change
from mutual_dissent.core.measures import AGREE, DISAGREE, Cluster, Conflict, Consensus, Pair
from mutual_dissent.core.response import SYNTHESIS_ROUND, Response
from mutual_dissent.core.transcript import ANALYSIS, Transcript, read_once

__all__ = ["analyst_ledger", "ledger_of", "panel_ledger"]

MOST_DISPUTES = 8
_FIGURE = re.compile(r"\d{1,12}(?:[.,]\d{1,6})?")


@read_once
def ledger_of(t: Transcript) -> Ledger | None:
    """The analyst's ledger, else one from closing lines; None if both are empty."""
    return analyst_ledger(t) or panel_ledger(t)


def analyst_ledger(t: Transcript) -> Ledger | None:
    """The last readable analyst's ledger of the present synthesis; None without one."""
    if not is_readable(t):
        return None
    replies = (*_earlier(t), *_replies(t))
    return next(filter(None, (_reading(t, r) for r in reversed(replies))), None)


def why_unread(t: Transcript) -> str:
    """Reason why the analyst's reply is unreadable; empty if it is not, or was not asked for."""
    who = t.brief.analyst
    replies = [r for r in _replies(t) if who and r.model_alias == who.seat]
    last = replies[-1] if replies else None
    if last is None or _reading(t, last):
        return ""
    if not last.usable:
        return f"{last.model_alias}: {last.error or f'its reply was {last.finish.value}'}"
    return f"the reply of {last.model_alias} could not be read"


def _replies(t: Transcript) -> list[Response]:
    """Analysts' replies about the present synthesis, in order."""
    return [a for a in t.asides if a.role == ANALYSIS and a.round_number == SYNTHESIS_ROUND]


def _earlier(t: Transcript) -> list[Response]:
    """Replaced replies of the same analysts about it: they count where the new one failed."""
    since = t.synthesis.timestamp if t.synthesis else None
    replaced = [r for _, r in t.replaced if r.role == ANALYSIS and since and r.timestamp > since]
    return [r for r in replaced if r.round_number == SYNTHESIS_ROUND]


def _reading(t: Transcript, reply: Response) -> Ledger | None:
    if not reply.usable:
        return None
    from mutual_dissent.analysis.ledger.analyst_reply import ledger_in

    ledger = ledger_in(
        reply.content, _labels(t, reply), texts_by_seat(t), reply.model_alias, _earlier_texts(t)
    )
    return _complete(t, ledger) if ledger else None


def _earlier_texts(t: Transcript) -> EarlierTexts | None:
    past, final = t.brief.attached, t.synthesis
    if past is None or final is None:
        return None
    before = (past.bottom_line, t.brief.told_answer)
    return EarlierTexts(past.transcript_id, before, (final.bottom_line, final.text))


def _labels(t: Transcript, reply: Response) -> dict[str, str]:
    """The labels that an analyst knows the panel by; once more asked, it has the same."""
    key = f"{SYNTHESIS_ROUND}/{ANALYSIS}/{reply.model_alias}"
    return {**t.labels.get(key, {}), **t.labels.get(f"{key}/again", {})}


def _complete(t: Transcript, ledger: Ledger) -> Ledger:
    """The ledger, completed by panelists' own statements that the analyst was not shown."""
    own = tuple(said_corrections(t))
    unmoved = _unmoved(t)
    # Whoever says that it changed nothing has corrected nothing: an analyst may mix up letters.
    read = [c for c in ledger.corrections if c.seat not in unmoved]
    earlier = [c for c in own if _is_earlier_figure(c, read)]
    moved = {c.seat for c in read}
    others = [c for c in own if c.seat not in moved]
    asked = t.synthesis.requests if t.synthesis else ()
    # In the order of the debate: earlier steps of a figure, what the analyst saw, the rest.
    corrections = (*earlier, *read, *others)[:MOST_CORRECTIONS]
    return replace(
        ledger,
        corrections=corrections,
        missing=asked or ledger.missing or facts_from_user(t),
        disputes=tuple(_disputes(t, ledger.positions, moved))[:MOST_DISPUTES],
    )


def _unmoved(t: Transcript) -> set[str]:
    """Panelists that say, whenever they say anything about it, that they changed nothing."""
    said = [(r.model_alias, r.closing.change) for r in t.turns() if r.usable and r.closing]
    kinds = [(seat, change.kind) for seat, change in said if change]
    return {seat for seat, _ in kinds} - {seat for seat, kind in kinds if kind != "nothing"}


def _is_earlier_figure(own: Correction, read: Sequence[Correction]) -> bool:
    """Return whether the author's own change of a figure ends where the analyst's change begins.

    An analyst may report the last step alone: from 48 to 51, of a panelist that began with 16.
    """
    same = [c for c in read if c.seat == own.seat]
    known = {n for c in same for n in _FIGURE.findall(c.before)}
    ends = _FIGURE.findall(own.after)
    return bool(ends) and ends[0] in known and not {*_FIGURE.findall(own.before)} & known


def _disputes(
    t: Transcript, positions: Sequence[Position], moved: Collection[str]
) -> Iterator[str]:
    """Yield contradictions between the analyst and a pair of panelists about that pair."""
    measured = last_consensus(t, moved)
    place = {seat: n for n, p in enumerate(positions) for seat in p.holders}
    for pair in measured.pairs if measured else ():
        if pair.source == SAID and pair.a in place and pair.b in place:
            together = place[pair.a] == place[pair.b]
            if sentence := _dispute(pair, together=together):
                yield sentence


def _dispute(pair: Pair, *, together: bool) -> str:
    names = f"{pair.a} and {pair.b}"
    if together and pair.relation == DISAGREE:
        about = f" ({'; '.join(pair.about)})" if pair.about else ""
        return f"The analyst puts {names} in one position; they say that they disagree{about}."
    if not together and pair.a_says == pair.b_says == AGREE:
        return f"The analyst puts {names} in different positions; they say that they agree."
    return ""


MOST_CORRECTIONS = 12
MOST_MISSING = 6
_WHY = re.compile(r"[\s,;.:–—-]{0,8}(?:because(?: of)?\b[^:]{0,60}:)?[\s,;:]{0,8}", re.IGNORECASE)


def panel_ledger(t: Transcript) -> Ledger | None:
    """Build a ledger from closing lines; None if they say nothing."""
    last = last_consensus(t)
    ledger = Ledger(
        source="panel",
        analyst=None,
        positions=_positions(last.clusters) if last else (),
        contested=tuple(_issue(c, last.clusters) for c in last.conflicts) if last else (),
        common_ground=tuple(Shared(statement=s) for s in last.common_ground) if last else (),
        corrections=said_corrections(t),
        missing=facts_from_user(t),
    )
    return ledger if any((ledger.positions, ledger.corrections, ledger.missing)) else None


def last_consensus(t: Transcript, moved: Collection[str] = ()) -> Consensus | None:
    """Consensus of the last round with a measured pair; else of the last round.

    Args:
        moved: panelists that left their first answer, as the analyst reads it.
    """
    rounds = list(consensus_of(t).items())
    known = [(n, f) for n, f in rounds if any(p.measured for p in f.pairs)]
    number, found = next(reversed(known or rounds), (0, None))
    if not moved or found is None:
        return found
    # Loaded here: in few debates does anybody change its mind.
    from mutual_dissent.analysis.rounds.present_views import present_consensus

    return present_consensus(t, found, t.round(number), moved)


def said_corrections(t: Transcript) -> tuple[Correction, ...]:
    """Changes of bottom lines, in their authors' own words."""
    moved = ((r, r.closing.change) for r in t.turns() if r.usable and r.closing)
    corrections = [_correction(t, r, c) for r, c in moved if c and c.kind == "yes"]
    return tuple(corrections[-MOST_CORRECTIONS:])


def facts_from_user(t: Transcript) -> tuple[str, ...]:
    """Facts that only the user can tell: as the answer names them, else open questions."""
    own = t.synthesis.requests if t.synthesis else ()
    return tuple(dict.fromkeys(own or (r.text for r in t.open_requests)))[:MOST_MISSING]


def _positions(clusters: Iterable[Cluster]) -> tuple[Position, ...]:
    return tuple(
        Position(statement=c.summary, holders=c.members) for c in clusters if c.summary.strip()
    )


def _issue(conflict: Conflict, clusters: Iterable[Cluster]) -> Issue:
    """A conflict in its parties' own words, a side for each group that takes part in it."""
    parties = {p.seat for p in conflict.positions}
    sides = (
        Side(statement=c.summary, holders=c.members, quote=None)
        for c in clusters
        if parties & {*c.members}
    )
    return Issue(question=conflict.issue, sides=tuple(sides))


def _correction(t: Transcript, response: Response, change: Change) -> Correction:
    before = previous(t, response)
    return Correction(
        seat=response.model_alias,
        before=change.before or (position(before, t.query) if before else ""),
        after=change.after or response.bottom_line,
        reason=_reason(change),
        because_of=change.because_of,
    )


def _reason(change: Change) -> str:
    """Reason for a change, without parts that have fields of their own: `had doubled the rate`."""
    _, separator, rest = change.what.rpartition(change.after) if change.after else ("", "", "")
    if not separator:
        return change.what
    match = _WHY.match(rest)
    return rest[match.end() :].strip() if match else rest.strip()
