"""Agents: the models a panel may use, the route to each and, on request, whether it answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mutual_dissent.app import MutualDissent
from mutual_dissent.briefing.default_panel import Nearby, default_panel
from mutual_dissent.briefing.seating import FindRoute
from mutual_dissent.core.codec.camel import Shape
from mutual_dissent.core.errors import UserError
from mutual_dissent.reach import Reach
from mutual_dissent.text.sanitize import one_line

Where = tuple[str | None, str | None, str]
"""The vendor and the model's id, or why there is no route."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent(Shape):
    """A model that can sit on a panel, and whether it answers."""

    agent_id: str
    vendor: str | None
    model: str | None
    available: bool
    healthy: bool | None
    latency_ms: int | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agents(Shape):
    """The models that can sit on a panel."""

    agents: tuple[Agent, ...]
    default_panel: tuple[str, ...]
    probed: bool
    hint: str | None = None


async def agents(
    md: MutualDissent,
    names: Sequence[str] = (),
    *,
    probe: bool = False,
    find: FindRoute | None = None,
    spent: Callable[[float], None] | None = None,
) -> Agents:
    """The named agents, else every alias.

    Args:
        probe: whether to ask each a tiny question, which costs.
        find: resolves a name, where a surface may reach only some agents.
        spent: called with the dollars of each question.
    """
    chosen = list(names or md.settings.aliases)
    routes = {name: _route(find or md.find_route, name) for name in chosen}
    reached = await _probe(md, [n for n in chosen if routes[n][0]], spent) if probe else {}
    return Agents(
        agents=tuple(_agent(name, routes[name], reached.get(name)) for name in chosen),
        default_panel=tuple(dict.fromkeys(default_panel(md.settings, Nearby()).names)),
        probed=probe,
    )


async def _probe(
    md: MutualDissent, names: Sequence[str], spent: Callable[[float], None] | None
) -> dict[str, Reach]:
    probes = await md.reach(names) if names else []
    for reach in probes:
        if spent and reach.response and reach.response.cost_usd:
            spent(reach.response.cost_usd)
    return {reach.name: reach for reach in probes}


def _agent(name: str, route: Where, probe: Reach | None) -> Agent:
    vendor, model, problem = route
    why = probe.problem if probe else problem
    return Agent(
        agent_id=one_line(name, 200),
        vendor=vendor,
        model=model,
        available=vendor is not None,
        healthy=probe.ok if probe else None,
        latency_ms=probe.response.latency_ms if probe and probe.response else None,
        problem=one_line(why, 300) if why else None,
    )


def _route(find: FindRoute, name: str) -> Where:
    try:
        route = find(name)
    except UserError as e:
        return None, None, str(e)
    return route.vendor, route.model_id, ""
