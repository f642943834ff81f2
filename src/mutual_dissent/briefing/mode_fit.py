"""Fit of options to the mode, and of what is asked to those who read it: refused, not ignored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from mutual_dissent.briefing.options import OPTIONS, Option, Options, Requirement
from mutual_dissent.briefing.seating import NOBODY
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.panel import EMBEDDED, Panelist, Route
from mutual_dissent.core.ports import Prices
from mutual_dissent.core.response import SMALL, tokens_in
from mutual_dissent.core.step import Mode
from mutual_dissent.core.values.picture import picture_tokens
from mutual_dissent.core.values.terms import option
from mutual_dissent.prompts.window import ANSWER, CAUTION, CHARACTERS

Windows = Callable[[Route], int | None]
"""Return the tokens that a model takes in all, if that is known."""


def check_fits(options: Options, mode: Mode, topologies: Iterable[str]) -> None:
    """Make sure that the mode has a use for what was asked for.

    Raises:
        BadInput: if it has none; the sentence says what to leave out.
    """
    for entry in OPTIONS.values():
        value = getattr(options, entry.name)
        if not entry.needs or value in (None, False, (), [], {}, NOBODY):
            continue
        only = values_for(mode, entry, topologies)
        if only is not None and value not in only:
            example = entry.needs.example
            other = f", or try {option('mode', example)}" if example else ""
            raise BadInput(
                f"{mode.name} has {entry.needs.lack}; leave out {option(entry.name)}{other}"
            )


def values_for(mode: Mode, entry: Option, topologies: Iterable[str]) -> tuple[str, ...] | None:
    """Values of an option that a mode has a use for, if not all: empty where it has none."""
    if entry.needs is None or meets(mode, entry.needs, topologies):
        return None
    return entry.needs.besides if mode.max_panel > 1 else ()


def meets(mode: Mode, requirement: Requirement, topologies: Iterable[str]) -> bool:
    """Tell whether a mode has what an option needs."""
    from mutual_dissent.modes.outline import heeds_topology, outline

    match requirement.need:
        case "rounds":
            return mode.rounds is not None
        case "panel":
            return mode.max_panel > 1
        case "writer":
            return mode.max_panel > 1 and mode.conclusion is None
        case "topology":
            return heeds_topology(mode, topologies)
        case "ballots":
            return outline(mode).ballots
        case part:
            return part in outline(mode).parts


def is_short(brief: Brief) -> bool:
    """Tell whether every model that there is can read what is asked."""
    return _tokens_at_once(brief) <= SMALL


def check_readable(brief: Brief, windows: Windows) -> None:
    """Make sure that enough of those who take part can read what is asked, as far as is known.

    Raises:
        BadInput: if the debate could not come to an answer, so that nobody need be asked.
    """
    if is_short(brief):
        return
    tokens = _tokens_at_once(brief)
    remote = (p for p in brief.everyone if p.route.vendor != EMBEDDED)  # for that, texts are cut
    small = {p.seat: w for p in remote if (w := windows(p.route)) and w < tokens}
    able = [p for p in brief.panel if p.seat not in small]
    writers = [p for p in (brief.synthesizer, *brief.fallbacks) if p.seat not in small]
    if len(able) >= min(brief.quorum, len(brief.panel)) and (writers or not brief.synthesize):
        return
    readers = ", ".join(f"{seat} takes {w:,}" for seat, w in small.items())
    raise BadInput(
        f"the query and what is attached have about {tokens:,} tokens, and {readers}: too few "
        "could read it; attach less, or choose models with a larger context"
    )


def _tokens_at_once(brief: Brief) -> int:
    """About how many tokens of the query, and of what comes with it, a reader gets at once."""
    attached = sum(len(a.text) for a in brief.context)
    at_once = min(attached, brief.part_size) if brief.part_size else attached
    said = len(brief.query) + at_once + sum(len(e.text) for e in brief.earlier)
    offered = brief.client.tools if brief.client else ()
    said += sum(len(t.description) + len(repr(t.parameters)) for t in offered)
    return tokens_in(said) + picture_tokens(brief.pictures)


UNKNOWN_WINDOW = 32_000
"""Tokens that a model is taken to accept if nobody says how many."""

LARGEST = 120_000
"""Characters that a reviewer is given at once, however much it could take: about 3,000 lines."""

SMALLEST = 2_000
TASK = 2_000
"""Tokens of everything else in a request: the system text, the task, the form."""

TEXT_SHARE = 0.7
"""Of the rest, for the text itself; findings that are to be checked stand beside it."""


def part_size(panel: Sequence[Panelist], query: int, prices: Prices | None) -> int:
    """Characters of attached text that every panelist can be shown at once.

    Args:
        query: the characters of the query, which goes with every request.
    """
    known = (prices.context_window(p.route) if prices else None for p in panel)
    window = min(tokens or UNKNOWN_WINDOW for tokens in known)
    answer = min(2 * ANSWER, window // 4)
    left = (window - answer) / CAUTION - TASK - tokens_in(query)
    return int(min(LARGEST, max(SMALLEST, left * CHARACTERS * TEXT_SHARE)))
