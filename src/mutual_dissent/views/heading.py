"""The heading of an answer: what happened, in one line, derived from the record alone."""

from __future__ import annotations

from collections.abc import Iterator

from mutual_dissent.core.events import Status
from mutual_dissent.core.response import Response, same_model
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.answer import fallback_answer
from mutual_dissent.views.phrases import listed, reason, round_name
from mutual_dissent.views.safe import one_line

EMBEDDED = "local"
MEASURES = {"lexical": "by words"}
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
            measure = str(round_.measures.get("measure", ""))
            return float(level), MEASURES.get(measure, one_line(f"by {measure}", 30))
    return None


def _parts(t: Transcript) -> Iterator[str]:
    if t.status in _STOPS:
        yield _stop(t)
    elif t.closed_reason == "quorum":
        yield "below quorum"
    yield _attendance(t)
    if found := measured(t):
        yield f"agreement {found[0]:.2f} ({found[1]})"
    if warning := evidence_warning(t):
        yield warning
    yield from _substitutes(t)
    yield _ending(t)


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
        return f"synthesized by {one_line(t.synthesis.model_alias, 40)}{instead}{cut}"
    why = f": {listed(failed)}" if failed else ""
    return f"not synthesized{why}; {_shown_instead(t)}"


def _shown_instead(t: Transcript) -> str:
    shown = fallback_answer(t)
    if shown is None or t.last_round is None:
        return "there is no answer"
    which = (
        "the only answer" if len(t.last_round.usable) == 1 else "the answer nearest to all others"
    )
    return f"shown: {which}, by {one_line(shown.model_alias, 40)}"


def _writer(response: Response) -> str:
    served = response.served_model
    return served if served and response.served_by_another else response.model_id
