"""The files of a folder: what git tracks, else a walk that heeds ignore files.

No link is followed, and nothing is opened that is not below the folder.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mutual_dissent.briefing.inputs.git import git_files
from mutual_dissent.briefing.inputs.ignore_rules import (
    IGNORE_FILES,
    IgnoreRule,
    is_ignored,
    rules_of,
)
from mutual_dissent.briefing.inputs.left_out import SECRET_NAME, LeftOut
from mutual_dissent.core.errors import BadInput
from mutual_dissent.text.secret_shapes import is_secret_name

MOST_FILES = 50_000
MOST_RULE_BYTES = 100_000
UNTRACKED = "git does not know it yet; add it"
HIDDEN = "hidden or made by programs"
LINK = "a link or no plain file"
NO_TEXT = "no text"
MADE = frozenset({"node_modules", "__pycache__", "venv"})
"""Folders that programs fill, which are left out even where no ignore file says so."""

Levels = tuple[tuple[int, tuple[IgnoreRule, ...]], ...]


@dataclass(slots=True)
class FileList:
    """Names of files below a folder, from there, and what was left out of them."""

    folder: Path
    names: list[str] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    _inside: dict[str, bool] = field(default_factory=dict)

    def beginning(self, name: str, most: int) -> tuple[bytes, int] | None:
        """The first bytes of a file and its size; None if it is no plain file in this folder.

        Between the folder and the file nothing is followed that leads elsewhere.
        """
        above = name.rpartition("/")[0]
        if above not in self._inside:
            real = os.path.realpath(self.folder / above)
            self._inside[above] = real == os.path.normpath(self.folder / above)
        if not self._inside[above]:
            return None
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
        try:
            handle = os.open(f"{self.folder}/{name}", flags)
        except OSError:
            return None
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                return None
            return os.read(handle, min(most, found.st_size + 1)), found.st_size
        except OSError:
            return None
        finally:
            os.close(handle)

    def text_of(self, name: str, most: int) -> tuple[bytes, int] | None:
        """The same of a file with text; None where it has none, and it is left out then."""
        read = self.beginning(name, most)
        if read is not None and b"\0" not in read[0]:
            return read
        self.left_out.append((name, LINK if read is None else NO_TEXT))
        return None


def file_list(folder: Path, *, untracked: bool = False) -> FileList:
    """The files below a folder; `untracked` says whether those count that git could add.

    Raises:
        BadInput: if it cannot be read, or has too many.
    """
    try:
        found = FileList(folder.resolve(strict=True))
    except (OSError, RuntimeError) as e:
        raise BadInput(f"{folder} cannot be read: {getattr(e, 'strerror', None) or e}") from None
    try:
        names = git_files(found.folder)
        others = git_files(found.folder, "--others", "--exclude-standard") if names else []
    except BadInput:
        names = others = []
    if names and not untracked:
        found.left_out += [(name, UNTRACKED) for name in others]
    every = [*names, *(others if untracked else ())] or _walk(found)
    for name in every:
        # The folder's own name counts: what lies in .ssh is secret, whatever it is called.
        if is_secret_name(f"{found.folder.name}/{name}"):
            found.left_out.append((name, SECRET_NAME))
        else:
            found.names.append(name)
        if len(found.names) > MOST_FILES:
            raise BadInput(f"{folder} has more than {MOST_FILES:,} files; name a folder inside it")
    return found


def _walk(found: FileList) -> Iterator[str]:
    waiting: list[tuple[tuple[str, ...], Levels]] = [((), ())]
    while waiting:
        path, above = waiting.pop()
        try:
            with os.scandir(found.folder.joinpath(*path)) as entries:
                # Sorted, since every system lists names in an order of its own.
                here = sorted(entries, key=lambda e: e.name)
        except OSError:
            found.left_out.append(("/".join(path) or ".", "it cannot be read"))
            continue
        levels = _levels(found, path, {e.name for e in here}, above)
        for entry in here:
            one, folder = (*path, entry.name), entry.is_dir(follow_symlinks=False)
            name = "/".join(one)
            if is_ignored(one, levels, folder=folder):
                continue
            # Yielded although it may be hidden, too: the caller says that it is secret.
            if is_secret_name(name):
                yield name
            elif entry.name.startswith(".") or entry.name in MADE:
                found.left_out.append((name, HIDDEN))
            elif folder:
                waiting.append((one, levels))
            elif entry.is_symlink():
                found.left_out.append((name, LINK))
            else:
                yield name


def _levels(found: FileList, path: tuple[str, ...], names: set[str], above: Levels) -> Levels:
    rules: tuple[IgnoreRule, ...] = ()
    for name in IGNORE_FILES:
        if name in names and (read := found.beginning("/".join((*path, name)), MOST_RULE_BYTES)):
            rules += rules_of(read[0].decode("utf-8", "replace"))
    return ((len(path), rules), *above) if rules else above
