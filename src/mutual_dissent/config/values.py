"""Kinds of values: each checks a TOML value, or reads it from a command line."""

from __future__ import annotations

import re
import shlex
from base64 import b64decode
from binascii import Error
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from mutual_dissent.briefing.kinds import RealNumber, WholeNumber

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
MAX_TEXT = 100_000
BASE64_SECRET = "whsec_"  # noqa: S105 - how Standard Webhooks begins a secret
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}")


class NotAccepted(ValueError):
    """The value is not one that the setting accepts."""


@dataclass(frozen=True, slots=True)
class Accepts:
    """A kind of value.

    Attributes:
        what: what is accepted, to stand after "must be" and in the reference.
        read: the value as the program uses it; raises NotAccepted.
        written: the TOML value that a word on the command line stands for.
    """

    what: str
    read: Callable[[Any], Any]
    written: Callable[[str], Any] = str


def whole(low: int, high: int) -> Accepts:
    """A whole number within bounds."""
    bounds = WholeNumber(low, high)

    def read(value: Any) -> int:
        if not bounds.takes(value):
            raise NotAccepted
        return int(value)

    return Accepts(bounds.what, read, _number)


def number(low: float, high: float, *, above: bool = False) -> Accepts:
    """A number within bounds; `above` excludes the lower one."""
    bounds = RealNumber(low, high, above)

    def read(value: Any) -> float:
        if not bounds.takes(value):
            raise NotAccepted
        return float(value)

    return Accepts(bounds.what, read, _number)


def or_word(kind: Accepts, word: str) -> Accepts:
    """The values of another kind, or one word."""

    def read(value: Any) -> Any:
        return word if value == word else kind.read(value)

    return Accepts(f'{kind.what}, or "{word}"', read, kind.written)


def choice(*options: str) -> Accepts:
    """One of a few words."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in options:
            raise NotAccepted
        return value

    return Accepts("one of " + ", ".join(f'"{o}"' for o in options), read)


def flag() -> Accepts:
    """True or false."""

    def read(value: Any) -> bool:
        if not isinstance(value, bool):
            raise NotAccepted
        return value

    return Accepts("true or false", read, _flag)


def text(what: str = "a text", *, limit: int = 200) -> Accepts:
    """A text without control characters, not blank."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or not 0 < len(value.strip()) <= limit or _odd(value):
            raise NotAccepted
        return value.strip()

    return Accepts(what, read)


def prose(what: str = "a text") -> Accepts:
    """A text that may have several lines."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or not 0 < len(value.strip()) <= MAX_TEXT or "\0" in value:
            raise NotAccepted
        return value.strip()

    return Accepts(f"{what} of at most {MAX_TEXT:,} characters", read)


def names(low: int, high: int) -> Accepts:
    """A list of names."""
    one = text()

    def read(value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not low <= len(value) <= high:
            raise NotAccepted
        return tuple(one.read(v) for v in value)

    return Accepts(f"a list of {low} to {high} names", read, _listed)


def command() -> Accepts:
    """A command and its arguments, one text each; the first says what to run."""

    def read(value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not 0 < len(value) <= 100:
            raise NotAccepted
        if any(not isinstance(v, str) or len(v) > 4000 or "\0" in v for v in value):
            raise NotAccepted
        if not value[0].strip():
            raise NotAccepted
        return tuple(value)

    return Accepts("a list of a command and its arguments", read, _split)


def key() -> Accepts:
    """An API key: one printable word, or an empty text for none."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or len(value) > 1000:
            raise NotAccepted
        bare = value.strip()
        # An HTTP header carries nothing else.
        if not all("!" <= c <= "~" for c in bare):
            raise NotAccepted
        return bare

    return Accepts("a key: one word of printable ASCII characters", read)


def headers() -> Accepts:
    """Headers of a request in one text, as OpenTelemetry's own variable has them."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or len(value) > 8_000:
            raise NotAccepted
        headers_of(value)
        return value.strip()

    return Accepts("headers, such as NAME=VALUE,NAME=VALUE", read)


def headers_of(written: str) -> dict[str, str]:
    """Headers by name; raises NotAccepted."""
    found = {}
    for pair in filter(None, (p.strip() for p in written.split(","))):
        name, _, value = (p.strip() for p in pair.partition("="))
        bare = unquote(value)
        if not _HEADER.fullmatch(name) or not bare or not (bare.isascii() and bare.isprintable()):
            raise NotAccepted
        found[name] = bare
    return found


def signing_secret() -> Accepts:
    """A secret that messages are signed with."""

    def read(value: Any) -> str:
        bare = value.strip() if isinstance(value, str) else ""
        if not 16 <= len(bare) <= 1000 or not all("!" <= c <= "~" for c in bare):
            raise NotAccepted
        signing_key(bare)
        return bare

    what = f"a secret of 16 or more printable ASCII characters, in base64 after {BASE64_SECRET}"
    return Accepts(what, read)


def signing_key(secret: str) -> bytes:
    """The bytes of such a secret; raises NotAccepted."""
    if not secret.startswith(BASE64_SECRET):
        return secret.encode()
    try:
        return b64decode(secret.removeprefix(BASE64_SECRET), validate=True)
    except Error:
        raise NotAccepted from None


def _odd(value: str) -> bool:
    return any(not c.isprintable() for c in value)


def _number(word: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word


def _flag(word: str) -> bool | str:
    known = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
    # Any other word is left for `read` to refuse.
    return known.get(word.lower(), word)


def _split(word: str) -> list[str] | str:
    """The words as a shell would take them; what it would not take is left for `read` to refuse."""
    try:
        return shlex.split(word)
    except ValueError:
        return word


def _listed(word: str) -> list[str]:
    return [part.strip() for part in word.split(",") if part.strip()]


HOTKEY = "CommandOrControl+Alt+M"
MODIFIERS = "CommandOrControl|CmdOrCtrl|Control|Ctrl|Command|Cmd|Super|Alt|Option|Shift"
KEYS = "[A-Z0-9]|F[1-9]|F1[0-9]|F2[0-4]|Space|Enter|Tab|Home|End|Insert|Delete|PageUp|PageDown"
_COMBINATION = re.compile(rf"(?:(?:{MODIFIERS})\+){{1,4}}(?:{KEYS})", re.IGNORECASE)


def hotkey() -> Accepts:
    """Modifiers and one key, joined by `+`."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or not _COMBINATION.fullmatch(value):
            raise NotAccepted
        return value

    return Accepts(f'keys such as "{HOTKEY}" or "Super+Shift+Space"', read)
