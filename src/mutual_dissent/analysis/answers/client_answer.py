"""Answers for the user's program: calls of its tools, or JSON, checked before anybody is told."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from mutual_dissent.analysis.answers.next_step import next_step
from mutual_dissent.core.closing import Closing
from mutual_dissent.core.response import REJECTED, UNUSABLE, ErrorKind, Finish, Response
from mutual_dissent.core.tool import (
    ClientTools,
    JsonReply,
    ToolCall,
    call_of,
    call_words,
)

_FENCED = re.compile(r"\s*```\w{0,10}\s*\n(.*?)\n?\s*```\s*", re.DOTALL)


def answers_in_text(tools: ClientTools, said: Response) -> bool:
    """Return whether an answer calls nothing, and need not: where JSON is wanted, it is that."""
    calls, wrong, _ = _calls(said)
    return not (calls or wrong or tools.must_call)


def json_answer(reply: JsonReply, said: Response) -> Response:
    """The final answer as the JSON that was asked for, or as one that failed for what is wrong."""
    if not said.usable:
        return said
    fenced = _FENCED.fullmatch(said.content)
    text = (fenced[1] if fenced else said.content).strip()
    wrong = reply.complaint(text)
    return _rejected(said, wrong) if wrong else replace(said, content=text)


def calling_answer(
    tools: ClientTools, said: Response, read: Callable[[Response], Response], *, final: bool
) -> Response:
    """An answer with the calls that it makes or, of a panelist, would make.

    Args:
        read: reads the closing lines of the prose that is left.
        final: whether it is the panel's answer, whose calls the program will make.
    """
    if not said.usable:
        return said
    calls, wrong, prose = _calls(said)
    # A panelist only proposes: an answer in text is one, though a tool must be called at the end.
    wrong = wrong or (tools.complaint(calls) if final or calls else "")
    found = read(replace(said, content=prose, tool_calls=()))
    if wrong and final:
        return _rejected(found, wrong)
    if wrong:
        # What it says beside a call that cannot be made is no position of its own.
        closing = replace(found.closing or Closing(), bottom_line="")
        flags = (*found.flags, f"{UNUSABLE}: {wrong}")
        return replace(found, closing=closing, content=found.content or said.content, flags=flags)
    if not calls:
        return found
    words = call_words(calls)
    closing = replace(found.closing or Closing(), bottom_line=words)
    # Whoever only names a call is still shown with a text; a final answer is as it was written.
    content = found.content if final or found.content.strip() else words
    return replace(found, calls=calls, closing=closing, content=content)


def _calls(said: Response) -> tuple[tuple[ToolCall, ...], str, str]:
    """The calls of an answer, what is wrong with them, and the prose beside them."""
    step = next_step(said.content)
    prose = step.prose if step else said.content
    if said.tool_calls:
        found = [call_of(c) for c in said.tool_calls]
        wrong = next((f for f in found if isinstance(f, str)), "")
        return tuple(f for f in found if isinstance(f, ToolCall)), wrong, prose
    return (step.calls, step.problem, prose) if step else ((), "", prose)


def _rejected(said: Response, wrong: str) -> Response:
    return replace(
        said,
        finish=Finish.FAILED,
        error=f"its answer cannot be used: {wrong}",
        error_kind=ErrorKind.BAD_RESPONSE,
        calls=(),
        flags=(*said.flags, REJECTED + wrong),
    )
