"""The benchmark as an experiment: the user's own panel against its members, at equal cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mutual_dissent.app import MutualDissent
from mutual_dissent.experiments.design.experiment import Experiment
from mutual_dissent.experiments.design.file import parse_experiment
from mutual_dissent.experiments.design.template import as_table, as_toml, own_panel


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The user's options of a benchmark.

    Attributes:
        panel: the models; empty for the user's own panel.
        modes: their modes of debate.
        samples: the samples of a model alone; 0 for as many as cost the same.
    """

    name: str
    file: Path
    panel: Sequence[str] = ()
    modes: Sequence[str] = ("reflection",)
    limit: int | None = None
    repeats: int = 1
    samples: int = 0
    budget: float | None = None
    synthesize: bool = True
    allow_unpriced: bool = False


async def benchmark(md: MutualDissent, wish: Wish) -> Experiment:
    """Return the experiment that compares a panel with its members.

    Raises:
        UserError: if there is no such panel, or the file cannot be used.
    """
    models, personas = await own_panel(md) if not wish.panel else (list(wish.panel), {})
    lines = [
        f"name = {as_toml(wish.name)}",
        'summary = "Is deliberating worth its cost for this panel?"',
        f"repeats = {wish.repeats}",
        *([f"budget = {wish.budget}"] if wish.budget else []),
        "[queries]",
        f"file = {as_toml(str(wish.file.absolute()))}",
        *([f"limit = {wish.limit}"] if wish.limit else []),
        "[defaults]",
        f"panel = {as_toml(models)}",
        *([f"personas = {as_table(personas)}"] if personas else []),
        *(["synthesize = false"] if not wish.synthesize else []),
        *(["allow_unpriced = true"] if wish.allow_unpriced else []),
        "[grid]",
        f"mode = {as_toml(list(wish.modes))}",
        "[baselines]",
        "self-consistency = true",
        'matched = "samples"' if wish.samples else 'matched = "dollars"',
        *([f"samples = {wish.samples}"] if wish.samples else []),
    ]
    return parse_experiment("\n".join(lines) + "\n", wish.name, wish.file.parent)
