"""The tool that says who can sit on a panel."""

from __future__ import annotations

from typing import Any

from mutual_dissent.app import Reach
from mutual_dissent.config.panel import default_panel
from mutual_dissent.core.errors import UserError
from mutual_dissent.surfaces.mcp.arguments import GetAgents
from mutual_dissent.surfaces.mcp.call import Call
from mutual_dissent.surfaces.mcp.size import fitted
from mutual_dissent.views.safe import one_line

Json = dict[str, Any]


async def get_agents(call: Call, wanted: GetAgents) -> Json:
    """The agents, how each is reached, and, if asked for, whether it answers."""
    names = wanted.agents or list(call.md.settings.aliases)
    reached = await _reached(call, wanted) if wanted.probe else {}
    shown = {
        "agents": [_agent(call, name, reached.get(name)) for name in names],
        "defaultPanel": list(dict.fromkeys(default_panel(call.md.settings, ()).names)),
        "probed": wanted.probe,
    }
    return fitted(shown, "there are more; name those that you want to know of")


async def _reached(call: Call, wanted: GetAgents) -> dict[str, Reach]:
    await call.tell("every agent is asked a tiny question")
    known = [n for n in wanted.agents or call.md.settings.aliases if _route(call, n)[0]]
    return {r.name: r for r in await call.md.reach(known)} if known else {}


def _agent(call: Call, name: str, found: Reach | None) -> Json:
    vendor, model, problem = _route(call, name)
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


def _route(call: Call, name: str) -> tuple[str | None, str | None, str]:
    try:
        route = call.md.find_route(name)
    except UserError as e:
        return None, None, str(e)
    return route.vendor, route.model_id, ""
