"""Machines that share one PostgreSQL record, and an experiment for them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.experiments.design import Experiment
from mutual_dissent.experiments.reading import parse_experiment
from mutual_dissent.hosting.worker import Worker
from mutual_dissent.providers.scripted import Scripted

FILE = """
name = "sums"
repeats = {repeats}
concurrency = 4
[[query]]
text = "2 + 2?"
answer = "4"
[[query]]
text = "3 + 3?"
answer = "6"
[defaults]
panel = ["{first}", "{second}"]
[grid]
mode = ["reflection", "consensus"]
"""


def an_experiment(repeats: int = 2, first: str = "ada", second: str = "bob") -> Experiment:
    """Two questions in two modes, so often."""
    text = FILE.format(repeats=repeats, first=first, second=second)
    return parse_experiment(text, "x.toml", Path())


def a_panel() -> Scripted:
    """Two who always say the same."""
    return Scripted(
        {seat: lambda ask: f"{ask.panelist.seat} says 4 in {ask.key}." for seat in ("ada", "bob")}
    )


def a_home(folder: Path, lease: float = 2, more: str = "") -> Path:
    """The home of a machine, with the lease of the record that it shares."""
    folder.mkdir()
    (folder / "config.toml").write_text(f"[store]\nlease = {lease}\n{more}")
    (folder / "config.toml").chmod(0o600)
    return folder


def a_machine(folder: Path, url: str | None = None) -> MutualDissent:
    """A machine of its own: its home, its panel, and the record that it shares."""
    env = {"MUTUAL_DISSENT_DB": url} if url else {}
    return MutualDissent(home=a_home(folder), env=env, provider=a_panel(), prices=Tariff())


@contextlib.asynccontextmanager
async def at_work(*workers: Worker) -> AsyncIterator[None]:
    """Have workers take debates meanwhile."""
    tasks = [asyncio.create_task(w.work()) for w in workers]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
