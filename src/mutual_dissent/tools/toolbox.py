"""The box of tools of one debate: what is offered, and every use of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from mutual_dissent.core.errors import clip
from mutual_dissent.core.ports import Tools
from mutual_dissent.core.tool import Tool
from mutual_dissent.tools.fact_check import FACT_CHECK, fact_check
from mutual_dissent.tools.fetch import Pages
from mutual_dissent.tools.options import SearchOptions
from mutual_dissent.tools.search import MAX_QUERY, Search, SearchFailed, backends
from mutual_dissent.tools.web_search import WEB_SEARCH, web_search

MAX_RESULT = 6_000
MOST_USES_A_DEBATE = 200


class ToolBox:
    """The tools that panelists may use. What was found is not looked up again.

    How often one answer may use them is for whoever asks it to say (`core.tool.MOST_USES`).
    """

    def __init__(
        self,
        options: SearchOptions,
        *,
        search: Search | None = None,
        pages: Pages | None = None,
        more: Tools | None = None,
        most_uses: int = MOST_USES_A_DEBATE,
    ) -> None:
        """Set up the box; nothing is opened yet.

        Args:
            options: the backends and their limits.
            search: searches, instead of the configured backends.
            pages: fetches pages, instead of from the public web alone.
            more: further tools, which bound themselves.
            most_uses: how many uses there may be in all.
        """
        if search is None and options.any_backend:
            search = Search(backends(options), most=options.max_results, timeout=options.timeout)
        self._search = search
        self._pages = pages or Pages(timeout=options.timeout)
        self._left = most_uses
        self._more = more
        self._known: dict[tuple[str, str], str] = {}

    def available(self) -> tuple[Tool, ...]:
        """The tools that can be used now; none without a backend."""
        ours = (WEB_SEARCH, FACT_CHECK) if self._search is not None else ()
        return (*ours, *(self._more.available() if self._more else ()))

    async def use(self, name: str, arguments: dict[str, Any]) -> str:
        """The result of one call; a failure is a sentence. Raises nothing but CancelledError."""
        if self._more and any(t.name == name for t in self._more.available()):
            return await self._more.use(name, arguments)
        try:
            return shorten(await self._use(name, arguments))
        except SearchFailed as e:
            return f"The search failed: {e}. Answer with what you know, and say so."
        except Exception as e:  # noqa: BLE001 - the port promises that no failure ends a debate
            return f"{clip(name)} failed ({type(e).__name__}). Answer with what you know."

    async def _use(self, name: str, arguments: dict[str, Any]) -> str:
        uses: dict[str, tuple[str, Callable[[Search, str], Awaitable[str]]]] = {
            WEB_SEARCH.name: ("query", web_search),
            FACT_CHECK.name: ("claim", self._fact_check),
        }
        if self._search is None or name not in uses:
            return f"There is no tool called {clip(str(name))!r}."
        parameter, run = uses[name]
        text = _text(arguments, parameter)
        if text is None:
            return f"{name} takes {parameter}: a text of 1 to {MAX_QUERY} characters."
        if known := self._known.get((name, text)):
            return known
        if self._left <= 0:
            return "No tool can be used any more in this debate. Answer with what you know."
        self._left -= 1
        result = await run(self._search, text)
        self._known[name, text] = result
        return result

    async def _fact_check(self, search: Search, claim: str) -> str:
        return await fact_check(search, self._pages, claim)


def shorten(text: str, limit: int = MAX_RESULT) -> str:
    """The text, cut with a mark where it is too long."""
    return text if len(text) <= limit else f"{text[: limit - 12]}\n[cut here]"


def _text(arguments: object, parameter: str) -> str | None:
    """The argument in one line; None if it is not what it should be."""
    given = arguments.get(parameter) if isinstance(arguments, dict) else None
    if not isinstance(given, str):
        return None
    line = " ".join("".join(c if c.isprintable() else " " for c in given).split())
    return line if 0 < len(line) <= MAX_QUERY else None
