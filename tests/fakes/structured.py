"""A cast that answers as vendors' models do: it fills in forms, and closes prose with the lines.

It says nothing that gives it away.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from fakes.ledgers import two_positions
from mutual_dissent.core.checks import STANCE_OF
from mutual_dissent.core.response import Ask
from mutual_dissent.core.transcript import ANALYSIS
from mutual_dissent.providers.scripted import Line, Scripted

Speech = Callable[[Ask], str]
RELATION = "partly"
"""What everyone says of everyone else, so that nothing ends early."""


def plainly(ask: Ask) -> str:
    """A word for each ask."""
    return f"on {ask.role} {ask.round_number}"


def filled(ask: Ask, says: Speech = plainly, **fields: Any) -> str:
    """The reply to an ask: prose with the lines it is to end with, or every field of the form."""
    if ask.role == ANALYSIS:
        return two_positions(ask)
    said = says(ask)
    if ask.schema is None:
        return "\n\n".join(filter(None, (said, closing_of(ask, said))))
    values: Mapping[str, Any] = {
        "position": said,
        "reasoning": f"because of {said}",
        "key_points": [f"point of {said}", f"second point of {said}"],
        "estimate": a_forecast(ask) if ask.prompt.startswith("forecast/") else "",
        "confidence": 0.7,
        "on_the_others": [
            {"label": label, "relation": RELATION, "about": "the words"} for label in ask.labels
        ],
        "changed": "nothing",
        "stance": STANCE_OF.get(ask.panelist.role or "", "for"),
        "critique": [
            {"label": label, "strengths": ["clear"], "weaknesses": ["short"]}
            for label in ask.labels
        ],
        "ranking": sorted(ask.labels, key=lambda label: ask.labels[label]),
        "questions": [f"what about {said}?"],
        "findings": [finding(said)],
        "verdicts": [
            {"label": label, "verdict": "confirm", "quote": "", "reason": said}
            for label in re.findall(r"^\[(F-[0-9A-F]{6}) \|", ask.tail, re.MULTILINE)
        ],
        "options": ["Tabs", "Spaces"],
        "criteria": [{"name": "cost", "weight": 6}, {"name": "speed", "weight": 4}],
        "weights": [{"criterion": "C1", "weight": 6}, {"criterion": "C2", "weight": 4}],
        "scores": [
            {"option": option, "criterion": criterion, "score": 3, "reason": "so"}
            for option in ("O1", "O2")
            for criterion in ("C1", "C2")
        ],
        "same": [],
        "citations": [],
        **fields,
    }
    return json.dumps({name: values[name] for name in ask.schema["properties"]})


def a_forecast(ask: Ask) -> str:
    """Another probability for each seat, with a range that holds all of them."""
    return f"{10 + 20 * (ord(ask.panelist.seat[0]) % 4)} % [1 to 99]"


def finding(said: str) -> dict[str, Any]:
    """A defect that is nowhere in particular."""
    words = {"file": "", "heading": "", "severity": "medium", "quote": "", "fix": ""}
    return {**words, "line": 0, "claim": said}


def closing_of(ask: Ask, said: str) -> str:
    """The lines that an ask in prose wants at the end, as a model would write them."""
    lines = {
        "BOTTOM LINE": f"In short, {' '.join(said.split())[:100]}",
        "CONFIDENCE": "70 %",
        "ON THE OTHERS": "; ".join(f"{label} {RELATION}: the words" for label in ask.labels),
        "CHANGED": "nothing",
    }
    return "\n".join(f"{name}: {value}" for name, value in lines.items() if asks_for(ask, name))


def asks_for(ask: Ask, name: str) -> bool:
    """Whether an ask wants that closing line."""
    return f"\n{name}: " in ask.tail


def form_fillers(*seats: str, says: Speech = plainly, **more: Callable[[Ask], Line]) -> Scripted:
    """Panelists that answer as they are asked to; `more` gives some of them a mind of their own."""
    lines: dict[str, Callable[[Ask], Line]] = dict.fromkeys(seats, lambda ask: filled(ask, says))
    return Scripted({**lines, **more})
