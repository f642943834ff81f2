"""The world of a debate: everything that it needs from outside."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from mutual_dissent.analysis.bottom_lines import Judge
from mutual_dissent.core.ports import CitedPages, Clock, Funds, Journal, Prices, Provider, Tools
from mutual_dissent.engine.directives import Directives
from mutual_dissent.engine.ending import DebateEnding
from mutual_dissent.prompts.library import Library


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """Ports and texts that a debate needs from outside.

    `running` holds the debates that are under way, for whoever must end them. `rest` says, before
    each request, whether the debate is to come to rest instead, and how it is closed then.
    `cited` leads to the pages that answers cite, if they are to be checked.
    `last_call` tells a user on the panel for how many more seconds it is waited for. `judge`
    is the embedded model that compares one-sentence claims, if what it needs is installed. `funds`
    is the money that it shares with other debates, if it does. `tokens` says whether anybody wants
    to see answers while they are written. `pictures` gives the bytes of an attached picture by
    their hash, as long as they are on record.
    """

    provider: Provider
    journal: Journal
    prices: Prices
    library: Library
    clock: Clock
    tools: Tools | None = None
    cited: CitedPages | None = None
    directives: Directives | None = None
    funds: Funds | None = None
    rest: Callable[[], DebateEnding | None] = lambda: None
    last_call: Callable[[float], None] = lambda _: None
    judge: Callable[[], Judge | None] = lambda: None
    tokens: bool = True
    pictures: Callable[[str], bytes | None] = lambda _: None
    running: set[asyncio.Task[None]] = field(default_factory=set)
