"""Guessing the panel of a debate whose file lists only model ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.response import Response, same_model
from mutual_dissent.core.transcript import PANEL_ROLES


def guess_seats(
    responses: Sequence[Response],
    listed: Sequence[Any],
    synthesizer_id: str,
    contexts: Mapping[str, str],
) -> tuple[tuple[Panelist, ...], Panelist]:
    """Return the panel and the synthesizer, from the answers and the listed model ids."""
    turns = [r for r in responses if r.role in PANEL_ROLES]
    # Reversed, so that of each seat the first answer stays.
    first = {r.model_alias: r for r in reversed(turns)}
    speakers = [_seat(first[s], contexts) for s in dict.fromkeys(r.model_alias for r in turns)]
    panel = _in_order([i for i in listed if isinstance(i, str)], speakers, contexts)
    return tuple(panel), _synthesizer(responses, panel, synthesizer_id)


def _in_order(
    ids: Sequence[str], speakers: list[Panelist], contexts: Mapping[str, str]
) -> list[Panelist]:
    """Return the speakers in the order of the list, silent panelists at their places.

    A listed id may be OpenRouter's name for a model that answered under its vendor's own.
    """
    left, places = list(speakers), list[Panelist | None]()
    for model_id in ids:
        same = [p for p in left if p.model_id == model_id]
        alike = same or [p for p in left if same_model(model_id, p.model_id)]
        places.append(alike[0] if alike else None)
        left = [p for p in left if not alike or p is not alike[0]]
    names = {p.seat for p in speakers}
    panel = []
    for model_id, place in zip(ids, places, strict=True):
        panel.append(place or (left.pop(0) if left else _silent(model_id, names, contexts)))
        names.add(panel[-1].seat)
    return [*panel, *left]


def _silent(model_id: str, taken: set[str], contexts: Mapping[str, str]) -> Panelist:
    """Return a panelist that was listed and never answered."""
    name = _free(model_id.rpartition("/")[2] or "unknown", taken)
    return Panelist(seat=name, route=_guess(model_id), context=contexts.get(name, ""))


def _seat(response: Response, contexts: Mapping[str, str]) -> Panelist:
    alias = response.model_alias
    return Panelist(
        seat=alias,
        route=response.routing or _guess(response.model_id, response.provider),
        persona=response.persona,
        context=contexts.get(alias, ""),
    )


def _synthesizer(
    responses: Sequence[Response], panel: Sequence[Panelist], model_id: str
) -> Panelist:
    for response in reversed(responses):
        if response.role == "synthesis":
            return _seat(response, {})
    same = next((p for p in panel if p.model_id == model_id), None)
    if same:
        return same
    return Panelist(seat=model_id.rpartition("/")[2] or "unknown", route=_guess(model_id))


def _guess(model_id: str, provider: str | None = None) -> Route:
    """Guess the route of a model that was called before routes were recorded: by its id."""
    by_id = "openrouter" if "/" in model_id else "unknown"
    vendor = provider or by_id
    return Route(vendor=vendor, model_id=model_id, via_openrouter=vendor == "openrouter")


def _free(name: str, taken: set[str]) -> str:
    free, n = name, 1
    while free in taken:
        n += 1
        free = f"{name}#{n}"
    return free
