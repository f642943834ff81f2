"""The composition root, and the one API that every surface calls.

Here alone concrete classes meet: settings, store, router, prices, prompts, modes. A surface makes a
`MutualDissent`, asks it for a brief, and watches the events of a debate.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    Awaitable,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from mutual_dissent import __version__
from mutual_dissent.config.briefing import (
    LIMITS,
    FindRoute,
    Options,
    checked_limits,
    in_context,
    routes,
    scoring_brief,
    write_brief,
)
from mutual_dissent.config.paths import Home
from mutual_dissent.config.plugins import MODES, PROVIDERS, TOPOLOGIES, Plugins
from mutual_dissent.config.settings import Settings, load_settings
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.errors import BadInput, NotSaved, OverBudget, StoreError, UserError
from mutual_dissent.core.events import (
    Closed,
    Event,
    Noted,
    Opened,
    Reopened,
    RoundEnded,
    Status,
    Token,
)
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.ports import Clock, Journal, Prices, Provider
from mutual_dissent.core.response import Response
from mutual_dissent.core.room import most_open
from mutual_dissent.core.step import Mode
from mutual_dissent.core.transcript import Round, Transcript, fold, opening
from mutual_dissent.engine.deliberate import World, deliberate
from mutual_dissent.engine.memory import Memory
from mutual_dissent.engine.probe import probe, reached
from mutual_dissent.engine.quote import Quote, quote
from mutual_dissent.modes import modes as all_modes
from mutual_dissent.modes.topologies import TOPOLOGIES as OUR_TOPOLOGIES
from mutual_dissent.prompts.library import Library
from mutual_dissent.store.files import write_transcript
from mutual_dissent.store.sqlite import Store
from mutual_dissent.views.answer import fallback_answer
from mutual_dissent.views.transcript_json import transcript_to_bytes

if TYPE_CHECKING:
    from mutual_dissent.providers.router import Router
    from mutual_dissent.store.doctor import Finding
    from mutual_dissent.store.legacy import Brought

log = logging.getLogger("mutual_dissent")

Happening = Event | Token
Happenings = AsyncGenerator[Happening, None]
"""Close it (`aclosing`) where it is not watched to its end, and the debate is stopped at once."""

OnRound = Callable[[Round], Awaitable[None]]


class MutualDissent:
    """A panel at hand: make briefs, run debates, look at what is stored.

    Example:
        ```python
        async with MutualDissent() as md:
            transcript = await md.debate("Is P equal to NP?", panel=["claude", "gpt"])
            print(transcript.synthesis.content)
        ```
    """

    def __init__(
        self,
        *,
        home: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        provider: Provider | None = None,
        prices: Prices | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Set up from the environment and the configuration file; nothing is opened yet.

        Args:
            home: the folder that holds configuration and record, instead of the usual one.
            env: the environment, instead of the process's own.
            provider: where words come from, instead of the configured vendors.
            prices: what calls cost, instead of the price table.
            clock: the time, in UTC.
        """
        self._env = dict(os.environ if env is None else env)
        if home is not None:
            self._env["MUTUAL_DISSENT_HOME"] = str(home)
        self._given_provider, self._given_prices = provider, prices
        self._clock: Clock = clock or (lambda: datetime.now(UTC))
        self._router: Router | None = None
        self._store: Store | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close connections and the record."""
        if self._router is not None:
            await self._router.aclose()
        self.close()

    def close(self) -> None:
        """Close the record; enough where nobody was asked."""
        if self._store is not None:
            self._store.close()
            self._store = None

    @cached_property
    def home(self) -> Home:
        """The folder that holds configuration and record."""
        return Home.from_env(self._env)

    @cached_property
    def settings(self) -> Settings:
        """The effective configuration."""
        return load_settings(self._env, self.home)

    @cached_property
    def library(self) -> Library:
        """The prompt texts."""
        return Library(self.home.prompts)

    @cached_property
    def topologies(self) -> Plugins:
        """The topologies of reflection by name."""
        return Plugins(TOPOLOGIES, OUR_TOPOLOGIES)

    @cached_property
    def modes(self) -> Mapping[str, Mode]:
        """The modes by name."""
        return Plugins(MODES, all_modes(self.topologies))

    @cached_property
    def _room(self) -> asyncio.Semaphore:
        """Room for so many debates at once: each holds files open, and there are only so many."""
        return asyncio.Semaphore(max(4, most_open() // 4))

    @property
    def store(self) -> Store:
        """The record of all debates."""
        if self._store is None:
            self._store = Store(self.home.database)
        return self._store

    @cached_property
    def prices(self) -> Prices:
        """What calls cost."""
        if self._given_prices is not None:
            return self._given_prices
        from mutual_dissent.providers.prices import PriceTable

        return PriceTable(
            self.settings.endpoints(),
            cache=self.home.prices,
            refresh=self.settings.refresh_prices,
        )

    @property
    def provider(self) -> Provider:
        """Where words come from."""
        if self._given_provider is not None:
            return self._given_provider
        if self._router is None:
            self._router = self._make_router()
        return self._router

    def _make_router(self) -> Router:
        from mutual_dissent.providers.router import Router

        def local() -> Provider:
            from mutual_dissent.providers.local import Local

            return Local(self.settings.local, self.home.models)

        return Router(
            endpoints=self.settings.endpoints(),
            prices=self.prices,
            local=local,
            extra=Plugins(PROVIDERS, {}),
            known=self.model_names,
        )

    def model_names(self) -> list[str]:
        """Every name that could be meant: the aliases, then the price table's models."""
        return [*self.settings.aliases, *self.prices.known_models()]

    @cached_property
    def find_route(self) -> FindRoute:
        """The route of a name. A provider given by the caller is reached by any name."""
        if self._given_provider is not None:
            return lambda name: Route(
                vendor="given", model_id=name.partition("#")[0], mode="direct"
            )
        return routes(self.settings, Plugins(PROVIDERS, {}))

    async def brief(self, query: str, **options: Any) -> Brief:
        """The brief for a query: everything decided and checked, nothing asked yet.

        Args:
            query: what to ask.
            options: the fields of `Options`.

        Raises:
            UserError: if something asked for cannot be.
            OverBudget: if a limit is set that cannot be kept.
        """
        wanted = Options(**options)
        ollama: Sequence[str] = ()
        if wanted.panel is None and not self.settings.any_key:
            from mutual_dissent.providers.ollama import ollama_models

            ollama = await ollama_models(self.settings.endpoints()["ollama"].base_url)
        brief = write_brief(
            query, wanted, self.settings, self.find_route, self.modes, self.topologies, ollama
        )
        self._check_budget(brief)
        return brief

    def quote(self, brief: Brief) -> Quote:
        """What a debate would take: calls, tokens, dollars. Nobody is asked."""
        opened = opening(Opened(at=self._clock(), brief=brief))
        return quote(opened, self.modes[brief.mode], self.library, self.prices)

    async def run(self, brief: Brief, *, save: bool = True) -> Happenings:
        """Run a debate, and yield what happens."""
        async with aclosing(self._open(brief, Memory(), save=save)) as events:
            async for event in events:
                yield event

    async def stream(self, query: str, *, save: bool = True, **options: Any) -> Happenings:
        """Ask, and yield what happens; token events have `text`, `panelist`, `round_number`."""
        brief = await self.brief(query, **options)
        async with aclosing(self.run(brief, save=save)) as events:
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
        return await watched(self.stream(query, save=save, **options), on_round_complete)

    async def resume(self, name: str, **changes: Any) -> Happenings:
        """Go on with a stored debate where its record ends; first yields what is on record.

        Args:
            name: the debate's id, or a unique beginning of it.
            changes: `max_cost`, `timeout` or `call_timeout` that hold from now on.
        """
        wanted, full = checked_limits(changes), self.store.find(name)
        with self.store.hold(full):
            events = self.store.events(full)
            past = fold(events)
            for event in events:
                yield event
            if past.status is Status.COMPLETED:
                return
            brief = replace(past.brief, **wanted) if wanted else past.brief
            self._check_budget(brief)
            self.store.check_writable()
            memory = Memory.of(events)
            reopened = self._reopened("resumed", memory, brief if wanted else None)
            async with aclosing(self._go_on(past, reopened, memory, brief)) as going_on:
                async for happening in going_on:
                    yield happening

    async def replay(
        self,
        name: str,
        *,
        synthesizer: str | None = None,
        rounds: int = 0,
        save: bool = True,
        panelist_context: Mapping[str, str] | None = None,
        **changes: Any,
    ) -> Happenings:
        """A new debate that reuses the recorded answers of a stored one.

        Args:
            name: the stored debate's id, or a unique beginning of it.
            synthesizer: who writes the answer this time; by default the same as before.
            rounds: how many further rounds to hold.
            save: whether the new debate is kept.
            panelist_context: seat -> private context for the rounds that are added.
            changes: other fields of the brief, such as `max_cost` or `timeout`.
        """
        past = self.store.transcript(self.store.find(name))
        if panelist_context:
            changes["panel"] = in_context(past.brief.panel, panelist_context)
        brief = self._replayed(past, synthesizer, rounds, changes)
        borrowed = {k: r for k, r in past.responses() if r.role not in ("synthesis", "judge")}
        async with aclosing(self._open(brief, Memory(borrowed=borrowed), save=save)) as events:
            async for event in events:
                yield event

    async def score(
        self,
        name: str,
        ground_truth: str,
        *,
        judge: str | None = None,
        score: str = "synthesis",
        rubric: str | None = None,
    ) -> Happenings:
        """Have a stored debate scored against a known answer."""
        full = self.store.find(name)
        with self.store.hold(full):
            events = self.store.events(full)
            past = fold(events)
            brief = self._to_be_scored(past, ground_truth, judge, score, rubric)
            memory = Memory.of(events)
            memory.ended.pop((-1, "judge"), None)
            reopened = self._reopened("scored", memory, brief)
            for event in events:
                yield event
            graded = self._go_on(past, reopened, memory, brief, grade_only=True)
            async with aclosing(graded) as going_on:
                async for happening in going_on:
                    yield happening

    async def reach(self, names: Sequence[str] = ()) -> list[Reach]:
        """Ask models one tiny question each: those named, else every alias.

        Raises:
            UserError: if a model that was named is not known or cannot be reached.
        """
        found = [self._reachable(n, given=bool(names)) for n in names or self.settings.aliases]
        reaches = list(await asyncio.gather(*(self._reach(n, route) for n, route in found)))
        return reaches if names else [*reaches, *self._idle_keys()]

    def _idle_keys(self) -> list[Reach]:
        """The vendors whose keys no alias uses: which model to ask, only the user can say."""
        used = {"openrouter", *(a.vendor for a in self.settings.aliases.values())}
        idle = [e.vendor for e in self.settings.vendors.values() if e.key and e.vendor not in used]
        return [
            Reach(v, None, f"no alias uses its key; name a model: dissent config test {v}:MODEL")
            for v in idle
        ]

    def _reachable(self, name: str, *, given: bool) -> tuple[str, Route | UserError]:
        try:
            return name, self.find_route(name)
        except UserError as e:
            if given:
                raise
            return name, e

    async def _reach(self, name: str, route: Route | UserError) -> Reach:
        if isinstance(route, UserError):
            return Reach(name, None, str(route))
        response = await self.provider.ask(probe(name, route), lambda _: None)
        problem = "" if reached(response) else response.error or response.finish.value
        return Reach(name, response, problem)

    def examine(self, *, fix: bool = False) -> list[Finding]:
        """What is wrong with the record and the transcripts' files."""
        from mutual_dissent.store.doctor import examine

        return examine(self.store, self.home.transcripts, _file_text, fix=fix)

    async def _open(self, brief: Brief, memory: Memory, *, save: bool) -> Happenings:
        """Open a new debate and run it to its end."""
        self._check_budget(brief)
        if save:
            self.store.check_writable()
        opened = Opened(
            seq=1,
            at=self._clock(),
            brief=brief,
            version=__version__,
            settings=self.settings.snapshot(),
            prompts=self.library.hashes(),
        )
        journal: Journal = self.store.journal(brief.transcript_id) if save else Unsaved()
        async with self._room, AsyncExitStack() as stack:
            if save:
                stack.enter_context(self.store.hold(brief.transcript_id))
            await _begun(journal, opened)
            yield opened
            memory.last_seq, start = 1, opening(opened)
            debate = self._deliberate(start, start, memory, journal, save=save)
            events = await stack.enter_async_context(aclosing(debate))
            async for event in events:
                yield event

    async def _go_on(
        self,
        past: Transcript,
        reopened: Reopened,
        memory: Memory,
        brief: Brief,
        *,
        grade_only: bool = False,
    ) -> Happenings:
        """Run a stored debate on from its record."""
        journal = self.store.journal(past.transcript_id)
        await _begun(journal, reopened)
        yield reopened
        memory.last_seq = reopened.seq
        start = replace(past, brief=brief) if grade_only else _bare_opening(past, brief)
        whole = past.apply(reopened)
        debate = self._deliberate(start, whole, memory, journal, save=True, grade_only=grade_only)
        async with aclosing(debate) as events:
            async for event in events:
                yield event

    async def _deliberate(
        self,
        start: Transcript,
        whole: Transcript,
        memory: Memory,
        journal: Journal,
        *,
        save: bool,
        grade_only: bool = False,
    ) -> Happenings:
        """Run a debate, and write its file when it closes.

        Args:
            start: what the mode's script begins with.
            whole: what is on record already.
        """
        world = World(
            provider=self.provider,
            journal=journal,
            prices=self.prices,
            library=self.library,
            clock=self._clock,
        )
        mode = self.modes[start.brief.mode]
        debate = deliberate(start, mode, world, memory, grade_only=grade_only)
        async with aclosing(debate) as events:
            async for event in events:
                if isinstance(event, Event):
                    whole = whole.apply(event)
                if save and isinstance(event, Closed) and event.status is not Status.INTERRUPTED:
                    for note in await asyncio.to_thread(self._write_file, whole):
                        yield note
                yield event

    def _write_file(self, transcript: Transcript) -> list[Noted]:
        """Write the JSON transcript; a failure is a remark, not the end."""
        try:
            write_transcript(self.home.transcripts, transcript, _file_text(transcript))
        except (NotSaved, StoreError) as e:
            return [Noted(at=self._clock(), code="not_saved", text=str(e))]
        return []

    def _reopened(self, reason: str, memory: Memory, brief: Brief | None) -> Reopened:
        return Reopened(seq=memory.last_seq + 1, at=self._clock(), reason=reason, brief=brief)

    def _replayed(
        self, past: Transcript, synthesizer: str | None, rounds: int, changes: Mapping[str, Any]
    ) -> Brief:
        held = max((r.round_number for r in past.rounds), default=0)
        total, mode = held + rounds, self.modes[past.brief.mode]
        if rounds and total > mode.max_rounds:
            raise BadInput(
                f"{mode.name} takes at most {mode.max_rounds} rounds in all; "
                f"{held} are recorded, so add at most {mode.max_rounds - held}"
            )
        brief = replace(
            past.brief,
            transcript_id=str(uuid4()),
            rounds=total,
            replay_of=past.transcript_id,
            **{k: v for k, v in changes.items() if v is not None and k not in LIMITS},
            **checked_limits({k: v for k, v in changes.items() if k in LIMITS}),
        )
        if synthesizer is None:
            return brief
        return replace(
            brief, synthesizer=Panelist(seat=synthesizer, route=self.find_route(synthesizer))
        )

    def _to_be_scored(
        self, past: Transcript, truth: str, judge: str | None, score: str, rubric: str | None
    ) -> Brief:
        if past.status is not Status.COMPLETED:
            raise BadInput(
                f"debate {past.transcript_id[:8]} is {past.status.value}, only completed ones are "
                f"scored; finish it with: dissent resume {past.transcript_id[:8]}"
            )
        options = Options(ground_truth=truth, judge=judge, rubric=rubric, score=score)  # type: ignore[arg-type]
        return scoring_brief(past.brief, options, self.settings, self.find_route)

    def _check_budget(self, brief: Brief) -> None:
        """Refuse a limit that cannot be kept because a price is not known."""
        if brief.max_cost is None or brief.allow_unpriced:
            return
        unknown = [p.seat for p in brief.everyone if self.prices.cost(p.route, 1000, 1000) is None]
        if unknown:
            names = ", ".join(dict.fromkeys(unknown))
            raise OverBudget(
                f"no price is known for {names}, so --max-cost cannot be kept; "
                "choose other models or add --allow-unpriced"
            )


@dataclass(frozen=True, slots=True)
class Reach:
    """Whether a model answers. `response` is None if it was not asked; `problem` says why."""

    name: str
    response: Response | None
    problem: str

    @property
    def ok(self) -> bool:
        """Whether it was asked and answered."""
        return self.response is not None and not self.problem


class Unsaved:
    """A journal for debates that are not to be kept."""

    async def append(self, events: Sequence[Event]) -> None:
        """Nothing is written."""


async def watched(
    events: AsyncIterable[Happening], on_round_complete: OnRound | None = None
) -> Transcript:
    """The transcript that a stream of events comes to, calling back after each round."""
    transcript: Transcript | None = None
    async for event in events:
        if isinstance(event, Token):
            continue
        transcript = opening(event) if isinstance(event, Opened) else _applied(transcript, event)
        if on_round_complete and isinstance(event, RoundEnded):
            await _tell(on_round_complete, transcript, event)
    assert transcript is not None, "every debate begins with Opened"
    return transcript


def _applied(transcript: Transcript | None, event: Event) -> Transcript:
    assert transcript is not None, "every debate begins with Opened"
    return transcript.apply(event)


async def _tell(hook: OnRound, transcript: Transcript, event: RoundEnded) -> None:
    """Call a hook; whatever it raises is logged and does not touch the debate."""
    round_ = transcript.round(event.round_number)
    if event.role == "synthesis" and transcript.synthesis is not None:
        responses = (transcript.synthesis,)
        round_ = Round(round_number=-1, round_type="synthesis", responses=responses)
    if round_ is None or round_.round_type != event.role:
        return
    try:
        await hook(round_)
    except Exception:
        log.exception("on_round_complete failed for round %s", event.round_number)


async def _begun(journal: Journal, event: Event) -> None:
    """Store what begins a debate; where that fails, nobody has been asked anything yet."""
    try:
        await journal.append([event])
    except NotSaved as e:
        raise StoreError(f"{e}; nobody was asked") from e


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
    """What a transcript's file says."""
    return transcript_to_bytes(transcript, fallback_answer(transcript))


def import_files(md: MutualDissent, paths: Iterable[Path]) -> list[Brought]:
    """Take transcripts from files or folders into the record."""
    from mutual_dissent.store.legacy import import_paths

    return import_paths(md.store, paths)
