"""The panel as a language model of DSPy 3.4 or later: `pip install mutual-dissent dspy`."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import dspy
from dspy import lm15

from mutual_dissent import MutualDissent
from mutual_dissent.core.brief import Earlier

SPEAKERS = {"developer": "instructions", "user": "user", "assistant": "assistant"}


class PanelEngine:
    """Each request is a debate; `options` are those of `MutualDissent.debate`."""

    def __init__(self, **options: Any) -> None:
        self.options = options

    def complete(self, request: lm15.Request) -> lm15.Response:
        """Hold the debate, and return its answer."""
        t = asyncio.run(self._debate(request))
        if t.synthesis is None:
            raise ValueError(t.heading)
        return lm15.Response(
            id=t.transcript_id,
            model=request.model,
            message=lm15.Message.assistant(t.synthesis.content),
            finish_reason="stop",
            usage=lm15.Usage(),
        )

    async def _debate(self, request: lm15.Request) -> Any:
        *before, last = [(SPEAKERS[m.role], _text(m.parts)) for m in request.messages]
        if request.system:
            before.insert(0, ("instructions", _text(request.system)))
        told = [Earlier(speaker=speaker, text=text) for speaker, text in before]
        async with MutualDissent() as md:
            return await md.debate(last[1], earlier=told, **self.options)


def _text(parts: Any) -> str:
    return parts if isinstance(parts, str) else "".join(p.text for p in parts if p.type == "text")


if __name__ == "__main__":
    dspy.configure(lm=dspy.LM("dissent", engine=PanelEngine(), cache=False))
    print(dspy.Predict("question -> answer")(question=" ".join(sys.argv[1:])).answer)
