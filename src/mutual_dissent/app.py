"""The one API that every surface calls.

A surface makes a `MutualDissent`, asks it for a brief, and watches the events of a debate. Its
parts are put together in `parts.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncIterator,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import (
    AbstractContextManager,
    AsyncExitStack,
    aclosing,
    asynccontextmanager,
    nullcontext,
    suppress,
)
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from mutual_dissent import __version__
from mutual_dissent.analysis.ballots.rules import BY_RECORD
from mutual_dissent.analysis.ballots.rules import DEFAULT as DEFAULT_RULE
from mutual_dissent.analysis.scores.weights import ENOUGH as GRADED_ENOUGH
from mutual_dissent.analysis.scores.weights import panel_weights, weights_of
from mutual_dissent.briefing.brief import (
    check_default,
    check_runnable,
    checked_limits,
    clean_text,
    write_brief,
)
from mutual_dissent.briefing.continuation import (
    brief_to_analyze,
    brief_to_continue,
    brief_to_replay,
    brief_to_score,
    check_finished,
    check_fits_forecast,
    check_turn,
    checked_outcome,
    count_rounds,
    with_synthesizer,
)
from mutual_dissent.briefing.default_panel import Nearby
from mutual_dissent.briefing.keywords import check_kinds, options_of
from mutual_dissent.briefing.mode_fit import check_readable, is_short
from mutual_dissent.briefing.options import Options
from mutual_dissent.briefing.presets import AUTO
from mutual_dissent.briefing.seating import check_own_seat, in_context
from mutual_dissent.config.agents import check_remote
from mutual_dissent.config.plugins import PROVIDERS, Plugins
from mutual_dissent.config.settings import Settings
from mutual_dissent.core.brief import SYNTHESIZE, Brief, FileBytes
from mutual_dissent.core.codec.plain import Malformed, from_plain, to_plain
from mutual_dissent.core.errors import (
    BadInput,
    DissentError,
    Finished,
    Held,
    HeldAlready,
    NobodyHere,
    NotFound,
    NotRunning,
    NotSaved,
    NotWritable,
    OverBudget,
    StoreError,
)
from mutual_dissent.core.events import (
    Event,
    Opened,
    Remarked,
    Reopened,
    Resolved,
    Status,
)
from mutual_dissent.core.panel import EMBEDDED, Route
from mutual_dissent.core.ports import Journal, Provider
from mutual_dissent.core.transcript import ANALYZED, fold, opening
from mutual_dissent.core.values.directive import Action, Directive
from mutual_dissent.core.values.terms import command, option
from mutual_dissent.engine.deliberate import ANALYST, DEBATE, EVERYTHING, JUDGE, deliberate
from mutual_dissent.engine.environment import Environment
from mutual_dissent.engine.event_log import whole
from mutual_dissent.engine.memory import LATE, Memory, reusable
from mutual_dissent.library import Transcript
from mutual_dissent.own_record import Answers, SharedReading, own_answers, own_chances
from mutual_dissent.parts import FileWritingJournal, NoJournal, Parts, told_up_to
from mutual_dissent.prompts.library import Library
from mutual_dissent.store.files.transcripts import remove_transcript, write_transcript
from mutual_dissent.text.numbers import figure
from mutual_dissent.views.answer import fallback_answer
from mutual_dissent.views.documents.json import transcript_to_bytes
from mutual_dissent.views.track_record import VERSION, look, to_text

if TYPE_CHECKING:
    from mutual_dissent.briefing.conversation import PastConversation
    from mutual_dissent.briefing.inputs.sources import Sources
    from mutual_dissent.engine.limits.quote import CostQuote
    from mutual_dissent.reach import Reach
    from mutual_dissent.store.diagnosis import Finding
    from mutual_dissent.store.import_ import ImportResult
    from mutual_dissent.stream import OnRound, UpdateStream


ASKING = frozenset({"resumed", "continued", "asked again", LATE})
"""Reasons to go on with a debate in which panelists may be asked."""

CROWD = 8
"""From so many debates at once on, what can wait is left for later."""


class MutualDissent(Parts):
    """A panel at hand: make briefs, run debates, look at what is stored.

    Example:
        ```python
        async with MutualDissent() as md:
            transcript = await md.debate("Is P equal to NP?", panel=["claude", "gpt"])
            print(transcript.synthesis.content)
        ```
    """

    _recalling = 0
    """Briefs for which earlier debates on the matter are being looked up."""

    async def brief(self, query: str, *, owner: str = "", **options: Any) -> Brief:
        """The brief for a query: everything decided and checked, nothing asked yet.

        With the preset `auto`, one model has proposed how it is held; `proposal` says what.

        Args:
            query: what to ask.
            owner: whose earlier debates on the matter are named, where tokens tell users apart.
            options: the fields of `Options`.

        Raises:
            UserError: if something asked for cannot be.
            OverBudget: if a limit is set that cannot be kept.
        """
        wanted = options_of(options)
        write = partial(self._brief, query, owner, sources=await self._sources(query, wanted))
        if wanted.preset == AUTO and AUTO not in self.settings.presets:
            if wanted.experiment is not None:
                named = command("presets")
                raise BadInput(f"an experiment takes no preset auto; name one of: {named}")
            from mutual_dissent.proposer import with_proposal

            return await with_proposal(self, wanted, write)
        return await write(wanted)

    async def _sources(self, query: str, wanted: Options) -> Sources | None:
        """Everything that goes with a query, read and fetched once for all briefs of it."""
        if not (wanted.context or wanted.pages or wanted.workspace):
            return None
        from mutual_dissent.briefing.inputs.sources import read_sources

        given: Sequence[Any] = wanted.context
        if any(isinstance(c, FileBytes) for c in given):
            from mutual_dissent.briefing.inputs.sent_files import with_files_read

            given = await with_files_read(given)
        found = await asyncio.to_thread(read_sources, given, query)
        if wanted.workspace:
            from mutual_dissent.briefing.inputs.workspace import look_into

            private = self.settings.home.root
            found += await asyncio.to_thread(look_into, Path(wanted.workspace), private)
        if wanted.pages:
            from mutual_dissent.briefing.inputs.pages import fetch_pages

            found += await fetch_pages(wanted.pages, self.pages())
        return found

    async def _brief(
        self, query: str, owner: str, wanted: Options, sources: Sources | None
    ) -> Brief:
        """The brief of options, without any call."""
        talk = self._conversation(wanted.conversation) if wanted.conversation else None
        if talk:
            wanted = talk.carry_on(wanted)
        asked = wanted.panel is None and not self.settings.any_key
        nearby = await self.nearby() if asked else Nearby()
        brief = write_brief(
            query,
            wanted,
            self.settings,
            self.find_route,
            self.modes,
            self.topologies,
            nearby,
            self.prices,
            sources,
        )
        if preset := self.settings.presets.get(brief.preset or ""):
            brief = preset.with_task(brief, self.library.text)
        if talk:
            brief = self._with_past_pictures(brief, talk)
        if brief.pictures:
            brief = self._for_viewers(brief)
        await self._check_allowed(brief)
        if wanted.experiment is None:  # an experiment has a budget of its own
            self._check_least(brief)
        self._check_asked(brief)
        if not is_short(brief):
            await asyncio.to_thread(check_readable, brief, self.prices.context_window)
        if wanted.experiment is None:  # an experiment's debates do not learn from each other
            brief = replace(brief, own_chances=await self._chances.get())
            if self.modes[brief.mode].weighs:
                brief = replace(brief, first=await asyncio.to_thread(self._by_record, brief))
        if brief.rule == BY_RECORD:
            brief = await asyncio.to_thread(self._weighted, brief, asked=bool(wanted.rule))
        # Whoever goes on with a conversation is told that one, not others that are like it.
        if talk:
            return readable(talk.before(brief))
        return readable(await self._with_memory(brief, owner, wanted))

    def _for_viewers(self, brief: Brief) -> Brief:
        """The brief with who sees its pictures, and who describes them to the others."""
        if not brief.pictures:
            return brief
        from mutual_dissent.briefing.viewers import check_pictures, with_viewers

        check_pictures(brief.context, self.modes[brief.mode])
        return with_viewers(brief, self.sees)

    def _with_past_pictures(self, brief: Brief, talk: PastConversation) -> Brief:
        """The brief with the pictures of its conversation, which its question may be about."""
        past = talk.pictures(brief.context)
        if not past:
            return brief
        again = replace(brief, context=(*past, *brief.context))
        try:
            self._for_viewers(again)
        except BadInput as e:
            # The question itself can be asked all the same.
            why = f"the conversation's pictures are not shown again: {e}"
            return replace(brief, notices=(*brief.notices, why))
        return again

    async def _with_memory(self, brief: Brief, owner: str, wanted: Options) -> Brief:
        """The brief with the owner's earlier debates on the matter, as far as they are wanted."""
        how = wanted.recall or self.settings.defaults.recall
        if how == "off" or wanted.experiment or self.modes[brief.mode].by_parts:
            return brief
        # `auto` is not left out: it changes what the panel is told.
        if how == "show" and len(self.running) + self._recalling > CROWD:
            return brief
        from mutual_dissent.own_record import with_memory

        attach = how == "auto"
        self._recalling += 1
        try:
            return await asyncio.to_thread(with_memory, self.store, brief, owner, attach=attach)
        finally:
            self._recalling -= 1

    async def nearby(self) -> Nearby:
        """Return who can be asked on this machine, without any key."""
        from mutual_dissent.providers.local import servers, weights

        running = await servers.running_models(self.settings.endpoints())
        embedded = await asyncio.to_thread(weights.usual, self.home.models)
        return Nearby(running=running, embedded=f"local:{embedded}")

    @cached_property
    def _chances(self) -> SharedReading[dict[str, Any] | None]:
        return SharedReading(self._own_chances)

    def _own_chances(self) -> dict[str, Any] | None:
        try:
            return own_chances(self.store, lambda: [e.name for e in self.experiments.every()])
        except StoreError:  # who cannot read the record can still ask
            return None

    def own_answers(self) -> Answers:
        """The graded answers of the user's own debates, each with the name of its query."""
        return own_answers(self.store, lambda: [e.name for e in self.experiments.every()])

    def _by_record(self, brief: Brief) -> tuple[str, ...]:
        """The seats, most often right first, as the user's record has it; empty below enough."""
        try:
            graded = [grade for _, grade in self.own_answers()]
        except StoreError:  # who cannot read the record can still ask
            return ()
        known = panel_weights(graded, [p.model_id for p in brief.panel])
        if known.answers < GRADED_ENOUGH:
            return ()
        weights = weights_of(known)
        order = sorted(brief.panel, key=lambda p: -weights.get(p.model_id, 0.0))
        return tuple(p.seat for p in order)

    def _weighted(self, brief: Brief, *, asked: bool) -> Brief:
        """The brief with weights from the user's record, or the usual rule if nobody asked for it.

        Raises:
            BadInput: if the rule was asked for, and too few answers are graded.
        """
        if brief.experiment:
            raise BadInput(
                f"{option('rule', BY_RECORD)} learns from debates before this one, and an "
                "experiment's debates do not learn from each other; choose another rule"
            )
        graded = [grade for _, grade in self.own_answers()]
        weights = panel_weights(graded, [p.model_id for p in brief.panel])
        if weights.answers >= GRADED_ENOUGH:
            return replace(brief, weights=weights)
        few = (
            f"votes are weighted from {GRADED_ENOUGH} graded answers of this panel on, and "
            f"{GRADED_ENOUGH - weights.answers} are missing; grade finished debates"
        )
        if asked:
            how = command("outcome", "ID right|wrong|VALUE")
            raise BadInput(f"{few}: {how}, or choose another rule")
        # A notice is stored, and read on every surface: it has no surface's commands in it.
        return replace(brief, rule=DEFAULT_RULE, notices=(*brief.notices, few))

    def _conversation(self, name: str) -> PastConversation:
        """The conversation that a stored debate is part of, up to now.

        Raises:
            Held: if its last debate is still under way and has no answer yet.
        """
        from mutual_dissent.briefing.conversation import PastConversation

        ids = self.store.conversation(self.store.find(name))
        holder = self.store.holder(ids[-1])
        if holder is not None and self.store.transcript(ids[-1]).synthesis is None:
            raise Held(ids[-1], f"process {holder}")
        return PastConversation.of(ids, self._backwards(ids))

    def _backwards(self, ids: Sequence[str]) -> Iterator[Transcript]:
        """The debates from the last to the first, without those that were deleted."""
        for name in reversed(ids):
            with suppress(NotFound):
                yield self.store.transcript(name)

    def check_default(self, name: str, settings: Settings) -> None:
        """Make sure that a debate can take what would be the default of that name.

        Raises:
            UserError: the sentence that `ask` would say.
        """
        check_default(name, settings, self.modes, self.topologies, Plugins(PROVIDERS, {}))

    def quote(self, brief: Brief) -> CostQuote:
        """Cost of a debate ahead of it: calls, tokens, dollars. No model is asked."""
        from mutual_dissent.engine.limits.quote import quote

        opened = opening(Opened(at=self.clock(), brief=brief))
        return quote(
            opened, self.modes[brief.mode], self.library, self.prices, self._longest_answer
        )

    def _longest_answer(self, route: Route) -> int | None:
        local = self.settings.local
        return local.most_tokens(route.model_id) if route.vendor == EMBEDDED else None

    def run(self, brief: Brief, *, save: bool = True, tokens: bool = True) -> UpdateStream:
        """Run a debate, and yield what happens; without `tokens`, no text before it is whole."""
        return self._open(brief, Memory(), save=save, tokens=tokens)

    async def stream(
        self, query: str, *, save: bool = True, tokens: bool = True, **options: Any
    ) -> UpdateStream:
        """Ask, and yield what happens; token events have `text`, `panelist`, `round_number`."""
        brief = await self.brief(query, **options)
        async with aclosing(self.run(brief, save=save, tokens=tokens)) as events:
            async for event in events:
                yield event

    async def debate(
        self,
        query: str,
        *,
        save: bool = True,
        on_round_complete: OnRound | None = None,
        **options: Any,
    ) -> Transcript:
        """Ask, and return the transcript when all is over."""
        from mutual_dissent.stream import collect_transcript

        events = self.stream(query, save=save, tokens=False, **options)
        return await collect_transcript(events, on_round_complete)

    def resume(
        self, name: str, *, remark: str | None = None, late: bool = False, **changes: Any
    ) -> UpdateStream:
        """Go on with a stored debate where its record ends; first yields what is on record.

        Args:
            name: the debate's id, or a unique beginning of it.
            remark: what the panel is told before it goes on.
            late: whether those who were not waited for, or whose call failed, are asked now, and
                the answer written anew.
            changes: `max_cost`, `timeout` or `call_timeout` that hold from now on.
        """
        wanted = checked_limits(changes, only_limits=True)

        def plan(past: Transcript, memory: Memory) -> Reopening | None:
            if late:
                return self._with_late(past, memory, wanted, remark)
            if past.status is Status.COMPLETED:
                return None if not remark else _refuse_remark(past)
            brief = replace(past.brief, **wanted) if wanted else past.brief
            self._check_runnable(past, brief)
            self._borrow(memory, brief.replay_of)
            return Reopening(
                "resumed",
                brief,
                told=bool(wanted),
                parts=EVERYTHING if past.synthesis is None else {JUDGE, ANALYST},
                remark=remark,
            )

        return self._reopen(name, plan)

    def _with_late(
        self, past: Transcript, memory: Memory, wanted: dict[str, Any], remark: str | None
    ) -> Reopening:
        """Return how a debate goes on with those who were not waited for, or whose call failed."""
        if not memory.forget_late():
            raise BadInput(
                f"in debate {past.transcript_id[:8]} everybody was waited for, and nobody failed "
                "for a reason that may be over"
            )
        brief = replace(past.brief, **wanted)
        self._check_runnable(past, brief)
        return Reopening(LATE, brief, told=bool(wanted), remark=remark)

    def go_on(
        self,
        name: str,
        *,
        rounds: int = 1,
        remark: str | None = None,
        synthesize: bool | None = None,
        **changes: Any,
    ) -> UpdateStream:
        """Hold further rounds of a finished debate, and have its answer written anew.

        Args:
            name: the debate's id, or a unique beginning of it.
            rounds: how many further rounds to hold.
            remark: what the panel is told before them.
            synthesize: whether the answer is written anew; by default as the debate says.
            changes: `max_cost`, `timeout` or `call_timeout` that hold from now on.
        """
        wanted = checked_limits(changes, only_limits=True)
        if synthesize is not None:
            wanted["synthesize"] = synthesize

        def plan(past: Transcript, memory: Memory) -> Reopening:
            memory.forget_ending()
            brief = replace(brief_to_continue(past, rounds, self.modes), **wanted)
            return Reopening("continued", brief, remark=remark)

        return self._reopen(name, plan)

    def synthesize(
        self, name: str, *, synthesizer: str | None = None, **changes: Any
    ) -> UpdateStream:
        """Have the answer of a finished debate written, or written anew; an older text is kept.

        Args:
            name: the debate's id, or a unique beginning of it.
            synthesizer: who writes it; by default whoever was to.
            changes: `max_cost`, `timeout` or `call_timeout` that hold from now on.
        """
        options_of({"synthesizer": synthesizer})
        wanted = checked_limits(changes, only_limits=True)

        def plan(past: Transcript, memory: Memory) -> Reopening:
            if past.closed_reason != "synthesis":  # nobody could write it: let another one try
                check_finished(past)
            memory.forget_synthesis()
            brief = replace(past.brief, synthesize=True, **wanted)
            if past.synthesis and past.synthesis.chosen:  # that one is there already
                brief = replace(brief, answer=SYNTHESIZE)
            brief = with_synthesizer(brief, synthesizer, self.find_route, self.modes)
            self._check_runnable(past, brief)
            return Reopening("synthesized", self._for_viewers(brief))

        return self._reopen(name, plan)

    def ask_again(self, name: str, key: str, **changes: Any) -> UpdateStream:
        """Have a turn of a finished debate taken again, and go on from there.

        Whatever was said to the old answer is asked anew, up to the synthesis; all of the old is
        kept as replaced.

        Args:
            name: the debate's id, or a unique beginning of it.
            key: the turn's key, such as `0/initial/claude`.
            changes: `max_cost`, `timeout` or `call_timeout` that hold from now on.
        """
        wanted = checked_limits(changes, only_limits=True)

        def plan(past: Transcript, memory: Memory) -> Reopening:
            check_finished(past)
            check_turn(past, key)
            memory.forget_turn(key)
            brief = replace(past.brief, **wanted)
            self._check_runnable(past, brief)
            return Reopening("asked again", brief, told=bool(wanted), turn=key)

        return self._reopen(name, plan)

    def direct(self, name: str, action: Action, text: str = "") -> str:
        """Pause, stop or tell something to a debate that is under way in any process.

        Returns:
            The full id of the debate.

        Raises:
            Finished: if it has come to its end.
            NotRunning: if nobody works on it.
        """
        full = self.store.find(name, to_change=True)
        directive = Directive(action=action, text=clean_text("the remark", text))
        try:
            self.store.direct(full, directive)
        except NotRunning:
            if self.store.transcript(full).status is Status.COMPLETED:
                raise Finished(full) from None
            raise
        return full

    def delete(self, name: str) -> str:
        """Forget a stored debate: its record, what it cost, and its file.

        Returns:
            The full id of what was forgotten.

        Raises:
            Held: if somebody works on it.
        """
        full = self.store.find(name, to_change=True)
        try:
            past: Transcript | None = self.store.transcript(full)
        except StoreError:  # a damaged log has no date to find its file by
            past = None
        self.store.delete(full)
        if past:
            remove_transcript(self.home.transcripts, past)
        return full

    def replay(
        self,
        past: str | Transcript,
        *,
        synthesizer: str | None = None,
        rounds: int = 0,
        save: bool = True,
        panelist_context: Mapping[str, str] | None = None,
        **changes: Any,
    ) -> UpdateStream:
        """A new debate that reuses the recorded answers of an earlier one.

        Args:
            past: the earlier debate, or its id, or a unique beginning of that.
            synthesizer: who writes the answer this time; by default the same as before.
            rounds: how many further rounds to hold.
            save: whether the new debate is kept.
            panelist_context: seat -> private context for the rounds that are added.
            changes: other fields of the brief, such as `max_cost` or `timeout`.
        """
        memory = Memory()
        check_kinds(changes, Brief)
        options_of({"synthesizer": synthesizer})
        if isinstance(past, str):
            full = self.store.find(past)
            past = self.store.transcript(full)
            self._borrow(memory, full)
        elif not isinstance(past, Transcript):
            raise BadInput(f"a replay is of a transcript or of an id, not of {past!r:.60}")
        else:
            memory.borrowed = reusable(dict(past.responses()))
            memory.complete = count_rounds(past) if past.status is Status.COMPLETED else -1
        if panelist_context:
            changes["panel"] = in_context(past.brief.panel, panelist_context)
        self._check_runnable(past, replace(past.brief, rounds=0))
        brief = brief_to_replay(past, rounds, self.modes, changes)
        brief = with_synthesizer(brief, synthesizer, self.find_route, self.modes)
        return self._open(readable(self._for_viewers(brief)), memory, save=save)

    def _borrow(self, memory: Memory, name: str | None) -> None:
        """Remember what the debate of that name has, as far as it is still there."""
        try:
            events = self.store.events(name) if name else []
        except NotFound:
            return
        if events:
            past = fold(events)
            memory.borrowed = Memory.of(events).reusable()
            memory.complete = count_rounds(past) if past.status is Status.COMPLETED else -1

    def score(
        self,
        name: str,
        ground_truth: str,
        *,
        judge: str | None = None,
        score: str = "synthesis",
        rubric: str | None = None,
    ) -> UpdateStream:
        """Have a stored debate scored against a known answer."""
        options = options_of(
            {"ground_truth": ground_truth, "judge": judge, "rubric": rubric, "score": score}
        )

        def plan(past: Transcript, memory: Memory) -> Reopening:
            brief = brief_to_score(past, options, self.modes, self.settings, self.find_route)
            memory.ended.pop((-1, "judge", ""), None)
            return Reopening("scored", readable(self._for_viewers(brief)), parts={JUDGE})

        return self._reopen(name, plan)

    def analyze(self, name: str, *, analyst: str | None = None, **changes: Any) -> UpdateStream:
        """Have a finished debate read by an analyst, again or for the first time.

        Args:
            name: the debate's id, or a unique beginning of it.
            analyst: who reads it; by default whoever was to, else the cheapest who took part.
            changes: `max_cost`, `timeout` or `call_timeout` that hold from now on.
        """
        options_of({"analyst": analyst})
        wanted = checked_limits(changes, only_limits=True)

        def plan(past: Transcript, memory: Memory) -> Reopening:
            brief = brief_to_analyze(past, analyst, self.settings, self.find_route, self.prices)
            memory.forget_analysis()
            return Reopening(ANALYZED, readable(replace(brief, **wanted)), parts={ANALYST})

        return self._reopen(name, plan)

    async def resolve(self, name: str, outcome: str, *, note: str = "") -> Transcript:
        """Put on record how a finished debate turned out; telling it again replaces that.

        Args:
            name: the debate's id, or a unique beginning of it.
            outcome: `right` or `wrong`, of the panel's answer, or the value that turned out true.
            note: how that is known, if worth a word.
        """
        full = self.store.find(name, to_change=True)
        with self.store.hold(full):
            past = self.store.transcript(full)
            check_finished(past)
            told, why = checked_outcome(outcome), clean_text("the note", note).strip()
            check_fits_forecast(past, told)
            event = Resolved(seq=past.last_seq + 1, at=self.clock(), outcome=told, note=why)
            await _begun(self.journal(full, past), event)
        return past.apply(event)

    async def reach(self, names: Sequence[str] = ()) -> list[Reach]:
        """Ask models one tiny question each: those named, else every alias.

        Raises:
            UserError: if a model that was named is not known or cannot be reached.
        """
        from mutual_dissent.reach import reach

        return await reach(self, names)

    def examine(self, *, fix: bool = False) -> list[Finding]:
        """Faults of the record and of the transcripts' files."""
        from mutual_dissent.store.doctor import examine

        return examine(self.store, self.home.transcripts, _file_text, fix=fix)

    async def _open(
        self, brief: Brief, memory: Memory, *, save: bool, tokens: bool = True
    ) -> UpdateStream:
        """Open a new debate and run it to its end."""
        await self._check_allowed(brief)
        if save:
            await asyncio.to_thread(self.store.check_writable)
        library = self.library  # it may be another one when there is room
        shelf = await self._shelved(brief, save=save) if brief.pictures else None
        brief = shelf.brief if shelf else brief
        proposed: list[Event] = []
        if brief.proposal:
            from mutual_dissent.proposer import proposal_events

            brief, proposed = proposal_events(brief, self.clock())
        opened = Opened(
            seq=1,
            at=self.clock(),
            brief=brief,
            version=__version__,
            settings=self.settings.snapshot(),
            prompts=library.hashes(),
        )
        journal = self.journal(brief.transcript_id, None) if save else NoJournal()
        async with AsyncExitStack() as stack:
            if save:
                stack.enter_context(self.store.expect(brief.transcript_id))
            # Whoever finds room is held once; whoever must wait holds no file open meanwhile.
            if runs := not self.room.locked():
                await stack.enter_async_context(self._a_place(brief, save=save))
                stack.enter_context(self._hold(brief, save=save))
            with nullcontext() if runs else self._hold(brief, save=save):
                try:
                    await _begun(journal, opened, *proposed)
                except DissentError as e:
                    # One that was held before needs them still.
                    if shelf and save and not isinstance(e, HeldAlready):
                        await asyncio.to_thread(self.store.forget_pictures, brief.transcript_id)
                    raise
            yield opened  # on record
            memory.take(opened, *proposed)
            for bought in proposed:
                yield bought
            if not runs:
                await stack.enter_async_context(self._a_place(brief, save=save))
            await self.let_go()
            if not runs:
                stack.enter_context(self._hold(brief, save=save))
            debate = self._deliberate(
                opening(opened), memory, journal, library=library, tokens=tokens,
                pictures=shelf.raw if shelf else self._picture_on_record,
            )  # fmt: skip
            async with aclosing(debate) as events:
                async for event in events:
                    yield event

    async def _shelved(self, brief: Brief, *, save: bool) -> PictureShelf:
        """The pictures of a debate that is about to be opened: on record, if that is to be.

        Raises:
            BadInput: if they came neither with the brief nor from the record.
        """
        from mutual_dissent.briefing.viewers import without_bytes

        bare, raw = without_bytes(brief)
        types = {p.sha256: p.media_type for p in brief.pictures}
        known = set(types) - set(raw)
        await asyncio.to_thread(self._check_shown, brief, known)
        if save:
            new = {sha256: (types[sha256], body) for sha256, body in raw.items()}
            keep = self.store.keep_pictures
            await asyncio.to_thread(keep, brief.transcript_id, new, known)
            raw = {}
        return PictureShelf(bare, lambda sha256: raw.get(sha256) or self._picture_on_record(sha256))

    def _check_shown(self, brief: Brief, hashes: Collection[str]) -> None:
        """Refuse to go on about pictures that are not on record."""
        for shown in brief.context:
            wanted = shown.picture and shown.picture.sha256 in hashes
            if shown.picture and wanted and self._picture_on_record(shown.picture.sha256) is None:
                raise BadInput(
                    f"{shown.name} is not on record here, so that nobody can be shown it; ask "
                    "anew, with the picture attached"
                )

    def _picture_on_record(self, sha256: str) -> bytes | None:
        found = self.store.picture(sha256)
        return found[1] if found else None

    @asynccontextmanager
    async def _a_place(self, brief: Brief, *, save: bool) -> AsyncIterator[None]:
        """One of the places for debates that run at once; others see who waits for one."""
        must_wait = save and self.room.locked()
        with self.store.announce_wait(brief.transcript_id) if must_wait else nullcontext():
            await self.room.acquire()
        try:
            yield
        finally:
            self.room.release()

    def _hold(self, brief: Brief, *, save: bool) -> AbstractContextManager[None]:
        return self.store.hold(brief.transcript_id) if save else nullcontext()

    async def _reopen(self, name: str, plan: Plan) -> UpdateStream:
        """Go on with a stored debate as planned: first what is on record, then what happens."""
        full = self.store.find(name, to_change=True)
        with self.store.hold(full):
            left = self.store.directives(full)  # of an earlier run: only what was said counts
            events = self.store.events(full)
            past, memory = fold(events), Memory.of(events)
            again = plan(past, memory)
            if again:
                await self._check_allowed(again.brief)
                if again.reason in ASKING:
                    self._check_asked(again.brief)
                await asyncio.to_thread(self.store.check_writable)
                if again.parts != {ANALYST}:  # who reads the debate alone
                    hashes = {p.sha256 for p in again.brief.pictures}
                    await asyncio.to_thread(self._check_shown, again.brief, hashes)
            for event in events:
                yield event
            if again:
                said = [d.text for d in left if d.action is Action.REMARK]
                async with aclosing(self._go_on(past, again, memory, said)) as going_on:
                    async for happening in going_on:
                        yield happening

    async def _go_on(
        self, past: Transcript, again: Reopening, memory: Memory, said: Sequence[str]
    ) -> UpdateStream:
        """Run a stored debate on from its record; `said` are remarks that nobody has heard yet."""
        journal = self.journal(past.transcript_id, past)
        begin: list[Event] = [
            Reopened(
                at=self.clock(),
                reason=again.reason,
                brief=again.brief if again.told else None,
                again=again.turn,
            ),
            *self._said(*said, again.remark or ""),
        ]
        begin = [e.with_seq(memory.last_seq + i) for i, e in enumerate(begin, start=1)]
        await _begun(journal, *begin)
        memory.last_seq += len(begin)
        memory.remarks += [e for e in begin if isinstance(e, Remarked)]
        for first in begin:
            yield first
        brief = again.brief
        anew = DEBATE in again.parts
        start = _bare_opening(past, brief) if anew else replace(past, brief=brief)
        debate = self._deliberate(start, memory, journal, parts=again.parts)
        async with aclosing(debate) as events:
            async for event in events:
                yield event

    def _deliberate(
        self,
        start: Transcript,
        memory: Memory,
        journal: Journal,
        *,
        parts: Collection[str] = EVERYTHING,
        library: Library | None = None,
        tokens: bool = True,
        pictures: Callable[[str], bytes | None] | None = None,
    ) -> UpdateStream:
        """Run a debate; `start` is what the mode's script begins with."""
        saved = isinstance(journal, FileWritingJournal)
        user = self.human if start.brief.me else None
        world = Environment(
            provider=self._provider_of(start),
            last_call=partial(user.last_call, start.transcript_id) if user else lambda _: None,
            journal=journal,
            prices=self.prices,
            library=library or self.library,
            clock=self.clock,
            directives=partial(self.orders.pop, start.transcript_id) if saved else None,
            tools=self.toolbox(start.brief) if start.brief.tools or start.brief.workspace else None,
            cited=self.cited_pages() if start.brief.check_citations else None,
            judge=self.judge,
            funds=self.funds_of(start.transcript_id),
            running=self.running,
            tokens=tokens,
            pictures=pictures or self._picture_on_record,
            rest=lambda: self.rest(),  # noqa: PLW0108 - may change while a debate runs
        )
        mode = self.modes[start.brief.mode]
        return deliberate(start, mode, world, memory, parts=parts)

    def _provider_of(self, start: Transcript) -> Provider:
        """The provider of a debate: on a panel with the user, one that asks the user as well."""
        if not start.brief.me:
            return self.provider
        from mutual_dissent.providers.human import PanelWithUser

        return PanelWithUser(self.provider, self.human, start.transcript_id)

    def journal(self, transcript_id: str, past: Transcript | None) -> Journal:
        """Return where a debate's events go: into the record and, when it closes, into its file."""

        def write(transcript: Transcript) -> None:
            write_transcript(self.home.transcripts, transcript, _file_text(transcript))
            self.keep_prices()
            if len(self.running) > CROWD or self.store.in_debt:
                return  # a summary is a transaction of its own: it waits until somebody looks
            seen = (transcript.last_seq, to_text(look(transcript)))
            with suppress(StoreError):  # whoever wants to know looks again
                self.store.summarise({transcript_id: seen}, VERSION)

        def tell(transcript: Transcript) -> None:
            settings = self.settings
            if settings.telemetry.endpoint or settings.webhook.url:
                self.dispatch.tell(settings, transcript, self.clock(), told_up_to(past))

        return FileWritingJournal(self.store.journal(transcript_id), past, write, tell)

    def _said(self, *remarks: str) -> list[Remarked]:
        """Remarks to the panel before it goes on."""
        texts = [clean_text("the remark", remark) for remark in remarks if remark]
        return [Remarked(at=self.clock(), text=text) for text in texts if text]

    def _check_runnable(self, past: Transcript, brief: Brief) -> None:
        check_runnable(brief, self.modes, self.topologies, count_rounds(past))

    def _check_least(self, brief: Brief) -> None:
        """Refuse a limit below what the shortest way of a mode that knows one takes."""
        if brief.max_cost is None or not self.modes[brief.mode].weighs:
            return
        quote = self.quote(brief)
        least = (quote.least or quote).cost_usd
        if least is not None and brief.max_cost < least:
            raise OverBudget(
                f"{brief.mode} takes at least ${figure(least)} with this panel, and the limit is "
                f"${figure(brief.max_cost)}; raise {option('max_cost')}, or choose cheaper models"
            )

    def _check_asked(self, brief: Brief) -> None:
        """Refuse a panel with the user where no surface can ask."""
        if brief.me and self.human is None:
            raise NobodyHere

    async def _check_allowed(self, brief: Brief) -> None:
        """Refuse who may not sit here, and a limit that cannot be kept for want of a price."""
        if self.remote:
            check_remote(brief, self.settings.programs)
        check_own_seat(brief)
        funds = self.funds_of(brief.transcript_id)
        shared = funds is not None and funds.limited
        if not shared and (brief.max_cost is None or brief.allow_unpriced):
            return
        await self.fetch_prices([p.route for p in brief.everyone])
        ways = {p.seat: brief.search_of(p) for p in brief.panel}
        unknown = [p.seat for p in brief.everyone if self.prices.cost(p.route, 1000, 1000) is None]
        unknown += [seat for seat, way in ways.items() if way and way.most_usd is None]
        if unknown:
            names = ", ".join(dict.fromkeys(unknown))
            raise OverBudget(
                f"no price is known for {names}, so the token's budget cannot be kept; "
                "choose other models"
                if shared
                else f"no price is known for {names}, so {option('max_cost')} cannot be kept; "
                f"choose other models or add {option('allow_unpriced')}"
            )


@dataclass(frozen=True, slots=True)
class PictureShelf:
    """The pictures of a debate: its brief without their bytes, and those by their hash."""

    brief: Brief
    raw: Callable[[str], bytes | None]


@dataclass(frozen=True, slots=True)
class Reopening:
    """Way in which a stored debate goes on.

    Attributes:
        reason: the word that the record has for it.
        brief: what holds from now on; `told` says whether it goes on record.
        parts: what is done; without the debate itself, that stays as it is.
        remark: what the panel is told first.
        turn: the key of the turn that is taken again.
    """

    reason: str
    brief: Brief
    told: bool = True
    parts: Collection[str] = EVERYTHING
    remark: str | None = None
    turn: str | None = None


Plan = Callable[[Transcript, Memory], Reopening | None]
"""How a debate goes on, given what is on record; None if it does not."""


def _refuse_remark(past: Transcript) -> NoReturn:
    short = past.transcript_id[:8]
    raise BadInput(f"debate {short} is finished; go on with: {command('continue', short)}")


async def _begun(journal: Journal, *events: Event) -> None:
    """Store what begins a debate; where that fails, nobody has been asked anything yet."""
    try:
        await whole(journal.append(events))  # else a cancelled one appears behind the next run
    except NotSaved as e:
        raise NotWritable(*e.args, "nobody was asked") from e
    except Held:
        opened = events[0]
        if not isinstance(opened, Opened):
            raise
        raise HeldAlready(opened.brief.transcript_id) from None


def readable(brief: Brief) -> Brief:
    """The brief as it will be read back from the record.

    Raises:
        BadInput: if it could not be, because an option is of the wrong kind.
    """
    try:
        read = from_plain(Brief, to_plain(brief))
        # What is not written down is kept: the bytes of pictures that are not on record yet.
        return replace(read, context=brief.context) if brief.pictures else read
    except (Malformed, TypeError) as e:
        raise BadInput(f"an option cannot be used: {e}") from None


def _bare_opening(past: Transcript, brief: Brief) -> Transcript:
    """The transcript as it was when it was opened, under the brief that now holds."""
    return Transcript(
        brief=brief,
        created_at=past.created_at,
        version=past.version,
        settings=past.settings,
        prompts=past.prompts,
        last_seq=1,
    )


def _file_text(transcript: Transcript) -> bytes:
    """Text of a transcript's file."""
    return transcript_to_bytes(transcript, fallback_answer(transcript))


def import_files(md: MutualDissent, paths: Iterable[Path]) -> list[ImportResult]:
    """Take transcripts from files or folders into the record, which keeps a file of each."""
    from mutual_dissent.store.import_ import import_paths

    found, folder = import_paths(md.store, paths), md.home.transcripts
    for brought in found:
        ours = brought.path.parent.resolve() == folder.resolve()
        if brought.verdict == "imported" and brought.transcript_id and not ours:
            with suppress(StoreError):  # the record has it: `dissent doctor` writes the file
                transcript = md.store.transcript(brought.transcript_id)
                write_transcript(folder, transcript, _file_text(transcript))
    return found
