"""Grading: the judge's questions about a finished debate, and the marks in its replies."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from math import isfinite
from typing import Any

from mutual_dissent.analysis.answers.own_words import last_code, own_object, without_code
from mutual_dissent.core.brief import Rubric
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.response import SYNTHESIS_ROUND, Response
from mutual_dissent.core.sight import only
from mutual_dissent.core.step import Need, Script, Step, Turn
from mutual_dissent.core.transcript import Transcript

SCORE = "ground_truth_score"
EXPLANATION = "explanation"
# Bounded, so that a line of blanks takes no time worth mentioning.
_LINE = re.compile(r"^[\s*#>\-]*([^\W\d_][\w \-]{0,80}?)[\s*]{0,20}[:=](.*)$")
# "4", "4/5", "4.0 out of 5", "4. Good"; "4.5" is no mark of the form, and is not rounded.
_MARK = re.compile(r"^([1-5])(?:\.0+)?(?:\s*(?:/|out of)\s*5)?(?![.,]?\d)")


def script(so_far: Transcript) -> Script:
    """Ask the judge about the synthesis and, on request, about every answer of the panel."""
    brief = so_far.brief
    if brief.judge is None or not brief.ground_truth:
        return
    judge = brief.judge
    turns = tuple(_turn(judge, key, r, brief.rubric) for key, r in subjects(so_far))
    if turns:
        # A judge that cannot be asked does not undo the answer.
        yield Step(turns=turns, role="judge", round_number=SYNTHESIS_ROUND, need=Need.NOTHING)


def subjects(so_far: Transcript) -> list[tuple[str, Response]]:
    """Key and response of everything that is to be scored."""
    turns = {id(r) for r in so_far.turns()}
    return [
        (key, r)
        for key, r in so_far.responses()
        if r.usable
        and (
            (r.role == "synthesis" and r is so_far.synthesis)
            or (so_far.brief.score == "all" and id(r) in turns)
        )
    ]


def score(reply: Response, brief_rubric: Rubric, *, judge_is_synthesizer: bool) -> dict[str, Any]:
    """Marks of a judge's reply, by dimension; an unreadable mark is None, never invented."""
    names = {d: _name(d) for d in brief_rubric.dimensions}
    read = _read(reply.content, list(names.values())) if reply.usable else {}
    marks = {d: _mark(read.get(n)) for d, n in names.items()}
    return {
        **marks,
        "explanation": read.get(EXPLANATION) or None,
        "judge": reply.model_alias,
        "judge_is_synthesizer": judge_is_synthesizer,
        "raw": reply.content if reply.usable else (reply.error or ""),
    }


def mean_mark(fields: Mapping[str, Any]) -> float | None:
    """The mean of a judge's marks, over the dimensions that could be read."""
    marks = [v for v in fields.values() if isinstance(v, int | float) and not isinstance(v, bool)]
    known = [float(m) for m in marks if isfinite(m)]
    return round(sum(known) / len(known), 4) if known else None


def _turn(judge: Panelist, key: str, subject: Response, rubric: Rubric) -> Turn:
    dimensions = "\n".join(f"- {d}: {meaning}" for d, meaning in rubric.dimensions.items())
    form = "\n".join(f"{_name(d).upper()}: <1 to 5>" for d in rubric.dimensions)
    return Turn(
        panelist=judge,
        prompt="common/judge",
        sees=only(subject),
        about=key,
        blanks={"dimensions": dimensions, "form": f"{form}\nEXPLANATION: <1 to 3 sentences>"},
    )


def _read(reply: str, names: Collection[str]) -> dict[str, str]:
    """Fields in the judge's own words: marks in quotations or in code are another author's.

    Without any such marks, the code block that ends the reply counts, if the form is complete.
    """
    own = own_object(reply)
    fields = _fields(without_code(own), names)
    if any(_mark(fields.get(n)) for n in names):
        return fields
    coded = _fields(last_code(own), names)
    if all(_mark(coded.get(n)) for n in names) and EXPLANATION in coded:
        return coded
    return _json_fields(own, names) or fields


def _fields(text: str, names: Collection[str]) -> dict[str, str]:
    """The `NAME: value` lines of a text, the last of each name; an explanation runs on to the end.

    Text after a complete form belongs to its explanation, unless it is a complete form as well.
    """
    forms: list[dict[str, list[str]]] = [{}]
    name = ""
    for line in text.splitlines():
        match = _LINE.match(line)
        if match and (new := _name(match[1])) in (*names, EXPLANATION):
            # An explanation ends a form: a mark after it begins the next.
            if EXPLANATION in forms[-1]:
                forms.append({})
            name = new
            forms[-1][name] = [match[2].strip(" \t*")]
        elif name == EXPLANATION and line.strip():
            forms[-1][name].append(line.strip())
    complete = [f for f in forms if {*names, EXPLANATION} <= set(f)]
    merged = {name: lines for form in forms for name, lines in form.items()}
    return {name: " ".join(lines) for name, lines in (complete or [merged])[-1].items()}


def _json_fields(reply: str, names: Collection[str]) -> dict[str, str]:
    """Fields of the last JSON object with a dimension; empty if there is no such object."""
    from mutual_dissent.analysis.answers.json_in_text import objects_in

    last: dict[str, str] = {}
    for value in objects_in(reply):
        fields = {_name(k): str(v) for k, v in _flat(value) if isinstance(v, str | int | float)}
        last = fields if any(n in fields for n in names) else last
    return last


def _flat(value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The fields of an object and of those in it: `{"scores": {"accuracy": 4}}`."""
    for name, inner in value.items():
        yield from inner.items() if isinstance(inner, dict) else [(name, inner)]


def _mark(text: str | None) -> int | None:
    match = _MARK.match((text or "").strip())
    return int(match[1]) if match else None


def _name(dimension: str) -> str:
    return re.sub(r"[\s_\-]+", "_", dimension.strip().lower())
