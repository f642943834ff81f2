"""A sample plugin: a topology, a mode, a provider, an output format, a payload source."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mutual_dissent.core.panel import Route
from mutual_dissent.core.ports import OnText
from mutual_dissent.core.response import Ask, Response
from mutual_dissent.core.sight import everyone_else
from mutual_dissent.core.step import Mode, Script, Step, Topology, conclude, together
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.providers.responses import blank


def _reflect(so_far: Transcript, n: int) -> Generator[Step, Transcript, Transcript]:
    """Only the first half of the panel, two at least, thinks again."""
    half = so_far.standing[: max(2, len(so_far.standing) // 2)]
    return (
        yield together(
            half, "reflection/reflect", role="reflection", round_number=n, sees=everyone_else
        )
    )


HALF = Topology(name="half", summary="Only the first half thinks again.", reflect=_reflect)


def _show_of_hands(so_far: Transcript) -> Script:
    """Everyone answers once; nobody reads anybody."""
    so_far = yield together(so_far.panelists, "reflection/initial", role="initial", round_number=0)
    yield from conclude(so_far, "common/synthesis")


SHOW_OF_HANDS = Mode(
    name="show-of-hands",
    summary="One answer each, then a summary.",
    script=_show_of_hands,
    rounds=None,
)


class Parrot:
    """A provider that repeats the query; the model's name says how often."""

    async def ask(self, ask: Ask, on_text: OnText) -> Response:
        """The query, once or several times."""
        query = ask.head.partition("# Query\n")[2].partition("\n")[0]
        text = " ".join([query] * int(ask.panelist.model_id))
        on_text(text)
        return replace(blank(ask), content=text)

    async def warm_up(self, routes: Sequence[Route]) -> None:
        """Nothing is needed."""


def oneline(transcript: Transcript) -> str:
    """The query and the answer in one line."""
    answer = transcript.synthesis.content if transcript.synthesis else "no answer"
    return f"{transcript.query} -> {' '.join(answer.split())}"


class Whisper:
    """A payload: one question for all, and a hint for one panelist alone."""

    id = "whisper-1"
    answer = "Canberra"

    def __init__(self, to: str) -> None:
        """Whisper to the panelist of that alias."""
        self.to = to

    def get_query(self) -> str:
        """What all are asked."""
        return "What is the capital of Australia?"

    def get_context(self, model_alias: str) -> str | None:
        """What one of them alone is told."""
        return "It is said to be Sydney." if model_alias == self.to else None


def whispers(options: Mapping[str, Any], folder: Path) -> list[Whisper]:
    """The payloads of `[source] name = "whisper"`; `to` says who is whispered to."""
    del folder
    return [Whisper(str(options.get("to", "parrot:1")))]
