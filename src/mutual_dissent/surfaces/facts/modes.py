"""Modes, topologies, presets and personas: what a debate can be told, and what it then does."""

from __future__ import annotations

from typing import Any

from mutual_dissent.app import MutualDissent
from mutual_dissent.briefing.options import OPTIONS
from mutual_dissent.config.fitting import meets
from mutual_dissent.config.presets import Preset
from mutual_dissent.core.step import Mode
from mutual_dissent.modes.outline import heeds_topology, outline

Json = dict[str, Any]


class Explained:
    """A mode with what can be seen in its script."""

    def __init__(self, md: MutualDissent, mode: Mode) -> None:
        self.mode, self.outline = mode, outline(mode)
        self._library, self._known = md.library, md.topologies
        self.topologies = list(md.topologies) if heeds_topology(mode, md.topologies) else []

    @property
    def rounds(self) -> str:
        """How many rounds it has, in a word."""
        if self.mode.rounds is None:
            return "fixed"
        auto = "" if self.mode.first_counts else ", auto"
        return f"{self.mode.rounds} (1-{self.mode.max_rounds}{auto})"

    @property
    def options(self) -> list[str]:
        """The options that it takes beyond those that every mode takes."""
        own = ((o.name, o.needs) for o in OPTIONS.values() if o.needs and o.needs.of_mode)
        return [name for name, needs in own if meets(self.mode, needs, self._known)]

    @property
    def prompts(self) -> list[str]:
        """Every prompt that it may ask with."""
        walked = [self.outline, *(outline(self.mode, t) for t in self.topologies)]
        found = ["common/system", *(p for o in walked for p in o.prompts)]
        if any(
            "dissent" in self._library.ours(p).blanks for p in found if p in self._library.names
        ):
            found.append("common/dissent")
        if self.outline.structured:
            found += ["common/structure", "common/verification", f"{self.mode.name}/verification"]
        if "perspective" in self.outline.parts:
            found += [n for n in self._library.names if n.startswith("perspectives/")]
        return [n for n in dict.fromkeys(found) if n in self._library.names]

    def plain(self) -> dict[str, Any]:
        """All of it for programs."""
        names = ("name", "summary", "rounds", "max_rounds", "first_counts", "min_panel")
        return {
            **{name: getattr(self.mode, name) for name in names},
            "order": self.outline.order,
            "structured": self.outline.structured,
            "ballots": self.outline.ballots,
            "options": self.options,
            "topologies": self.topologies,
            "prompts": self.prompts,
        }


def explained(md: MutualDissent) -> list[Json]:
    """Every mode."""
    return [Explained(md, md.modes[name]).plain() for name in md.modes]


def reading_orders(md: MutualDissent) -> list[Json]:
    """The topologies: who reads whom."""
    found = (md.topologies[name] for name in md.topologies)
    return [{"name": t.name, "summary": t.summary} for t in found]


def personas(md: MutualDissent) -> list[Json]:
    """The personas, and what each is told."""
    return [{"name": n, "instructions": text} for n, text in md.settings.personas.items()]


def preset_to_json(preset: Preset) -> Json:
    """A preset, and the options that it stands for."""
    return {"name": preset.name, "summary": preset.summary, "values": dict(preset.values)}
