"""Rankings in structured output: `"ranking": [...]` in a JSON object, alone or within text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from mutual_dissent.analysis.answers.json_in_text import whole_object
from mutual_dissent.analysis.answers.labels import Labels, Place
from mutual_dissent.analysis.answers.own_words import own_words

_FIELD = re.compile(r'"(?:final_)?ranking"\s{0,20}:\s{0,20}(?=[\["])', re.IGNORECASE)
_NUMBER = re.compile(r"^\s{0,9}#?\d{1,3}(?:st|nd|rd|th)?\s{0,3}[.):–—-]\s{0,9}")
_CHAIN = re.compile(r"\s*(?:>+|≻|,|;)\s*")
_DECODER = json.JSONDecoder(strict=False)
_NAMES = ("label", "response", "answer", "panelist", "name", "id", "candidate")
_RANKS = ("rank", "place", "position")
_LONGEST = 20_000
_MOST_FIELDS = 50
_MOST_ITEMS = 64


def json_rankings(reply: str, own: str, known: Labels) -> tuple[list[list[Place]], str]:
    """The structured rankings of a reply in its order, and its other text.

    Args:
        reply: the reply as it is: a reply that is one JSON object needs no search for quotations,
            for nothing inside its strings can pass for a field.
        own: the reply without quotations.
    """
    whole = whole_object(reply)
    if whole is not None:
        places = _read(whole.get("ranking", whole.get("final_ranking")), known)
        return ([places] if places else []), _own_strings(whole)
    # Only the last ranking counts in the end, so that of many fields the first are dropped.
    spans = list(_FIELD.finditer(own))[-_MOST_FIELDS:]
    values = (_value(own[m.end() : m.end() + _LONGEST]) for m in spans)
    rankings = [places for value in values if (places := _read(value, known))]
    return rankings, own


def _own_strings(fields: Mapping[str, Any]) -> str:
    """Text of an object's string values, quotations left out."""
    return own_words("\n\n".join(v for v in fields.values() if isinstance(v, str)))


def _value(text: str) -> object:
    try:
        return _DECODER.raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def _read(value: object, known: Labels) -> list[Place]:
    """A ranking, if a value is one and names at least one answer that was shown."""
    if isinstance(value, str):
        # A string where a list was asked for: "C > A = B".
        value = [part.split("=") for part in _CHAIN.split(value[:_LONGEST])]
    if not isinstance(value, list):
        return []
    places = [_place(item, known) for item in _in_order(value[:_MOST_ITEMS])]
    return places if any(label for place in places for label in place) else []


def _in_order(items: list[object]) -> list[object]:
    """The items, by their ranks if all of them say theirs."""
    ranks = [_rank(item) for item in items]
    # Ranks on some items only leave the order of the list.
    if not items or None in ranks:
        return items
    levels: dict[float, list[object]] = {}
    for rank, item in zip(ranks, items, strict=True):
        levels.setdefault(rank or 0.0, []).append(item)
    return [levels[r] for r in sorted(levels)]


def _rank(item: object) -> float | None:
    if not isinstance(item, dict):
        return None
    ranks = (item.get(name) for name in _RANKS)
    return next((float(r) for r in ranks if isinstance(r, int) and abs(r) < 1000), None)


def _place(item: object, known: Labels) -> Place:
    """The labels of one item: a label, several that share the place, or an object with one."""
    if isinstance(item, list):
        return [label for part in item[:_MOST_ITEMS] for label in _flat(part, known)]
    return _flat(item, known)


def _flat(item: object, known: Labels) -> Place:
    if isinstance(item, dict):
        item = next((item[n] for n in _NAMES if isinstance(item.get(n), str)), None)
    if not isinstance(item, str):
        return [None]
    text = _NUMBER.sub("", item[:1_000])
    label = known.read(text, anything=True)
    return [label] if label else known.place(text) or [None]
