"""The one file of prompts: a small, safe part of YAML - names at the left, each with a text.

A text is plain, quoted, or a block after `|` (lines kept) or `>` (lines joined). Lists, nested
names, anchors, tags and whatever else YAML has are refused with the line that has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

from mutual_dissent.core.errors import BadConfig, clip

MAX_BYTES = 1_000_000
KNOWN_KEYS = {
    "critique_prompt": "consensus/critique",
    "consensus_chairman_prompt": "consensus/report",
}
"""What the prompts were called in LLM Council's file -> what they are called here."""

ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "/": "/", " ": " "}
NOT_TEXT = re.compile(
    r"~|null|true|false|yes|no|on|off|[-+]?\.(?:inf|nan)|[-+]?[\d.][\dxa-f_.:+-]*", re.IGNORECASE
)

_KEY = re.compile(r"""(?:"([^"\\]*)"|'([^']*)'|([A-Za-z0-9_][A-Za-z0-9_./-]*))[ ]*:(?:[ ]+|$)""")
_BLOCK = re.compile(r"([|>])(?:([+-])?([1-9])?|([1-9])([+-]))[ \t]*(?:[ \t]#.*)?$")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_INDICATORS = {
    "[": "a list",
    "{": "a table",
    "&": "an anchor",
    "*": "a reference",
    "!": "a tag",
    "%": "a directive",
    "@": "a reserved character",
    "`": "a reserved character",
    "]": "a list's end",
    "}": "a table's end",
    ",": "a comma",
}


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
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        line = raw.count(b"\n", 0, e.start) + 1
        raise BadConfig(file, "file", "must be UTF-8 text", line) from None
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found: dict[str, Override] = {}
    for key, override in _Reader(lines, file).entries():
        if key in found:
            first = found[key].line
            raise BadConfig(file, key, f"stands in line {first} too; keep one", override.line)
        found[key] = override
    return found


class _Reader:
    """Goes through the lines once; `_at` is the line that comes next."""

    def __init__(self, lines: list[str], file: str) -> None:
        self._lines, self._file, self._at = lines, file, 0

    def entries(self) -> Iterator[tuple[str, Override]]:
        while (line := self._next()) is not None:
            number = self._at
            key, rest = self._key(line)
            yield key, Override(self._value(key, rest), number)

    def _next(self) -> str | None:
        """The next line that says something."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if line.strip(" \t") and not line.lstrip(" \t").startswith("#"):
                if line.rstrip() == "---" and not self._said_before():
                    continue
                return line
        return None

    def _said_before(self) -> bool:
        before = self._lines[: self._at - 1]
        return any(x.strip() and not x.lstrip().startswith("#") for x in before)

    def _key(self, line: str) -> tuple[str, str]:
        if line[0] in " \t":
            self._refuse("here", "only a text after | or > is indented; begin at the left")
        if line.startswith(("- ", "? ")) or line.rstrip() in ("-", "---", "..."):
            self._refuse("here", "must be NAME: followed by a text; nothing else is read")
        found = _KEY.match(line)
        if found is None:
            self._refuse(line, "must be NAME: followed by a text")
        key = next(g for g in found.groups() if g is not None).strip()
        return key, line[found.end() :].strip(" \t")

    def _value(self, key: str, rest: str) -> str:
        if block := _BLOCK.match(rest):
            lines = self._block(key, int(block[3] or block[4] or 0))
            return "\n".join(lines) if block[1] == "|" else _folded(lines)
        if not rest or rest.startswith("#"):
            self._refuse(key, "has no text; write | after it and indent the text below")
        if rest[0] in "\"'":
            return self._quoted(key, rest)
        return self._plain(key, rest)

    def _block(self, key: str, indent: int) -> list[str]:
        """The lines of a block, without their indentation."""
        found: list[str] = []
        given, spaces = bool(indent), 0
        while self._at < len(self._lines):
            line = self._lines[self._at]
            depth = len(line) - len(line.lstrip(" "))
            if line.strip(" "):
                indent = indent or depth
                if spaces > indent and not given:
                    self._refuse(key, "begins with a line of more spaces than its text has")
                if depth < indent or not depth:
                    break
            found.append(line[indent:] if indent else "")
            spaces = max(spaces, depth if not any(found) else 0)
            self._at += 1
        if not any(x.strip() for x in found):
            self._refuse(key, "has no text; indent it with spaces below")
        self._check_end(key)
        return found

    def _check_end(self, key: str) -> None:
        """After a block, a line that is indented less than it belongs to nothing."""
        if self._at < len(self._lines):
            line = self._lines[self._at]
            if line[:1] in (" ", "\t") and not line.lstrip(" \t").startswith("#"):
                self._at += 1
                self._refuse(key, "is indented less than the text above, or with a tab")

    def _quoted(self, key: str, rest: str) -> str:
        pattern = r'"((?:[^"\\]|\\.)*+)"' if rest[0] == '"' else r"'((?:[^']|'')*+)'"
        found = re.match(pattern, rest)
        if found is None:
            self._refuse(key, "the quotation must end in its line; use | for several lines")
        self._check_rest(key, rest[found.end() :])
        if rest[0] == "'":
            return found[1].replace("''", "'")
        return _ESCAPE.sub(lambda e: self._unescaped(key, e), found[1])

    def _unescaped(self, key: str, escape: re.Match[str]) -> str:
        code = escape[1] or escape[2] or escape[3]
        if code is None:
            if escape[4] not in ESCAPES:
                self._refuse(key, f"\\{escape[4]} means nothing here; write it without quotes")
            return ESCAPES[escape[4]]
        number = int(code, 16)
        if number > 0x10FFFF or 0xD800 <= number < 0xE000 or not number:
            self._refuse(key, f"\\{clip(escape[0][1:])} is no character")
        return chr(number)

    def _plain(self, key: str, rest: str) -> str:
        if what := _INDICATORS.get(rest[0]) or ("a list" if rest[:2] in ("-", "- ") else None):
            self._refuse(key, f"begins like {what} of YAML; put it in quotes, or after |")
        if rest[0] in "|>":
            self._refuse(key, "after | and > the text begins in the next line")
        text = re.split(r"[ \t]#", rest, maxsplit=1)[0].rstrip()
        if ": " in text or text.endswith(":") or rest[:2] == "? ":
            self._refuse(key, "has a colon; put it in quotes, or after |")
        if NOT_TEXT.fullmatch(text):
            self._refuse(key, "must be a text; put it in quotes")
        self._check_alone(key)
        return text

    def _check_rest(self, key: str, rest: str) -> None:
        if rest.strip() and not re.match(r"[ \t]+#", rest):
            self._refuse(key, "something stands after the quotation")
        self._check_alone(key)

    def _check_alone(self, key: str) -> None:
        """A text that goes on below would be read only in part."""
        rest = self._lines[self._at :]
        line = next((x for x in rest if x.strip(" \t")), "")
        if line[:1] in (" ", "\t") and not line.lstrip(" \t").startswith("#"):
            self._refuse(key, "a text of several lines needs | after the colon")

    def _refuse(self, key: str, sentence: str) -> NoReturn:
        raise BadConfig(self._file, clip(key), sentence, self._at)


def _folded(lines: list[str]) -> str:
    """Lines joined to paragraphs; a line that is indented further stays one."""
    said = [(number, line) for number, line in enumerate(lines) if line]
    text = said[0][1]
    for (number, line), (after, more) in pairwise(said):
        empty = after - number - 1
        if line[0] in " \t" or more[0] in " \t":
            text += "\n" * (empty + 1) + more
        else:
            text += ("\n" * empty or " ") + more
    return text
