"""The analyst: its question about a finished debate, and when it is asked at all."""

from __future__ import annotations

from typing import Any

from mutual_dissent.analysis.ledger.entries import EARLIER_RELATIONS, FATES
from mutual_dissent.core.figures.lead import is_closed
from mutual_dissent.core.panel import EMBEDDED, Panelist
from mutual_dissent.core.response import SYNTHESIS_ROUND, Response
from mutual_dissent.core.sight import Names, Seen
from mutual_dissent.core.step import Need, Script, Step, Turn
from mutual_dissent.core.transcript import ANALYSIS, Transcript

PROMPT = "common/ledger"
FEWEST_ANSWERS = 2
FIELDS = ("positions", "contested", "common_ground", "minority", "corrections", "missing")
"""The fields of its reply."""

CAST = ("positions", "contested")
"""The fields of which a reply has to have at least one to be one."""


def script(so_far: Transcript) -> Script:
    """Ask the analyst once, if there is a synthesis and there are answers to compare."""
    analyst = so_far.brief.analyst
    # No embedded model is fit to judge a debate.
    if analyst and analyst.route.vendor != EMBEDDED and is_readable(so_far):
        yield question(analyst, earlier=so_far.brief.attached is not None)


def is_readable(so_far: Transcript) -> bool:
    """Return whether an analyst can read the debate: it needs a synthesis and two answers."""
    return so_far.synthesis is not None and len(last_answers(so_far)) >= FEWEST_ANSWERS


def is_needless(so_far: Transcript) -> bool:
    """Return whether nothing is left to be found: all gave one closed answer, which was chosen."""
    final = so_far.synthesis
    return bool(final and final.chosen) and is_closed(so_far, tuple(last_answers(so_far)))


def question(analyst: Panelist, *, earlier: bool = False) -> Step:
    """The step that asks the analyst; with `earlier`, also about the answer of an attached debate.

    The prompt for that is added when the request is composed.
    """
    turn = Turn(
        panelist=analyst,
        prompt=PROMPT,
        sees=last_words,
        schema=schema(earlier=earlier),
        checks=(has_ledger,),
    )
    # Nothing waits for it: without a reading the answer stands, with a ledger of closing lines
    # alone.
    return Step(turns=(turn,), role=ANALYSIS, round_number=SYNTHESIS_ROUND, need=Need.NOTHING)


def last_words(so_far: Transcript, reader: Panelist) -> Seen:
    """The last answer of every panelist and the synthesis; without names, with nothing attached."""
    return Seen(
        names=Names.LETTERS,
        whole=True,
        others=tuple(last_answers(so_far).values()),
        before=_earlier_answers(so_far),
        critiques=tuple(_last_reviews(so_far).values()),
        subject=so_far.synthesis,
    )


def last_answers(so_far: Transcript) -> dict[str, Response]:
    """Seat -> its last answer to the query, for every seat that answered."""
    answers = ((p.seat, so_far.latest_of(p.seat)) for p in so_far.panelists)
    return {seat: answer for seat, answer in answers if answer and answer.text.strip()}


def _earlier_answers(so_far: Transcript) -> dict[str, tuple[Response, ...]]:
    """Seat -> its answers but the last: a mistake may have been given up long before the end."""
    return {
        seat: tuple(
            r for r in so_far.turns()
            if r.model_alias == seat and r.usable and r.round_number < last.round_number
        )
        for seat, last in last_answers(so_far).items()
    }  # fmt: skip


def texts_by_seat(so_far: Transcript) -> dict[str, tuple[str, ...]]:
    """Seat -> its texts that the analyst was shown: its quotes must be in them."""
    reviews = _last_reviews(so_far)
    shown = {seat: [answer] for seat, answer in last_answers(so_far).items()}
    for seat, review in reviews.items():
        shown.setdefault(seat, []).append(review)
    return {seat: tuple(t for r in answer for t in _texts(r)) for seat, answer in shown.items()}


def has_ledger(response: Response, _: Panelist) -> str | None:
    """A reply is one JSON object with the fields that were asked for."""
    from mutual_dissent.analysis.answers.json_in_text import object_with

    if object_with(response.content, CAST) is not None:
        return None
    return "it holds no JSON object with the fields that were asked for"


def schema(*, earlier: bool = False) -> dict[str, Any]:
    """The reply as a JSON schema that every vendor accepts: all fields required, no extra ones."""
    text: dict[str, Any] = {"type": "string"}
    texts = _list(text)
    quote = _object({"panelist": text, "text": text})
    side = _object({"statement": text, "holders": texts, "quote": quote})
    fate = {"type": "string", "enum": list(FATES)}
    correction = {
        "panelist": text,
        "before": text,
        "after": text,
        "reason": text,
        "because_of": texts,
    }
    lists = (
        _object({"statement": text, "holders": texts}),
        _object({"question": text, "sides": _list(side)}),
        _object({"statement": text, "quotes": _list(quote)}),
        _object({"claim": text, "holders": texts, "quote": quote, "fate": fate}),
        _object(correction),
        text,
    )
    fields = {name: _list(of) for name, of in zip(FIELDS, lists, strict=True)}
    if earlier:
        relation = {"type": "string", "enum": list(EARLIER_RELATIONS)}
        fields["earlier"] = _object(
            {"relation": relation, "before": text, "now": text, "reason": text}
        )
    return _object(fields)


def _last_reviews(so_far: Transcript) -> dict[str, Response]:
    """Seat -> its review of the other answers, if the last round was a review.

    In earlier versions every reviewer had letters of its own. Its "A" would be read as another
    panelist, so such reviews are left out.
    """
    last = so_far.last_round
    if last is None or last.round_type != "evaluation" or not _one_set_of_letters(so_far):
        return {}
    return {r.model_alias: r for r in last.usable}


def _one_set_of_letters(so_far: Transcript) -> bool:
    """Return whether a letter meant the same panelist to all readers of a debate."""
    # A letter that stood for two seats is in two pairs: there are fewer letters than pairs then.
    shown = {pair for labels in so_far.labels.values() for pair in labels.items()}
    return len({label for label, _ in shown}) == len(shown)


def _texts(answer: Response) -> list[str]:
    """Parts of an answer, as its readers are shown them."""
    closing = answer.closing.raw if answer.closing else ""
    points = [
        str(point)
        for critique in (answer.critique or {}).values()
        if isinstance(critique, dict)
        for side in critique.values()
        for point in (side if isinstance(side, list) else [side])
    ]
    return [t for t in (answer.text, answer.content, answer.bottom_line, closing, *points) if t]


def _list(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of}


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }
