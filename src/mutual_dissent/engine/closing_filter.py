"""What is shown of an answer while it is being written: all but its closing lines."""

from __future__ import annotations

import re

from mutual_dissent.analysis.closing_lines import NAMES

_MARKS = re.compile(r"[\s*_#`\-•–·|]*")
_LONGEST = max(map(len, NAMES)) + 16


class ClosingFilter:
    """Passes text on as it comes, and drops the lines that begin with a closing line's name.

    The beginning of a line waits until it can no longer become such a name. What is held back at
    the end is in the answer itself, which follows.
    """

    __slots__ = ("_dropping", "_held")

    def __init__(self) -> None:
        self._held: str | None = ""
        self._dropping = False

    def shown(self, text: str) -> str:
        """What of the text that has just come may be shown."""
        if self._held is None and not self._dropping and "\n" not in text:
            return text  # amid a line, as nearly always
        return "".join(self._line(piece) for piece in text.splitlines(keepends=True))

    def _line(self, piece: str) -> str:
        ends = piece.endswith("\n")
        if self._held is None:
            shown = "" if self._dropping else piece
        else:
            shown = self._begun(self._held + piece, ends=ends)
        if ends:
            self._held, self._dropping = "", False
        return shown

    def _begun(self, line: str, *, ends: bool) -> str:
        """What is shown of a line of which only the beginning may be known."""
        bare = _MARKS.sub("", line, count=1).upper()
        begun = [n for n in NAMES if n.startswith(bare[: len(n)])]
        if any(bare.startswith(n) and _is_name(bare[len(n) :]) for n in NAMES):
            self._held, self._dropping = None, True
            return ""
        if begun and not ends and len(line) < _LONGEST:
            self._held = line
            return ""
        self._held = None
        return line


def _is_name(rest: str) -> bool:
    """Whether what follows a name makes it one: a colon, after marks at most."""
    return rest.lstrip("*_` ")[:1] in {":", "："}
