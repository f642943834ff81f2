"""Rules of ignore files (`.gitignore`, `.ignore`), for folders that git does not keep."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import translate

IGNORE_FILES = (".gitignore", ".ignore")
MOST_RULES, MOST_CHARACTERS = 1_000, 300
ANY_FOLDERS = "**"


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """One line of an ignore file: names on the way from its folder, the last of which it is for."""

    parts: tuple[re.Pattern[str] | None, ...]
    keeps: bool
    folders_only: bool

    def covers(self, path: Sequence[str], *, folder: bool) -> bool:
        """Return whether it is about a path, given as names from the folder of its file."""
        return (folder or not self.folders_only) and _covers(self.parts, path)


def rules_of(text: str) -> tuple[IgnoreRule, ...]:
    """The rules of an ignore file, in order."""
    lines = (line.strip() for line in text.splitlines()[:MOST_RULES])
    wanted = (x for x in lines if x and not x.startswith("#") and len(x) <= MOST_CHARACTERS)
    return tuple(_rule(line) for line in wanted)


def is_ignored(
    path: Sequence[str], levels: Iterable[tuple[int, Sequence[IgnoreRule]]], *, folder: bool
) -> bool:
    """Return whether a path is ignored: the last rule of the nearest file that is about it decides.

    Args:
        path: its names, from the top.
        levels: how many of these names lead to the folder of an ignore file, and its rules; the
            nearest one first.
        folder: whether it is a folder.
    """
    for depth, rules in levels:
        below = path[depth:]
        for rule in reversed(rules):
            if rule.covers(below, folder=folder):
                return not rule.keeps
    return False


def _rule(line: str) -> IgnoreRule:
    keeps = line.startswith("!")
    # A backslash lets a name begin with # or !.
    pattern = line.removeprefix("!").removeprefix("\\")
    bare = pattern.strip("/")
    anywhere = "/" not in pattern.rstrip("/")
    names = [ANY_FOLDERS, bare] if anywhere else bare.split("/")
    parts: list[re.Pattern[str] | None] = []
    for name in names:
        if name != ANY_FOLDERS:
            parts.append(re.compile(translate(name)))
        elif not parts or parts[-1] is not None:  # a row of them would be tried in every way
            parts.append(None)
    return IgnoreRule(tuple(parts), keeps, pattern.endswith("/"))


def _covers(parts: Sequence[re.Pattern[str] | None], path: Sequence[str]) -> bool:
    if not parts or not path:
        return not parts and not path
    first, rest = parts[0], parts[1:]
    if first is not None:
        return bool(first.match(path[0])) and _covers(rest, path[1:])
    if len(rest) == 1 and rest[0] is not None:  # by far the most usual: a name, anywhere
        return bool(rest[0].match(path[-1]))
    return any(_covers(rest, path[i:]) for i in range(len(path) + (not rest)))
