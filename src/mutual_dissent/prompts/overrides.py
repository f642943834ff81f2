"""The one file of prompts: YAML, names at the left, each with a text.

Nothing else is taken: lists, nested names, anchors and tags are refused with their line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mutual_dissent.core.errors import BadConfig, clip

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
