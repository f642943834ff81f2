"""The prompt texts: ours from the package; a user's file of the same name replaces one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from mutual_dissent.core.errors import BadInput, UnknownName

BLANKS = frozenset(
    "query own_response other_responses formatted_transcript critiques ground_truth synthesis "
    "dimensions form structure verification dissent questions challenged statistics tally".split()
)
_BLANK = re.compile(r"\{(" + "|".join(sorted(BLANKS)) + r")\}")
MAX_PROMPT = 100_000


class Library:
    """Prompts by name, such as `reflection/reflect`, from the package and a user's folder."""

    def __init__(self, folder: Path | None = None) -> None:
        """Look first in `folder`, if there is one, then in the package."""
        self._folder = folder
        self._texts: dict[str, str] = {}

    def text(self, name: str) -> str:
        """The prompt of that name.

        Raises:
            UnknownName: if there is none.
            BadInput: if the user's own text cannot be used.
        """
        if name not in self._texts:
            self._texts[name] = self._load(name)
        return self._texts[name]

    def hashes(self) -> dict[str, str]:
        """Name -> hash of every prompt as it is now, so that a transcript says what was asked."""
        return {n: hashlib.sha256(self.text(n).encode()).hexdigest()[:16] for n in self.names}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every prompt that ships."""
        return tuple(sorted(_shipped(resources.files(__package__).joinpath("text"), "")))

    def _load(self, name: str) -> str:
        if name not in self.names:
            raise UnknownName("prompt", name, self.names)
        if self._folder and (own := self._folder / f"{name}.md").is_file():
            return _own_text(own, self._shipped_text(name))
        return self._shipped_text(name)

    def _shipped_text(self, name: str) -> str:
        return (
            resources.files(__package__).joinpath("text", f"{name}.md").read_text("utf-8").strip()
        )


def fill(text: str, blanks: Mapping[str, str]) -> str:
    """The text with its blanks filled, once: what is filled in is never searched for blanks."""
    return _BLANK.sub(lambda found: blanks.get(found[1], ""), text)


def blanks_of(text: str) -> set[str]:
    """The blanks that a prompt has."""
    return set(_BLANK.findall(text))


def _own_text(file: Path, shipped: str) -> str:
    try:
        text = file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as e:
        raise BadInput(f"{file}: cannot be read as UTF-8 text ({e}); fix or remove it") from None
    if not text or len(text) > MAX_PROMPT:
        raise BadInput(f"{file}: a prompt has 1 to {MAX_PROMPT:,} characters; fix or remove it")
    if missing := blanks_of(shipped) - blanks_of(text):
        wanted = ", ".join(f"{{{b}}}" for b in sorted(missing))
        raise BadInput(f"{file}: lacks the blank {wanted}; add it or remove the file")
    return text


def _shipped(folder: Traversable, prefix: str) -> list[str]:
    found = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _shipped(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".md"):
            found.append(prefix + entry.name.removesuffix(".md"))
    return found
