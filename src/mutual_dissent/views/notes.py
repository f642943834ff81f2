"""What the reader of a debate should know besides its answer, each in one sentence."""

from __future__ import annotations

from collections.abc import Iterator

from mutual_dissent.core.follow_up import follow_up
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.names import name
from mutual_dissent.views.phrases import effort, explanation, plural, reason, round_name
from mutual_dissent.views.safe import one_line

ELSEWHERE = frozenset({"absent", "request", "not_saved", "saved"})
"""Notes of what has a place of its own."""
MINOR = ELSEWHERE | {"summarised", "served_by", "imported_cost"}
"""And of what changes nothing for a reader, or stands in the heading."""


def remarks(t: Transcript) -> list[str]:
    """Absences, substitutions, cuts and replays, none said twice."""
    return list(dict.fromkeys(one_line(r, 400) for r in _remarks(t)))


def warnings(t: Transcript) -> list[str]:
    """Those of them that readers of the answer have to know, beside what the heading says."""
    return list(dict.fromkeys(one_line(r, 300) for r in _remarks(t, left_out=MINOR)))


def _remarks(t: Transcript, left_out: frozenset[str] = ELSEWHERE) -> Iterator[str]:
    for failed in (*t.absent, *t.failed_syntheses):
        tried = effort(failed) if failed.attempts else ""
        facts = ", ".join(filter(None, (round_name(failed.round_number), reason(failed), tried)))
        yield f"{name(t, failed.model_alias)} ({facts}): {explanation(failed)}"
    # Absences are said above, as they stand now: a resumed debate may have heard them after all.
    yield from (n.text for n in t.notes if n.code not in left_out)
    if found := follow_up(t):
        silent = "" if found.reply else ", and got no reply"
        asker, asked = name(t, found.asker), name(t, found.seat)
        yield f"{asker} asked {asked} before it wrote{silent}: {found.question}"
    if t.brief.replay_of:
        n = len(t.reused)
        yield (
            f"This is a replay of {t.brief.replay_of[:8]}, "
            f"of which {plural(n, 'answer')} {'was' if n == 1 else 'were'} reused."
        )
    if t.bought_twice:
        yield f"{plural(t.bought_twice, 'call')} in flight at an interruption may be billed twice."
