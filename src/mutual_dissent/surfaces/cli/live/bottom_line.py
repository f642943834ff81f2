"""The last line of a terminal, for what changes while the user types above it."""

from __future__ import annotations

import os
from contextlib import suppress

from rich.console import Console

LEAST_ROWS = 6
SAVE, RESTORE = "\x1b7", "\x1b8"


class BottomLine:
    """Keeps the last row out of what scrolls, and writes there; typing and wrapping go on above.

    On a terminal that does not say how high it is, or cannot do that, nothing is written.
    """

    def __init__(self, console: Console) -> None:
        """Write on the terminal that `console` draws on."""
        self._console = console
        self._rows = 0

    @property
    def is_open(self) -> bool:
        """Return whether a line can be shown."""
        return self._rows > 0

    def show(self, text: str) -> None:
        """Write the line, at its new place if the window was resized.

        When it is written first, the cursor has to be at the beginning of a line.
        """
        rows, columns = self._size()
        if rows != self._rows:
            self.close()
            self._open(rows)
        if self._rows:
            self._write(f"{SAVE}\x1b[{rows};1H\x1b[2K{text[: columns - 1]}{RESTORE}")

    def close(self) -> None:
        """Give the row back."""
        if self._rows:
            self._write(f"{SAVE}\x1b[r\x1b[{self._rows};1H\x1b[2K{RESTORE}")
        self._rows = 0

    def _open(self, rows: int) -> None:
        if rows >= LEAST_ROWS:
            # The line feed makes room where the cursor is in the last row. Setting what scrolls
            # moves the cursor, so it is put back.
            self._write(f"\n{SAVE}\x1b[1;{rows - 1}r{RESTORE}\x1b[1A")
            self._rows = rows

    def _size(self) -> tuple[int, int]:
        able = self._console.is_terminal and not self._console.is_dumb_terminal
        if able and not self._console.legacy_windows:
            with suppress(OSError, ValueError):
                found = os.get_terminal_size(self._console.file.fileno())
                return found.lines, found.columns
        return 0, 0

    def _write(self, codes: str) -> None:
        with suppress(OSError, ValueError):
            self._console.file.write(codes)
            self._console.file.flush()
