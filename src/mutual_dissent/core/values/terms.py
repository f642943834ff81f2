"""Options and commands inside a sentence: markers, which each surface puts into its own terms.

Whoever raises an error does not know who reads it. `option("rounds")` is `--rounds` on the command
line and a field of a REST request; `command("resume", "1f0c9a2e")` is a line to type, or a route to
post to. A sentence carries the marker, and a surface resolves it with its table of `Terms`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

# Characters for private use. `clip` takes them out of what a sentence repeats; where one gets in by
# another way, such as the name of a file, it is read as a marker, which can do no more than name
# an option or a command.
_START, _NEXT, _IS, _END = "\ue000", "\ue001", "\ue002", "\ue003"
_MARKER = re.compile(f"{_START}([oc])([^{_START}{_END}]*){_END}")
_OURS = re.compile(f"[{_START}-{_END}]")


def option(name: str, value: str = "") -> str:
    """The marker of an option, and of the value that it should have."""
    return _marker("o", name, _clean(value))


def command(name: str, *arguments: str, **options: str | bool) -> str:
    """The marker of a command: its words, what it is about, and the options that it needs."""
    given = (f"{k}{_IS}{'' if v is True else _clean(v)}" for k, v in options.items() if v)
    return _marker("c", name, *map(_clean, arguments), *given)


def _marker(kind: str, *parts: str) -> str:
    return f"{_START}{kind}{_NEXT.join(parts)}{_END}"


def _clean(text: object) -> str:
    return _OURS.sub("�", str(text))


@dataclass(frozen=True, slots=True)
class Terms:
    """The names that a surface has for what sentences speak of.

    Attributes:
        spell: its name for an option.
        commands: what does the same as a command there, with {0} for the first argument. A command
            that is not in the table is one for a terminal.
    """

    spell: Callable[[str], str] = str
    commands: Mapping[str, str] = field(default_factory=dict)

    def resolve(self, sentence: str) -> str:
        """The sentence as this surface says it."""
        return _MARKER.sub(self._resolved, sentence)

    def _resolved(self, marker: re.Match[str]) -> str:
        name, *parts = marker[2].split(_NEXT)
        if marker[1] == "o":
            return " ".join([self.spell(name), *filter(None, parts)])
        arguments = [p for p in parts if _IS not in p]
        options = [(k, v) for k, _, v in (p.partition(_IS) for p in parts if _IS in p)]
        if known := self.commands.get(name):
            given = (f"{self.spell(k)} {v}".strip() for k, v in options)
            return " with ".join([known.format(*arguments, ""), *given])
        return " ".join(
            ["dissent", name, *arguments, *(f"{flag(k)} {v}".strip() for k, v in options)]
        )


LIBRARY = Terms(lambda name: "save=False" if name == "no_save" else name)
"""Options by the names of their arguments, commands for a terminal."""


def at_terminal(name: str, *arguments: str, **options: str | bool) -> str:
    """A command that is for a terminal, whoever reads of it."""
    return LIBRARY.resolve(command(name, *arguments, **options))


def flag(name: str) -> str:
    """An option as a terminal takes it."""
    return f"--{name.replace('_', '-')}"
