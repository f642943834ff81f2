"""The twelve tools of the roundtable protocol, in its order."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import PrivateAttr

from mutual_dissent.core.codec.camel import Json, Shape
from mutual_dissent.surfaces.facts.agents import Agents
from mutual_dissent.surfaces.mcp import action_tools, agents, read_tools
from mutual_dissent.surfaces.mcp import arguments as takes
from mutual_dissent.surfaces.mcp.answers import results as gives
from mutual_dissent.surfaces.mcp.answers.schemas import input_schema, output_schema
from mutual_dissent.surfaces.mcp.answers.truncate import compact
from mutual_dissent.surfaces.mcp.elicitation import InputNeeded, question
from mutual_dissent.surfaces.mcp.errors import sentence
from mutual_dissent.surfaces.mcp.tool_call import Call

Work = Callable[[Call, Any], Awaitable[Json]]
MakeCall = Callable[[Context[Any, Any]], Call]


@dataclass(frozen=True, slots=True)
class ToolRow:
    """A tool: its work, title, purpose, arguments and results."""

    work: Work
    title: str
    summary: str
    takes: type[takes.Arguments]
    gives: type[Shape]
    annotations: ToolAnnotations
    is_known: bool = False

    @property
    def schema(self) -> Json:
        """JSON schema of its results; the four layers are described once, by the first tool."""
        return output_schema(self.gives, is_known=self.is_known)


SPENDS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True
)
ORDERS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True
)
LOOKS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ASKS = ToolAnnotations(read_only_hint=True, open_world_hint=True)

TABLE = (
    ToolRow(
        action_tools.start_roundtable,
        "Start a roundtable",
        "Put a topic to a panel of different language models that answer, read and challenge each "
        "other. Costs money where models do. Returns four layers: decision (act on "
        "actionRecommendation.type: proceed, verify or query_detail), agentResponses, evidence, "
        "metadata. Always returns a sessionId: if status is still active when wait is over, call "
        "get_consensus. Cancelling stops the debate; answers are kept. No synthesis is "
        "written; synthesize_debate does that.",
        takes.StartRoundtable,
        gives.RoundtableResponse,
        SPENDS,
    ),
    ToolRow(
        action_tools.continue_roundtable,
        "Continue a roundtable",
        "Hold further rounds of a completed session. hostStatement puts your own view before the "
        "panel, labelled as yours; focusQuestion directs it. Returns the four layers of the last "
        "round. Cancelling stops the rounds.",
        takes.ContinueRoundtable,
        gives.RoundtableResponse,
        SPENDS,
        is_known=True,
    ),
    ToolRow(
        action_tools.control_session,
        "Pause, resume or stop a session",
        "Pause (after the answers being written), stop (at once) or resume a session. What was "
        "answered is never bought again. resolve records the outcome.",
        takes.ControlSession,
        gives.SessionState,
        ORDERS,
    ),
    ToolRow(
        read_tools.list_sessions,
        "List sessions",
        "List the stored sessions, newest first, or search their topics and answers.",
        takes.ListSessions,
        gives.SessionPage,
        LOOKS,
    ),
    ToolRow(
        read_tools.get_consensus,
        "Get the consensus",
        "The four layers of a round as start_roundtable has them (decision null until a round has "
        "ended), with clusters, common ground, disagreement points, nuances, and the answer where "
        "one was written. Waits up to wait seconds, so it is also how to poll; cancelling it stops "
        "nothing.",
        takes.GetConsensus,
        gives.ConsensusResult,
        LOOKS,
        is_known=True,
    ),
    ToolRow(
        read_tools.get_thoughts,
        "Get an agent's thoughts",
        "One agent's position, reasoning and confidence, round by round.",
        takes.GetThoughts,
        gives.Thoughts,
        LOOKS,
    ),
    ToolRow(
        read_tools.export_session,
        "Export a session",
        "The whole session as a Markdown report or as JSON, in pieces where it is long.",
        takes.ExportSession,
        gives.ExportPiece,
        LOOKS,
    ),
    ToolRow(
        action_tools.synthesize_debate,
        "Synthesize the debate",
        "Have one answer written from a completed session. An existing one is returned free "
        "unless another synthesizer is named.",
        takes.SynthesizeDebate,
        gives.Synthesis,
        SPENDS,
    ),
    ToolRow(
        read_tools.get_round_details,
        "Get round details",
        "All answers of one round, with common ground and disagreement points.",
        takes.GetRoundDetails,
        gives.RoundDetails,
        LOOKS,
    ),
    ToolRow(
        read_tools.get_response_detail,
        "Get response detail",
        "One agent's answer in full, with citations, tool calls, cost and errors.",
        takes.GetResponseDetail,
        gives.ResponseDetail,
        LOOKS,
    ),
    ToolRow(
        read_tools.get_citations,
        "Get citations",
        "The sources that the answers name, and who named each.",
        takes.GetCitations,
        gives.SessionCitations,
        LOOKS,
    ),
    ToolRow(
        agents.get_agents,
        "Get agents",
        "Who can sit on a panel, how each is reached and, with probe, whether it answers now.",
        takes.GetAgents,
        Agents,
        ASKS,
    ),
)


class RoundtableTool(Tool):
    """A tool whose errors are results with the next step."""

    _work: Work = PrivateAttr()
    _call: MakeCall = PrivateAttr()

    @classmethod
    def of(cls, row: ToolRow, call: MakeCall) -> RoundtableTool:
        """Return the tool of a row of the table."""
        tool = cls(
            fn=row.work,
            name=row.work.__name__,
            title=row.title,
            description=row.summary,
            parameters=input_schema(row.takes),
            fn_metadata=FuncMetadata(arg_model=row.takes, output_schema=row.schema),
            is_async=True,
            context_kwarg=None,
            annotations=row.annotations,
        )
        tool._work, tool._call = row.work, call
        return tool

    async def run(
        self,
        arguments: Json,
        context: Context[Any, Any],
        convert_result: bool = False,  # noqa: ARG002 - what a tool gives has its shape already
    ) -> Any:
        """Return the result as structured content and the same as compact JSON."""
        try:
            wanted = self.fn_metadata.arg_model.model_validate(arguments)
            call = self._call(context)
            call.hand_in()
            result = await self._work(call, wanted)
        except InputNeeded as e:
            return question(e.request)
        except Exception as e:  # noqa: BLE001 - the model gets every failure as a sentence
            text = TextContent(type="text", text=sentence(e))
            return CallToolResult(content=[text], is_error=True)
        text = TextContent(type="text", text=compact(result))
        return CallToolResult(content=[text], structured_content=result)


def tools(call: MakeCall) -> list[Tool]:
    """Return the twelve tools; `call` makes a tool call from a request's context."""
    return [RoundtableTool.of(row, call) for row in TABLE]
