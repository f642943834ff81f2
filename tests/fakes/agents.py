"""A panel inside an agent: panelists that propose, and a writer with lines of its own."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from mutual_dissent.providers.responses import blank
from mutual_dissent.providers.scripted import Scripted

CONFIG = '[defaults]\npanel = ["ada", "bob", "cyd"]\nsynthesizer = "ada"\n'


def native(*made):
    """A reply of the writer that calls tools as its vendor has it."""

    def line(ask):
        found = tuple({"id": "x", "name": n, "arguments": a} for n, a in made)
        return replace(blank(ask), tool_calls=found, input_tokens=5, output_tokens=5)

    return line


class Cast(Scripted):
    """Panelists that say what a test sets; the writer has lines of its own."""

    def __init__(self):
        super().__init__(dict.fromkeys(("ada", "bob", "cyd"), self._says))
        self.gate = asyncio.Event()
        self.gate.set()
        self.panel = {}
        self.writer = []

    def _says(self, ask):
        if ask.role == "synthesis":
            line = self.writer.pop(0) if self.writer else "No umbrella.\n\nBOTTOM LINE: No."
            return line(ask) if callable(line) else line
        return self.panel.get(ask.panelist.seat, "No umbrella.\n\nNEXT: answer\nBOTTOM LINE: No.")

    async def ask(self, ask, on_text):
        await self.gate.wait()
        return await super().ask(ask, on_text)

    def roles(self):
        return [a.role for a in self.asks]
