"""The heading of an answer: what happened, in one line, derived from the record alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mutual_dissent.analysis.ballots import UNREAD
from mutual_dissent.core.events import Status
from mutual_dissent.core.response import Response, same_model
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.answer import best_ranked, fallback_answer
from mutual_dissent.views.measures import Findings, election, findings, last_opinions
from mutual_dissent.views.phrases import listed, plural, reason, round_name
from mutual_dissent.views.safe import one_line

EMBEDDED = "local"
SINGLE = "single"
DECIDED = 0.5
VOTING = frozenset({"ranking", "hybrid"})
"""Modes in which the panel votes."""
MEASURES = {"lexical": "by words", "semantic": "by the semantic model", "model": "by the analyst"}
_STOPS = {
    Status.CREATED: "not begun",
    Status.ACTIVE: "not finished",
    Status.PAUSED: "paused",
    Status.INTERRUPTED: "interrupted",
    Status.STOPPED: "stopped",
}


def heading(t: Transcript) -> str:
    """What happened in a debate, and what its answer is worth."""
    return "; ".join(_parts(t))


def evidence_warning(t: Transcript) -> str:
    """Why agreement says nothing here; empty where the answers are of different models."""
    if not is_one_model(t):
        return ""
    if any(p.route.vendor == EMBEDDED for p in t.panelists):
        return "embedded demo model: all panelists share it, so their agreement is no evidence"
    return "all answers come from one model, so their agreement is no evidence"


def caveat(t: Transcript) -> str:
    """What stands beside a measure that is no evidence; empty where it may be some."""
    if not is_one_model(t):
        return ""
    demo = any(p.route.vendor == EMBEDDED for p in t.panelists)
    return " (a demo, no evidence here)" if demo else " (no evidence here)"


def is_one_model(t: Transcript) -> bool:
    """Whether every answer of the last round was written by the same model."""
    usable = t.last_round.usable if t.last_round else ()
    ids = [_writer(r) for r in usable] if len(usable) > 1 else t.panel
    return len(ids) > 1 and all(same_model(ids[0], i) for i in ids[1:])


def measured(t: Transcript) -> tuple[float, str] | None:
    """The agreement of the last measured round, and how it was measured."""
    for round_ in reversed(t.rounds):
        level = round_.measures.get("agreement")
        if isinstance(level, int | float):
            return min(1.0, max(0.0, float(level))), measured_by(round_.measures)
    return None


def measured_by(measures: Mapping[str, Any]) -> str:
    """How the agreement of a round was measured: `by rules`."""
    measure = str(measures.get("measure") or "a measure that is not named")
    return MEASURES.get(measure, one_line(f"by {measure}", 30))


def _parts(t: Transcript) -> Iterator[str]:
    if t.status in _STOPS:
        yield _stop(t)
    elif t.closed_reason == "quorum":
        yield "below quorum"
    if t.brief.mode != SINGLE:
        yield _attendance(t)
    found = findings(t)
    if level := measured(t):
        yield f"agreement {level[0]:.2f} ({_how(level[1], found)})"
    if warning := evidence_warning(t):
        yield warning
    elif found:
        yield from _outcome(found)
    yield from _winners(t)
    if found:
        yield from _early_end(found)
    yield from _substitutes(t)
    yield _ending(t)


def _how(measure: str, found: Findings | None) -> str:
    """How agreement was measured, and whether that could tell anything."""
    undecided = found is not None and _is_undecided(found)
    return f"{measure}, most pairs undecided" if undecided else measure


def _is_undecided(found: Findings) -> bool:
    return bool(found.consensus.pairs) and found.consensus.decided < DECIDED


def _outcome(found: Findings) -> Iterator[str]:
    """Whether the panel is split or agrees; what nobody could tell is not claimed."""
    sizes = () if _is_undecided(found) else found.split
    if sizes:
        yield f"split {':'.join(map(str, sizes))}{_dissenters(found)}"
    elif found.is_consensus:
        yield "consensus"
    if found.groupthink:
        yield "possible groupthink"


def _dissenters(found: Findings) -> str:
    """Who stands against the largest group, where there is one."""
    first, *others = found.consensus.clusters
    if len(others[0].members) == len(first.members):
        return ""
    against = [m for c in others for m in c.members if m in found.contradictors]
    names = listed([one_line(m, 40) for m in against])
    return f" ({names} dissent{'s' if len(against) == 1 else ''})" if against else ""


def _winners(t: Transcript) -> Iterator[str]:
    votes = election(t)
    if votes is None:
        if any(UNREAD in r.flags or _is_vote(t, r) for r in t.turns()):
            yield "no ballot could be read"
        return
    names = listed([one_line(w, 40) for w in votes.winners])
    rule, voters = one_line(votes.rule, 30), plural(votes.voters, "vote")
    if not votes.winners:
        yield "nobody voted"
    elif len(votes.winners) > 1:
        yield f"{names} tied ({rule}, {voters})"
    else:
        score = votes.scores.get(votes.winners[0], 0.0)
        yield f"{names} ranked first ({rule} {score:.4g}, {voters})"


def _is_vote(t: Transcript, r: Response) -> bool:
    return t.brief.mode in VOTING and r.role == "evaluation" and r.usable


def _early_end(found: Findings) -> Iterator[str]:
    if found.ending and found.ending[1].reason != "max_rounds":
        number, ending = found.ending
        yield f"ended after {round_name(number)}: {one_line(ending.details, 120)}"


def _stop(t: Transcript) -> str:
    word = _STOPS[t.status]
    parts = (one_line(t.closed_reason, 40), one_line(t.closed_text))
    said = [x for x in parts if x and x != word]
    return f"{word}: {' - '.join(said)}" if said else word


def _attendance(t: Transcript) -> str:
    seats = [p.seat for p in t.panelists]
    answered = [s for s in seats if t.latest_of(s)]
    gone = [_absence(t, r) for r in t.absent]
    why = f" ({'; '.join(gone)})" if gone else ""
    return f"{len(answered)} of {len(seats)} answered{why}"


def _absence(t: Transcript, failed: Response) -> str:
    seat = one_line(failed.model_alias, 40)
    if t.latest_of(failed.model_alias) is None:
        return f"{seat}: {reason(failed)}"
    return f"{seat} dropped out in {round_name(failed.round_number)}: {reason(failed)}"


def _substitutes(t: Transcript) -> Iterator[str]:
    """The answers that another model wrote than the one asked for."""
    shown = {
        f"{one_line(r.model_alias, 40)} was answered by {one_line(r.served_model or '', 60)} "
        f"instead of {one_line(r.model_id, 60)}": None
        for _, r in t.responses()
        if r.usable and r.served_by_another
    }
    yield from shown


def _ending(t: Transcript) -> str:
    failed = [f"{one_line(r.model_alias, 40)}: {reason(r)}" for r in t.failed_syntheses]
    if t.synthesis is not None:
        instead = f" (after {listed(failed)})" if failed else ""
        cut = ", cut at a length limit" if t.synthesis.finish.value == "truncated" else ""
        done = "answered alone" if t.brief.mode == SINGLE else "synthesized"
        return f"{done} by {one_line(t.synthesis.model_alias, 40)}{instead}{cut}"
    if t.status is Status.COMPLETED:
        return f"no synthesis was asked for; {_shown_instead(t)}"
    why = f": {listed(failed)}" if failed else ""
    return f"not synthesized{why}; {_shown_instead(t)}"


def _shown_instead(t: Transcript) -> str:
    shown = fallback_answer(t)
    held = last_opinions(t)
    if shown is None or held is None:
        return "there is no answer"
    which = "the only answer" if len(held.usable) == 1 else "the answer nearest to all others"
    if best_ranked(t) is shown:
        which = "the best-ranked answer"
    return f"shown: {which}, by {one_line(shown.model_alias, 40)}"


def _writer(response: Response) -> str:
    served = response.served_model
    return served if served and response.served_by_another else response.model_id
