"""Reaching: whether models answer, found out by one tiny question each."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from mutual_dissent.core.errors import UserError
from mutual_dissent.core.panel import Route
from mutual_dissent.core.response import Response
from mutual_dissent.core.values.terms import at_terminal
from mutual_dissent.engine.probe import probe, was_reached
from mutual_dissent.parts import Parts


@dataclass(frozen=True, slots=True)
class Reach:
    """Answer of a model, if any. `response` is None if it was not asked; `problem` says why."""

    name: str
    response: Response | None
    problem: str

    @property
    def ok(self) -> bool:
        """Return whether it was asked and answered."""
        return self.response is not None and not self.problem


async def reach(parts: Parts, names: Sequence[str] = ()) -> list[Reach]:
    """Ask models one tiny question each: those named, else every alias.

    Raises:
        UserError: if a model that was named is not known or cannot be reached.
    """
    wanted = names or list(parts.settings.aliases)
    found = [_reachable(parts, n, given=bool(names)) for n in wanted]
    await _prepare(parts, [route for _, route in found if isinstance(route, Route)])
    reaches = list(await asyncio.gather(*(_reach(parts, n, route) for n, route in found)))
    return reaches if names else [*reaches, *_idle_keys(parts)]


async def _prepare(parts: Parts, routes: list[Route]) -> None:
    """Load what the calls will need, so that no model's time is spent on it."""
    with suppress(Exception):  # whatever is wrong, the calls will meet it and say so
        await parts.prices.prepare(routes)
        await parts.provider.warm_up(routes)


def _idle_keys(parts: Parts) -> list[Reach]:
    """The vendors whose keys no alias uses: which model to ask, only the user can say."""
    settings = parts.settings
    used = {"openrouter", *(a.vendor for a in settings.aliases.values())}
    idle = [e.vendor for e in settings.vendors.values() if e.key and e.vendor not in used]
    named = "no alias uses its key; name a model"
    return [Reach(v, None, f"{named}: {at_terminal('config test', f'{v}:MODEL')}") for v in idle]


def _reachable(parts: Parts, name: str, *, given: bool) -> tuple[str, Route | UserError]:
    try:
        return name, parts.find_route(name)
    except UserError as e:
        if given:
            raise
        return name, e


async def _reach(parts: Parts, name: str, route: Route | UserError) -> Reach:
    if isinstance(route, UserError):
        return Reach(name, None, str(route))
    response = await parts.provider.ask(probe(name, route), lambda _: None)
    problem = "" if was_reached(response) else response.error or response.finish.value
    return Reach(name, response, problem)
