"""A structured answer while it is written: its fields as prose, without the JSON."""

from __future__ import annotations

import re
from collections.abc import Callable

# "```json\n{" or "{" alone; anything else is prose.
_OPENING = re.compile(r"\s*(?:```[A-Za-z]{0,10}\s*)?(\{)?")
# "``" or "```js" may become the opening of an object.
_UNDECIDED = re.compile(r"\s*(?:`{1,3}[A-Za-z]{0,10}\s*)?")
_RUN = re.compile(r'[^"\\]+')
# "-1.5e3", "true", "null".
_SCALAR = re.compile(r"[-+.\w]+")
_AFTER = re.compile(r"[`\s]*")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\n", "b": "", "f": ""}
_UNLABELLED = frozenset({"position", "reasoning", "key_points"})
_BROKEN = "\ufffd"
_MOST_HELD = 64
"""Characters that may wait for more input; no opening and no number is longer."""

State = Callable[[str, int], int]


class Fields:
    """Takes an answer piece by piece, and returns its readable text.

    Text that is not a JSON object, or turns out not to be one, is returned unchanged.
    A state reads from a position and returns where it stopped: the same position if it needs more
    text first.
    """

    def __init__(self) -> None:
        """Start in the initial state."""
        self._state: State = self._start
        self._held = ""
        self._kept = ""  # returned if the text turns out not to be JSON
        self._out: list[str] = []
        self._stack: list[str] = []
        self._keys: list[str] = []
        self._title = ""  # of a list that may turn out to be empty
        self._half = ""  # the first half of a character that takes two escapes
        self._is_key = self._after_colon = self._wrote = False

    def feed(self, piece: str) -> str:
        """Return the readable text that the next piece adds."""
        text, at = self._held + piece, 0
        while at < len(text):
            reached = self._state(text, at)
            if reached == at:
                break
            at = reached
        self._held = text[at:]
        readable, self._out = "".join(self._out), []
        return readable

    def _start(self, text: str, at: int) -> int:
        if _UNDECIDED.fullmatch(text) and len(text) < _MOST_HELD:
            return at
        begun = _OPENING.match(text)
        if begun is None or begun[1] is None:
            return self._give_up(text, at)
        self._kept, self._stack, self._keys = begun[0], ["{"], [""]
        self._state = self._between
        return begun.end()

    def _between(self, text: str, at: int) -> int:
        """Read outside of strings: brackets, commas, colons, numbers."""
        mark = text[at]
        if mark == '"':
            self._begin_string()
        elif mark in "{[":
            self._open(mark)
        elif mark in "}]":
            self._close()
        elif mark in ":,":
            self._after_colon = mark == ":"
        elif not mark.isspace():
            return self._scalar(text, at)
        self._keep(mark)
        return at + 1

    def _begin_string(self) -> None:
        self._is_key = self._stack[-1] == "{" and not self._after_colon
        if self._is_key:
            self._keys[-1] = ""
        else:
            self._lead()
        self._state = self._string

    def _open(self, mark: str) -> None:
        if mark == "[":
            is_plain = self._keys[-1] in _UNLABELLED
            self._title = ("\n" if self._wrote else "") if is_plain else f"{self._gap}{self._name}:"
        self._stack.append(mark)
        self._keys.append("")
        self._after_colon = False

    def _close(self) -> None:
        self._stack.pop()
        self._keys.pop()
        self._title, self._after_colon = "", False
        if not self._stack:
            self._state = self._end

    def _scalar(self, text: str, at: int) -> int:
        scalar = _SCALAR.match(text, at)
        is_misplaced = self._stack[-1] == "{" and not self._after_colon
        if scalar is None or is_misplaced or len(scalar[0]) > _MOST_HELD:
            return self._give_up(text, at)
        # More digits may follow.
        if scalar.end() == len(text):
            return at
        if scalar[0] != "null":
            self._lead()
            self._out.append(scalar[0])
        self._keep(scalar[0])
        return scalar.end()

    def _string(self, text: str, at: int) -> int:
        if run := _RUN.match(text, at):
            self._say(run[0])
            return run.end()
        if text[at] == "\\":
            return self._escape(text, at)
        self._say("")
        self._after_colon = False
        self._keep(self._keys[-1] + '"' if self._is_key else "")
        self._state = self._between
        return at + 1

    def _escape(self, text: str, at: int) -> int:
        mark = text[at + 1 : at + 2]
        if not mark or (mark == "u" and len(text) < at + 6):
            return at
        if mark != "u":
            self._say(_ESCAPES.get(mark, mark))
            return at + 2
        try:
            code = chr(int(text[at + 2 : at + 6], 16))
        except ValueError:
            code = _BROKEN
        self._character(code)
        return at + 6

    def _character(self, code: str) -> None:
        """Write a character; a surrogate half waits for its other half."""
        if "\ud800" <= code < "\udc00":
            self._say("")
            self._half = code
        elif self._half and "\udc00" <= code <= "\udfff":
            whole = (self._half + code).encode("utf-16-be", "surrogatepass").decode("utf-16-be")
            self._half = ""
            self._say(whole)
        else:
            self._say(_BROKEN if "\udc00" <= code <= "\udfff" else code)

    def _say(self, text: str) -> None:
        if self._half:
            text, self._half = _BROKEN + text, ""
        if self._is_key:
            self._keys[-1] += text
        else:
            self._out.append(text)

    def _lead(self) -> None:
        """Write the lead of a value: nothing, a dash or the name of its field."""
        self._out.append(self._title)
        self._wrote = self._wrote or self._title != ""
        if self._stack[-1] == "[":
            self._out.append("\n- " if self._wrote else "- ")
        else:
            label = "" if self._keys[-1] in _UNLABELLED else f"{self._name}: "
            self._out.append(f"{self._gap}{label}")
        self._wrote, self._kept, self._title = True, "", ""

    @property
    def _name(self) -> str:
        return self._keys[-1].replace("_", " ")

    @property
    def _gap(self) -> str:
        return "" if not self._wrote else "\n\n" if len(self._stack) == 1 else "\n  "

    def _keep(self, text: str) -> None:
        if not self._wrote:
            self._kept += text

    def _give_up(self, text: str, at: int) -> int:
        """Show the text unchanged: it is not JSON."""
        self._out.append(self._kept)
        self._state = self._raw
        return self._raw(text, at)

    def _raw(self, text: str, at: int) -> int:
        self._out.append(text[at:])
        return len(text)

    def _end(self, text: str, at: int) -> int:
        """Read on after the object: drop a closing fence, show words."""
        gap = _AFTER.match(text, at)
        after = gap.end() if gap else at
        if after < len(text):
            self._out.append("\n\n")
            self._state = self._raw
        return after if after > at else self._raw(text, at)
