"""Lookups of a panelist before it answered: the tool, its arguments, and the result."""

from __future__ import annotations

from dataclasses import dataclass

from mutual_dissent.core.codec.camel import Shape
from mutual_dissent.core.response import Response
from mutual_dissent.core.tool import Use
from mutual_dissent.text.sanitize import one_line, plain
from mutual_dissent.views.phrases import plural

SEARCHES = frozenset({"web_search", "search_web", "fact_check"})
MOST_SHOWN = 20
REFUSED = "Refused: "
"""Beginning of what a tool says that did not do what it was called for."""
LONGEST = 6_000
"""Characters of a result that programs are given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup(Shape):
    """A lookup before an answer, and its result."""

    tool: str
    arguments: str
    result: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceUsed(Shape):
    """Evidence of an answer: searches, sources, and the tools by name."""

    web_searches: int
    citations: int
    tool_calls: tuple[str, ...]


def lookup_words(r: Response) -> list[str]:
    """A line for every use: `looked up (web_search): "tabs", found: Tabs are ...`."""
    lines = [
        f"looked up ({one_line(u.name, 60)}){_asked(u)}, {_came_of(u)}" for u in r.uses[:MOST_SHOWN]
    ]
    # What was run is among the uses, with its result.
    idle = [one_line(str(c.get("name") or "unnamed"), 60) for c in r.tool_calls[:MOST_SHOWN]]
    if r.searches and not r.uses:
        lines.append(f"searched the web by its vendor, {plural(r.searches, 'time')}")
    return [*lines, *([f"called, and not run: {', '.join(idle)}"] if idle else [])]


def _asked(use: Use) -> str:
    words = one_line(_argument(use), 160)
    return f": \u201c{words}\u201d" if words else ""


def _came_of(use: Use) -> str:
    why = use.result.removeprefix(REFUSED)
    if why != use.result:
        return f"refused: {one_line(why, 160)}"
    return f"found: {one_line(use.result, 160)}"


def lookups(r: Response) -> tuple[Lookup, ...]:
    """The uses of tools for programs, with their results."""
    return tuple(
        Lookup(
            tool=one_line(u.name, 60),
            arguments=one_line(_argument(u), 400),
            result=plain(u.result[:LONGEST]),
        )
        for u in r.uses[:MOST_SHOWN]
    )


FROM_MEMORY = "(from memory)"
"""Mark of a source that its author names without having looked it up."""


def count_evidence(r: Response) -> EvidenceUsed:
    """Count the evidence of an answer."""
    names = [u.name for u in r.uses] + [str(c.get("name") or "unnamed") for c in r.tool_calls]
    return EvidenceUsed(
        web_searches=sum(n in SEARCHES for n in names) or r.searches or 0,
        citations=max(len(r.citations), r.text.count(FROM_MEMORY)),
        tool_calls=tuple(sorted({one_line(n, 60) for n in names})),
    )


def _argument(use: Use) -> str:
    """The question to a tool: most take one text."""
    arguments = use.arguments
    if len(arguments) == 1:
        return str(next(iter(arguments.values())))
    return ", ".join(f"{name}={value}" for name, value in list(arguments.items())[:8])
