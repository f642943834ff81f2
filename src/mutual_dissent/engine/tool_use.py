"""Tool use: a panelist may call tools before it answers; each call is paid for and on record."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

from mutual_dissent.core.ports import Tools
from mutual_dissent.core.response import Ask, Response
from mutual_dissent.core.tool import Exchange, Tool, Use
from mutual_dissent.core.transcript import OPINION_ROLES
from mutual_dissent.engine import telling
from mutual_dissent.engine.budget import Budget
from mutual_dissent.engine.record import Record
from mutual_dissent.prompts.quoting import Fence

Answer = Callable[[Ask], Awaitable[Response]]
"""The reply to one request."""


@dataclass(slots=True)
class ToolUse:
    """The tools of one debate, and who may have them."""

    tools: Tools | None
    record: Record
    budget: Budget

    def offered(self, role: str) -> tuple[Tool, ...]:
        """What whoever answers in this role may call."""
        if self.tools is None or not self.record.now.brief.tools or role not in OPINION_ROLES:
            return ()
        return self.tools.offered()

    async def answer(self, ask: Ask, answer_to: Answer) -> Response:
        """The answer, after as many uses of tools as the panelist wants and may have.

        Each reply that only calls tools was paid for: it is on record before a tool is used.
        """
        response = await answer_to(ask)
        while ask.tools and response.usable and response.tool_calls and not ask.tools_spent:
            key = f"{ask.key}/tools{len(ask.exchanges)}"
            calling = replace(response, role="tool_use")
            at = self.record.clock()
            await self.record.add(telling.answered(replace(ask, key=key), calling, at))
            self.budget.charge(response)
            uses = [await self._used(call, key) for call in response.tool_calls]
            exchange = Exchange(text=response.content, uses=tuple(uses))
            ask = replace(ask, exchanges=(*ask.exchanges, exchange))
            response = await answer_to(ask)
        return response

    async def _used(self, call: dict[str, Any], key: str) -> Use:
        """One use of a tool; what came of it is quoted, so that nobody takes it for orders."""
        use = Use.of(call, "")
        found = await self.tools.use(use.name, use.arguments) if self.tools else ""
        nonce = self.record.now.brief.nonce
        return replace(use, result=Fence.of(nonce, key).quote("found", found))
