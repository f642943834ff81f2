"""Notes for the reader of a debate besides its answer, and texts that the panel was shown."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from mutual_dissent.core.response import SYNTHESIS_ROUND, Response
from mutual_dissent.core.sight import follow_up
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.answer import round_of
from mutual_dissent.views.panel.names import name, with_names
from mutual_dissent.views.phrases import effort, explanation, join_names, plural, reason

CUT_SHORT = "cut_short"
"""The note that no further round was held: of a debate that went on, the last one counts."""
ELSEWHERE = frozenset({"absent", "request", "not_saved", "saved"})
"""Notes that are shown elsewhere."""
MINOR = ELSEWHERE | {"summarised", "served_by", "imported_cost"}
"""Notes that change nothing for a reader, or stand in the heading."""

SHOWN = {
    "digest": "digest of the round before",
    "summary": "summary of earlier rounds",
    "description": "description of the pictures",
    "follow_up": "reply to the follow-up",
}
"""The roles of asides that readers are shown, with their names."""
TOLD = "you told the panel"


def remarks(t: Transcript) -> list[str]:
    """Absences, substitutions, cuts and replays, each once."""
    return list(dict.fromkeys(one_line(r, 400) for r in _remarks(t)))


def warnings(t: Transcript) -> list[str]:
    """Those notes that readers of the answer must know, beside the heading."""
    return list(dict.fromkeys(one_line(r, 300) for r in _remarks(t, left_out=MINOR)))


def _remarks(t: Transcript, left_out: frozenset[str] = ELSEWHERE) -> Iterator[str]:
    yield from _failures(t)
    # Absences are said above, as they stand now: a resumed debate may have heard them after all.
    last = {n.code: n for n in t.notes}
    kept = (n for n in t.notes if n.code != CUT_SHORT or n is last[CUT_SHORT])
    # Those who were late may have been told after all.
    left_out = left_out if t.description is None else left_out | {"not_described"}
    yield from (with_names(t, n.text) for n in kept if n.code not in left_out)
    if question := follow_up(t):
        silent = "" if question.reply else ", and got no reply"
        asker, asked = name(t, question.asker), name(t, question.seat)
        yield f"{asker} asked {asked} before it wrote{silent}: {question.question}"
    if t.brief.replay_of:
        n = len(t.reused)
        yield (
            f"This is a replay of {t.brief.replay_of[:8]}, "
            f"of which {plural(n, 'answer')} {'was' if n == 1 else 'were'} reused."
        )
    if t.bought_twice:
        yield f"{plural(t.bought_twice, 'call')} in flight at an interruption may be billed twice."


def _failures(t: Transcript) -> Iterator[str]:
    """Yield sentences about failed calls; a shared reason is told once."""
    by_reason: dict[str, list[Response]] = {}
    for failed in (*t.absent, *t.failed_syntheses):
        whose = f" ({failed.model_id})"  # how a vendor's sentence names the model
        by_reason.setdefault(explanation(failed).replace(whose, ""), []).append(failed)
    for why, those in by_reason.items():
        cases: dict[str, list[str]] = {}
        for failed in those:
            cases.setdefault(_facts(t, failed), []).append(name(t, failed.model_alias))
        parts = (
            f"{join_names(list(dict.fromkeys(who)))} ({facts})" for facts, who in cases.items()
        )
        yield f"{'; '.join(parts)}: {explanation(those[0]) if len(those) == 1 else why}"


def _facts(t: Transcript, failed: Response) -> str:
    """Round, kind and number of tries of a failed call."""
    tried = effort(failed) if failed.attempts else ""
    return ", ".join(filter(None, (round_of(t, failed), reason(failed), tried)))


def asides(t: Transcript, round_number: int) -> tuple[Response, ...]:
    """The digests, summaries and replies that were read in a round, in the order of writing."""
    return tuple(a for a in t.asides if a.role in SHOWN and a.round_number == round_number)


def remarks_in(t: Transcript, round_number: int) -> list[str]:
    """Remarks that were first shown in a round; with the synthesis also those not yet shown."""
    held = {r.round_number for r in t.rounds}
    heard = zip_longest(t.remarks, t.heard[: len(t.remarks)], fillvalue=SYNTHESIS_ROUND)
    places = ((str(text), n if n in held else SYNTHESIS_ROUND) for text, n in heard)
    return [text for text, place in places if place == round_number]
