"""The panel that sits where the user names none: whoever can be reached."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from mutual_dissent.config.personas import THREE
from mutual_dissent.config.settings import Settings
from mutual_dissent.core.errors import UserError
from mutual_dissent.providers.routing import resolve

USUAL = ("claude", "gpt", "gemini", "grok")
EMBEDDED = "local:smollm2"
MOST_OLLAMA = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """Someone to be seated: an alias or `vendor:model`, and a persona's name if it plays one."""

    name: str
    persona: str | None = None


@dataclass(frozen=True, slots=True)
class PanelChoice:
    """Who sits on the panel, and one line that says why; empty where nothing need be said."""

    entries: tuple[Entry, ...]
    notice: str = ""

    @classmethod
    def of(cls, names: Iterable[str], notice: str = "") -> Self:
        """A panel of these names, without personas."""
        return cls(tuple(Entry(n) for n in names), notice)

    @classmethod
    def thrice(cls, name: str, notice: str) -> Self:
        """One model three times, each time with another persona."""
        return cls(tuple(Entry(name, persona) for persona in THREE), notice)

    @property
    def names(self) -> tuple[str, ...]:
        """The names alone."""
        return tuple(e.name for e in self.entries)


def default_panel(settings: Settings, ollama_models: Sequence[str]) -> PanelChoice:
    """The configured panel, else who can be reached: by key, by Ollama, else the embedded model.

    Args:
        settings: with the keys and aliases.
        ollama_models: the names of Ollama's models, the largest first; empty if it does not run.
    """
    if settings.defaults.panel:
        return PanelChoice.of(settings.defaults.panel)
    if reachable := _reachable(settings):
        return _by_key(settings, reachable)
    if ollama_models:
        return _by_ollama(ollama_models[:MOST_OLLAMA], settings)
    return PanelChoice.thrice(
        EMBEDDED,
        f"{_why_no_model(settings)}; the panel is the embedded demo model with three personas, so "
        "its agreement is no evidence",
    )


def _reachable(settings: Settings) -> list[str]:
    """The usual four as far as they can be reached; where fewer than two can, others too."""
    usual = [n for n in USUAL if n in settings.aliases and _has_route(settings, n)]
    if len(usual) >= 2:
        return usual
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


def _by_ollama(models: Sequence[str], settings: Settings) -> PanelChoice:
    names = [f"ollama:{m}" for m in models]
    why = _why_no_model(settings)
    if len(names) == 1:
        notice = f"{why}; {models[0]} of your Ollama sits three times with different personas"
        return PanelChoice.thrice(names[0], f"{notice}, so its agreement is weak evidence")
    return PanelChoice.of(names, f"{why}; the panel is {_and(models)} of your Ollama")


def _why_no_model(settings: Settings) -> str:
    """Why nobody can be reached by key; a key that no alias uses is named."""
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
