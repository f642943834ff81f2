"""The conditions in an experiment's file: those listed, those of a grid, and the baselines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from mutual_dissent.briefing.options import Options
from mutual_dissent.briefing.presets import OF_THE_MODE
from mutual_dissent.core.panel import SeatName
from mutual_dissent.experiments.design.experiment import (
    BEST,
    PANEL,
    SAMPLES,
    SINGLE,
    VOTE,
    Condition,
)
from mutual_dissent.experiments.design.sheet import DesignSheet, Table

MOST_SAMPLES = 64
# Set for each debate by the experiment or its query; `recall` and `conversation` would let
# debates learn from each other.
NOT_HERE = frozenset(
    {
        "experiment",
        "context",
        "pages",
        "panelist_context",
        "ground_truth",
        "seed",
        "score",
        "conversation",
        "recall",
    }
)
OPTIONS = tuple(n for n in Options.__dataclass_fields__ if n not in NOT_HERE)
OF_CONDITION = ("name", "context", "variables", "poisoned", "payload")
OF_BASELINES = (
    "single", "self-consistency", "best-of", "vote", "escalate", "matched", "samples", "panel",
)  # fmt: skip
OF_ONE = frozenset(
    {
        "temperature", "max_tokens", "call_timeout", "timeout", "grace", "max_cost",
        "allow_unpriced", "strict_model",
    }
)  # fmt: skip
"""The defaults that also hold for a model that is asked alone."""


def read_conditions(sheet: DesignSheet, table: Table) -> Iterator[Condition]:
    """Yield every condition of a file, each under a name of its own.

    Raises:
        BadConfig: file, line, key and what is accepted.
    """
    usual = table.get("defaults", {})
    sheet.only(usual, OPTIONS, ("defaults",))
    tables = table.get("condition", [])
    if not isinstance(tables, list):
        raise sheet.wrong(("condition",), "must be written as [[condition]], once for each")
    panels = [*_grid(sheet, table.get("grid"), usual), *_conditions(sheet, tables, usual)]
    if not panels and "baselines" not in table:
        panels = [Condition(name="panel", options=dict(usual), place=("defaults", 0))]
    names: set[str] = set()
    for condition in (*panels, *_baselines(sheet, table.get("baselines"), panels, usual)):
        if condition.name in names:
            there = sheet.at(condition.place[1])
            raise there.wrong(("condition", "name"), f"{condition.name!r} is there twice")
        names.add(condition.name)
        yield condition


def _grid(sheet: DesignSheet, grid: Any, usual: Table) -> Iterator[Condition]:
    """Yield a condition for every combination of the listed values."""
    if grid is None:
        return
    sheet.only(grid, OPTIONS, ("grid",))
    for key, values in grid.items():
        if not isinstance(values, list) or not values:
            raise sheet.wrong(("grid", key), "must be a list of the values to combine")
    for values in product(*grid.values()):
        chosen = dict(zip(grid, values, strict=True))
        name = " ".join(_label(k, v) for k, v in chosen.items())
        yield Condition(name=name, options={**usual, **chosen}, variables=chosen, place=("grid", 0))


def _label(key: str, value: Any) -> str:
    if isinstance(value, list):
        return "+".join(map(str, value))
    if isinstance(value, bool):
        return key if value else f"not {key}"
    return value if isinstance(value, str) else f"{key}-{value}"


def _conditions(sheet: DesignSheet, tables: Sequence[Any], usual: Table) -> Iterator[Condition]:
    for number, row in enumerate(tables, 1):
        here = sheet.at(number)
        here.only(row, (*OF_CONDITION, *OPTIONS), ("condition",))
        variables = row.get("variables", {})
        if not isinstance(variables, dict):
            raise here.wrong(("condition", "variables"), "must be a table")
        yield Condition(
            name=here.name(row.get("name"), ("condition", "name")),
            options={**usual, **{k: v for k, v in row.items() if k not in OF_CONDITION}},
            context=here.texts(row, "context", ("condition",)),
            variables=variables,
            poisoned=here.words(row, "poisoned", ("condition",)),
            payload=here.word(row, "payload", ("condition",)),
            place=("condition", number),
        )


def _baselines(
    sheet: DesignSheet, wanted: Any, panels: Sequence[Condition], usual: Table
) -> Iterator[Condition]:
    """Yield what the panel is compared with; `match_samples` decides how many samples later."""
    if wanted is None:
        return
    samples, matched = _matching(sheet, wanted)
    members = wanted.get("panel") or usual.get("panel") or _members(panels)
    if not isinstance(members, list) or not all(isinstance(m, str) for m in members):
        raise sheet.wrong(("baselines", "panel"), "must be a list of models")
    where = ("baselines", 0)
    limits = {k: v for k, v in usual.items() if k in OF_ONE}
    for member in dict.fromkeys(SeatName.of(m).once for m in members):
        alone = {**limits, "mode": "single", "panel": [member]}
        if sheet.flag(wanted, "single", True, ("baselines",)):
            yield Condition(name=f"single {member}", way=SINGLE, options=alone, place=where)
        for way in (SAMPLES, BEST):
            if sheet.flag(wanted, way, False, ("baselines",)):
                yield Condition(
                    name=f"{way} {member}", way=way, options=alone, samples=samples,
                    variables={"matched": matched}, place=where,
                )  # fmt: skip
    if sheet.flag(wanted, "escalate", False, ("baselines",)):
        yield from _escalating(panels)
    if sheet.flag(wanted, "vote", True, ("baselines",)):
        for panel in panels:
            if panel.way == PANEL:
                yield Condition(name=f"vote of {panel.name}", way=VOTE, of=panel.name, place=where)


def _escalating(panels: Sequence[Condition]) -> Iterator[Condition]:
    """Yield the mode that asks two first, once for each panel that debates otherwise."""
    seen: list[object] = []
    for panel in panels:
        options = {k: v for k, v in panel.options.items() if k not in OF_THE_MODE}
        options = {**options, "mode": "escalate"}
        asked = (options, panel.context)
        if panel.way == PANEL and not panel.poisoned and asked not in seen:
            seen.append(asked)
            name = f"escalate of {panel.name}"
            yield Condition(
                name=name, options=options, context=panel.context, place=("baselines", 0)
            )


def _matching(sheet: DesignSheet, wanted: Any) -> tuple[int, str]:
    """Return the number of samples, 0 where it follows from the panel's cost; and the measure."""
    sheet.only(wanted, OF_BASELINES, ("baselines",))
    matched, samples = wanted.get("matched", "dollars"), wanted.get("samples", 0)
    if matched not in ("dollars", "tokens", "samples"):
        raise sheet.wrong(("baselines", "matched"), "must be dollars, tokens or samples")
    if (
        isinstance(samples, bool)
        or not isinstance(samples, int)
        or not 0 <= samples <= MOST_SAMPLES
    ):
        raise sheet.wrong(("baselines", "samples"), f"must be a number from 1 to {MOST_SAMPLES}")
    if matched == "samples" and not samples:
        raise sheet.wrong(("baselines", "samples"), "must be given where matched = samples")
    return samples, matched


def _members(panels: Sequence[Condition]) -> list[str]:
    members = [m for c in panels for m in c.options.get("panel", [])]
    return list(dict.fromkeys(members))
