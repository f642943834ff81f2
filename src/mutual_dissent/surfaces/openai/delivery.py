"""Delivery of a debate to an OpenAI client: the debate as reasoning, then the answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing, suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from mutual_dissent.analysis.ledger.lookup import panel_ledger
from mutual_dissent.config.agents import check_remote
from mutual_dissent.core.codec.camel import camel, snake
from mutual_dissent.core.errors import BadFile, DissentError, NobodyHere
from mutual_dissent.core.events import Answered, Event
from mutual_dissent.core.figures.stats import stats
from mutual_dissent.core.response import Response
from mutual_dissent.core.tool import ToolCall, call_words
from mutual_dissent.core.transcript import ANALYSIS, Transcript
from mutual_dissent.hosting.channel import AnswerPiece, Batch
from mutual_dissent.surfaces.http.backend import Caller, HostedBackend
from mutual_dissent.surfaces.openai.errors import UnsupportedRequest, no_answer, not_usable
from mutual_dissent.surfaces.openai.models import PREFIX
from mutual_dissent.surfaces.openai.requests import ChatRequest
from mutual_dissent.views.account import account
from mutual_dissent.views.answer import answer, fallback_answer
from mutual_dissent.views.four_layers import four_layers
from mutual_dissent.views.panel.ledger_names import named_ledger
from mutual_dissent.views.panel.names import names, text_with_names
from mutual_dissent.views.readiness import UNDER_WAY, only_read, up_to_answer
from mutual_dissent.views.remarks.answer_draft import BROKEN_OFF, AnswerDraft, course_text
from mutual_dissent.views.remarks.repeated_calls import made_before, stop_repeating

BEAT = 10.0
"""Seconds of silence after which a keep-alive is sent."""


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
    _heard: bool = False
    _answer: AnswerDraft = field(default_factory=AnswerDraft)

    @classmethod
    async def begin(cls, hosted: HostedBackend, wanted: ChatRequest, caller: Caller) -> Delivery:
        """Start the requested debate.

        Raises:
            DissentError: if it cannot start.
        """
        hosted.sessions.check_room()
        try:
            brief = await hosted.sessions.brief(wanted.query, owner=caller.name, **wanted.options)
        except BadFile as e:
            raise UnsupportedRequest(str(e), e.place or None, code="bad_input") from None
        check_remote(brief, hosted.md.settings.programs)
        if brief.me:
            raise NobodyHere
        if wanted.follows:
            brief = replace(brief, conversation=_begun(hosted, wanted.follows, caller))
        return cls(hosted, wanted, await hosted.sessions.begin(brief, owner=caller.name))

    @classmethod
    def from_record(cls, hosted: HostedBackend, t: Transcript) -> Delivery:
        """The delivery of a debate that was asked for before; nothing is asked or stopped."""
        brief = t.brief
        wishes = {"client": brief.client, "reply": brief.reply}
        model = f"{PREFIX}{brief.preset or brief.mode}"
        wanted = ChatRequest(model=model, query=brief.query, options=wishes)
        return cls(hosted, wanted, t.transcript_id, over=True, _final=up_to_answer(t))

    def record_pieces(self, events: Iterable[Event]) -> Iterator[Said]:
        """Yield the pieces of a stored debate, as far as it has come."""
        for event in events:
            yield from self._event(event)
        t = self.transcript
        if t.status not in UNDER_WAY and (t.synthesis or (answer(t) and not self.wanted.checked)):
            yield from self._ending()

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
                    # The debate may be further than what was told of it.
                    if self._heard and only_read(self.transcript):
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
            self._heard = self._heard or event.response.usable
            yield from self._whole(event.response)
        elif text := "" if self._is_silent(event) else course_text(self.transcript, event):
            self.reasoning.append(text)
            yield Said("reasoning", text)

    def _is_silent(self, event: Event) -> bool:
        """Return whether an event is not told: a chore's, or one after the answer."""
        role = event.response.role if isinstance(event, Answered) else getattr(event, "role", "")
        return bool(self.wanted.chore) or self._heard or role == ANALYSIS

    def _more(self, piece: AnswerPiece) -> Iterator[Said]:
        """Yield more of the answer. A restart is announced: sent text cannot be taken back."""
        more = self._answer.more(self.transcript, piece.key, piece.attempt, piece.text)
        yield from self._add_all(more)

    def _whole(self, response: Response) -> Iterator[Said]:
        """Yield the rest of a finished answer."""
        if not (response.usable and self.wanted.checked):
            yield from self._add_all(self._answer.whole(self.transcript, response))
            return
        if again := made_before(self.transcript.brief, response.calls):
            self.reasoning.append(f"\n{again}\n")
            yield Said("reasoning", self.reasoning[-1])
        if stopped := stop_repeating(self.transcript.brief, response.calls):
            yield from self._add(stopped)
            return
        # Who only named a call has nothing to say beside it.
        bare = response.calls and response.content == call_words(response.calls)
        text = "" if bare else response.content
        named = (
            text
            if self.transcript.brief.reply
            else text_with_names(self.transcript, text, response)
        )
        yield from self._add(named)
        for n, call in enumerate(response.calls):
            self.calls.append(call)
            yield Said("call", call.json, call, n)

    def _add_all(self, texts: Iterable[str]) -> Iterator[Said]:
        for text in texts:
            if text is BROKEN_OFF and not self.wanted.stream:
                self.content.clear()  # only a streaming client has seen it, and gets a notice
            else:
                yield from self._add(text)

    def _ending(self) -> Iterator[Said]:
        t = self.transcript
        if answer(t) is None:
            raise UnsupportedRequest.of(no_answer(t))
        if self.wanted.checked and t.synthesis is None:
            raise UnsupportedRequest.of(not_usable(t))
        if instead := fallback_answer(t):
            # The best answer of a panelist follows in the place of a synthesis that broke off.
            yield from self._add_all(self._answer.break_off())
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
