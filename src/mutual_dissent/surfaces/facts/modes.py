"""Modes, topologies, presets and personas: the options of each, and its steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from mutual_dissent.app import MutualDissent
from mutual_dissent.briefing.mode_fit import meets, values_for
from mutual_dissent.briefing.options import OPTIONS
from mutual_dissent.briefing.presets import Preset
from mutual_dissent.core.codec.camel import Json, Shape, about
from mutual_dissent.core.step import Mode
from mutual_dissent.modes.outline import heeds_topology, outline


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedMode(Shape):
    """A procedure."""

    name: str
    summary: str
    rounds: int | None
    max_rounds: int
    first_counts: bool
    min_panel: int
    order: str
    structured: bool
    ballots: bool
    options: tuple[str, ...] = field(
        metadata=about("Options that it heeds beyond those of all modes.")
    )
    only: dict[str, tuple[str, ...]] = field(
        metadata=about("Option -> the values that it has a use for, if not all; others it refuses.")
    )
    topologies: tuple[str, ...]
    prompts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOrder(Shape):
    """A topology: who reads whom."""

    name: str
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPersona(Shape):
    """A persona, and what it is told."""

    name: str
    instructions: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPreset(Shape):
    """A preset, and the options that it stands for."""

    name: str
    summary: str
    values: Json


class Explained:
    """A mode with the facts that its script shows."""

    def __init__(self, md: MutualDissent, mode: Mode, spell: Callable[[str], str]) -> None:
        self.mode, self.outline, self._spell = mode, outline(mode), spell
        self._library, self._known = md.library, md.topologies
        self.topologies = list(md.topologies) if heeds_topology(mode, md.topologies) else []

    @property
    def rounds(self) -> str:
        """Number of rounds, for people: `fixed`, or the default with its range."""
        if self.mode.rounds is None:
            return "fixed"
        auto = "" if self.mode.first_counts else ", auto"
        return f"{self.mode.rounds} (1-{self.mode.max_rounds}{auto})"

    @property
    def options(self) -> list[str]:
        """The options that it takes besides those of every mode."""
        own = ((o.name, o.needs) for o in OPTIONS.values() if o.needs and o.needs.of_mode)
        return [self._spell(name) for name, needs in own if meets(self.mode, needs, self._known)]

    @property
    def only(self) -> dict[str, tuple[str, ...]]:
        """The options of which it takes some values or none."""
        found = ((o.name, values_for(self.mode, o, self._known)) for o in OPTIONS.values())
        return {self._spell(name): values for name, values in found if values is not None}

    @property
    def prompts(self) -> list[str]:
        """Return every prompt that it may use."""
        walked = [self.outline, *(outline(self.mode, t) for t in self.topologies)]
        names = ["common/system", *(p for o in walked for p in o.prompts)]
        if any(
            "dissent" in self._library.ours(p).blanks for p in names if p in self._library.names
        ):
            names.append("common/dissent")
        if self.outline.structured:
            names += ["common/structure", "common/verification", f"{self.mode.name}/verification"]
        if "perspective" in self.outline.parts:
            names += [n for n in self._library.names if n.startswith("perspectives/")]
        return [n for n in dict.fromkeys(names) if n in self._library.names]

    def facts(self) -> ExplainedMode:
        """Return all of it, for programs."""
        mode, seen = self.mode, self.outline
        return ExplainedMode(
            name=mode.name,
            summary=mode.summary,
            rounds=mode.rounds,
            max_rounds=mode.max_rounds,
            first_counts=mode.first_counts,
            min_panel=mode.min_panel,
            order=seen.order,
            structured=seen.structured,
            ballots=seen.ballots,
            options=tuple(self.options),
            only=self.only,
            topologies=tuple(self.topologies),
            prompts=tuple(self.prompts),
        )


def explain_modes(md: MutualDissent, spell: Callable[[str], str]) -> list[ExplainedMode]:
    """Every mode; options are called as a surface spells them."""
    return [Explained(md, md.modes[name], spell).facts() for name in md.modes]


def reading_orders(md: MutualDissent) -> tuple[ReadingOrder, ...]:
    """The topologies."""
    found = (md.topologies[name] for name in md.topologies)
    return tuple(ReadingOrder(name=t.name, summary=t.summary) for t in found)


def personas(md: MutualDissent) -> tuple[KnownPersona, ...]:
    """The personas."""
    found = md.settings.personas.items()
    return tuple(KnownPersona(name=n, instructions=text) for n, text in found)


def known_preset(preset: Preset) -> KnownPreset:
    """A preset for programs."""
    return KnownPreset(name=preset.name, summary=preset.summary, values=dict(preset.values))
