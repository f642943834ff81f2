"""Light models: who says how far a round agrees where the user names nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from mutual_dissent.core.errors import UserError
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.ports import Prices

LIGHT: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "anthropic": ("claude-haiku-5-5",),
        "openai": ("gpt-6-luna",),
        "google": ("gemini-2.5-flash-lite",),
        "xai": ("grok-4-1-fast-non-reasoning",),
        "groq": ("openai/gpt-oss-20b",),
        "openrouter": (
            "anthropic/claude-haiku-5.5",
            "openai/gpt-6-luna",
            "google/gemini-2.5-flash-lite",
        ),
    }
)
"""Vendor -> models that cost little and can be trusted to fill in a form."""

CALL = (3_000, 300)
"""Tokens in and out of a usual analysis, by which prices are compared."""

LIGHT_NAMES = tuple(f"{vendor}:{model}" for vendor, models in LIGHT.items() for model in models)


def cheapest(
    panel: Sequence[Panelist],
    others: Iterable[str],
    find: Callable[[str], Route],
    prices: Prices,
) -> Panelist | None:
    """The one whose call costs least, of the panel and of others that can be reached.

    Others must have a price above zero: what is free may not be running, or not answer in time.
    None if no price is known.
    """
    seated = [(p, prices.cost(p.route, *CALL)) for p in panel]
    free = [(p, prices.cost(p.route, *CALL)) for p in _reachable(others, find)]
    known = [(c, p) for p, c in seated if c is not None] + [(c, p) for p, c in free if c]
    return min(known, key=lambda found: found[0])[1] if known else None


def _reachable(names: Iterable[str], find: Callable[[str], Route]) -> Iterator[Panelist]:
    for name in names:
        try:
            yield Panelist(seat=name, route=find(name))
        except UserError:
            continue
