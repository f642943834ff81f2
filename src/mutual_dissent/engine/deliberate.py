"""The loop: walks a mode's script, asks what is not on record, and says what happens.

A debate that was interrupted is walked again from its start over the recorded answers, so that the
script sees exactly what it saw before; only what is missing is asked. Every answer is in the
journal before anybody is told of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection
from contextlib import suppress
from dataclasses import dataclass, field

from mutual_dissent.analysis.bottom_lines import Judge
from mutual_dissent.analysis.ledger import analyst
from mutual_dissent.analysis.ledger.lookup import why_unread
from mutual_dissent.analysis.scores import grades
from mutual_dissent.core.brief import AMEND, SELECT
from mutual_dissent.core.events import (
    CitationsRead,
    Closed,
    Event,
    Noted,
    Remarked,
    Status,
    Token,
)
from mutual_dissent.core.measures import Measures
from mutual_dissent.core.response import ErrorKind, Selection
from mutual_dissent.core.step import Mode, Need, Script, Step, WrittenAnswer, conclude
from mutual_dissent.core.transcript import DESCRIPTION, PANEL_ROLES, Transcript
from mutual_dissent.engine import measures, notes
from mutual_dissent.engine.ask import Asking
from mutual_dissent.engine.directives import DirectiveInbox
from mutual_dissent.engine.ending import CUT_SHORT, RESUMED, DebateEnding, ending
from mutual_dissent.engine.environment import Environment
from mutual_dissent.engine.event_log import EventLog, whole
from mutual_dissent.engine.limits.time_limit import TimeLimit
from mutual_dissent.engine.memory import Memory
from mutual_dissent.engine.outbox import Outbox

DEBATE, JUDGE, ANALYST = "debate", "judge", "analyst"
EVERYTHING = frozenset({DEBATE, JUDGE, ANALYST})
"""The parts of a run: the mode's own procedure, and those who look at its answer afterwards."""

NOT_ANALYZED = "not_analyzed"
"""The code of the note that says why an analyst's reading is not there."""


async def deliberate(
    opened: Transcript,
    mode: Mode,
    world: Environment,
    memory: Memory,
    *,
    parts: Collection[str] = EVERYTHING,
) -> AsyncGenerator[Event | Token, None]:
    """Run a debate from where its record ends, and yield everything that happens.

    Args:
        opened: the transcript of the bare opening; the record is in `memory`.
        parts: what is done; without the debate itself, `opened` has all of it.
    """
    record = EventLog(
        now=opened,
        journal=world.journal,
        clock=world.clock,
        seq=memory.last_seq,
        outbox=Outbox(tokens=world.tokens),
    )
    debate = _Debate(record, mode, world, memory, parts)
    # A task of its own: whoever is slow to take events holds up no call, they wait in the outbox.
    task = asyncio.create_task(debate.run())
    debate.obeying.begin(task)
    world.running.add(task)
    task.add_done_callback(world.running.discard)
    task.add_done_callback(lambda _: record.outbox.end())
    try:
        async for item in record.outbox.items():
            yield item
    finally:
        task.cancel()
        # A cancelled run still puts its ending on record: nobody may open the debate before that.
        await asyncio.wait([task])
    task.result()


@dataclass(slots=True)
class _Debate:
    """One run of one debate."""

    record: EventLog
    mode: Mode
    world: Environment
    memory: Memory
    parts: Collection[str]
    limit: TimeLimit = field(init=False)
    obeying: DirectiveInbox = field(init=False)
    asking: Asking = field(init=False)
    after_round: AfterRound = field(init=False)

    def __post_init__(self) -> None:
        brief = self.now.brief
        concludes = brief.synthesize and DEBATE in self.parts
        self.limit = TimeLimit(brief.timeout, concludes=concludes)
        self.obeying = DirectiveInbox(self.world.directives)
        for remark in self.memory.remarks:
            self.record.fold(remark)  # on record since it was made: to be counted, not stored again
        self.asking = Asking(
            world=self.world,
            record=self.record,
            memory=self.memory,
            obeying=self.obeying,
            limit=self.limit,
            unsigned=self.mode.unsigned,
            written=self.mode.conclusion is None,
        )
        self.after_round = AfterRound(self.mode, self.asking)

    @property
    def now(self) -> Transcript:
        """Return how the debate stands."""
        return self.record.now

    async def run(self) -> None:
        """From the first step to the closing event."""
        routes = list({p.route: None for p in self.now.brief.everyone})
        try:
            with suppress(Exception):  # whatever is wrong, the calls will meet it and say so
                await self.world.prices.prepare(routes)
                await self.world.provider.warm_up(routes)
                self.expect()
            over = await self.description() or await self.deliberation()
            if self.now.synthesis is not None:
                over = await self.grading() or await self.analysis() or over
                over = await self.citations() or over
        except asyncio.CancelledError:
            if self.obeying.stopped:
                await self.close(DebateEnding(Status.STOPPED, "stopped", "stopped by directive"))
                return
            await self.close(DebateEnding(Status.INTERRUPTED, "interrupted", ""))
            raise
        # Unexpected: no closing event, as after a crash, so that it can be resumed.
        except BaseException:
            await self.obeying.end()
            raise
        await self.close(over)

    def expect(self) -> None:
        """Say beforehand what all of it will about cost, where others want the same money."""
        funds, world = self.world.funds, self.world
        if funds is not None and funds.limited:
            from mutual_dissent.engine.limits.quote import quote

            whole = quote(self.now, self.mode, world.library, world.prices)
            funds.expect(whole.cost_usd or 0.0, whole.calls)

    async def description(self) -> DebateEnding | None:
        """Description of the pictures for those who see none, and what stands in its way, if any.

        Without one, they would answer a question that they do not know: they sit out, and the
        debate is held by those who see, if these are enough.
        """
        brief = self.now.brief
        judged = JUDGE in self.parts and brief.judge and brief.ground_truth
        if not brief.blind or not (DEBATE in self.parts or judged):
            return None
        from mutual_dissent.analysis.answers import descriptions

        try:
            await self.walk(descriptions.script(self.now))
        except DebateEnding as over:
            return over
        if DEBATE not in self.parts or not descriptions.is_missing(self.now):
            return None
        why = next((a.error for a in reversed(self.now.asides) if a.error), "it came out empty")
        text = f"nobody could say what is on the pictures for those who see none: {why}"
        seeing = [p for p in brief.panel if brief.sees_pictures(p)]
        if len(seeing) < min(brief.quorum, len(brief.panel)):
            return DebateEnding(Status.ERROR, DESCRIPTION, text)
        note = Noted(at=self.world.clock(), code="not_described", text=text)
        await self.record.add(*notes.once(self.memory.told, [note]))
        return None

    async def deliberation(self) -> DebateEnding:
        """The mode's own procedure, and how it ended."""
        if DEBATE not in self.parts:
            return ending(self.now)
        try:
            await self.walk(self.mode.script(self.now))
        except DebateEnding as over:
            return await self.cut_short(over)
        return ending(self.now)

    async def cut_short(self, over: DebateEnding) -> DebateEnding:
        """Return where time or money end too soon, the answer is written from what is there."""
        answered = [p for p in self.now.panelists if self.now.latest_of(p.seat)]
        enough = len(answered) >= min(self.now.brief.quorum, len(self.now.panelists))
        if over.reason not in CUT_SHORT or not enough or self.now.synthesis is not None:
            return over
        try:
            own = self.mode.conclusion
            await self.walk(own(self.now) if own else conclude(self.now, "common/synthesis"))
        except DebateEnding:
            return over
        if self.now.synthesis is None:
            return over
        await self.note("cut_short", f"no further round was held: {over.text}")
        return ending(self.now)

    async def grading(self) -> DebateEnding | None:
        """The judge's part, and whether it waits to be resumed. The answer stands in any case."""
        over = await self.afterwards(JUDGE, grades.script(self.now))
        if over is None or over.status in RESUMED:
            return over
        await self.note("not_scored", f"not scored: {over.text}")
        return None

    async def analysis(self) -> DebateEnding | None:
        """The analyst's part. Whatever becomes of it costs no more than a note."""
        if self.parts != {ANALYST} and analyst.is_needless(self.now):
            return None
        over = await self.afterwards(ANALYST, analyst.script(self.now))
        if over and over.status in RESUMED:
            return over
        why = over.text if over else why_unread(self.now) if ANALYST in self.parts else ""
        if why:
            await self.note(NOT_ANALYZED, f"not read by the analyst: {why}")
        return None

    async def citations(self) -> DebateEnding | None:
        """Look at the pages behind citations; whatever becomes of it costs no more than a note."""
        if self.world.cited is None or ANALYST not in self.parts:
            return None
        # Loaded here: few debates cite anything.
        from mutual_dissent.engine.sources import citations

        if self.memory.cited:
            self.record.fold(self.memory.cited)
        if claims := citations.unread_claims(self.now):
            found = await citations.read_pages(claims, self.world.cited, self.limit.left)
            await self.record.add(CitationsRead(at=self.world.clock(), cited=found))
        over = await self.afterwards(ANALYST, citations.script(self.now))
        if over and over.status in RESUMED:
            return over
        if over:
            await self.note("not_judged", f"citations are not judged: {over.text}")
        return None

    async def afterwards(self, part: str, script: Script) -> DebateEnding | None:
        """Go through the script of somebody who looks at the answer; what stopped it, if any."""
        if part in self.parts:
            try:
                await self.walk(script)
            except DebateEnding as over:
                return over
        return None

    async def note(self, code: str, text: str) -> None:
        """Say something that the user should know."""
        await self.record.add(Noted(at=self.world.clock(), code=code, text=text))

    async def walk(self, script: Script) -> None:
        """Go through a script step by step, each time telling it how things stand."""
        try:
            step = next(script)
            while True:
                await (self.take(step) if isinstance(step, Step) else self.settle(step))
                step = script.send(self.now)
        except StopIteration:
            return

    async def settle(self, final: Selection | WrittenAnswer) -> None:
        """Put a final answer on record that needs no call: one that is there, or one by code."""
        step, answered = notes.note_final(self.now, final, self.world.clock())
        past = self.memory.answers.get(answered.key)
        new = answered.response
        # A text by code follows from the answers: if those are others by now, it is put on record
        # anew.
        stands = past is not None and past.response.chosen == new.chosen
        stands = stands and past is not None and past.response.content == new.content
        if past and stands:
            self.record.fold(past)
        missing: list[Event] = [] if stands else [answered]
        if step.place not in self.memory.started:
            missing.insert(0, notes.note_start(step, answered.at))
        if not stands or step.place not in self.memory.ended:
            missing.append(notes.note_end(step, Measures(), answered.at))
        await self.record.add(*self.remarks(), *missing)

    async def take(self, step: Step) -> None:
        """One step, from the first request to the measures."""
        await self.record.add(*self.remarks())
        for turns in step.waves:
            await self.asking.ask_all(step, turns)
        if past := self.memory.ended.get(step.place):
            self.record.fold(past)
        else:
            measures = await self.after_round.measures(step)
            await self.record.add(notes.note_end(step, measures, self.world.clock()))
        self.go_on_or_stop(step)

    def go_on_or_stop(self, step: Step) -> None:
        """Stop where the step's answers do not suffice for the next one."""
        keys = (step.key(t) for t in step.turns)
        answers = [self.now.answered[k] for k in keys if k in self.now.answered]
        late = any(a.error_kind is ErrorKind.TIMEOUT for a in answers)
        # Before the quorum: what is missing because time is up is no failure of the panel, and this
        # ending lets the answer be written from what is there (CUT_SHORT).
        if late and self.limit.passed():
            raise self.limit.over
        if step.need is Need.ROUND and (held := self.now.round(step.round_number)):
            answers = list(held.responses)
        usable = sum(a.usable for a in answers)
        short = step.need is not Need.NOTHING and usable < self.now.brief.quorum
        broke = [a for a in answers if a.error_kind is ErrorKind.CREDITS]
        # Stopped, not failed: with new credit it can be resumed.
        if broke and (short or step.role == "judge"):
            raise DebateEnding(Status.STOPPED, "credits", broke[0].error or "")
        if short:
            raise DebateEnding(
                Status.ERROR,
                "quorum",
                f"{usable} of {len(answers)} panelists answered, "
                f"{self.now.brief.quorum} are needed",
            )

    def remarks(self) -> list[Remarked]:
        """Take the user's remarks since the last step, as events."""
        said, self.obeying.remarks = self.obeying.remarks, []
        return [Remarked(at=self.world.clock(), text=text) for text in said]

    async def close(self, over: DebateEnding) -> None:
        """The event that ends this run, after what nobody has heard yet: it is told next time."""
        await whole(self.obeying.end())
        if self.world.funds is not None:
            await whole(self.world.funds.release())
        remarks, at = self.remarks(), self.world.clock()
        closed = Closed(
            at=at, status=over.status, reason=over.reason, text=over.text,
            unsent=tuple(self.asking.unsent),
        )  # fmt: skip
        await self.record.add(*remarks, closed)


@dataclass(slots=True)
class AfterRound:
    """The measures of one debate's rounds."""

    mode: Mode
    asking: Asking

    @property
    def _now(self) -> Transcript:
        return self.asking.now

    async def measures(self, step: Step) -> Measures:
        """Measures of a finished step, worked out in a thread so that no token is delayed."""
        if step.role not in PANEL_ROLES:
            return Measures()
        fixed = self.mode.rounds is None
        last = None if fixed else self._now.max_rounds - self.mode.first_counts
        return await asyncio.to_thread(self._measured, step, last)

    def _measured(self, step: Step, last: int | None) -> Measures:
        """The measures; the embedded model is asked only where its word can make a difference."""
        found = measures.measures(self._now, step, last=last)
        decided = found.consensus is not None and found.consensus.decided == 1.0
        if decided or not self._matters(step, last):
            return found
        judge = self._judge()
        with suppress(Exception):  # a measure that fails costs no debate: it is not measured
            return measures.measures(self._now, step, judge, last=last) if judge else found
        return found

    def _matters(self, step: Step, last: int | None) -> bool:
        """Return whether the round ends the debate or its rounds; readers measure the other ones.

        Where stages are fixed, the reviews that follow the first answers say how far they agree.
        """
        if step.reviews:
            return False
        brief = self._now.brief
        if self.mode.weighs or brief.answer in (SELECT, AMEND):
            return True
        if brief.rounds == "auto" or brief.exits.consensus is not None:
            return True
        return step.role == "evaluation" if last is None else step.round_number >= last

    def _judge(self) -> Judge | None:
        with suppress(Exception):  # what it needs may be broken: then nothing is asked of it
            return self.asking.world.judge()
        return None
