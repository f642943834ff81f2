"""Groupthink: signs that a panel agreed too easily. A warning with its reasons, never a verdict."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from mutual_dissent.analysis.rounds.confidence import stated_confidence
from mutual_dissent.core.measures import Consensus, Groupthink
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Round

# Models overstate their confidence, so that only a panel without any doubter is a sign.
HIGH_CONFIDENCE, MEAN_CONFIDENCE = 0.8, 0.85
NEAR_UNANIMOUS = 0.9
ROSE = 0.1  # agreement, from one round to the next
_ENOUGH = 2
# Characters that are searched for links: an answer may have two megabytes (`Bounds.text`).
_LOOK = 100_000
_LINK = re.compile(r"https?://[^\s<>()\[\]\"']{1,300}")
_ADVICE = (
    "Consider another round with a devil's advocate, or check the main claims against a source "
    "outside the panel."
)


def groupthink(
    now: Round,
    consensus: Consensus,
    earlier: Sequence[Round] = (),
    before: Consensus | None = None,
) -> Groupthink:
    """The signs in a round: two of them make a warning.

    Args:
        now: the round that ended.
        consensus: its consensus.
        earlier: the rounds before it.
        before: the consensus of the last of these.
    """
    if len(now.usable) < 2:
        return Groupthink(detected=False)
    signs = tuple(_signs(now, consensus, earlier, before))
    is_warning = len(signs) >= _ENOUGH
    return Groupthink(
        detected=is_warning, indicators=signs, recommendation=_ADVICE if is_warning else ""
    )


def _signs(
    now: Round, consensus: Consensus, earlier: Sequence[Round], before: Consensus | None
) -> Iterator[str]:
    answers = now.usable
    sure = [c for r in answers if (c := stated_confidence(r)) is not None]
    all_sure = len(sure) == len(answers) and min(sure) >= HIGH_CONFIDENCE
    if all_sure and sum(sure) / len(sure) >= MEAN_CONFIDENCE:
        yield f"everyone is at least {HIGH_CONFIDENCE:.0%} sure"
    stances = [r.stance for r in answers if r.stance]
    if len(stances) > 1 and len(set(stances)) == 1 and stances[0] != "neutral":
        yield f"no dissenting stance: everyone is {stances[0]}"
    level = consensus.agreement_level
    # Answers written apart that agree are evidence; only those written together can be groupthink.
    was = before.agreement_level if before else None
    if was is None or level is None or _is_anything_new(answers, earlier):
        return
    if was < NEAR_UNANIMOUS <= level:
        yield f"nearly unanimous after reading each other (agreement {level:.2f})"
    if before and _rose(before, consensus):
        yield (
            f"agreement rose from {before.agreement_level:.2f} to {level:.2f} "
            "without new evidence or arguments"
        )


def _rose(before: Consensus, after: Consensus) -> bool:
    was, now = before.agreement_level, after.agreement_level
    return was is not None and now is not None and now - was >= ROSE


def _is_anything_new(answers: Sequence[Response], earlier: Sequence[Round]) -> bool:
    """Tell whether a round brought a source, a tool's result, or a reason that an answer names."""
    old = [r for round_ in earlier for r in round_.usable]
    return (
        bool(_sources(answers) - _sources(old))
        or any(r.tool_calls for r in answers)
        or any(_names_a_reason(r) for r in answers)
    )


def _names_a_reason(r: Response) -> bool:
    """Tell whether a panelist that changed something says what moved it."""
    change = r.closing.change if r.closing else None
    return change is not None and change.kind != "nothing" and bool(change.what)


def _sources(responses: Iterable[Response]) -> set[str]:
    return {
        url
        for r in responses
        for url in (*(c.url for c in r.citations), *_LINK.findall(r.text[:_LOOK]))
    }
