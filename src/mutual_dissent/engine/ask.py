"""Asking: what is on record takes its place, what is not is asked and put on record."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from mutual_dissent.core.events import Event, Scored, Status
from mutual_dissent.core.ports import UNSENT
from mutual_dissent.core.response import Ask, ErrorKind, Response, storable, tokens_in
from mutual_dissent.core.step import Step, Turn
from mutual_dissent.core.transcript import ANALYSIS, ENDING_ROLES, PANEL_ROLES, SUMMARY, Transcript
from mutual_dissent.core.values.citation import CITATIONS
from mutual_dissent.engine import measures
from mutual_dissent.engine import notes as telling
from mutual_dissent.engine.context_fit import ContextFit
from mutual_dissent.engine.directives import DirectiveInbox
from mutual_dissent.engine.ending import CUT_SHORT, DebateEnding
from mutual_dissent.engine.environment import Environment
from mutual_dissent.engine.event_log import EventLog
from mutual_dissent.engine.limits.budget import NOTHING_AHEAD, Ahead, Budget, Wallet
from mutual_dissent.engine.limits.time_limit import GRAIN, TimeLimit, stragglers
from mutual_dissent.engine.memory import Memory
from mutual_dissent.engine.tool_use import ToolUse
from mutual_dissent.prompts.compose import Composed, once_more

SYNTHESIS_PROMPT = 600
"""Tokens that a synthesizer is told beside what was asked and said."""

_UNREMARKED = frozenset({SUMMARY, ANALYSIS, CITATIONS})
"""Roles of whom nobody waits for: what becomes of them is said elsewhere."""


@dataclass(slots=True, kw_only=True)
class Asking:
    """Asks the models of one debate, and records their answers."""

    world: Environment
    record: EventLog
    memory: Memory
    obeying: DirectiveInbox
    limit: TimeLimit
    unsigned: bool = False
    written: bool = True
    wallet: Wallet = field(init=False)
    tool_use: ToolUse = field(init=False)
    fitting: ContextFit = field(init=False)
    scores: list[Scored] = field(default_factory=list)
    unsent: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        budget = Budget(self.now.brief.max_cost, self.world.prices)
        for response in self.memory.bought:
            budget.charge(response)
        self.wallet = Wallet(budget, self.limit, self.world.funds)
        self.tool_use = ToolUse(self.world.tools, self.record, self.wallet, self.memory)
        self.fitting = ContextFit(self.world, self.record, self.memory)

    @property
    def now(self) -> Transcript:
        """Return how the debate stands."""
        return self.record.now

    async def ask_all(self, step: Step, turns: Sequence[Turn]) -> None:
        """Ask what is not on record, all at once; what is on record takes its place."""
        composed = await self.fitting.requests(step, turns, self._ask_first)
        missing = [c for c in composed if not self._remember(c.ask)]
        # Its recorded measures are about other answers: the step is measured anew.
        if missing:
            self.memory.ended.pop(step.place, None)
        scores, self.scores = self.scores, []
        new = step.place not in self.memory.started
        self.memory.started.add(step.place)
        # A step that is resumed was begun before: a log says so once.
        begun = [telling.note_start(step, self.world.clock())] if new else []
        wanted = await self._borrow(missing, *begun, *scores)
        if wanted and not self.memory.silent(step):
            await self._send_sampled(step, await self._sighted(step, wanted))
        await self._ask_again(composed)

    async def _sighted(self, step: Step, wanted: list[Composed]) -> list[Composed]:
        """Return whom to ask; who knows nothing of the pictures sits out, and that is recorded."""
        unsighted = self.now.unsighted if step.role in PANEL_ROLES else ()
        for c in wanted:
            if c.turn.panelist.seat in unsighted:
                response = telling.unsighted_response(c.ask, at := self.world.clock())
                noted = telling.remarks(response, at)
                await self.record.add(telling.note_answer(c.ask, response, at), *noted)
        return [c for c in wanted if c.turn.panelist.seat not in unsighted]

    async def _send_sampled(self, step: Step, wanted: list[Composed]) -> None:
        """Send requests, each as often as its seat is sampled, and choose one answer of each."""
        sampled = [c for c in wanted if step.samples(c.turn) > 1]
        each = [s for c in wanted for s in _samples(c, step.samples(c.turn))]
        # Samples that came before an interruption stand, although no answer was chosen yet.
        asks = [c for c in each if not (c.ask.sample and self._remember(c.ask))]
        try:
            if asks:
                await self._send(asks)
        except DebateEnding as over:
            if over.reason in CUT_SHORT:  # the answer is written from what is there
                await self._choose(sampled)
            raise
        await self._choose(sampled)

    async def _choose(self, sampled: list[Composed]) -> None:
        """Put on record which of its samples is a seat's answer; no model is asked."""
        for c in sampled:
            keys = [s.ask.key for s in _samples(c, c.turn.panelist.samples)]
            came = {n: r for n, k in enumerate(keys, 1) if (r := self.now.answered.get(k))}
            if came:
                at = self.world.clock()
                query, role = self.now.query, c.ask.role
                chosen = await asyncio.to_thread(
                    measures.choose_sample, came, len(keys), query, role
                )
                await self.record.add(
                    telling.note_answer(c.ask, chosen, at),
                    *telling.spread(chosen, at),
                    *telling.remarks(chosen, at),
                )

    async def _ask_first(self, wanted: list[Composed], then: list[Ask]) -> None:
        """Ask for summaries, if those and the requests that they are for can be paid for."""
        missing = [c for c in wanted if not self._remember(c.ask)]
        rest = await self._borrow(missing)
        paid = self.wallet.budget.afford([*(c.ask for c in rest), *then])
        # `paid` is longer: the requests after the summaries only had to be affordable.
        if rest and paid:
            await self._send([replace(c, ask=a) for c, a in zip(rest, paid, strict=False)])

    async def _borrow(self, missing: Sequence[Composed], *before: Event) -> list[Composed]:
        """Put on record what the replayed debate has; what is left is to be asked."""
        at = self.world.clock()
        lent = {c.ask.key: r for c in missing if (r := self.memory.borrow(c.ask))}
        # A replay is a debate of its own: what it borrows stands in its own log, marked as reused,
        # so that it is on no bill and the log can be read without the other one.
        borrowed = [c.ask for c in missing if c.ask.key in lent]
        answers = [telling.note_answer(a, lent[a.key], at, reused=True) for a in borrowed]
        self.record.put_off(
            *before
        )  # whatever is sent next goes on record first, and these with it
        await self.record.add(*answers)
        return [c for c in missing if c.ask.key not in lent]

    async def _ask_again(self, composed: Sequence[Composed]) -> None:
        """Ask once more for structured answers that are not in order, if that can be paid for."""
        wanted = []
        for c in composed:
            reply = self.now.answered.get(c.ask.key)
            if reply and (wrong := measures.complaint(c.turn, reply)):
                again = once_more(c, reply, wrong, self.now.brief.nonce)
                if not self._remember(again.ask) and self.wallet.budget.afford([again.ask]):
                    wanted.append(again)
        if wanted:
            await self._send(wanted)

    async def _send(self, wanted: list[Composed]) -> None:
        """Send requests, as many together as may be."""
        if wanted[0].ask.role in ENDING_ROLES:
            self.limit.conclude()
        for batch in self.wallet.batches(wanted):
            self._go_on_or_rest()
            asks = [self.tool_use.equip(c.ask) for c in batch]
            async with self.wallet.paying(asks, self._ahead(asks[0])) as asks:
                self._go_on_or_rest()  # others may have held the money for a while
                await self._send_together(batch, [self._allowed(a) for a in asks])

    def _go_on_or_rest(self) -> None:
        """Raise how the debate is closed where it may send nothing more."""
        if self.obeying.paused:
            raise DebateEnding(Status.PAUSED, "paused", "paused by directive")
        if over := self.world.rest():
            raise over
        if self.limit.passed():
            raise self.limit.over

    async def _send_together(self, wanted: list[Composed], asks: list[Ask]) -> None:
        """Put the requests on record, then send them together."""
        at = self.world.clock()
        notes = telling.once(self.memory.told, telling.note_cuts(wanted, at))
        # On record before it is sent: after a crash it is known which calls may have been billed.
        await self.record.add(*(telling.note_ask(a, at) for a in asks), *notes)
        self.obeying.hurried = False  # it was about what was in flight then
        self.unsent = {k: None for k in self.unsent if k not in {a.key for a in asks}}
        calls = {a.key: self._ask(a, c) for a, c in zip(asks, wanted, strict=True)}
        await self._answers(calls, {a.key: a for a in asks})

    async def _answers(
        self, calls: Mapping[str, Coroutine[None, None, None]], asks: Mapping[str, Ask]
    ) -> None:
        """Wait for calls, for stragglers as long as they may take; none is left running."""
        tasks = {asyncio.create_task(c): key for key, c in calls.items()}
        # A turn that is taken again has an answer under its key already: a new one is another
        # object.
        before = {key: self.now.answered.get(key) for key in calls}
        try:
            late = await stragglers(
                list(tasks),
                enough=lambda: self._have_quorum(asks.values()),
                grace=self.now.brief.grace,
                hurried=lambda: self.obeying.hurried,
                last_call=self.world.last_call,
            )
        finally:
            for task in tasks:
                task.cancel()
            if pending := [t for t in tasks if not t.done()]:
                await asyncio.wait(pending)
            given_up = (k for k in asks if self.now.answered.get(k) is before[k])
            self.unsent |= {k: None for k in given_up if not self.wallet.is_sent(k)}
        for key in (tasks[task] for task in late):
            if self.now.answered.get(key) is before[key]:
                await self._not_waited_for(asks[key])

    def _have_quorum(self, asks: Collection[Ask]) -> bool:
        """Return whether a round has so many answers that it could go on without the others."""
        first = next(iter(asks))
        if first.role not in PANEL_ROLES:
            return False
        place = (first.round_number, first.role)
        held = (r for r in self.now.answered.values() if (r.round_number, r.role) == place)
        # `escalate` asks in two waves of one round: the first alone may make the quorum, and the
        # second would be given up as soon as it is sent.
        begun = any(a.key in self.now.answered for a in asks)
        return begun and sum(r.usable for r in held) >= self.now.brief.quorum

    async def _not_waited_for(self, ask: Ask) -> None:
        """Put on record that somebody was late, which is no failure, and what that has cost."""
        response = telling.late(ask, self.wallet.estimate(ask), at := self.world.clock())
        remarks = [] if ask.sample else telling.remarks(response, at)
        await self.record.add(telling.note_answer(ask, response, at), *remarks)
        await self.wallet.settle(ask, response)

    def _ahead(self, ask: Ask) -> Ahead:
        """Money to keep after a panel's calls, so that the synthesis can be paid for."""
        brief = self.now.brief
        free = not (brief.synthesize and self.written)
        if brief.max_cost is None or free or ask.role not in PANEL_ROLES:
            return NOTHING_AHEAD
        said = sum(len(r.text) for r in self.now.answered.values() if r.usable)
        tokens = tokens_in(len(ask.system) + len(ask.head) + said) + SYNTHESIS_PROMPT
        return self.wallet.budget.ahead(brief.synthesizer, tokens)

    def _allowed(self, ask: Ask) -> Ask:
        """The ask with the time that it may have; what is resumed is sent anew."""
        left = self.limit.left
        # A vendor is not asked again what it refused a moment ago; whoever resumes may have mended
        # the key since, so that it is asked in any case.
        timeout, anew = min(ask.timeout, left), self.memory.last_seq > 0
        grace = self.now.brief.grace
        return replace(ask, timeout=timeout, within=left, grace=grace, insists=anew)

    async def _ask(self, ask: Ask, composed: Composed) -> None:
        """One call: its answer is on record before anything else happens with it."""
        answer_to = partial(self._answer_to, replaceable=composed.turn.replaceable)
        said = await self.tool_use.answer(ask, answer_to)
        response = measures.finish_response(
            self.now, ask, composed.turn, said, unsigned=self.unsigned
        )
        at = self.world.clock()
        if composed.again and not response.usable:  # the first reply stands, as far as it goes
            response = replace(response, role="correction")
        score = measures.read_score(self.now, ask, response, at)
        quiet = composed.again or ask.sample or ask.role in _UNREMARKED
        await self.record.add(
            telling.note_answer(ask, response, at, request_hash=self.now.asked.get(ask.key, "")),
            *([score] if score else []),
            *([] if quiet else telling.remarks(response, at)),
        )
        await self.wallet.settle(ask, response)

    async def _answer_to(self, ask: Ask, *, replaceable: bool = False) -> Response:
        """Answer of the provider. One that breaks its promise not to raise costs one answer."""
        show = self.record.outbox.stream(ask)
        silence = asyncio.timeout(self.limit.share if replaceable else None)

        def on_text(text: str) -> None:
            if text is UNSENT:
                self.wallet.cancel(ask)
                return
            with suppress(RuntimeError):  # a word that came too late changes nothing
                silence.reschedule(None)  # it writes: who is writing has all that is left
            self.wallet.add_text(ask, text)
            show(text)

        # From here on it counts as sent: given up now, its cost is estimated instead of nothing.
        self.wallet.add_text(ask, "")
        try:
            async with silence:
                shown = await self._with_pictures(ask) if ask.pictures else ask
                response = storable(await self.world.provider.ask(shown, on_text))
        except Exception as e:  # noqa: BLE001 - other panelists' answers are in flight
            if silence.expired():
                return telling.silent(ask, self.wallet.estimate(ask), self.world.clock())
            return telling.failed_response(ask, e, self.world.clock())
        late = response.error_kind is ErrorKind.TIMEOUT
        return telling.out_of_time(response) if late and self.limit.passed(GRAIN) else response

    async def _with_pictures(self, ask: Ask) -> Ask:
        """The ask with the bytes of its pictures, which are held no longer than it takes.

        Raises:
            LookupError: if they are no longer on record.
        """
        found = []
        for picture in ask.pictures:
            raw = await asyncio.to_thread(self.world.pictures, picture.sha256)
            if raw is None:
                raise LookupError("a picture that it is to see is no longer on record")
            found.append(picture.with_bytes(raw))
        return replace(ask, pictures=tuple(found))

    def _remember(self, ask: Ask) -> bool:
        """Return whether an ask is answered on record; if so, it takes its place."""
        # By its key, not by its text: else an edited prompt would have resume buy it again
        # (decision 3).
        answered = self.memory.recall(ask)
        if answered is None:
            return False
        # The request goes first: it has the labels that the answer is read by.
        for event in (self.memory.asked.get(ask.key), answered):
            if event:
                self.record.fold(event)
        if score := measures.read_score(self.now, ask, answered.response, answered.at):
            self._rescore(score)
        return True

    def _rescore(self, score: Scored) -> None:
        """A judge's recorded reply counts again, also if another judge was asked since."""
        stands = self.memory.scored.get(score.about)
        self.record.fold(score)
        if stands is None or stands.score != score.score:
            self.scores.append(score)


def _samples(composed: Composed, times: int) -> list[Composed]:
    """A request as often as it is sent, each time under a key of its own."""
    if times == 1:
        return [composed]
    ask = composed.ask
    return [
        replace(composed, ask=replace(ask, key=f"{ask.key}/{n}", sample=n))
        for n in range(1, times + 1)
    ]
