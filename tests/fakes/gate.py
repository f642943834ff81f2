"""Panelists that begin to speak at once, and say the rest when they are let."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from mutual_dissent.core.response import Response
from mutual_dissent.providers.scripted import Scripted

CAST = ["ada", "bob"]


class Gate(Scripted):
    """Says the same thing for ever, once it is let; each answer costs a cent."""

    def __init__(self) -> None:
        super().__init__(dict.fromkeys((*CAST, "eve"), self._line_of))
        self.open = asyncio.Event()

    @staticmethod
    def _line_of(ask: Any) -> str:
        return f"{ask.panelist.seat} says tabs are better than spaces"

    async def ask(self, ask: Any, on_text: Any) -> Response:
        on_text("ada says")
        await self.open.wait()
        return replace(await super().ask(ask, on_text), cost_usd=0.01)
