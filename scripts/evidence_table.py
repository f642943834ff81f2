"""How often panels that agreed so far were right: the table that ships, and how it was checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import orjson
from evidence_panels import (
    Panel,
    Split,
    calibration_error,
    of_different_vendors,
    splits,
    spread,
    strengths,
    tallies,
)

from mutual_dissent.analysis.scores.chance_table import Table, model_probability, table
from mutual_dissent.experiments.recordings.rules import RecordedAnswers, read_recorded
from mutual_dissent.experiments.statistics.intervals import Interval

TARGET = (
    Path(__file__).parents[1] / "src" / "mutual_dissent" / "analysis" / "scores" / "chance.json"
)
SIZES = range(2, 8)
EVEN = 0.06
"""The best member of an even panel is at most so far ahead of its worst."""

GOAL = 0.05
"""A size of panel ships if the table is off by at most so much on a recording not used for it."""

VENDORS = {
    "claude": "Anthropic", "gpt": "OpenAI", "o1": "OpenAI", "gemini": "Google",
    "llama": "Meta", "meta-llama": "Meta", "mistral": "Mistral", "deepseek": "DeepSeek",
    "grok": "xAI", "qwen": "Alibaba",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Recording:
    """Recorded answers of several vendors' models, and where a reader finds them."""

    name: str
    file: str
    source: str
    licence: str
    items: Sequence[RecordedAnswers]

    @cached_property
    def vendors(self) -> dict[str, str]:
        """Model -> vendor."""
        return {m: vendor_of(m) for m in self.items[0].answers}

    @cached_property
    def strength(self) -> dict[str, float]:
        """Model -> how often it is right."""
        return strengths(self.items)

    def panels(self, size: int) -> list[Panel]:
        """Every panel of so many different vendors."""
        return of_different_vendors(self.vendors, size)

    @cached_property
    def split(self) -> dict[str, list[Split]]:
        """How all panels split; the even and the uneven ones, too, where there are both."""
        every = [p for size in SIZES for p in self.panels(size)]
        even = [p for p in every if spread(p, self.strength) <= EVEN]
        uneven = [p for p in every if spread(p, self.strength) > EVEN]
        kinds = {"all": every, "even": even, "uneven": uneven} if uneven else {"all": every}
        return {name: splits(self.items, panels) for name, panels in kinds.items()}


@dataclass(frozen=True, kw_only=True)
class Check:
    """How far a table from one recording is off on panels of another."""

    made_from: str
    tried_on: str
    panel: int
    panels: str
    error: Interval
    questions: int


def vendor_of(model: str) -> str:
    """Who made a model, by how its name begins."""
    return next(v for start, v in VENDORS.items() if model.lower().startswith(start))


def recordings(folder: Path) -> list[Recording]:
    """The recordings that the table is made from."""
    return [
        Recording(
            name=name,
            file=file,
            source="WildEval/ZeroEval on GitHub, reduced to closed answers",
            licence="Apache-2.0",
            items=_answers(folder / file),
        )
        for name, file in (("GSM8K", "zeroeval-gsm.jsonl"), ("MATH", "zeroeval-math.jsonl"))
    ]


def _answers(path: Path) -> list[RecordedAnswers]:
    return [i for i in read_recorded(path) if isinstance(i, RecordedAnswers)]


def table_of(found: Sequence[Recording]) -> Table:
    """The table that some recordings make."""
    return table(
        "public recordings", [tallies(r.split["all"], "number") for r in found], model_probability
    )


def checks(found: Sequence[Recording]) -> list[Check]:
    """Every recording's table, tried on every other recording."""
    return [
        check for a in found for b in found if a is not b for check in _tried(table_of([a]), a, b)
    ]


def _tried(made: Table, a: Recording, b: Recording) -> Iterator[Check]:
    def said(panel: int, leading: int) -> float:
        return made.entries["number", panel, leading].share

    for panel in SIZES:
        for panels, split in b.split.items():
            if ("number", panel, panel) not in made.entries:
                continue
            if result := calibration_error(said, split, panel):
                yield Check(made_from=a.name, tried_on=b.name, panel=panel, panels=panels,
                            error=result[0], questions=result[1])  # fmt: skip


SETTINGS = {"half_heard": (10, 30, 100), "voice": (0.1, 0.25, 0.5), "wrong": (3, 4, 6, 10)}
"""What was tried for the voices of recordings and of the model, and for its wrong answers."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One way to weigh the voices, and how far it is off at most for panels of three to five."""

    half_heard: float
    voice: float
    wrong: int
    worst: float


def settings(found: Sequence[Recording]) -> list[Setting]:
    """Every way to weigh the voices that was tried."""
    return [
        Setting(half_heard=h, voice=v, wrong=w, worst=_worst(found, h, v, w))
        for h, v, w in product(*SETTINGS.values())
    ]


def _worst(found: Sequence[Recording], half_heard: float, voice: float, wrong: float) -> float:
    prior = cache(partial(model_probability, wrong_answers=int(wrong)))
    errors = []
    for a, b in permutations(found, 2):
        own = [tallies(a.split["all"], "number")]
        made = table("", own, prior, voice=voice, half_heard=half_heard)
        errors += [_off(made, b, panel) for panel in (3, 4, 5)]
    return max(errors)


def raw_errors(found: Sequence[Recording], panels: Sequence[int]) -> dict[int, float]:
    """How far shares as they were recorded are off on another recording, at most."""
    made = {a.name: table("", [tallies(a.split["all"], "number")], model_probability, voice=0.0,
                          half_heard=0.0) for a in found}  # fmt: skip
    return {n: max(_off(made[a.name], b, n) for a, b in permutations(found, 2)) for n in panels}


def _off(made: Table, b: Recording, panel: int) -> float:
    def said(panel: int, leading: int) -> float:
        return made.entries["number", panel, leading].share

    result = calibration_error(said, b.split["all"], panel, times=0)
    return result[0].value if result else 0.0


def sizes_that_held(tried: Sequence[Check]) -> list[int]:
    """The sizes of panels for which the table was right enough wherever it was tried."""
    whole = [c for c in tried if c.panels == "all"]
    ways = {(c.made_from, c.tried_on) for c in whole}
    return [
        panel
        for panel in SIZES
        if len(mine := [c for c in whole if c.panel == panel]) == len(ways)
        and all(c.error.value <= GOAL for c in mine)
    ]


def outside(folder: Path, made: Table) -> list[Check]:
    """The table that ships, on what it is not made for: weak models of one vendor."""
    items = _answers(folder / "gsm8k-recorded.jsonl")

    def said(panel: int, leading: int) -> float:
        return made.entries["number", panel, leading].share

    found = []
    for panel in (3, 4):
        split = splits(items, list(combinations(items[0].answers, panel)))
        if result := calibration_error(said, split, panel):
            found.append(Check(made_from="all", tried_on="GSM8K, 2021", panel=panel, panels="all",
                               error=result[0], questions=result[1]))  # fmt: skip
    return found


def as_json(found: Sequence[Recording], tried: Sequence[Check]) -> bytes:
    """The table as it ships."""
    made, held = table_of(found), sizes_that_held(tried)
    plain = {
        "about": "How often the leading answer of a panel was right, by the number of members "
        "that gave it, of those that took a position. Written by scripts/evidence.py.",
        "how": "All panels of different vendors that the recorded models can form. Where several "
        "answers lead with as many members each, the share of them that is right counts. Each "
        "recording has a voice that grows with its cases; a plain model of panels has a "
        "quarter of one; a share never falls as the leading group grows. Sizes of panels are left "
        "out for which the table of one recording was off by more than 5 points on another, or "
        "could not be tried there.",
        "recordings": [_about(r) for r in found],
        "checked": [_checked(c) for c in tried],
        "graded": {"number": sum(len(r.items) for r in found)},
        "kinds": {"number": _sizes(made, found, held)},
    }
    return orjson.dumps(plain, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _about(r: Recording) -> dict[str, Any]:
    return {
        "name": r.name, "source": r.source, "licence": r.licence, "questions": len(r.items),
        "models": list(r.vendors), "panels": {str(n): len(r.panels(n)) for n in SIZES},
    }  # fmt: skip


def _checked(c: Check) -> dict[str, Any]:
    return {
        "made_from": c.made_from, "tried_on": c.tried_on, "panel": c.panel, "panels": c.panels,
        "error": round(c.error.value, 4), "questions": c.questions,
    }  # fmt: skip


def _sizes(made: Table, found: Sequence[Recording], held: Sequence[int]) -> Mapping[str, Any]:
    own = {r.name: tallies(r.split["all"], "number") for r in found}
    return {
        str(panel): {
            str(leading): {
                "share": round(made.entries["number", panel, leading].share, 4),
                "cases": made.entries["number", panel, leading].cases,
                "recorded": {
                    name: {"share": round(t.right / t.panels, 4), "cases": t.cases}
                    for name, of in own.items()
                    if (t := of.get(("number", panel, leading)))
                },
            }
            for leading in range(panel, 0, -1)
        }
        for panel in held
    }
