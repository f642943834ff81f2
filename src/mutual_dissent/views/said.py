"""What an answer says, in words that a person reads: structured ones without their JSON."""

from __future__ import annotations

from collections.abc import Iterator

from mutual_dissent.core.response import Response

MOST_LISTED = 12


def readable(r: Response) -> str:
    """An answer as Markdown: its text, then what else its form asked for."""
    return "\n\n".join(p for p in (r.text, *_further(r)) if p)


def ranked(r: Response) -> str:
    """A ballot in one line: `b > a = c`; empty where there is none."""
    return " > ".join(" = ".join(level) for level in r.ballot or ())


def _further(r: Response) -> Iterator[str]:
    if r.position is None:
        return  # the text is the whole answer as it came
    if isinstance(r.critique, dict):
        yield "\n".join(_critique(r.critique))
    if r.ballot:
        yield f"Ranking: {ranked(r)}"
    if r.questions:
        yield "\n".join(["Open questions:", "", *(f"- {q}" for q in r.questions[:MOST_LISTED])])


def _critique(critique: dict[str, object]) -> Iterator[str]:
    for seat, points in list(critique.items())[:MOST_LISTED]:
        for kind in ("strengths", "weaknesses"):
            given = points.get(kind) if isinstance(points, dict) else None
            if isinstance(given, list) and given:
                yield f"- {kind} of {seat}: {'; '.join(str(g) for g in given[:MOST_LISTED])}"
