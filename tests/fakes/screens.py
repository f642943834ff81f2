"""A terminal that knows only what our live view may send it, and fails on anything else."""

from __future__ import annotations

import io
import re

_ALLOWED = re.compile(
    r"\x1b\[(?:(?P<style>[0-9;]*m)|(?P<up>\d+)A|(?P<erase>2?)K|\?25(?P<cursor>[lh])"
    r"|\?2026(?P<frame>[lh]))"
)


class Terminal(io.StringIO):
    """A file to write to, and what a person would then see."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = [""]
        self.row = 0
        self.cursor_shown = True
        self.in_frame = False

    def write(self, text: str) -> int:
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                found = _ALLOWED.match(text, at)
                assert found, f"the terminal was sent {text[at : at + 12]!r}"
                self._control(found)
                at = found.end()
            else:
                end = next(
                    (i for i in range(at + 1, len(text)) if text[i] in "\x1b\r\n"), len(text)
                )
                end = at + 1 if text[at] in "\r\n" else end
                self._put(text[at:end])
                at = end
        return super().write(text)

    def isatty(self) -> bool:
        return True

    @property
    def shown(self) -> str:
        """Everything on the screen."""
        return "\n".join(self.lines).rstrip("\n")

    def _control(self, found: re.Match[str]) -> None:
        if found["up"]:
            self.row = max(0, self.row - int(found["up"]))
        elif found["erase"] is not None:
            self.lines[self.row] = ""
        elif found["cursor"]:
            self.cursor_shown = found["cursor"] == "h"
        elif found["frame"]:
            self.in_frame = found["frame"] == "h"

    def _put(self, piece: str) -> None:
        if piece == "\n":
            self.row += 1
            if self.row == len(self.lines):
                self.lines.append("")
        elif piece != "\r":
            assert piece.isprintable(), f"the terminal was sent {piece!r}"
            self.lines[self.row] += piece
