"""The panel that sits where the user names none: whoever can be reached."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from mutual_dissent.briefing.presets import THREE
from mutual_dissent.core.errors import UserError
from mutual_dissent.providers.endpoints import SERVERS
from mutual_dissent.providers.routes import resolve

if TYPE_CHECKING:
    from mutual_dissent.config.settings import Settings

USUAL = ("claude", "gpt", "gemini", "grok")
MOST_RUNNING = 3


@dataclass(frozen=True, slots=True)
class SeatEntry:
    """Someone to be seated: an alias or `vendor:model`, and a persona's name if it plays one."""

    name: str
    persona: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearby:
    """Models that can be asked on this machine.

    Attributes:
        running: the models of a server that runs, as `vendor:model`, the best first.
        embedded: the model that runs inside this program.
    """

    running: Sequence[str] = ()
    embedded: str = "local:smollm2"


@dataclass(frozen=True, slots=True)
class PanelChoice:
    """A panel, and one line that says why it is that one; empty where nothing need be said."""

    entries: tuple[SeatEntry, ...]
    notice: str = ""

    @classmethod
    def of(cls, names: Iterable[str], notice: str = "") -> Self:
        """A panel of these names, without personas."""
        return cls(tuple(SeatEntry(n) for n in names), notice)

    @classmethod
    def thrice(cls, name: str, notice: str) -> Self:
        """One model three times, each time with another persona."""
        return cls(tuple(SeatEntry(name, persona) for persona in THREE), notice)

    def first(self, most: int, mode: str) -> PanelChoice:
        """The first seats of it, as many as a mode takes; who is left out is said."""
        if len(self.entries) <= most:
            return self
        seated, left = self.names[:most], self.names[most:]
        cut = f"{mode} takes a panel of {most}: {_and(seated)} sit on it, without {_and(left)}"
        return PanelChoice(self.entries[:most], "; ".join(filter(None, (self.notice, cut))))

    @property
    def names(self) -> tuple[str, ...]:
        """The names alone."""
        return tuple(e.name for e in self.entries)


def default_panel(settings: Settings, nearby: Nearby) -> PanelChoice:
    """The configured panel, else who can be reached: by key, a server here, the embedded model."""
    if settings.defaults.panel:
        return PanelChoice.of(settings.defaults.panel)
    if reachable := _reachable(settings):
        return _by_key(settings, reachable)
    if nearby.running:
        return _by_server(nearby.running[:MOST_RUNNING], settings)
    return PanelChoice.thrice(
        nearby.embedded,
        f"{_why_no_model(settings)}; the panel is the embedded demo model with three personas, so "
        "its agreement is no evidence",
    )


def _reachable(settings: Settings) -> list[str]:
    """The usual four as far as they can be reached; where fewer than two can, others too."""
    usual = [n for n in USUAL if n in settings.aliases and _has_route(settings, n)]
    if len(usual) >= 2:
        return usual
    # Another model is better than the same one three times.
    return usual + [n for n in settings.aliases if n not in USUAL and _has_route(settings, n)]


def _by_key(settings: Settings, reachable: list[str]) -> PanelChoice:
    missing = [n for n in USUAL if n not in reachable]
    if len(reachable) == 1:
        return PanelChoice.thrice(
            reachable[0],
            f"only {reachable[0]} can be reached; it sits three times with different personas, so "
            "its agreement is weak evidence",
        )
    if not missing:
        return PanelChoice.of(reachable)
    notice = f"the panel is {_and(reachable)}; there is no route to {_and(missing)}"
    return PanelChoice.of(reachable, notice)


def _by_server(names: Sequence[str], settings: Settings) -> PanelChoice:
    models = [name.partition(":")[2] for name in names]
    why, server = _why_no_model(settings), SERVERS[names[0].partition(":")[0]]
    if len(names) == 1:
        notice = f"{why}; {models[0]} of your {server} sits three times with different personas"
        return PanelChoice.thrice(names[0], f"{notice}, so its agreement is weak evidence")
    return PanelChoice.of(names, f"{why}; the panel is {_and(models)} of your {server}")


def _why_no_model(settings: Settings) -> str:
    """The reason why no model can be reached by key; a key that no alias uses is named."""
    idle = [e.vendor for e in settings.vendors.values() if e.key]
    if idle:
        return f"no alias uses the key for {_and(idle)} (name models as {idle[0]}:MODEL)"
    return "no API key is set"


def _has_route(settings: Settings, name: str) -> bool:
    try:
        resolve(name, settings.aliases, settings.routing, settings.vendors)
    except UserError:
        return False
    return True


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
