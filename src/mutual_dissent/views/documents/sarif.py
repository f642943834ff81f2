"""A review as SARIF 2.1.0, which code hosts show beside the lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from mutual_dissent.analysis.review.order import REFUTED, OrderedFinding
from mutual_dissent.analysis.review.report import NOT_THERE, TITLES, who, words_of_others
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.defects import SEVERITIES
from mutual_dissent.text.sanitize import as_json, plain
from mutual_dissent.views.answer import is_review
from mutual_dissent.views.panel.names import with_names
from mutual_dissent.views.review import review_of

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"critical": "error", "high": "error", "medium": "warning", "low": "note"}
SCORES = {"critical": "9.5", "high": "8.0", "medium": "5.0", "low": "2.0"}
"""Severity -> the number by which GitHub sorts alerts."""


def to_sarif(t: Transcript) -> str:
    """The findings of a review with their places. Refuted ones are there, suppressed.

    Raises:
        BadInput: if the debate is no review.
    """
    if not is_review(t):
        raise BadInput("only a review can be written as SARIF; choose another format")
    review = review_of(t)
    driver = {"name": "Mutual Dissent", "version": t.version or "0", "rules": _rules()}
    run = {
        "tool": {"driver": driver},
        "results": [_result(t, f) for f in review.findings],
        "properties": {
            "debate": t.transcript_id, "summary": review.summary, "limits": list(review.limits),
        },
        "columnKind": "unicodeCodePoints",
    }  # fmt: skip
    return as_json(json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2))


def _rules() -> list[dict[str, Any]]:
    return [
        {
            "id": f"review/{severity}",
            "shortDescription": {"text": f"A defect of {severity} severity"},
            "defaultConfiguration": {"level": LEVELS[severity]},
            "properties": {"security-severity": SCORES[severity], "tags": ["review"]},
        }
        for severity in SEVERITIES
    ]


def _result(t: Transcript, f: OrderedFinding) -> dict[str, Any]:
    fix = f"\n\nFix: {plain(f.fix)}" if f.fix else ""
    where = f"{plain(f.heading)}: " if f.heading and not f.path else ""
    doubt = (
        f"\n\n{NOT_THERE.capitalize()}, so that its line is doubtful." if f.line_doubtful else ""
    )
    said = f"{TITLES[f.standing].lower()}: {who(f)}"
    text = f"{where}{plain(f.claim)} ({said}){doubt}{fix}{''.join(_others(f))}"
    result: dict[str, Any] = {
        "ruleId": f"review/{f.severity}",
        "ruleIndex": SEVERITIES.index(f.severity),
        "level": LEVELS[f.severity],
        "message": {"text": with_names(t, text)},
        "partialFingerprints": {"finding/v1": _fingerprint(f)},
        "properties": {
            "number": f.number,
            "standing": f.standing,
            "foundBy": list(f.found_by),
            "quoted": f.quoted,
            "lineDoubtful": f.line_doubtful,
        },
    }
    if f.path:  # only names of documents under review are paths: a model cannot invent one
        place: dict[str, Any] = {"artifactLocation": {"uri": quote(f.path)}}
        if f.line:
            snippet = {"snippet": {"text": plain(f.quote)}} if f.quoted else {}
            place["region"] = {"startLine": f.line, **snippet}
        result["locations"] = [{"physicalLocation": place}]
    if f.standing == REFUTED:
        result["suppressions"] = [{"kind": "external", "justification": "refuted by the panel"}]
    return result


def _others(f: OrderedFinding) -> Iterator[str]:
    return (f"\n\n{plain(line)}" for line in words_of_others(f))


def _fingerprint(f: OrderedFinding) -> str:
    """Key by which a later run knows the same finding: its place and quote, not its words."""
    from hashlib import sha256

    what = "".join((f.quote or f.claim).split())
    return sha256(f"{f.path}\0{what}".encode("utf-8", "replace")).hexdigest()[:32]
