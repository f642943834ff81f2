"""A real Temporal server for the tests, which the test dependencies bring."""

from __future__ import annotations

import asyncio
import atexit
import socket
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache
from itertools import count
from pathlib import Path

import pytest

from fakes.cluster import a_home, a_panel
from fakes.patience import LONG
from fakes.stopping import Gated
from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.config.sections import ClusterOptions
from mutual_dissent.core.values.deal import Progress
from mutual_dissent.core.values.directive import Directive
from mutual_dissent.experiments.design.experiment import Experiment
from mutual_dissent.experiments.run.deal import Dealing
from mutual_dissent.experiments.run.registry import save_experiment
from mutual_dissent.hosting.engine import EngineError
from mutual_dissent.hosting.engines import options
from mutual_dissent.hosting.temporal.adapter import TemporalEngine
from mutual_dissent.hosting.temporal.dev_server import DevServer, no_program, program
from mutual_dissent.hosting.temporal.worker import TemporalWorker

_numbers = count()


@cache
def a_server() -> DevServer:
    """A server for this run; tests share it and take a task queue each."""
    server = a_server_of_its_own()
    atexit.register(server.stop)
    return server


def a_server_of_its_own() -> DevServer:
    """A server that may be killed."""
    if program() is None:
        pytest.skip(f"SKIPPED: no Temporal server could be started here ({no_program()})")
    folder = tempfile.mkdtemp(prefix="dissent-temporal-")
    server = DevServer(free_port(), None, Path(folder) / "temporal.db")
    server.start()
    return server


def an_engine() -> str:
    """The address of a server that answers."""
    return f"temporal://127.0.0.1:{a_server().port}"


def a_queue() -> str:
    """The name of a task queue that nobody else has, as a line of a configuration."""
    return f'[cluster]\nqueue = "tests-{next(_numbers)}"\n'


def free_port() -> int:
    """A port that nobody listens to."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Site:
    """Machines that share a record and a task queue: one that asks, and any number of workers."""

    def __init__(self, folder: Path, url: str | None, lease: float = 2) -> None:
        folder.mkdir()
        self.folder, self.url, self.lease = folder, url, lease
        self.engine_url = an_engine() if url else None
        self.queue = a_queue()
        self.stack = AsyncExitStack()
        self._numbers = count()
        self.md = self.machine()
        self._engine: TemporalEngine | None = None

    def machine(self) -> MutualDissent:
        """One more machine."""
        home = a_home(self.folder / f"{next(self._numbers)}", self.lease, self.queue)
        env = {"MUTUAL_DISSENT_DB": self.url} if self.url else {}
        return MutualDissent(home=home, env=env, provider=a_panel(), prices=Tariff())

    @property
    def engine_options(self) -> ClusterOptions:
        """How this machine reaches the engine."""
        return options(self.md, self.engine_url)

    @property
    def env(self) -> dict[str, str]:
        """What a process of its own needs to be a machine of this site."""
        assert self.url is not None
        assert self.engine_url is not None
        return {
            "MUTUAL_DISSENT_HOME": str(self.md.home.root),
            "MUTUAL_DISSENT_DB": self.url,
            "MUTUAL_DISSENT_ENGINE": self.engine_url,
        }

    async def engine(self, md: MutualDissent | None = None) -> TemporalEngine:
        """The engine as a machine reaches it."""
        if md is None and self._engine is not None:
            return self._engine
        found = await _reached(options(md or self.md, self.engine_url))
        if md is None:
            self._engine = found
        return found

    async def worker(
        self,
        capacity: int = 4,
        grace: float = 5.0,
        dealing: type[Dealing] = Dealing,
        warn: Callable[[str], None] = lambda _: None,
    ) -> TemporalWorker:
        """One more worker, at work until it leaves or the site is closed."""
        md = await self.stack.enter_async_context(self.machine())
        worker = TemporalWorker(md, await self.engine(md), dealing(md), capacity, grace, warn)
        task = asyncio.create_task(worker.work())
        self.stack.push_async_callback(_left, worker, task)
        return worker

    async def begun(self, experiment: Experiment) -> None:
        """Put an experiment on record, and have it dealt out."""
        save_experiment(self.md, experiment)
        await (await self.engine()).begin(experiment.name)

    async def held(self, experiment: Experiment) -> Progress:
        """The same, and how it ended."""
        await self.begun(experiment)
        return await self.ended(experiment)

    async def ended(self, experiment: Experiment) -> Progress:
        """How an experiment ended, however long that takes."""
        engine = await self.engine()
        while (found := await engine.wait_for_end(experiment.name, LONG)) is None:
            await asyncio.sleep(0.1)
        return found


@asynccontextmanager
async def a_site(folder: Path, url: str | None, lease: float = 2) -> AsyncIterator[Site]:
    """A site, whose workers leave at the end."""
    site = Site(folder, url, lease)
    async with site.md, site.stack:
        yield site


async def _reached(given: ClusterOptions) -> TemporalEngine:
    """The engine; on a machine that does ten other things it may not answer at once."""
    until = time.monotonic() + LONG
    while True:
        try:
            return await TemporalEngine.connect(given)
        except EngineError:
            if time.monotonic() > until:
                raise


async def _left(worker: TemporalWorker, task: asyncio.Task[None]) -> None:
    worker.leave()
    await task


async def calls_in_flight(cast: Gated, calls: int = 8) -> None:
    """Wait until so many calls are held back."""
    while cast.waiting < calls:
        await asyncio.sleep(0.01)


class Heard:
    """Which debates were told something, by their worker."""

    def __init__(self, md: MutualDissent) -> None:
        self.md, self._direct = md, md.store.direct
        self.ids: set[str] = set()
        md.store.direct = self._noted  # type: ignore[method-assign]

    def _noted(self, name: str, directive: Directive) -> None:
        self._direct(name, directive)
        self.ids.add(name)

    async def by_all(self, count: int) -> None:
        """Wait until so many were told, and have heard it."""
        while len(self.ids) < count or self.md.store.debates_with_directives():
            await asyncio.sleep(0.01)
