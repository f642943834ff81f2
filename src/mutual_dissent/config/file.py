"""The configuration file: read with suspicion, checked against the table, errors with a line."""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import takewhile
from pathlib import Path
from typing import Any

from mutual_dissent.config.schema import is_table, known_below, removal_reason, setting_at
from mutual_dissent.config.values import NAME, NotAccepted
from mutual_dissent.core.errors import BadConfig, clip

MAX_BYTES = 1_000_000
Place = tuple[str, ...]
Checked = Iterator[tuple[Place, Any]]


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A checked configuration: place -> value, with the text for the line numbers of errors."""

    file: str
    text: str = field(default="", repr=False)
    values: Mapping[Place, Any] = field(default_factory=dict, repr=False)
    notices: tuple[str, ...] = ()

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a setting by its dotted name."""
        return self.values.get(tuple(name.split(".")), default)

    def under(self, table: str) -> dict[str, dict[str, Any]]:
        """The settings of each named table below `table`: name -> setting -> value."""
        found: dict[str, dict[str, Any]] = {}
        for place, value in self.values.items():
            if place[0] == table and len(place) == 3:
                found.setdefault(place[1], {})[place[2]] = value
        return found

    def refusal(self, place: Place, sentence: str) -> BadConfig:
        """The error that says what is wrong at a place."""
        return BadConfig(self.file, format_place(place), sentence, line_of(self.text, place))


def read_document(path: Path) -> ConfigFile:
    """The configuration in a file; an empty one if there is no file.

    Raises:
        BadConfig: one line that says where and what is accepted.
    """
    try:
        # Without O_NONBLOCK, opening a pipe would wait for somebody to write into it.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return ConfigFile(str(path))
    except OSError as e:
        raise BadConfig(str(path), "file", f"cannot be read: {e.strerror}") from None
    facts = os.fstat(handle)
    if not stat.S_ISREG(facts.st_mode):
        os.close(handle)
        raise BadConfig(str(path), "file", "must be a regular file")
    with os.fdopen(handle, "rb") as file:
        raw = file.read(MAX_BYTES + 1)
    document = parse_document(str(path), raw)
    notices = (*document.notices, *guard_file(document, path, facts))
    return ConfigFile(document.file, document.text, document.values, notices)


def parse_document(file: str, raw: bytes) -> ConfigFile:
    """The configuration in the bytes of a file, wherever they came from."""
    if len(raw) > MAX_BYTES:
        raise BadConfig(file, "file", f"must not be larger than {MAX_BYTES:,} bytes")
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as e:
        line = raw.count(b"\n", 0, e.start) + 1
        raise BadConfig(file, "file", "must be UTF-8 text", line) from None
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as e:
        raise not_toml(file, text, str(e)) from None
    except (ValueError, RecursionError):
        raise BadConfig(file, "file", "must be TOML without absurd numbers or nesting") from None
    return check_tables(file, text, tables)


def check_tables(file: str, text: str, tables: Mapping[str, Any]) -> ConfigFile:
    """The configuration in tables that were read from a text.

    Raises:
        BadConfig: one line that says where and what is accepted.
    """
    values = dict(_checked(ConfigFile(file, text), tables, ()))
    kept = {place: value for place, value in values.items() if not removal_reason(place)}
    said = (
        f"{file}: {format_place(p)} is ignored, since {removal_reason(p)}; remove it"
        for p in values
        if removal_reason(p)
    )
    return ConfigFile(file, text, kept, tuple(said))


def format_place(place: Place) -> str:
    """A place as it would be written in the file."""
    return ".".join(p if NAME.fullmatch(p) and "." not in p else repr(clip(p)) for p in place)


def line_of(text: str, place: Place) -> int | None:
    """The line that a place is set in, or the line of the nearest table around it."""
    best, line = 0, None
    for number, here in _places(text):
        common = _common(here, place)
        if common == len(place):
            return number
        if common == len(here) > best:
            best, line = common, number
    return line


def _common(a: Place, b: Place) -> int:
    pairs = zip(a, b, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _checked(document: ConfigFile, table: Mapping[str, Any], at: Place) -> Checked:
    for name, value in table.items():
        place = (*at, name)
        setting = setting_at(place)
        if removal_reason(place):
            yield place, None
        elif isinstance(value, dict) and is_table(place):
            _check_name(document, place)
            yield from _checked(document, value, place)
        elif setting:
            _check_name(document, place)
            try:
                yield place, setting.accepts.read(value)
            except NotAccepted:
                sentence = f"must be {setting.accepts.what}"
                raise document.refusal(place, sentence) from None
        elif is_table(place):
            raise document.refusal(place, "must be a table, written as " + _as_table(place))
        else:
            raise document.refusal(place, unknown(place))


def unknown(place: Place) -> str:
    """Sentence about a name that no setting has."""
    at = place[:-1]
    known = known_below(at)
    near = get_close_matches(place[-1][:80], known, n=1)
    if near:
        return f"no such setting; did you mean {near[0]!r}?"
    inside = f" in [{format_place(at)}]" if at else ""
    return f"no such setting; known{inside}: {', '.join(known) or 'nothing'}"


def _check_name(document: ConfigFile, place: Place) -> None:
    if not NAME.fullmatch(place[-1]):
        sentence = "a name must be letters, digits, dots, dashes and underscores, at most 64"
        raise document.refusal(place, sentence)


def _as_table(place: Place) -> str:
    return f"[{format_place(place)}]" + (" followed by its settings" if len(place) == 1 else "")


def not_toml(file: str, text: str, message: str) -> BadConfig:
    """The error that says in which line a text is no TOML."""
    found = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)", message)
    line = int(found[1]) if found and found[1] else len(text.splitlines())
    said = message[: found.start()] if found else message
    return BadConfig(file, "not TOML", clip(said, 200), line)


def guard_file(document: ConfigFile, path: Path, facts: os.stat_result) -> tuple[str, ...]:
    """Refuse a file that others could have written; say so if others can read its keys."""
    if not hasattr(os, "geteuid"):
        return ()
    settings = [setting_at(place) for place in document.values]
    secret = any(s and s.secret for s in settings)
    if facts.st_mode & 0o022:
        raise BadConfig(str(path), "file", f"others may write to it: run chmod 600 {path}")
    trusted = facts.st_uid in (os.geteuid(), 0)
    telling = ("base_url", "searxng_url", ".command")  # where keys go, and what is run
    if not trusted and (secret or any(s and s.name.endswith(telling) for s in settings)):
        sentence = f"it belongs to another user: run chown $(id -u) {path} && chmod 600 {path}"
        raise BadConfig(str(path), "file", sentence)
    if secret and facts.st_mode & 0o044:
        return (f"{path} holds keys that others can read: run chmod 600 {path}",)
    return ()


# Such as: [providers."my host"], [a.b] or key = 1. It never goes back (++): some lines would
# otherwise be tried in every way.
_KEY = re.compile(r"""\s*((?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]++|\s*\.\s*)++)\s*(=|\]|$)""")
_PART = re.compile(r""""((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+)""")


def _places(text: str) -> Iterator[tuple[int, Place]]:
    """Each table and key with its line, read loosely: the file may be anything but is TOML."""
    table: Place = ()
    quote = ""
    for number, line in enumerate(text.split("\n"), 1):
        inside, quote = quote, _open_quote(line, quote)
        if inside:
            continue
        heading = line.lstrip().startswith("[")
        found = _KEY.match(line.lstrip().lstrip("[") if heading else line)
        if not found or found[2] != ("]" if heading else "="):
            continue
        parts = tuple(a or b or c for a, b, c in _PART.findall(found[1]))
        if heading:
            table = parts
        yield number, parts if heading else (*table, *parts)


def _open_quote(line: str, quote: str) -> str:
    """Multi-line quotation that is still open after a line."""
    for mark in re.findall(r'"""|\'\'\'', line):
        if not quote:
            quote = mark
        elif quote == mark:
            quote = ""
    return quote
