"""The panel as a chat model of LangChain: `pip install mutual-dissent langchain-core`."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

from mutual_dissent import MutualDissent
from mutual_dissent.core.brief import Earlier

SPEAKERS = {"system": "instructions", "human": "user", "ai": "assistant"}


class PanelChat(BaseChatModel):
    """Each call is a debate; `options` are those of `MutualDissent.debate`."""

    options: dict[str, Any] = Field(default_factory=dict)

    @property
    def _llm_type(self) -> str:
        return "mutual-dissent"

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        *before, last = messages
        told = [Earlier(speaker=SPEAKERS[m.type], text=m.text) for m in before]
        async with MutualDissent() as md:
            t = await md.debate(last.text, earlier=told, **self.options)
        if t.synthesis is None:
            raise ValueError(t.heading)
        about = {"heading": t.heading, "transcript_id": t.transcript_id}
        message = AIMessage(content=t.synthesis.content, response_metadata=about)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return asyncio.run(self._agenerate(messages))


if __name__ == "__main__":
    said = PanelChat().invoke([("system", "Be brief."), ("human", " ".join(sys.argv[1:]))])
    print(said.text, said.response_metadata["heading"], sep="\n\n")
