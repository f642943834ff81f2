"""Delivery of a debate to an OpenAI client: the debate as reasoning, then the answer."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from mutual_dissent.analysis.ledger.lookup import panel_ledger
from mutual_dissent.config.agents import check_remote
from mutual_dissent.core.codec.camel import camel, snake
from mutual_dissent.core.errors import DissentError, NobodyHere
from mutual_dissent.core.events import Answered, Event, Noted, RoundEnded, RoundStarted
from mutual_dissent.core.figures.stats import stats
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.client import ToolCall
from mutual_dissent.hosting.channel import AnswerPiece, Batch
from mutual_dissent.surfaces.http.backend import Caller, HostedBackend
from mutual_dissent.surfaces.openai.errors import UnsupportedRequest, no_answer, not_usable
from mutual_dissent.surfaces.openai.requests import ChatRequest
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.account import account
from mutual_dissent.views.answer import answer, fallback_answer
from mutual_dissent.views.four_layers import four_layers
from mutual_dissent.views.panel.aliases import (
    Letters,
    letters,
    replace_letters,
    text_with_names,
)
from mutual_dissent.views.panel.ledger_names import named_ledger
from mutual_dissent.views.panel.names import names
from mutual_dissent.views.phrases import round_name
from mutual_dissent.views.readiness import only_read, up_to_answer

BROKEN_OFF = "\n\n[The answer broke off here; another one follows.]\n\n"
BEAT = 10.0
"""Seconds of silence after which a keep-alive is sent."""

# "as Panelist" may go on with "B says": then B becomes a name, in text that is already sent.
_UNSETTLED = re.compile(
    r"(?:\bthe\s{1,9})?\bpan[eé]list\w{0,6}\b[^.!?\n]{0,80}$|\w{1,40}$", re.IGNORECASE
)
"""End of a text whose next word may turn a letter into a panelist's name."""


@dataclass(frozen=True, slots=True)
class Said:
    """A piece for the client: of the debate, or of the answer. An empty one is a keep-alive.

    `call` is a tool of the client's that the answer calls, the `number`th.
    """

    kind: Literal["reasoning", "content", "call"]
    text: str = ""
    call: ToolCall | None = None
    number: int = 0


@dataclass(slots=True)
class Delivery:
    """The debate of one request. It stops when the client disconnects, to save money."""

    hosted: HostedBackend
    wanted: ChatRequest
    name: str
    content: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    over: bool = False
    _final: Transcript | None = None
    _written: str = ""
    _sent: str = ""
    _attempt: tuple[str, int] | None = None
    _letters: Letters = field(default_factory=dict)

    @classmethod
    async def begin(cls, hosted: HostedBackend, wanted: ChatRequest, caller: Caller) -> Delivery:
        """Start the requested debate.

        Raises:
            DissentError: if it cannot start.
        """
        hosted.sessions.check_room()
        brief = await hosted.sessions.brief(wanted.query, owner=caller.name, **wanted.options)
        check_remote(brief, hosted.md.settings.programs)
        if brief.me:
            raise NobodyHere
        if wanted.follows:
            brief = replace(brief, conversation=_begun(hosted, wanted.follows, caller))
        return cls(hosted, wanted, await hosted.sessions.begin(brief, owner=caller.name))

    async def pieces(self) -> AsyncGenerator[Said, None]:
        """Yield the pieces in order, with keep-alives; an answer that is not streamed comes last.

        Raises:
            Refused: if the debate ends without an answer.
        """
        try:
            async with (
                aclosing(self.hosted.sessions.follow(self.name)) as batches,
                aclosing(with_beats(batches)) as beating,
            ):
                async for batch in beating:
                    for said in self._of(batch) if batch else [Said("reasoning")]:
                        if self.wanted.stream or said.kind == "reasoning":
                            yield said
                    if batch and batch.events and only_read(self.transcript):
                        break  # the analyst reads the answer on, without the client
            self.over, self._final = True, up_to_answer(self.transcript)
            for said in self._ending():
                if self.wanted.stream:
                    yield said
            if not self.wanted.stream:
                yield Said("content", "".join(self.content))
                for n, call in enumerate(self.calls):
                    yield Said("call", call.json, call, n)
        finally:
            await self.abandon()

    async def abandon(self) -> None:
        """Stop the debate when its client has left, to end the spending; it can be resumed."""
        if not self.over:
            with suppress(DissentError):
                await self.hosted.sessions.stop(self.name)

    @property
    def transcript(self) -> Transcript:
        """The debate so far."""
        return self._final or self.hosted.sessions.transcript(self.name)

    def extra(self) -> dict[str, Any]:
        """Return the fields for which OpenAI's shape has no place."""
        t = self.transcript
        total, words = stats(t).total, account(t)
        return {
            "session_id": t.transcript_id,
            "status": t.status.value,
            "heading": words.headline,
            "account": asdict(words),
            "ledger": camel(named_ledger(t, panel_ledger(t))),
            "mode": t.brief.mode,
            "agreement": t.agreement,
            **_layers(t),
            "cost_usd": total.cost_usd,
            "calls": total.calls,
            "ignored": list(self.wanted.ignored),
        }  # fmt: skip

    def _of(self, batch: Batch) -> Iterator[Said]:
        for event in batch.events:
            yield from self._event(event)
        for piece in batch.pieces:
            # For a program it is checked first, and sent when it is known to be in order.
            if piece.role == "synthesis" and not self.wanted.checked:
                yield from self._more(piece)

    def _event(self, event: Event) -> Iterator[Said]:
        if isinstance(event, Answered) and event.response.role == "synthesis":
            yield from self._whole(event.response)
        elif text := "" if self.wanted.chore else _reasoning(self.transcript, event):
            self.reasoning.append(text)
            yield Said("reasoning", text)

    def _more(self, piece: AnswerPiece) -> Iterator[Said]:
        """Yield more of the answer. A restart is announced: sent text cannot be taken back."""
        attempt = (piece.key, piece.attempt)
        if self._attempt not in (None, attempt):
            yield from self._break_off()
            self._attempt = None
        if self._attempt is None:
            self._letters = letters(self.transcript, piece.key)
        self._attempt = attempt
        self._written += piece.text
        settled = self._named(self._written)
        # Else a later word has changed what was sent: the finished answer puts it right.
        if settled.startswith(self._sent):
            yield from self._add(settled[len(self._sent) :])
            self._sent = settled

    def _named(self, written: str) -> str:
        """Return the settled part of the answer, with names instead of letters."""
        # 200 characters are more than the pattern can match.
        end = _UNSETTLED.search(written, max(0, len(written) - 200))
        settled = written[: end.start()].rstrip() if end else written.rstrip()
        return replace_letters(settled, self._letters)

    def _whole(self, response: Response) -> Iterator[Said]:
        """Yield the rest of a finished answer."""
        if not response.usable:
            return
        if self.wanted.checked:
            text = response.content
            named = (
                text
                if self.transcript.brief.reply
                else text_with_names(self.transcript, text, response)
            )
            yield from self._add(named)
            for n, call in enumerate(response.calls):
                self.calls.append(call)
                yield Said("call", call.json, call, n)
            return
        text = text_with_names(self.transcript, response.text, response)
        rest = rest_of(text, self._sent)
        if rest is None:
            yield from self._break_off()
            rest = text
        yield from self._add(rest)
        self._sent = text

    def _break_off(self) -> Iterator[Said]:
        """Discard the answer so far; only a streaming client has seen it, and gets a notice."""
        sent, self._sent, self._written = self._sent, "", ""
        if not self.wanted.stream:
            self.content.clear()
        elif sent:
            yield from self._add(BROKEN_OFF)

    def _ending(self) -> Iterator[Said]:
        t = self.transcript
        if answer(t) is None:
            raise UnsupportedRequest.of(no_answer(t))
        if self.wanted.checked and t.synthesis is None:
            raise UnsupportedRequest.of(not_usable(t))
        if instead := fallback_answer(t):
            # The best answer of a panelist follows in the place of a synthesis that broke off.
            yield from self._break_off()
            yield from self._add(text_with_names(t, instead.text, instead))
        yield from self._add(self._last_line(t))

    def _last_line(self, t: Transcript) -> str:
        """Return the line below an answer: its agreement, or that a single model was asked."""
        if self.calls or t.brief.reply:
            return ""
        if t.brief.mode != "single" or t.synthesis is None:
            return f"\n\n---\n*{account(t).headline}*\n"
        if not self.wanted.alone or (self.wanted.chore and self.wanted.chore.verbatim):
            return ""
        who = names(t, [t.synthesis.model_alias])
        return f"\n\n---\n*Answered by one model, without a debate: {who}*\n"

    def _add(self, text: str) -> Iterator[Said]:
        if text:
            self.content.append(text)
            yield Said("content", text)


def _begun(hosted: HostedBackend, debate: str, caller: Caller) -> str | None:
    """The conversation that the debate with these calls is part of, if its caller may see it."""
    with suppress(DissentError):
        past = hosted.md.store.transcript(hosted.md.store.find(debate)).brief
        if past.owner == caller.name:
            return past.conversation or past.transcript_id
    return None


def _layers(t: Transcript) -> dict[str, Any]:
    """Return the parts of the four layers that the answer lacks, in OpenAI's snake case."""
    parts = ("decision", "agent_responses", "failed_agents", "needed_from_user", "notes", "tally")
    layers = snake(four_layers(t))
    return {name: layers[name] for name in parts}


async def with_beats(batches: AsyncGenerator[Batch, None]) -> AsyncGenerator[Batch | None, None]:
    """Yield the batches, and None after each silence of `BEAT` seconds."""
    coming = asyncio.ensure_future(anext(batches, None))
    try:
        while True:
            done, _ = await asyncio.wait([coming], timeout=BEAT)
            if not done:
                yield None
                continue
            if (batch := coming.result()) is None:
                return
            yield batch
            coming = asyncio.ensure_future(anext(batches, None))
    finally:
        coming.cancel()
        await asyncio.wait([coming])


def rest_of(text: str, sent: str) -> str | None:
    """Return the text after a part already sent; None if that part is not its beginning.

    White space may differ: the stream can have other blanks than the finished text.
    """
    if text.startswith(sent):
        return text[len(sent) :]
    at = 0
    for word in sent.split():
        while at < len(text) and text[at].isspace():
            at += 1
        if not text.startswith(word, at):
            return None
        at += len(word)
    return text[at:]


def _reasoning(t: Transcript, event: Event) -> str:
    """Format an event for the reasoning text."""
    match event:
        case RoundStarted():
            place = round_name(event.round_number, event.role, t.brief.mode)
            return f"\n## {place}: {names(t, event.seats)}\n"
        case Answered() if event.response.usable:
            text = text_with_names(t, event.response.text, event.response)
            return f"\n### {names(t, [event.seat])}\n\n{text}\n"
        case RoundEnded():
            return _positions(t, event)
        case Noted():
            return f"\n({event.text})\n"
        case _:
            return ""


def _positions(t: Transcript, event: RoundEnded) -> str:
    """List the positions at the end of a round, a group a line."""
    consensus, who = event.measures.consensus, letters(t)
    lines = (
        f"- {names(t, c.members)}: {one_line(replace_letters(c.summary, who), 300)}\n"
        for c in (consensus.clusters if consensus else ())
        if c.summary
    )
    text = "".join(lines)
    return f"\n{text}" if text else ""


def usage_of(t: Transcript) -> dict[str, int]:
    """Return the tokens of all calls: input, output, cached and reasoning."""
    total = stats(t).total
    thought = sum(r.reasoning_tokens or 0 for key, r in t.responses() if key not in t.reused)
    return {
        "input": total.input_tokens,
        "output": total.output_tokens,
        "cached": total.cached_tokens,
        "reasoning": thought,
    }
