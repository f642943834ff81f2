"""A cast that fills in whatever form it is given, and says nothing that gives it away."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from mutual_dissent.core.checks import STANCE_OF
from mutual_dissent.core.response import Ask
from mutual_dissent.providers.scripted import Line, Scripted

Speech = Callable[[Ask], str]


def plainly(ask: Ask) -> str:
    """A word for each ask."""
    return f"on {ask.role} {ask.round_number}"


def filled(ask: Ask, says: Speech = plainly, **fields: Any) -> str:
    """The reply to an ask: plain text, or a JSON object with every field of the form."""
    if ask.schema is None:
        return says(ask)
    said = says(ask)
    values: Mapping[str, Any] = {
        "position": said,
        "reasoning": f"because of {said}",
        "key_points": [f"point of {said}", f"second point of {said}"],
        "confidence": 0.7,
        "stance": STANCE_OF.get(ask.panelist.role or "", "for"),
        "critique": [
            {"label": label, "strengths": ["clear"], "weaknesses": ["short"]}
            for label in ask.labels
        ],
        "ranking": sorted(ask.labels, key=lambda label: ask.labels[label]),
        "questions": [f"what about {said}?"],
        "citations": [],
        **fields,
    }
    return json.dumps({name: values[name] for name in ask.schema["properties"]})


def form_fillers(*seats: str, says: Speech = plainly, **more: Callable[[Ask], Line]) -> Scripted:
    """Panelists that answer in form; `more` gives some of them a mind of their own."""
    lines: dict[str, Callable[[Ask], Line]] = dict.fromkeys(seats, lambda ask: filled(ask, says))
    return Scripted({**lines, **more})
