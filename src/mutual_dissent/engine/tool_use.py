"""Tool use: a panelist may call tools before it answers; each call is paid for and on record."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mutual_dissent.core.errors import clip
from mutual_dissent.core.ports import Tools
from mutual_dissent.core.response import Ask, Finish, Response
from mutual_dissent.core.tool import MOST_READING, MOST_USES, Exchange, Use
from mutual_dissent.core.transcript import OPINION_ROLES
from mutual_dissent.engine import notes
from mutual_dissent.engine.ending import DebateEnding
from mutual_dissent.engine.event_log import EventLog
from mutual_dissent.engine.limits.budget import Wallet
from mutual_dissent.engine.memory import Memory
from mutual_dissent.prompts.fences import Fence

SEARCHES = {"web_search": 1, "fact_check": 2}
"""Our tools -> how many searches one use of them takes."""

BEYOND = "Not run: one answer may use tools {most} times, and this call is beyond that."
NO_MORE = "You have no lookups left; answer now with what you know."
AGAIN = "You have made this very call before. It was not made again; this is what came of it then:"
REPEATS = 2
"""As often one call may be repeated; then the panelist has to answer."""

Answer = Callable[[Ask], Awaitable[Response]]
"""The reply to one request."""


@dataclass(slots=True)
class ToolUse:
    """The tools of one debate, and who may have them."""

    tools: Tools | None
    record: EventLog
    wallet: Wallet
    memory: Memory

    def equip(self, ask: Ask) -> Ask:
        """The ask with the tools that its model may call, or with its vendor's own search."""
        brief, seat = self.record.now.brief, ask.panelist.seat
        if self.tools is None or ask.role not in OPINION_ROLES:
            return ask
        way, reads = brief.search_of(ask.panelist), seat in brief.readers
        # Debates of earlier versions have no plan: all were offered the same.
        searches = brief.tools and (not way.own if way else not brief.search)
        offered = (t for t in self.tools.available() if (searches if t.name in SEARCHES else reads))
        most = MOST_READING if reads else MOST_USES
        return replace(ask, search=way, tools=tuple(offered), most_uses=most)

    async def answer(self, ask: Ask, answer_to: Answer) -> Response:
        """The answer, after as many uses of tools as the panelist wants and may have.

        Each reply that only calls tools was paid for: it is on record before a tool is used, and a
        debate that is resumed goes on from it. The answer has every use with what came of it.
        """
        uses: list[Use] = []
        made: list[Use] = []  # with those that repeat an earlier one
        response = await self._reply(ask, answer_to)
        while _calls(ask, response):
            key = _key(ask)
            left = max(0, ask.most_uses - _uses(ask.exchanges))
            # A page may hold instructions: it is quoted as others' words are.
            fence = Fence.of(self.record.now.brief.nonce, key)
            shown = []
            for call in response.tool_calls[:left]:
                use, before = Use.of(call, ""), _earlier(call, made)
                if before is None:
                    use = await self._used(ask, call)
                    # The vendor's own data goes back to it in this exchange, and not on record.
                    uses.append(replace(use, wire={}))
                result = fence.quote("found", use.result if before is None else before.result)
                shown.append(replace(use, result=f"{AGAIN}\n{result}" if before else result))
                made.append(before or use)
            # Every call wants its result, also one that was not run.
            beyond = BEYOND.format(most=ask.most_uses)
            shown += [Use.of(call, beyond, failed=True) for call in response.tool_calls[left:]]
            if len(shown) >= left:
                shown[-1] = replace(shown[-1], result=f"{shown[-1].result}\n{NO_MORE}")
            exchange = Exchange(text=response.content, uses=tuple(shown))
            ask = replace(ask, exchanges=(*ask.exchanges, exchange))
            # Who makes one call again and again gets no further: every turn of it costs.
            if _repeats(made) >= REPEATS and not ask.tools_spent:
                last = replace(shown[-1], result=f"{shown[-1].result}\n{NO_MORE}")
                exchange = replace(exchange, uses=(*shown[:-1], last))
                exchanges = (*ask.exchanges[:-1], exchange)
                ask = replace(ask, exchanges=exchanges, most_uses=_uses(exchanges))
            try:
                ask = await self.wallet.again(ask)
            except DebateEnding as over:
                # It costs this panelist its answer; calls of the others are in flight.
                response = replace(response, error=over.text, finish=Finish.FAILED, tool_calls=())
            else:
                response = await self._reply(ask, answer_to)
        if ask.tools_spent and response.error and response.tool_calls:
            stuck = _repeats(made) >= REPEATS
            had = (
                "made one call again and again"
                if stuck
                else f"used all its {ask.most_uses} lookups"
            )
            response = replace(response, error=f"{response.error}; it had {had}, and was told so")
        return self._with_searches(ask, replace(response, uses=tuple(uses))) if uses else response

    def _with_searches(self, ask: Ask, response: Response) -> Response:
        """The answer with what its searches by a service of the configuration cost at most."""
        way = self.record.now.brief.search_of(ask.panelist)
        if way is None or way.own or not response.uses:
            return response
        searches = sum(SEARCHES.get(u.name, 0) for u in response.uses)
        cost, paid = way.cost(searches), response.cost_usd
        total = None if cost is None or paid is None else paid + cost
        return replace(response, searches=searches, cost_usd=total)

    async def _reply(self, ask: Ask, answer_to: Answer) -> Response:
        """Next reply, from the record if it is there; a reply that calls tools is recorded."""
        key = _key(ask)
        if ask.tools and (known := self.memory.answers.get(key)):
            return known.response
        response = await answer_to(ask)
        if _calls(ask, response):
            # One that calls a tool with no use left is asked once more: it has not failed yet.
            calling = replace(response, role="tool_use", error=None, error_kind=None)
            if calling.finish is Finish.EMPTY:
                calling = replace(calling, finish=Finish.COMPLETE)
            at = self.record.clock()
            await self.record.add(notes.note_answer(replace(ask, key=key), calling, at))
            await self.wallet.settle(ask, response)
        return response

    async def _used(self, ask: Ask, call: dict[str, Any]) -> Use:
        """One use of a tool, with what came of it; what was not offered is not used."""
        use = Use.of(call, "")
        if self.tools is None or all(t.name != use.name for t in ask.tools):
            return replace(use, result=f"There is no tool called {clip(use.name)!r}.")
        found = await self.tools.use(use.name, use.arguments)
        return replace(use, result=found)


def _earlier(call: dict[str, Any], made: Sequence[Use]) -> Use | None:
    """The use that a call repeats: the same tool with the same arguments."""
    this = Use.of(call, "")
    same = (u for u in made if (u.name, u.arguments) == (this.name, this.arguments))
    return next(same, None)


def _repeats(made: Sequence[Use]) -> int:
    """Return how often the call that was repeated most was repeated."""
    return max((sum(u is other for other in made) - 1 for u in made), default=0)


def _calls(ask: Ask, response: Response) -> bool:
    """Return whether a reply calls tools instead of answering, and may be told what came of it.

    When its uses are spent, it is told so once more.
    """
    if not ask.tools or ask.calls_out or not response.tool_calls:
        return False
    if ask.tools_spent:
        reminded = _uses(ask.exchanges[:-1]) >= ask.most_uses
        silent = response.usable or response.finish is Finish.EMPTY
        return silent and not reminded and not response.content.strip()
    return response.usable


def _uses(exchanges: Sequence[Exchange]) -> int:
    return sum(len(e.uses) for e in exchanges)


def _key(ask: Ask) -> str:
    return f"{ask.key}/tools{len(ask.exchanges)}"
