"""Whether what was asked for fits the mode: what would have no effect is refused, not ignored."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from mutual_dissent.config.analyst import NOBODY
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.panel import EMBEDDED, Route
from mutual_dissent.core.response import SMALL, tokens_in
from mutual_dissent.core.step import Mode
from mutual_dissent.core.terms import option
from mutual_dissent.modes.outline import heeds_topology, outline

if TYPE_CHECKING:
    from mutual_dissent.briefing.options import Options

PARTS = {
    "roles": ("role", "devils-advocate"),
    "teams": ("team", "red-team-blue-team"),
    "perspectives": ("perspective", "expert-panel"),
}
"""Option -> the part it is about, and a mode that has it."""

Windows = Callable[[Route], int | None]
"""How many tokens a model takes in all, if that is known."""

EXITS = ("exit_consensus", "exit_convergence", "exit_confidence")


def check_fits(options: Options, mode: Mode, topologies: Iterable[str]) -> None:
    """Make sure that the mode has a use for what was asked for.

    Raises:
        BadInput: if it has none; the sentence says what to leave out.
    """
    _check_parts(options, mode)
    if options.topology and not heeds_topology(mode, topologies):
        raise BadInput(
            f"{mode.name} has no topology; leave out {option('topology')}, or use reflection"
        )
    if options.rule and not outline(mode).ballots:
        another = option("mode", "ranking")
        raise BadInput(f"{mode.name} has no ballots; leave out {option('rule')}, or try {another}")
    if options.follow_up and mode.max_panel == 1:
        raise BadInput(f"{mode.name} has nobody to ask; leave out {option('follow_up')}")
    if options.analyst not in (None, NOBODY) and mode.max_panel == 1:
        raise BadInput(
            f"{mode.name} has no debate that could be read; leave out {option('analyst')}"
        )
    for name in EXITS if mode.rounds is None else ():
        if getattr(options, name) is not None:
            raise BadInput(f"{mode.name} has fixed stages; leave out {option(name)}")


def check_readable(brief: Brief, windows: Windows) -> None:
    """Make sure that enough of those who take part can read what is asked, as far as is known.

    Raises:
        BadInput: if the debate could not come to an answer, so that nobody need be asked.
    """
    said = (brief.query, *(a.text for a in brief.context), *(e.text for e in brief.earlier))
    tokens = tokens_in(sum(map(len, said)))
    if tokens <= SMALL:
        return
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


def _check_parts(options: Options, mode: Mode) -> None:
    asked = {name: name for name in PARTS if getattr(options, name)}
    if options.perspective_order:
        asked["perspectives"] = "perspective_order"
    if not asked:
        return
    has = outline(mode).parts
    for name, given in asked.items():
        part, example = PARTS[name]
        if part not in has:
            another = option("mode", example)
            raise BadInput(
                f"{mode.name} has no {name}; leave out {option(given)}, or try {another}"
            )
