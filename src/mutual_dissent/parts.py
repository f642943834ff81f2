"""The parts and how they fit together: the only place that makes concrete classes."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from mutual_dissent.analysis.bottom_lines import Judge, Judged
from mutual_dissent.briefing.seating import FindRoute, own_route, routes
from mutual_dissent.config.agents import remote_routes
from mutual_dissent.config.file import ConfigFile, read_document
from mutual_dissent.config.paths import Home
from mutual_dissent.config.plugins import MODES, PROVIDERS, TOPOLOGIES, Plugins
from mutual_dissent.config.sections import read_store
from mutual_dissent.config.settings import Settings, load_settings, settings_from
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.errors import BadConfig, BadInput, NotSaved, StoreError
from mutual_dissent.core.events import Closed, Event, Opened, Resolved, Status
from mutual_dissent.core.panel import AGENT, ME, PROGRAM, RECORDED, Panelist, Route, SeatName
from mutual_dissent.core.ports import (
    CitedPages,
    Clock,
    Funds,
    Human,
    Journal,
    Prices,
    Provider,
    Tools,
)
from mutual_dissent.core.step import Mode
from mutual_dissent.core.transcript import Transcript, opening
from mutual_dissent.core.values.directive import Directive
from mutual_dissent.core.values.terms import option
from mutual_dissent.engine.ending import RESTING, DebateEnding
from mutual_dissent.modes import modes as all_modes
from mutual_dissent.modes.topologies import TOPOLOGIES as OUR_TOPOLOGIES
from mutual_dissent.prompts.library import Library
from mutual_dissent.providers.http.limits import most_open
from mutual_dissent.store.access import Place
from mutual_dissent.store.store import Store

if TYPE_CHECKING:
    from mutual_dissent.dispatch import Dispatch
    from mutual_dissent.providers.router import Router
    from mutual_dissent.store.experiments import Experiments
    from mutual_dissent.store.postgres.pace import VendorTurns
    from mutual_dissent.store.postgres.server import PostgresServer
    from mutual_dissent.store.tokens import Tokens
    from mutual_dissent.tools.fetch import Pages

PATIENCE, LOOK = 90.0, 0.1
"""Seconds that who leaves waits for what could not be written yet; between two looks at that."""

_JUDGING = threading.Lock()
"""One debate at a time asks the embedded model: many at once take memory, and no less time."""


class Parts:
    """Parts of the app, each made when it is first needed."""

    def __init__(
        self,
        *,
        home: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        provider: Provider | None = None,
        prices: Prices | None = None,
        clock: Clock | None = None,
        remote: bool = False,
        forgive: Callable[[str], None] | None = None,
    ) -> None:
        """Set up from the environment and the configuration file; nothing is opened yet.

        Args:
            home: the folder that holds configuration and record, instead of the usual one.
            env: the environment, instead of the process's own.
            provider: where words come from, instead of the configured vendors.
            prices: what calls cost, instead of the price table.
            clock: the time, in UTC.
            remote: whether strangers may ask, who may seat only what the configuration allows.
            forgive: told of a broken configuration, which is then done without as far as it goes:
                for looking at the record.
        """
        self._env = dict(os.environ if env is None else env)
        if home is not None:
            self._env["MUTUAL_DISSENT_HOME"] = str(home)
        self._given_provider, self._given_prices = provider, prices
        self.clock: Clock = clock or (lambda: datetime.now(UTC))
        self.remote = remote
        self._forgive = forgive
        self._forgiven = ""
        self._router: Router | None = None
        self._former: list[Any] = []
        self._reloading = threading.Lock()
        self._first_use = threading.RLock()  # of parts that hold a connection: no two are opened
        self._store: Store | None = None
        self._tokens: Tokens | None = None
        self._experiments: Experiments | None = None
        self._pace: VendorTurns | None = None
        self._room: tuple[asyncio.AbstractEventLoop, asyncio.Semaphore] | None = None
        self.running: set[asyncio.Task[None]] = set()
        self.rest: Callable[[], DebateEnding | None] = lambda: None
        self.funds_of: Callable[[str], Funds | None] = lambda _: None
        self._gave_up = False
        self.human: Human | None = None  # set by a surface that can ask the user

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Whoever leaves with an error, or has waited in vain already, does not wait again.
        await self.aclose(0.0 if kind or self._gave_up else PATIENCE)

    async def wait_for_record(self, seconds: float) -> bool:
        """Wait until all that was bought is on record, at most so long; whether it is."""
        until = time.monotonic() + seconds
        while self._in_debt() and time.monotonic() < until:  # noqa: ASYNC110 - a thread writes it
            await asyncio.sleep(LOOK)
        self._gave_up = self._in_debt()
        return not self._gave_up

    def _in_debt(self) -> bool:
        return self._store is not None and self._store.in_debt

    async def aclose(self, patience: float = 0.0) -> None:
        """End the debates that are under way, then close connections and the record.

        Args:
            patience: seconds to wait for a record that cannot be written at the moment.
        """
        # Those of another loop cannot be awaited here.
        if here := [t for t in self.running if t.get_loop() is asyncio.get_running_loop()]:
            for task in here:
                task.cancel()
            await asyncio.wait(here)
        await self.wait_for_record(patience)
        if "dispatch" in self.__dict__:
            await self.dispatch.aclose(patience)
        for part in (*self._former, self._router, self.__dict__.get("prices")):
            await _closed(part)
        self.close()

    def reload(self) -> None:
        """Take note of a changed configuration: the next debate has it, those under way do not.

        What is reloaded is put in place of the old, not made when it is next looked for: else one
        who had begun to make it from the old file would put that in its place. What calls go
        through is kept if it would be the same, for it may hold a model in memory.
        """
        with self._reloading:
            old, new = self.settings, load_settings(self._env, self.home)
            # There `cached_property` keeps what it has made.
            self.__dict__["settings"] = new
            self.__dict__["library"] = Library(self.home.prompts, self.home.system_prompts)
            self.__dict__["find_route"] = self._find_route()
            if _ways(old) != _ways(new):
                self._retire()

    def _retire(self) -> None:
        self._former.append(self._router)
        self._router = None
        if self._given_prices is None:
            self._former.append(self.__dict__.pop("prices", None))

    async def let_go(self) -> None:
        """Close what only the debates of an earlier configuration used, when all have ended."""
        while self._former and not self.running:
            await _closed(self._former.pop())

    @property
    def env(self) -> Mapping[str, str]:
        """The environment that the settings are read with."""
        return self._env

    def close(self) -> None:
        """Close the record; enough where nobody was asked."""
        if self._store is not None:
            self._store.close()
            self._store = None
        if self._tokens is not None:
            self._tokens.close()
            self._tokens = None
        if self._experiments is not None:
            self._experiments.close()
            self._experiments = None
        if self._pace is not None:
            self._pace.close()
            self._pace = None

    @cached_property
    def home(self) -> Home:
        """The folder that holds configuration and record."""
        return Home.from_env(self._env)

    @cached_property
    def settings(self) -> Settings:
        """The effective configuration."""
        try:
            return load_settings(self._env, self.home)
        except BadConfig as e:
            document = self._forgiving(e)
            return settings_from(document, {}, self.home)

    @cached_property
    def library(self) -> Library:
        """The prompt texts."""
        return Library(self.home.prompts, self.home.system_prompts)

    @cached_property
    def topologies(self) -> Plugins:
        """The topologies of reflection by name."""
        return Plugins(TOPOLOGIES, OUR_TOPOLOGIES)

    @cached_property
    def modes(self) -> Mapping[str, Mode]:
        """The modes by name."""
        return Plugins(MODES, all_modes(self.topologies))

    @property
    def room(self) -> asyncio.Semaphore:
        """Room for so many debates at once: each holds files open, and there are only so many."""
        loop = asyncio.get_running_loop()
        # A semaphore belongs to one loop, and a program may run several, one after the other.
        if self._room is None or self._room[0] is not loop:
            # A quarter of the files; connections to vendors may take half of them.
            self._room = (loop, asyncio.Semaphore(max(4, most_open() // 4)))
        return self._room[1]

    @cached_property
    def place(self) -> Place:
        """Return where the record is kept."""
        try:
            document = read_document(self.home.config)
        except BadConfig as e:
            document = self._forgiving(e)
        wanted = read_store(document, self._env)
        if wanted.url is None:
            return self.home.database
        from mutual_dissent.store.postgres.server import PostgresServer

        return PostgresServer(wanted.url.reveal(), wanted.lease)

    def _forgiving(self, error: BadConfig) -> ConfigFile:
        """Remains of a broken configuration, for commands that only read the record."""
        if self._forgive is None:
            raise error
        from mutual_dissent.config.salvage import remains

        found = remains(self.home.config, error, self._env)
        if self._forgiven != error.sentence:  # one broken line is said once
            self._forgiven = error.sentence
            self._forgive(error.sentence)
        return found

    @cached_property
    def dispatch(self) -> Dispatch:
        """Messages to a collector or webhook, of debates that ended."""
        from mutual_dissent.dispatch import Dispatch

        return Dispatch()

    @property
    def store(self) -> Store:
        """The record of all debates."""
        with self._first_use:
            if self._store is None:
                self._store = Store(self.place)
            return self._store

    @cached_property
    def orders(self) -> DirectiveCache:
        """Directives of users for the debates under way."""
        return DirectiveCache(lambda: self.store)

    @property
    def tokens(self) -> Tokens:
        """The tokens that let clients in."""
        from mutual_dissent.store.tokens import Tokens

        with self._first_use:
            if self._tokens is None:
                self._tokens = Tokens(self.place)
            return self._tokens

    @property
    def experiments(self) -> Experiments:
        """Record of the experiments themselves."""
        from mutual_dissent.store.experiments import Experiments

        with self._first_use:
            if self._experiments is None:
                self._experiments = Experiments(self.place)
            return self._experiments

    @property
    def server(self) -> PostgresServer:
        """The PostgreSQL server that holds the record.

        Raises:
            BadInput: if the record is a file.
        """
        if isinstance(self.place, Path):
            raise BadInput(
                f"this needs a PostgreSQL database; name one by {option('db')}, "
                "MUTUAL_DISSENT_DB or [store] url in the configuration"
            )
        return self.place

    @property
    def pace(self) -> VendorTurns:
        """The turns with vendors that all machines share.

        Raises:
            BadInput: if the record is a file.
        """
        server = self.server
        from mutual_dissent.store.postgres.pace import VendorTurns

        with self._first_use:
            if self._pace is None:
                self._pace = VendorTurns(server)
            return self._pace

    @cached_property
    def prices(self) -> Prices:
        """Prices of calls."""
        if self._given_prices is not None:
            return self._given_prices
        from mutual_dissent.providers.prices.table import PriceTable

        return PriceTable(
            self.settings.endpoints(),
            cache=self.home.prices,
            refresh=self.settings.refresh_prices,
        )

    async def fetch_prices(self, routes: Sequence[Route]) -> None:
        """See that these models have prices, where a list that can be fetched has them."""
        from mutual_dissent.providers.prices.table import PriceTable

        if isinstance(self.prices, PriceTable):
            await self.prices.obtain(routes)

    def keep_prices(self) -> None:
        """Keep the prices that were looked up, so that later processes need not."""
        from mutual_dissent.providers.prices.table import PriceTable

        if isinstance(self.prices, PriceTable):
            self.prices.keep()

    @property
    def provider(self) -> Provider:
        """Return where words come from."""
        if self._given_provider is not None:
            return self._given_provider
        if self._router is None:
            self._router = self._make_router()
        return self._router

    def _make_router(self) -> Router:
        from mutual_dissent.providers.router import Router

        def local() -> Provider:
            from mutual_dissent.providers.local.provider import Local

            return Local(self.settings.local, self.home.models)

        def programs() -> Provider:
            from mutual_dissent.providers.agents.provider import Programs

            return Programs(self.settings.programs, self._env)

        def recordings() -> Provider:
            from mutual_dissent.providers.recorded import Recordings

            return Recordings()

        return Router(
            endpoints=self.settings.endpoints(),
            prices=self.prices,
            local=local,
            extra=Plugins(PROVIDERS, {PROGRAM: programs, AGENT: programs, RECORDED: recordings}),
            known=self.model_names,
            # A process counts its own requests a minute; machines with one record count together.
            turn=self._turn if not isinstance(self.place, Path) else None,
        )

    async def _turn(self, vendor: str, per_minute: int) -> float:
        """Take a turn with a vendor among all machines; seconds to wait where it is not ours."""
        return await asyncio.to_thread(self.pace.turn, vendor, per_minute)

    def sees(self, panelist: Panelist) -> bool:
        """Return whether a panelist can be shown pictures, as far as is known."""
        if self._given_provider is not None:
            # A provider of the caller's is shown all that it does not say it cannot see.
            look = getattr(self._given_provider, "sees", None)
            return look is None or bool(look(panelist.route))
        from mutual_dissent.providers.prices.table import PriceTable
        from mutual_dissent.providers.vision import sees_pictures

        listed = self.prices.sees_pictures if isinstance(self.prices, PriceTable) else None
        told = self.settings.pictures
        return sees_pictures(panelist, told, listed) if listed else sees_pictures(panelist, told)

    def toolbox(self, brief: Brief) -> Tools:
        """The tools of one debate."""
        from mutual_dissent.tools.toolbox import ToolBox

        more: Tools | None = None
        if brief.workspace and not self.remote:
            from mutual_dissent.briefing.inputs.workspace import Workspace

            more = Workspace(Path(brief.workspace), self.settings.home.root)
        return ToolBox(self.settings.search, more=more)

    def pages(self) -> Pages:
        """The public web, and nothing behind it, as pages are fetched from there."""
        from mutual_dissent.tools.fetch import Pages

        return Pages(timeout=self.settings.search.timeout)

    def cited_pages(self) -> CitedPages:
        """The pages that answers cite."""
        from mutual_dissent.tools.citation_pages import CitationPages

        return CitationPages(self.pages())

    def judge(self) -> Judge | None:
        """The embedded model that compares one-sentence claims, if it can be loaded."""
        try:
            from mutual_dissent.semantics import Semantics

            with _JUDGING:
                compare = Semantics.load().compare
        except (ImportError, OSError):  # numpy or the weights are not there
            return None

        def judged(pairs: Sequence[tuple[str, str]]) -> Sequence[Judged]:
            with _JUDGING:
                return compare(pairs)

        return judged

    def model_names(self) -> list[str]:
        """Every name that could be meant: the aliases, then the price table's models."""
        return [*self.settings.aliases, *self.prices.known_models()]

    @cached_property
    def find_route(self) -> FindRoute:
        """The route of a name. A provider given by the caller is reached by any name."""
        return self._find_route()

    def _find_route(self) -> FindRoute:
        if self._given_provider is not None:
            return _given
        find = routes(self.settings, Plugins(PROVIDERS, {}))
        return remote_routes(find, self.settings.programs) if self.remote else find


def _given(name: str) -> Route:
    """The route to a provider that the caller gave, who makes of an effort what it likes."""
    wanted = SeatName.of(name)
    if wanted.model == ME:
        return own_route(wanted)
    return Route(vendor="given", model_id=wanted.model, mode="direct", effort=wanted.effort)


async def _closed(part: Any) -> None:
    if close := getattr(part, "aclose", None):
        await close()


def _ways(settings: Settings) -> tuple[object, ...]:
    """Settings that calls and their prices depend on."""
    return settings.vendors, settings.local, settings.programs, settings.refresh_prices


class FileWritingJournal:
    """A journal that also writes the debate's file when the debate closes, and what follows."""

    def __init__(
        self,
        journal: Journal,
        past: Transcript | None,
        write: Callable[[Transcript], None],
        tell: Callable[[Transcript], None],
    ) -> None:
        """Append to `journal`; `past` is what is on record, `write` writes the file.

        `tell` begins to tell others of a debate that was closed.
        """
        self._journal, self._whole, self._write, self._tell = journal, past, write, tell
        self._ended = False

    async def append(self, events: Sequence[Event]) -> None:
        """Store events; from the last one on, the file. Raises NotSaved if either cannot be."""
        problem: NotSaved | None = None
        try:
            await self._journal.append(events)
        except NotSaved as e:  # the file may have a place nevertheless
            problem = e
        self._ended = self._ended or any(_is_end(e) for e in events)
        for event in events:
            if isinstance(event, Opened):
                self._whole = opening(event)
            elif self._whole:
                self._whole = self._whole.apply(event)
        if self._whole and self._ended:
            try:
                await asyncio.to_thread(self._write, self._whole)
            except StoreError as e:
                problem = problem or NotSaved(*e.args)
            if any(isinstance(e, Closed) and _is_end(e) for e in events):
                self._tell(self._whole)
        if problem:
            raise problem


def _is_end(event: Event) -> bool:
    """Return whether a debate's file is written now: not where it soon goes on, even elsewhere."""
    if isinstance(event, Resolved):
        return True
    if not isinstance(event, Closed) or event.reason == RESTING:
        return False
    return event.status is not Status.INTERRUPTED


def told_up_to(past: Transcript | None) -> int:
    """Number of the event up to which others were told of a debate: where it last ended."""
    if past is None or past.closed_reason in ("", RESTING) or past.status is Status.INTERRUPTED:
        return 0
    return past.last_seq


class NoJournal:
    """A journal for debates that are not to be kept."""

    async def append(self, events: Sequence[Event]) -> None:
        """Nothing is written."""


FRESH = 0.25
"""Seconds for which nobody looks again: with hundreds of debates every look counts."""


class DirectiveCache:
    """The directives of one store, for any number of debates of this process."""

    def __init__(
        self, store: Callable[[], Store], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store, self._clock = store, clock
        self._waiting: frozenset[str] = frozenset()
        self._looked = float("-inf")

    async def pop(self, transcript_id: str) -> Sequence[Directive]:
        """Pop the directives for a debate since the last look."""
        now = self._clock()
        if now - self._looked >= FRESH:
            self._looked = now  # at once, so that the others do not look beside this
            self._waiting = await asyncio.to_thread(self._store().debates_with_directives)
        if transcript_id not in self._waiting:
            return ()
        return await asyncio.to_thread(self._store().directives, transcript_id)
