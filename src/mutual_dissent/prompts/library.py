"""The prompt texts: ours from the package; a user's own of the same name replaces one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from functools import cache, cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from mutual_dissent.core.errors import BadConfig, BadInput, UnknownName, clip

BLANKS = frozenset(
    "query own_response other_responses formatted_transcript critiques ground_truth synthesis "
    "dimensions form structure verification dissent questions challenged statistics tally "
    "length question others findings known catalogue today earlier grid citations".split()
)
_BLANK = re.compile(r"\{(" + "|".join(sorted(BLANKS)) + r")\}")
# Anything that looks like a blank, to find those that nobody fills; `{ x }` is just braces.
_NAMED = re.compile(r"\{([A-Za-z_]\w*)\}")
MAX_PROMPT = 100_000
LATER = {
    "delphi/report": {"statistics"},
    "ranking/rank": {"own_response"},
    "consensus/critique": {"own_response"},
    "hybrid/evaluate": {"own_response"},
    "review/check": {"known"},
}
"""Prompt -> blanks that ours did not always have: a user's older text does without them."""


class PromptOrigin(StrEnum):
    """Origin of a prompt."""

    OURS = "ours"
    FOLDER = "your folder"
    FILE = "system-prompts.yaml"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as it is asked with.

    Attributes:
        place: the user's file that it stands in, if it is not ours.
    """

    name: str
    text: str
    origin: PromptOrigin = PromptOrigin.OURS
    place: str = ""

    @property
    def blanks(self) -> tuple[str, ...]:
        """The blanks that it has."""
        return tuple(sorted(blanks_of(self.text)))

    @property
    def hash(self) -> str:
        """Name of the prompt in transcripts."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]


class Library:
    """Prompts by name, such as `reflection/reflect`: the user's own, else the package's."""

    def __init__(self, folder: Path | None = None, file: Path | None = None) -> None:
        """Look first in `folder`, then in `file`, if they are there, then in the package."""
        self._folder, self._file = folder, file
        self._prompts: dict[str, Prompt] = {}

    def text(self, name: str) -> str:
        """The prompt of that name.

        Raises:
            UnknownName: if there is none.
            UserError: if the user's own text cannot be used.
        """
        return self.prompt(name).text

    def prompt(self, name: str) -> Prompt:
        """The same, with where it comes from."""
        if name not in self._prompts:
            self._prompts[name] = self._load(name)
        return self._prompts[name]

    def ours(self, name: str) -> Prompt:
        """The package's own prompt of that name, whatever the user has.

        Raises:
            UnknownName: if there is none.
        """
        if name not in self.names:
            raise UnknownName("prompt", name, self.names)
        text = resources.files(__package__).joinpath("text", f"{name}.md").read_text("utf-8")
        return Prompt(name, text.strip())

    def check(self, name: str, text: str) -> None:
        """Make sure that a text can stand for the package's own prompt of that name.

        Raises:
            UserError: if there is no such prompt, or the text cannot.
        """
        _checked(text, "this text cannot be used", self.ours(name))

    def hashes(self) -> dict[str, str]:
        """Name -> hash of every prompt as it is now, so that a transcript says what was asked."""
        return dict(self._hashes)

    @cached_property
    def _hashes(self) -> dict[str, str]:
        return {n: self.prompt(n).hash for n in self.names}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every prompt that ships."""
        return tuple(sorted(_shipped(resources.files(__package__).joinpath("text"), "")))

    def origin(self, name: str) -> PromptOrigin:
        """Return where the prompt of that name comes from, whether or not it can be used."""
        if self._folder and (self._folder / f"{name}.md").is_file():
            return PromptOrigin.FOLDER
        return PromptOrigin.FILE if name in self._overrides else PromptOrigin.OURS

    def _load(self, name: str) -> Prompt:
        ours = self.ours(name)
        match self.origin(name):
            case PromptOrigin.FOLDER if self._folder:
                place = self._folder / f"{name}.md"
                text = _checked(_read(place), str(place), ours)
                return Prompt(name, text, PromptOrigin.FOLDER, str(place))
            case PromptOrigin.FILE:
                found = self._overrides[name]
                place_ = f"{self._file}, line {found.line}"
                return Prompt(name, _checked(found.text, place_, ours), PromptOrigin.FILE, place_)
            case _:
                return ours

    @cached_property
    def _overrides(self) -> dict[str, Override]:
        """Name -> what the file has for it."""
        if self._file is None:
            return {}
        found: dict[str, Override] = {}
        for key, override in read_overrides(self._file).items():
            name = KNOWN_KEYS.get(key, key)
            if name not in self.names:
                unknown = UnknownName("prompt", key, (*self.names, *KNOWN_KEYS))
                raise BadConfig(str(self._file), key, str(unknown), override.line)
            if name in found:
                sentence = f"is the same prompt as in line {found[name].line}; keep one"
                raise BadConfig(str(self._file), key, sentence, override.line)
            found[name] = override
        return found


def fill(text: str, blanks: Mapping[str, str]) -> str:
    """The text with its blanks filled, once: what is filled in is never searched for blanks."""
    return _BLANK.sub(lambda found: blanks.get(found[1], ""), text)


def blanks_of(text: str) -> set[str]:
    """The blanks that a prompt has."""
    return set(_BLANK.findall(text))


def _read(file: Path) -> str:
    try:
        with file.open(encoding="utf-8") as opened:
            return opened.read(MAX_PROMPT + 1)
    except (OSError, UnicodeDecodeError) as e:
        raise BadInput(f"{file}: cannot be read as UTF-8 text ({e}); fix or remove it") from None


def _checked(text: str, place: str, ours: Prompt) -> str:
    """A user's text, if it can stand for ours."""
    text = text.strip()
    if not text or len(text) > MAX_PROMPT or "\0" in text:
        raise BadInput(f"{place}: a prompt has 1 to {MAX_PROMPT:,} characters; fix or remove it")
    # A misspelt blank would stand in the request as it is written, unnoticed.
    if unknown := [b for b in _NAMED.findall(text) if b not in BLANKS]:
        raise BadInput(f"{place}: {_unknown(ours, unknown[0])}")
    # Without a blank a panelist would not be told what its step is about.
    if missing := set(ours.blanks) - blanks_of(text) - LATER.get(ours.name, set()):
        wanted = ", ".join(f"{{{b}}}" for b in sorted(missing))
        raise BadInput(f"{place}: {ours.name} lacks the blank {wanted}; add it or remove the text")
    return text


def _unknown(ours: Prompt, name: str) -> str:
    """Sentence about a blank that nothing fills."""
    known = ", ".join(f"{{{b}}}" for b in ours.blanks or sorted(BLANKS))
    near = get_close_matches(name, BLANKS, n=1)
    hint = f"did you mean {{{near[0]}}}? " if near else ""
    whose = f"{ours.name} has" if ours.blanks else "there are"
    return (
        f"there is no blank {{{clip(name)}}}; {hint}{whose} {known}; "
        f"write {{ {clip(name)} }} where braces are meant"
    )


def _shipped(folder: Traversable, prefix: str) -> list[str]:
    found = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _shipped(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".md"):
            found.append(prefix + entry.name.removesuffix(".md"))
    return found


MAX_BYTES = 1_000_000
REFUSED = "while looking for texts"
KNOWN_KEYS = {
    "critique_prompt": "consensus/critique",
    "consensus_chairman_prompt": "consensus/report",
}
"""Names of the prompts in LLM Council's file -> their names here."""


@dataclass(frozen=True, slots=True)
class Override:
    """A text of the file and the line that its name stands in."""

    text: str
    line: int


def read_overrides(file: Path) -> dict[str, Override]:
    """Name -> text, of a file that may not be there.

    Raises:
        BadConfig: if it is no such file, with the line.
    """
    try:
        if not file.is_file():
            if file.exists():
                raise BadConfig(str(file), "file", "must be a regular file")
            return {}
        with file.open("rb") as opened:
            raw = opened.read(MAX_BYTES + 1)
    except OSError as e:
        raise BadConfig(str(file), "file", f"cannot be read: {e.strerror}") from None
    return parse_overrides(raw, str(file))


def parse_overrides(raw: bytes, file: str) -> dict[str, Override]:
    """Name -> text, from the bytes of a file.

    Raises:
        BadConfig: if they are not of the form above, with the line.
    """
    if len(raw) > MAX_BYTES:
        raise BadConfig(file, "file", f"must not be larger than {MAX_BYTES:,} bytes")
    try:
        # Editors on Windows begin a file with a byte order mark.
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        line = raw.count(b"\n", 0, e.start) + 1
        raise BadConfig(file, "file", "must be UTF-8 text", line) from None
    found: dict[str, Override] = {}
    for key, override in _entries(text, file):
        if key in found:
            first = found[key].line
            raise BadConfig(file, key, f"stands in line {first} too; keep one", override.line)
        found[key] = override
    return found


def _entries(text: str, file: str) -> Iterator[tuple[str, Override]]:
    import yaml  # 20 ms that a command without such a file does not need

    try:
        root: Any = yaml.compose(text, Loader=_loader())
    except yaml.MarkedYAMLError as e:
        said = e.problem if e.context == REFUSED else f"cannot be read ({clip(str(e.problem))})"
        line = e.problem_mark.line + 1 if e.problem_mark else None
        raise BadConfig(file, "here", f"{said}; put the text in quotes, or after |", line) from None
    except yaml.reader.ReaderError as e:
        line = text.count("\n", 0, e.position) + 1
        raise BadConfig(file, "here", "has what is no character of a text", line) from None
    if root is not None and not isinstance(root, yaml.MappingNode):
        raise BadConfig(file, "here", "must be NAME: followed by a text", root.start_mark.line + 1)
    for key, value in root.value if root else ():
        line = key.start_mark.line + 1
        yield key.value, Override(_text(key.value, value, file, line), line)


def _text(key: str, value: Any, file: str, line: int) -> str:
    text, kind, sentence = str(value.value), value.tag.rpartition(":")[2], ""
    if kind == "null" or not text.strip():
        sentence = "has no text; write | after it and indent the text below"
    elif kind != "str":
        sentence = "must be a text; put it in quotes, or after |"
    elif any("\ud800" <= c <= "\udfff" for c in text):
        sentence = "has half of a character, which is no character"
    if sentence:
        raise BadConfig(file, clip(key), sentence, line)
    return text


@cache
def _loader() -> Any:
    """The loader of texts by name. It never goes deeper, so that no file can make it work long."""
    import yaml

    class Texts(yaml.SafeLoader):  # type: ignore[misc] # it has no types
        """Composes a table of texts."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            """Refuse whatever is no text, then go on."""
            # Before anything is composed: references can make a small file grow without end.
            event = self.peek_event()
            what = "a reference" if isinstance(event, yaml.AliasEvent) else ""
            what = what or ("an anchor" if event.anchor else "a tag" if event.tag else "")
            if parent is not None and isinstance(event, yaml.CollectionStartEvent):
                is_list = isinstance(event, yaml.SequenceStartEvent)
                what = what or ("a list" if is_list else "a table")
            if what:
                problem = f"must be a text, not {what}"
                raise yaml.composer.ComposerError(REFUSED, None, problem, event.start_mark)
            return super().compose_node(parent, index)

    return Texts
