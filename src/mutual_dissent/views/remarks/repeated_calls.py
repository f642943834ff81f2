"""Calls that were made before: an agent that gets no further makes the same one again and again."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from mutual_dissent.core.brief import Brief
from mutual_dissent.core.tool import ToolCall
from mutual_dissent.views.phrases import plural


def made_before(brief: Brief, calls: Sequence[ToolCall]) -> str:
    """Sentence on calls that were all made before in this conversation; empty if one is new."""
    if brief.client is None or not calls:
        return ""
    before = [_call(e.text) for e in brief.earlier if e.speaker == "calls"]
    times = min(sum(brief.client.same([c], [b]) for b in before) for c in calls)
    if not times:
        return ""
    often = "once" if times == 1 else plural(times, "time")
    return f"The same was called {often} before in this conversation."


def _call(text: str) -> ToolCall:
    """The call of an earlier turn, which has its name and then its arguments."""
    # A program may send half a character, which no JSON can be written with.
    name, _, given = text.encode("utf-8", "replace").decode().partition(" ")
    try:
        arguments = orjson.loads(given)
    except orjson.JSONDecodeError:
        arguments = None
    # A tool of free text has one argument, and is called with that alone.
    return ToolCall(
        name=name, arguments=arguments if isinstance(arguments, dict) else {"input": given}
    )
