"""Structure: the fields of an answer, from JSON or salvaged from text. Nothing is ever invented."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mutual_dissent.analysis.answers.closing_lines import (
    MOST_ABOUT,
    MOST_LINE,
    change_in,
    closing_lines,
    estimate_in,
    one_line,
    relation_in,
    share_in,
    views_in,
)
from mutual_dissent.analysis.answers.json_in_text import MOST_TEXT, objects_in
from mutual_dissent.analysis.answers.labels import KnownLabels
from mutual_dissent.analysis.answers.own_words import own_object
from mutual_dissent.analysis.decision.reply import matrix_in
from mutual_dissent.core.closing import Closing, View
from mutual_dissent.core.form import MOST_POINTS, STANCES, Form
from mutual_dissent.core.response import Citation, Response

MOST_ITEMS = 50
_NAMES = "position|reasoning|key[ _]points?|confidence|stance|questions"
_FIELD = re.compile(rf"^[\s>*#_\-]{{0,9}}({_NAMES})[\s*_]{{0,9}}:[\s*_]{{0,9}}(.*)$", re.IGNORECASE)


def parse_structure(response: Response, form: Form, labels: Mapping[str, str]) -> Response:
    """The response with the fields that its content states; missing fields are flagged.

    Args:
        labels: label -> seat, as this panelist was shown them.
    """
    if not response.usable:
        return response
    own = own_object(response.content)
    answers = [o for o in objects_in(own) if "position" in o or "ranking" in o]
    # The last one counts, as of closing lines and ballots.
    reply = answers[-1] if answers else _named_fields(own)
    fields: dict[str, Any] = {
        "position": _text(reply.get("position")),
        "reasoning": _text(reply.get("reasoning")),
        "key_points": _texts(reply.get("key_points"))[:MOST_POINTS],
        "confidence": _confidence(reply.get("confidence")),
    }
    if form.stance:
        fields["stance"] = _stance(reply.get("stance"))
    if form.questions:
        fields["questions"] = _texts(reply.get("questions"))
    if form.critique:
        fields["critique"] = _critique(reply.get("critique"), labels)
    if form.options or form.scores:
        fields["matrix"] = matrix_in(reply, form)
    citations = (*response.citations, *_citations(reply.get("citations")))
    missing = [f"{name}: not readable" for name, value in fields.items() if not value]
    closing = _closing(reply, response, labels)
    if fields["position"] is None and closing and closing.bottom_line:
        fields["position"] = closing.bottom_line
    elif reply.get("position") == "" and (fields["reasoning"] or fields["key_points"]):
        fields["position"] = ""  # it says that it takes none
        missing.remove("position: not readable")
    return replace(
        response,
        **fields,
        closing=closing,
        citations=tuple(dict.fromkeys(citations)),
        flags=tuple(missing),
    )


def _closing(
    fields: Mapping[str, Any], response: Response, labels: Mapping[str, str]
) -> Closing | None:
    """Closing fields of the form (estimate, views, change); of plain text, its closing lines."""
    # Prose in place of a form ends with closing lines, if with anything.
    # Its CONFIDENCE looks like a field of the form.
    if not fields or not {"position", "ranking"} & fields.keys():
        read = closing_lines(response.content, labels, response.model_alias)
        if not fields or (read and read.closing.bottom_line):
            return read.closing if read else None
    known, own = KnownLabels(labels), response.model_alias
    changed = fields.get("changed")
    return Closing(
        bottom_line=one_line(_text(fields.get("position")) or "", MOST_LINE),
        estimate=estimate_in(str(fields.get("estimate") or "")),
        views=_views(fields.get("on_the_others"), known, own),
        change=change_in(changed, known, own) if isinstance(changed, str) else None,
    )


def _views(value: object, known: KnownLabels, own: str) -> tuple[View, ...]:
    """The views of a form: a list of objects, or the closing line that they stand for."""
    if isinstance(value, str):
        return views_in(value, known, own)
    views: dict[str, View] = {}
    for item in value[:MOST_ITEMS] if isinstance(value, list) else []:
        if isinstance(item, str):
            views.update({v.seat: v for v in views_in(item, known, own)})
            continue
        seat = known.seat(item.get("label")) if isinstance(item, dict) else None
        relation = relation_in(str(item.get("relation") or "")) if isinstance(item, dict) else None
        if seat and seat != own and relation:
            about = one_line(str(item.get("about") or ""), MOST_ABOUT)
            views[seat] = View(seat=seat, relation=relation, about=about)
    return tuple(views.values())


def _named_fields(text: str) -> dict[str, Any]:
    """Read `NAME: value` lines as fields; a value runs on until the next name."""
    fields: dict[str, Any] = {}
    name = ""
    for line in text[:MOST_TEXT].splitlines():
        if match := _FIELD.match(line):
            name = match[1].lower().replace(" ", "_")
            name = "key_points" if name == "key_point" else name
            fields[name] = match[2]
        elif name and line.strip():
            fields[name] = f"{fields[name]}\n{line.strip()}".strip()
    for plural in ("key_points", "questions"):
        if plural in fields:
            fields[plural] = [re.sub(r"^[\s\-*•\d.)]+", "", x) for x in fields[plural].splitlines()]
    return fields


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(v.strip() for v in value[:MOST_ITEMS] if isinstance(v, str) and v.strip())


def _confidence(value: object) -> float | None:
    """A number from 0 to 1, also written as a percentage; anything else is not one."""
    if isinstance(value, str):
        return share_in(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # As text, so that 0.8 and 80 are told apart in one place.
    return share_in(f"{value:.6f}")


def _stance(value: object) -> str | None:
    word = value.strip().strip("\"'*.").lower() if isinstance(value, str) else ""
    return word if word in STANCES else None


def _critique(value: object, labels: Mapping[str, str]) -> dict[str, Any] | None:
    """Seat -> strengths and weaknesses, for the answers that were shown."""
    if not isinstance(value, list):
        return None
    critiques, known = {}, KnownLabels(labels)
    for item in value[:MOST_ITEMS]:
        if isinstance(item, dict) and (seat := known.seat(item.get("label"))):
            strengths, weaknesses = _texts(item.get("strengths")), _texts(item.get("weaknesses"))
            critiques[seat] = {"strengths": list(strengths), "weaknesses": list(weaknesses)}
    return critiques or None


def _citations(value: object) -> list[Citation]:
    if not isinstance(value, list):
        return []
    return [
        Citation(url=c["url"], title=str(c.get("title") or "")[:300])
        for c in value[:MOST_ITEMS]
        if isinstance(c, dict)
        and isinstance(c.get("url"), str)
        and c["url"].startswith(("http://", "https://"))
        and len(c["url"]) < 2000
    ]
