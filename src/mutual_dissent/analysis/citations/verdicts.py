"""Verdicts on citations: by the words of the page where those decide, else by the analyst.

The analyst has to quote the passage: a quote that is not in it makes its verdict none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mutual_dissent.analysis.answers.json_in_text import object_with
from mutual_dissent.analysis.answers.verbatim import is_in
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.citation import (
    ABSENT,
    CITATIONS,
    CONTRADICTS,
    FOREIGN,
    NOT_CHECKED,
    NOT_FOUND,
    NOT_JUDGED,
    NOT_REACHABLE,
    READ,
    SUPPORTS,
    UNREACHED,
    UNREAD,
    VERBATIM,
    CheckedCitation,
    CitedPassage,
)

ASKED = (SUPPORTS, CONTRADICTS, NOT_FOUND)
BY_STATE = {
    VERBATIM: SUPPORTS,
    ABSENT: NOT_FOUND,
    UNREACHED: NOT_REACHABLE,
    UNREAD: NOT_CHECKED,
    FOREIGN: NOT_JUDGED,
}
NOBODY = "nobody was asked whether the passage says so"
UNUSABLE = "the analyst gave no verdict with words of the passage"


def to_judge(t: Transcript) -> list[tuple[int, CitedPassage]]:
    """Citations that somebody has to judge, with their numbers."""
    return [(n, c) for n, c in enumerate(t.cited, 1) if c.state == READ]


def checked_citations(t: Transcript) -> tuple[CheckedCitation, ...]:
    """Every citation that was checked, and how it fared."""
    reply = next((a for a in reversed(t.asides) if a.role == CITATIONS and a.usable), None)
    said = judgements(reply) if reply else {}
    return tuple(_checked(n, c, reply, said) for n, c in enumerate(t.cited, 1))


def judgements(reply: Response) -> dict[int, tuple[str, str]]:
    """Number -> verdict and quote, as far as a reply can be read."""
    found = object_with(reply.content, (CITATIONS,)) or {}
    rows = found.get(CITATIONS)
    said: dict[int, tuple[str, str]] = {}
    for row in rows if isinstance(rows, list) else ():
        number = row.get("number") if isinstance(row, Mapping) else None
        if isinstance(number, int) and not isinstance(number, bool):
            said.setdefault(number, (_verdict(row), str(row.get("quote") or "")))
    return said


def schema() -> dict[str, Any]:
    """The reply as a JSON schema."""
    row = {
        "number": {"type": "integer"},
        "verdict": {"type": "string", "enum": list(ASKED)},
        "quote": {"type": "string"},
    }
    rows = {"type": "array", "items": _object(row)}
    return _object({CITATIONS: rows})


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def _verdict(row: Mapping[str, Any]) -> str:
    return " ".join(str(row.get("verdict") or "").replace("_", " ").lower().split())


def _checked(
    number: int, c: CitedPassage, reply: Response | None, said: Mapping[int, tuple[str, str]]
) -> CheckedCitation:
    verdict, reason, by, words = BY_STATE.get(c.state, NOT_JUDGED), c.reason, "", ""
    if c.state == READ:
        told, quote = said.get(number, ("", ""))
        reason = UNUSABLE if reply else NOBODY
        if told == NOT_FOUND or (told in ASKED and is_in(quote, [c.passage])):
            verdict, reason, by = told, "", reply.model_alias if reply else ""
            words = "" if told == NOT_FOUND else quote
    return CheckedCitation(
        number=number, url=c.cited.url, title=c.cited.title, claim=c.cited.claim,
        in_answer=c.cited.in_answer, cited_by=c.cited.seats, verdict=verdict, passage=c.passage,
        quote=words, reason=reason, judged_by=by,
    )  # fmt: skip
