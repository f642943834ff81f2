"""A vendor whose models refuse parts of a request, and answer in form when they can.

    vendor = PickyVendor("response_format is not supported", schema=True)

A request with a part that it refuses gets a 400 with that sentence. One with the tool that hands in
an answer gets a call of it; one with a schema gets JSON; any other gets prose.
"""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from fakes.vendor import Arrival, FakeVendor, Turn

ANSWER = {
    "position": "Tabs.",
    "reasoning": "Everybody sees them as wide as it likes.",
    "key_points": ["They are one byte.", "They say what they mean."],
    "confidence": 0.8,
    "citations": [],
}
PROSE = "POSITION: Tabs.\nREASONING: Everybody sees them as wide as it likes.\nCONFIDENCE: 0.8"
SCHEMA = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ANSWER},
    "required": list(ANSWER),
    "additionalProperties": False,
}


class PickyVendor(FakeVendor):
    """The vendor. `refuses` maps a part (schema, submit, tools) to what is said about it."""

    def __init__(self, *, status: int = 400, whole: bool = False, **refuses: str) -> None:
        super().__init__(whole=whole)
        self.refuses = refuses
        self.code = status

    @property
    def sent(self) -> list[set[str]]:
        """The parts of each request that came."""
        return [parts(a.body) for a in self.arrivals]

    async def _arrived(self, request: web.Request) -> Arrival:
        arrival = await super()._arrived(request)
        if arrival.turn is self.fallback:
            arrival.turn = self._turn_for(parts(arrival.body))
        return arrival

    def _turn_for(self, sent: set[str]) -> Turn:
        for part, message in self.refuses.items():
            if set(part.split("_and_")) <= sent:
                return Turn(fault=str(self.code), message=message, whole=self._whole)
        if "submit" in sent:
            tool = {"name": "submit_response", "arguments": ANSWER}
            return Turn(tool=tool, whole=self._whole)
        text = json.dumps(ANSWER) if "schema" in sent else PROSE
        return Turn(text=text, whole=self._whole)


def parts(body: dict[str, Any]) -> set[str]:
    """What a request holds besides its text, on any of the wires."""
    config = body.get("generationConfig", {})
    schema = {"response_format", "output_config", "text"} & body.keys()
    schema = schema or "responseJsonSchema" in config
    names = {
        t.get("name") or t.get("function", t).get("name", t.get("type"))
        for tool in body.get("tools", [])
        for t in tool.get("functionDeclarations", [tool])
    }
    found = {"schema"} if schema else set()
    found |= {"submit"} if "submit_response" in names else set()
    return found | ({"tools"} if names else set())
