"""The tool that lists the agents for a panel."""

from __future__ import annotations

from typing import Any

from mutual_dissent.surfaces.facts.agents import agents
from mutual_dissent.surfaces.mcp.answers.truncate import fit_answer
from mutual_dissent.surfaces.mcp.arguments import GetAgents
from mutual_dissent.surfaces.mcp.tool_call import Call


async def get_agents(call: Call, wanted: GetAgents) -> dict[str, Any]:
    """The agents, how each is reached, and, if asked for, whether it answers."""
    if wanted.probe:
        await call.tell("every agent is asked a tiny question")
    shown = await agents(call.md, wanted.agents or (), probe=wanted.probe)
    return fit_answer(shown, "there are more; name those that you want to know of")
