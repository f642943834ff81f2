"""Machines that share one PostgreSQL record, and an experiment for them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.events import Answered
from mutual_dissent.experiments.design.experiment import Experiment
from mutual_dissent.experiments.design.file import parse_experiment
from mutual_dissent.experiments.run.registry import rows
from mutual_dissent.providers.scripted import Scripted

_seeds = count(1000)

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


def of_its_own(repeats: int, first: str, second: str) -> Experiment:
    """The same, whose debates nobody else has: an engine knows them by their ids for ever."""
    same, seed = an_experiment(repeats, first, second), next(_seeds)
    text = same.text.replace("repeats =", f"seed = {seed}\nrepeats =", 1)
    return replace(same, seed=seed, text=text)


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


def told(md: MutualDissent, name: str = "sums") -> dict[str, Any]:
    """What the debates of an experiment say, without when they were held and their nonces."""
    found = {}
    for row in rows(md, name):
        debate = md.store.transcript(row.transcript_id)
        said = sorted((key, r.content, r.model_id) for key, r in debate.responses())
        measured = [r.measures for r in debate.rounds]
        found[row.transcript_id] = (debate.query, debate.status, debate.brief.seed, said, measured)
    return found


def bought(md: MutualDissent, name: str = "sums") -> Counter[tuple[str, str]]:
    """How often each answer of an experiment is on record as bought."""
    return Counter(
        (row.transcript_id, event.key)
        for row in rows(md, name)
        for event in md.store.events(row.transcript_id)
        if isinstance(event, Answered) and not event.reused
    )
