"""Next steps: the line in which an answer says which of the program's tools it would call."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import orjson

from mutual_dissent.core.tool import ToolCall

NEXT = "NEXT"
MOST_CALLS = 16
MOST_LINES = 64
"""Lines that are looked at, from the end: whoever writes thousands of them gains nothing."""
MOST_ARGUMENTS = 400_000
"""Characters after a line that are looked at for its arguments."""

_LINE = re.compile(
    r"^[ \t>*_#`\-•]{0,8}next(?: step)?[*_`]{0,3}[ \t]*:[ \t*_`]*", re.IGNORECASE | re.MULTILINE
)
_CALL = re.compile(
    r"(call(?:s|ing)?[ \t:]+)?[`*_\"']{0,3}([\w.:/-]{1,128})[`*_\"']{0,3}[ \t]*[(:]?\s*"
)
_TEXT = re.compile(r"(?:answer|reply|respond|text|none|nothing|done)\b[^\n]*", re.IGNORECASE)
_REST = re.compile(r"[ \t)`*_.]*(?:\n[ \t]*```[ \t]*(?=\n|$))?")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class NextStep:
    """Parts of an answer: its prose, and the calls that it proposes.

    `problem` says why a line that proposes something cannot be read.
    """

    prose: str
    calls: tuple[ToolCall, ...] = ()
    problem: str = ""


def next_step(text: str) -> NextStep | None:
    """The lines of an answer that say what is to be done next; None if it has none.

    Arguments may run over several lines, and stand in a block of code.
    """
    calls: list[ToolCall] = []
    kept, at, problem, found = [], 0, "", False
    for line in list(_LINE.finditer(text))[-MOST_LINES:]:
        if line.start() < at or len(calls) >= MOST_CALLS:
            continue
        read = _read(text, line.end())
        if read is None:
            continue  # a heading of its own text, such as "Next: the tests"
        call, end, wrong = read
        found, problem = True, problem or wrong
        kept.append(text[at : line.start()])
        at = end
        calls += [call] if call else []
    if not found:
        return None
    prose = re.sub(r"\n{3,}", "\n\n", "".join([*kept, text[at:]])).strip()
    return NextStep(prose, tuple(calls), problem)


def _read(text: str, at: int) -> tuple[ToolCall | None, int, str] | None:
    """One line: the call, where it ends, and what is wrong with it; None if it is no such line."""
    if said := _TEXT.match(text, at):
        return None, said.end(), ""
    named = _CALL.match(text, at)
    if named is None:
        return None
    start = named.end()
    if fence := re.compile(r"```\w*\s*").match(text, start):
        start = fence.end()
    if text[start : start + 1] != "{":
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        bare = named[1] and re.fullmatch(r"[ \t()`*_.]*", text[named.end(2) : end])
        return (ToolCall(name=named[2]), end, "") if bare else None
    try:
        _, end = _DECODER.raw_decode(text[start : start + MOST_ARGUMENTS])
        # Read once more by whoever will write it: half a character or a huge number cannot be.
        value = orjson.loads(text[start : start + end])
    except (ValueError, RecursionError):
        end = text.find("\n", at)
        wrong = f"the arguments of {named[2]} are no JSON object"
        return None, len(text) if end < 0 else end, wrong
    rest = _REST.match(text, start + end)
    return ToolCall(name=named[2], arguments=value), rest.end() if rest else start + end, ""
