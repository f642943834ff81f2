"""A reviewer's reply: findings and verdicts, read leniently and within bounds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from mutual_dissent.analysis.answers.closing_lines import MOST_LINE
from mutual_dissent.analysis.answers.json_in_text import MOST_TEXT, object_with, objects_in
from mutual_dissent.core.checks import NO_LIST
from mutual_dissent.core.form import Form
from mutual_dissent.core.response import Response
from mutual_dissent.core.values.defects import (
    CONFIRM,
    MOST_FINDINGS,
    OPEN,
    REFUTE,
    SEVERITIES,
    Defect,
    FindingVerdict,
)
from mutual_dissent.text.sanitize import one_line, plain

MOST_ROWS = 1_000
"""Rows of verdicts that are looked at."""

LONGEST = {"path": 300, "heading": 200, "claim": 600, "quote": 600, "fix": 1_200, "reason": 400}
"""Characters of a field that are kept."""

_SEVERITY = {
    "blocker": "critical", "severe": "critical", "p0": "critical", "security": "high",
    "major": "high", "error": "high", "serious": "high", "p1": "high", "important": "high",
    "moderate": "medium", "warning": "medium", "p2": "medium", "normal": "medium",
    "minor": "low", "info": "low", "note": "low", "nit": "low", "trivial": "low", "style": "low",
    "suggestion": "low", "p3": "low",
}  # fmt: skip
_VERDICT = {
    "confirm": CONFIRM, "confirmed": CONFIRM, "agree": CONFIRM, "true": CONFIRM, "valid": CONFIRM,
    "refute": REFUTE, "refuted": REFUTE, "disagree": REFUTE, "false": REFUTE, "invalid": REFUTE,
    "reject": REFUTE, "rejected": REFUTE,
}  # fmt: skip
_SAME = ("same_as", "sameAs", "same as", "duplicate_of", "duplicate")
_NAMES = {
    "path": ("file", "path", "document", "filename", "where", "location"),
    "line": ("line", "lines", "line_number", "start_line"),
    "heading": ("heading", "section", "paragraph"),
    "severity": ("severity", "level", "priority"),
    "claim": ("claim", "finding", "issue", "problem", "description", "message", "title"),
    "quote": ("quote", "code", "snippet", "evidence"),
    "fix": ("fix", "suggestion", "recommendation"),
}
# A path with its line: "src/a.py:12", "a.py:12-15", "a.py#L12", "a.py, line 12".
_AT_LINE = re.compile(r"^(.{1,300}?)(?::|#L|, line |\s+line\s+)(\d{1,7})(?:[-:]\d{1,7})?$")
_NUMBER = re.compile(r"\d{1,7}")
# Models drop the dash and change the case of "F-0A1B2C".
_LABEL = re.compile(r"F-?([0-9a-f]{6})\b", re.IGNORECASE)
_LEAST_CLAIM = 3


def parse_review(response: Response, form: Form) -> Response:
    """A review or a check with its list, and its verdict on the whole in a sentence."""
    found, flags = findings_in(response.content) if form.findings else ((), ())
    said = verdicts_in(response.content) if form.verdicts else ()
    if found is None or said is None:
        return replace(response, flags=(NO_LIST,))
    reply = object_with(response.content, ("position",)) or {}
    return replace(
        response,
        position=one_line(_text(reply.get("position"), MOST_LINE), MOST_LINE),
        reasoning="\n".join((*in_words(found), *_checked(said))),
        findings=found,
        verdicts=said,
        flags=flags,
    )


def findings_in(content: str) -> tuple[tuple[Defect, ...] | None, tuple[str, ...]]:
    """The findings of a reply, and what could not be kept of it; None where it has no list."""
    rows = _rows(content, "findings", ("claim", *_NAMES["claim"]))
    if rows is None:
        return None, ()
    read = [_finding(row) for row in rows[:MOST_FINDINGS]]
    found = tuple(f for f, _ in read if f)
    cut = sum(cut for _, cut in read)
    flags = []
    if len(rows) > MOST_FINDINGS:
        more = " or more" if len(content) > MOST_TEXT else ""
        over = f"{len(rows) - MOST_FINDINGS:,}{more}"
        flags.append(f"findings: {over} beyond {MOST_FINDINGS} left out")
    if unread := len(read) - len(found):
        flags.append(f"findings: {unread} not readable")
    if cut:
        flags.append(f"findings: {cut} texts cut")
    return found, tuple(flags)


def verdicts_in(content: str) -> tuple[FindingVerdict, ...] | None:
    """The verdicts of a reply, the last of each label; None where it has no list."""
    rows = _rows(content, "verdicts", ("verdict",))
    if rows is None:
        return None
    found = {v.label: v for row in rows[:MOST_ROWS] if (v := _verdict(row))}
    return tuple(found.values())


def _rows(content: str, name: str, of_row: tuple[str, ...]) -> list[Any] | None:
    """The list of that name or, where it is missing, objects that look like its rows."""
    reply = object_with(content, (name,))
    rows = reply.get(name) if reply else None
    if isinstance(rows, list):
        return rows
    loose = [o for o in objects_in(content) if any(key in o for key in of_row)]
    return loose or None


def _finding(row: object) -> tuple[Defect | None, int]:
    """One finding, and how many of its texts were cut."""
    if isinstance(row, str):
        row = {"claim": row}
    if not isinstance(row, Mapping):
        return None, 0
    said = {name: _first(row, names) for name, names in _NAMES.items()}
    texts = {n: _text(said[n], LONGEST[n]) for n in ("path", "heading", "claim", "quote", "fix")}
    if len(texts["claim"]) < _LEAST_CLAIM:
        return None, 0
    path, line = texts["path"], _line(said["line"])
    if at := _AT_LINE.match(path):
        path, line = at[1], line or int(at[2])
    cut = sum(len(str(said[n] or "")) > LONGEST[n] for n in texts)
    return Defect(
        path=path, line=line, heading=texts["heading"], severity=severity_in(said["severity"]),
        claim=" ".join(texts["claim"].split()), quote=texts["quote"], fix=texts["fix"],
    ), cut  # fmt: skip


def _verdict(row: object) -> FindingVerdict | None:
    if not isinstance(row, Mapping):
        return None
    label, same = _label(row, ("label", "finding")), _label(row, _SAME)
    if not label:
        return None
    word = str(row.get("verdict") or "").strip().strip("\"'*.").lower()
    return FindingVerdict(
        label=label,
        verdict=_VERDICT.get(word, OPEN),
        quote=_text(row.get("quote"), LONGEST["quote"]),
        reason=" ".join(_text(row.get("reason"), LONGEST["reason"]).split()),
        same_as=same if same != label else "",
    )


def _label(row: Mapping[str, Any], names: tuple[str, ...]) -> str:
    found = _LABEL.search(str(_first(row, names) or "")[:100])
    return f"F-{found[1].upper()}" if found else ""


def severity_in(value: object) -> str:
    """The severity that a word stands for; medium where it says nothing."""
    words = re.findall(r"[a-z]\w{1,20}", str(value or "").lower()[:100])
    # "High (security)": the first word that is known counts.
    known = (w if w in SEVERITIES else _SEVERITY.get(w) for w in words)
    return next((s for s in known if s), "medium")


def _first(row: Mapping[str, Any], names: tuple[str, ...]) -> object:
    return next((row[n] for n in names if row.get(n) not in (None, "")), None)


def _text(value: object, most: int) -> str:
    return plain(str(value)[:most]).strip() if isinstance(value, str | int | float) else ""


def _line(value: object) -> int | None:
    # To Python `true` is a number: it would be line 1.
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str):
        found = _NUMBER.search(value[:40])
        value = int(found[0]) if found else 0
    # The bounds also keep out NaN and infinity, which no int can be made of.
    return int(value) if 0 < value < 10_000_000 else None


def _checked(verdicts: tuple[FindingVerdict, ...]) -> Iterator[str]:
    for v in verdicts:
        same = f" (the same as {v.same_as})" if v.same_as else ""
        yield f"- {v.label}: {v.verdict}{same}{f': {v.reason}' if v.reason else ''}"


def in_words(findings: tuple[Defect, ...]) -> Iterator[str]:
    """Findings line by line, for whoever reads the answer."""
    for f in findings:
        where = f"{f.where}: " if f.where else ""
        fix = f" Fix: {f.fix}" if f.fix else ""
        yield f"- [{f.severity}] {where}{f.claim}{fix}"
