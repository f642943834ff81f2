"""Agents: who can sit on a panel, how each is reached and, on request, whether it answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mutual_dissent.app import MutualDissent, Reach
from mutual_dissent.config.panel import default_panel
from mutual_dissent.core.errors import UserError
from mutual_dissent.views.safe import one_line

Json = dict[str, Any]


async def agents(md: MutualDissent, names: Sequence[str] = (), *, probe: bool = False) -> Json:
    """Those named, else every alias. To probe is to ask each a tiny question, which costs."""
    wanted = list(names or md.settings.aliases)
    reached = await _reached(md, wanted) if probe else {}
    return {
        "agents": [_agent(md, name, reached.get(name)) for name in wanted],
        "defaultPanel": list(dict.fromkeys(default_panel(md.settings, ()).names)),
        "probed": probe,
    }


async def _reached(md: MutualDissent, names: Sequence[str]) -> dict[str, Reach]:
    known = [n for n in names if _route(md, n)[0]]
    return {r.name: r for r in await md.reach(known)} if known else {}


def _agent(md: MutualDissent, name: str, found: Reach | None) -> Json:
    vendor, model, problem = _route(md, name)
    why = found.problem if found else problem
    latency = found.response.latency_ms if found and found.response else None
    return {
        "agentId": one_line(name, 200),
        "vendor": vendor,
        "model": model,
        "available": vendor is not None,
        "healthy": found.ok if found else None,
        **({"latencyMs": latency} if latency is not None else {}),
        **({"problem": one_line(why, 300)} if why else {}),
    }


def _route(md: MutualDissent, name: str) -> tuple[str | None, str | None, str]:
    try:
        route = md.find_route(name)
    except UserError as e:
        return None, None, str(e)
    return route.vendor, route.model_id, ""
