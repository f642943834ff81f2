"""The analyst of a debate where nobody is named: the cheapest of those who take part anyway."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from mutual_dissent.core.panel import EMBEDDED, HUMAN, RECORDED, Panelist, Route
from mutual_dissent.core.ports import Prices

NOBODY = "none"
"""The name that stands for no analyst."""

CALL = (6_000, 900)
"""Tokens in and out of a usual analysis, by which prices are compared."""

_UNABLE = frozenset({EMBEDDED, RECORDED, HUMAN})
"""Who cannot read a debate: a model that is too small, one that only repeats, the user."""


def analyst_of(
    panel: Sequence[Panelist], synthesizer: Panelist, prices: Prices | None
) -> Panelist | None:
    """The cheapest of panel and synthesizer; the synthesizer where no price is known.

    It is told nothing about how much to think. What is free has no price to compare: it may be a
    model that is too small for the task. A panel of models that cannot read has no analyst.
    """
    if all(p.route.vendor in _UNABLE for p in panel):
        return None
    able = [p for p in (synthesizer, *panel) if p.route.vendor not in _UNABLE]
    costs = [(prices.cost(p.route, *CALL) if prices else None, p) for p in able]
    known = [(cost, p) for cost, p in costs if cost]
    found = min(known, key=lambda one: one[0])[1] if known else able[0]
    return Panelist(seat=found.seat, route=replace(found.route, effort=""))


def analyst_notices(
    analyst: Panelist, others: Sequence[Panelist], maker: Callable[[Route], str]
) -> list[str]:
    """The notice about an analyst whose maker has no other model in the debate."""
    ours = {(p.route.vendor, maker(p.route)) for p in others}
    route = analyst.route
    if (route.vendor, maker(route)) in ours:
        return []
    gets = "the query, the last answers and the synthesis also go there"
    return [f"{analyst.seat} ({route.vendor}) reads the debate as its analyst: {gets}"]
