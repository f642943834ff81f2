"""Calls that were made before: an agent that gets no further makes the same one again and again."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from mutual_dissent.core.brief import Brief
from mutual_dissent.core.tool import ToolCall
from mutual_dissent.views.phrases import plural

REPEATS = 2
"""As often a call may give back the same; it is not made once more."""
LONGEST = 4_000


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


def stop_repeating(brief: Brief, calls: Sequence[ToolCall]) -> str:
    """Text in the place of a call that was made twice with the same result; empty if none was.

    A call whose results change is one that waits for something, and goes on.
    """
    client = brief.client
    if client is None or client.must_call or brief.reply or not calls:
        return ""
    results = [_results(brief, call) for call in calls]
    if not all(len(r) >= REPEATS and len({*r[-REPEATS:]}) == 1 for r in results):
        return ""
    told = "\n\n".join(
        f"{c.name}, called {plural(len(r), 'time')} with these arguments, last gave back twice "
        f"the same:\n\n{r[-1][:LONGEST]}"
        for c, r in zip(calls, results, strict=True)
    )
    return f"Stopped: the panel would make the same call once more.\n\n{told}"


def _results(brief: Brief, call: ToolCall) -> list[str]:
    """Results of the same call, in order."""
    found: list[str] = []
    waiting: list[ToolCall] = []
    for turn in brief.earlier:
        if turn.speaker == "calls":
            waiting.append(_call(turn.text))
        elif turn.speaker == "result":
            name, _, text = turn.text.partition(":\n")
            # Results of one tool come in the order of its calls.
            made = next((c for c in waiting if c.name == name), None)
            if made is not None:
                waiting.remove(made)
            if made and brief.client and brief.client.same([call], [made]):
                found.append(text)
    return found


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
