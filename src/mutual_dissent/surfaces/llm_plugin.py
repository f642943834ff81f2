"""A plugin for the program `llm`, which loads it by its entry point: the panel as a model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import llm
from pydantic import Field

if TYPE_CHECKING:
    from mutual_dissent import Transcript
    from mutual_dissent.core.brief import Earlier, FileBytes

PICTURES: set[str] = {"image/png", "image/jpeg", "image/webp", "image/gif"}


@llm.hookimpl
def register_models(register: Callable[[llm.Model, llm.AsyncModel], None]) -> None:
    """Add the panel to the models of `llm`."""
    register(DissentModel(), AsyncDissentModel())


class PanelOptions(llm.Model.Options):
    """Options of a debate that `llm -o NAME VALUE` takes."""

    panel: str | None = Field(default=None, description="Aliases or vendor:model, by comma.")
    preset: str | None = Field(default=None, description="One that `dissent presets` lists.")
    mode: str | None = Field(default=None, description="One that `dissent modes` lists.")
    rounds: int | Literal["auto"] | None = Field(default=None, description="Rounds, or auto.")
    max_cost: float | None = Field(default=None, description="Dollars not to be exceeded.")


class DissentModel(llm.Model):
    """The panel; its debates are kept in the record like all others."""

    model_id = "dissent"
    attachment_types = PICTURES
    Options = PanelOptions

    def execute(
        self,
        prompt: llm.Prompt,
        stream: bool,  # noqa: ARG002 - part of its interface
        response: llm.Response,
        conversation: llm.Conversation | None,  # noqa: ARG002 - the prompt has it all
    ) -> Iterator[str]:
        """Yield the answer, once it is written."""
        yield asyncio.run(_answer(prompt, response))


class AsyncDissentModel(llm.AsyncModel):
    """The panel, for programs with an event loop of their own."""

    model_id = DissentModel.model_id
    attachment_types = PICTURES
    Options = PanelOptions

    async def execute(
        self,
        prompt: llm.Prompt,
        stream: bool,  # noqa: ARG002 - part of its interface
        response: llm.AsyncResponse,
        conversation: llm.AsyncConversation | None,  # noqa: ARG002 - the prompt has it all
    ) -> AsyncGenerator[str, None]:
        """Yield the answer, once it is written."""
        yield await _answer(prompt, response)


async def _answer(prompt: llm.Prompt, response: llm.Response | llm.AsyncResponse) -> str:
    from mutual_dissent import DissentError, MutualDissent  # not for every call of `llm`

    options = prompt.options.model_dump(exclude_none=True)
    if "panel" in options:
        options["panel"] = [name.strip() for name in options["panel"].split(",")]
    *earlier, last = _turns(prompt.messages)
    shown = list(_pictures(prompt))
    try:
        async with MutualDissent() as md:
            t = await md.debate(last.text, earlier=earlier, context=shown, **options)
    except DissentError as e:
        raise llm.ModelError(str(e)) from e
    _describe(t, response)
    return _text(t)


def _turns(messages: list[llm.Message]) -> Iterator[Earlier]:
    """Yield what was said, the question last; calls of tools by other models are left out."""
    from mutual_dissent.core.brief import Earlier

    for message in messages:
        text = "".join(part.text for part in message.parts if isinstance(part, llm.parts.TextPart))
        match message.role:
            case "system":
                yield Earlier(speaker="instructions", text=text)
            case "user" | "assistant" as speaker if text:
                yield Earlier(speaker=speaker, text=text)


def _pictures(prompt: llm.Prompt) -> Iterator[FileBytes]:
    """Yield what `llm -a FILE` attached to the question."""
    from mutual_dissent.core.brief import FileBytes

    for n, attached in enumerate(prompt.attachments, 1):
        name = Path(attached.path).name if attached.path else f"picture {n}"
        raw: bytes = attached.content_bytes()  # type: ignore[no-untyped-call]
        yield FileBytes(name=name, raw=raw, shown=True)


def _describe(t: Transcript, response: llm.Response | llm.AsyncResponse) -> None:
    """Put the debate's id, heading and cost into the log of `llm`."""
    from mutual_dissent.core.figures.stats import stats

    spent = stats(t).total
    response.set_usage(input=spent.input_tokens, output=spent.output_tokens)
    response.response_json = {
        "transcript_id": t.transcript_id,
        "heading": t.heading,
        "cost_usd": spent.cost_usd,
    }


def _text(t: Transcript) -> str:
    from mutual_dissent.views.account import account
    from mutual_dissent.views.documents.formats import answer
    from mutual_dissent.views.heading import why_no_answer

    if not (text := answer(t)):
        raise llm.ModelError(f"the panel gave no answer: {why_no_answer(t)}")
    return f"{text}\n---\n*{account(t).headline}*"
