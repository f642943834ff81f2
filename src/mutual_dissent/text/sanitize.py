"""Text of strangers made fit to be shown: model answers, queries, names, error texts.

Nothing that a terminal would act on survives, and nothing that would reorder what a reader sees.
Everything that goes to a screen passes through here first.
"""

from __future__ import annotations

import re

# Control characters but tab and newline, marks and overrides of direction, line separators, byte
# order marks, annotations, halves of characters, and tags that only machines read.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
# OSC, DCS and the like with what they carry (titles, clipboards, links); CSI; other escapes.
_SEQUENCE = re.compile(
    # Each alternative stops at the next control character, so that no text is read twice.
    r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[ -/]*[0-Z\\-~]"
)
_UNESCAPED = re.compile(
    "[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")
# A model reads these, a person does not see them. Joiners and soft hyphens are not among them:
# whole scripts and emojis need those.
_INVISIBLE = re.compile(
    "[\u180e\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_BLANKS = re.compile(r"\s+")


def plain(text: str) -> str:
    """The text without control sequences, direction marks and overrides, and broken characters.

    Line ends become newlines, tabs stay. A sequence that never ends loses its introducer only, so
    that it cannot hide what follows.
    """
    if not _UNSAFE.search(text):
        return text
    text = _LINE_END.sub("\n", text)
    text = _SEQUENCE.sub("", text)
    text = _SURROGATE.sub("\ufffd", text)
    return _UNSAFE.sub("", text)


def as_json(text: str) -> str:
    """JSON of the same meaning, in which a terminal finds nothing to act on.

    JSON escapes the lower control characters only, not the upper ones and direction overrides.
    """
    return _UNESCAPED.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))


def one_line(text: str, limit: int = 200) -> str:
    """The beginning of a text on one line, for titles, names and reasons."""
    # Four times as much as is shown, since blanks and sequences shrink.
    flat = _BLANKS.sub(" ", plain(text[: limit * 4])).strip()
    cut = len(flat) > limit or len(text) > limit * 4
    return flat[: limit - 1].rstrip() + "…" if cut else flat


def invisible(text: str) -> int:
    """Number of invisible characters in a text."""
    return 0 if text.isascii() else len(_INVISIBLE.findall(text))


def invisible_words(text: str) -> str:
    """Note on the invisible characters of a text; empty if it has none."""
    number = invisible(text)
    return f"with {number:,} invisible character{'s' * (number != 1)}" if number else ""
