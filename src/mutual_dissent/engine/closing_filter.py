"""Text of an answer that is shown while it is written: all but its closing lines.

What has been shown is always the beginning of what the answer will say once it has been read: a
line waits until it can no longer be a closing line or one that asks the user something, and blank
lines, rules and fences wait until prose follows them. What is held back at the end is in the answer
itself, which follows.
"""

from __future__ import annotations

import re

from mutual_dissent.analysis.answers.closing_lines import is_bare_share
from mutual_dissent.analysis.answers.closing_names import (
    BEGINNINGS,
    BOTTOM,
    CONFIDENCE,
    OTHERS,
    parse_closing_name,
    parse_translated_name,
)
from mutual_dissent.analysis.answers.user_questions import MARK

# Models decorate names: "**BOTTOM LINE:** yes", "- Confidence: 80 %", "### CHANGED: no".
_MARKS = re.compile(r"[\s*_#`\-•–·|]*")
# Before "NEEDED FROM THE USER"; unlike a closing line, it counts behind ">" as well.
_ASKING = re.compile(r"[\s*_`#>\-•]*")
_TITLE = "CLOSING LINES"
_BEGINNINGS = (*BEGINNINGS, MARK, _TITLE)
# 16: room for marks before the name.
_LONGEST = max(map(len, _BEGINNINGS)) + 16
# A whole line: "---", "```text", "## Closing lines:", or blank.
_NOTHING_YET = re.compile(
    r"\s*(?:[-*_=]{3,}|`{3,}\w*|~{3,}\w*|[#*\s]*closing lines\W{0,4})?\s*", re.IGNORECASE
)
# The same while it is being written: one "`" or "-" may become three.
_FENCE_BEGUN = re.compile(r"\s*(?:`{1,}\w{0,20}|~{1,}\w{0,20}|[-*_=]{1,}\s*)")
_FENCE = re.compile(r"\s{0,8}(?:`{3,}|~{3,})")
_TRANSLATED = "a translated name"
_WRAPPED = 2
"""Lines below a closing line that may still belong to it."""


class ClosingFilter:
    """Passes text on as it comes, and holds back what may be no part of the prose."""

    __slots__ = (
        "_begun", "_below", "_doubt", "_fenced", "_held", "_middle", "_name", "_waiting",
    )  # fmt: skip

    def __init__(self) -> None:
        self._middle = False  # amid a line that is being shown
        self._begun = ""  # the beginning of a line that may be anything
        self._waiting: list[str] | None = None  # a line of which nothing is shown yet
        self._below: list[str] | None = None  # lines below one, which may belong to it
        self._name = ""
        self._held: list[str] = []  # what is shown only if prose follows
        self._fenced = self._doubt = False

    def visible(self, text: str) -> str:
        """Part of the new text that may be shown."""
        if self._middle and "\n" not in text:
            return text  # amid a line, as nearly always
        *whole, rest = text.split("\n")
        found = [self._take(line, ends=True) for line in whole]
        return "".join([*found, self._take(rest, ends=False) if rest else ""])

    def _take(self, piece: str, *, ends: bool) -> str:
        if self._middle:
            self._middle = not ends
            self._held += ["\n"] * ends
            return piece
        if self._waiting is not None:
            self._waiting.append(piece)
            return self._whole() if ends else ""
        line, self._begun = self._begun + piece, ""
        if ends:
            return self._line(line)
        if self._below is not None or self._doubt or _name(line) or _asks(line):
            self._waiting = [line]  # nothing of it is shown before it is whole
            return ""
        if self._may_become(line):
            self._begun = line
            return ""
        self._middle = True
        return self._prose() + line

    def _may_become(self, line: str) -> bool:
        """Return whether the beginning of a line may still become something that is not shown."""
        if len(line) >= _LONGEST:
            return False
        bare = _MARKS.sub("", line, count=1).upper()
        asks = _ASKING.sub("", line, count=1).upper()
        begun = any(n.startswith(bare[: len(n)]) for n in _BEGINNINGS)
        asking = MARK.startswith(asks[: len(MARK)])
        return begun or asking or _FENCE_BEGUN.fullmatch(line) is not None

    def _whole(self) -> str:
        """A line that was waited for has come to its end."""
        line, self._waiting = "".join(self._waiting or ()), None
        return self._line(line)

    def _line(self, line: str) -> str:
        """Text to show of a whole line, and of the lines that were held back before it."""
        if _asks(line):
            return ""
        if self._doubt:
            return self._doubted(line)
        name = _name(line)
        if name and self._fenced:  # code, unless the block turns out to be the end
            self._doubt = True
            return self._doubted(line)
        if name == _TRANSLATED and self._below is not None and self._name == OTHERS:
            return self._beneath(line)
        if name == CONFIDENCE and (asked := parse_closing_name(line)) and is_bare_share(asked[1]):
            self._settle()
            return ""  # nothing below it belongs to it
        if name:
            self._settle()
            self._below, self._name = [line], name  # what stands below it may be a part of it
            return ""
        nothing = _NOTHING_YET.fullmatch(line) is not None
        if self._below is not None and not nothing:
            return self._beneath(line)
        self._settle()
        self._fence(line)
        if nothing:
            self._held.append(line + "\n")
            return ""
        shown = self._prose() + line
        self._held.append("\n")
        return shown

    def _beneath(self, line: str) -> str:
        """A line below a closing line: a part of it, unless there are too many."""
        assert self._below is not None
        self._below.append(line)
        if self._name == OTHERS or len(self._below) <= _WRAPPED + 1:
            return ""
        first, *rest = self._below
        self._below = [first]
        self._settle()
        shown = self._prose() + "\n".join(rest)
        self._held.append("\n")
        return shown

    def _settle(self) -> None:
        """The closing line before is whole: this stays of it where prose follows."""
        below, self._below = self._below, None
        if below is None or self._name == OTHERS:
            return
        if self._name == BOTTOM and (line := parse_closing_name(below[0])):
            below = ["\n".join([line[1], *below[1:]]).strip()]
        self._held += [f"{line}\n" for line in below]

    def _doubted(self, line: str) -> str:
        """A line after one in a block of code that looks like a closing line."""
        if not self._fenced and line.strip():
            self._doubt = False  # something follows the block: it was code
            return self._line(line)
        self._fence(line)
        self._held.append(line + "\n")
        return ""

    def _fence(self, line: str) -> None:
        if _FENCE.match(line):
            self._fenced = not self._fenced

    def _prose(self) -> str:
        """Lines that were held back until prose followed."""
        held, self._held = "".join(self._held), []
        return held


def _name(line: str) -> str:
    """The name of the closing line that a line is, or begins to be."""
    begun = line[: _LONGEST * 2]
    if asked := parse_closing_name(begun):
        return asked[0]
    return _TRANSLATED if parse_translated_name(begun) else ""


def _asks(line: str) -> bool:
    """Return whether a line asks the user something."""
    return _ASKING.sub("", line[: _LONGEST * 2], count=1).upper().startswith(MARK)
