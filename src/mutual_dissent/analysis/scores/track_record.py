"""Debates with a known answer: the panel's first agreement, each answer, and which were right.

The answer is known by what turned out (`Resolved`), or because it was known before (experiments,
judges). What cannot be compared by value is not graded: nobody guesses.

Only first answers count, given before panelists read each other. Later agreement is partly
imitation, and the recordings that it would be compared with have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from mutual_dissent.analysis.bottom_lines import compare_lines, kind_of, takes_no_position, value_of
from mutual_dissent.analysis.scores.grades import SCORE
from mutual_dissent.analysis.scores.weights import GradedAnswer
from mutual_dissent.core.figures.forecasts import FORECAST
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import RIGHT, VERDICTS, Transcript

KNOWN_ANSWER = "known_answer"
"""The variable by which an experiment's debates carry the answer to a closed query."""

OWN_ENOUGH = 50
"""Graded debates of one kind from which on the user's own record replaces the public one."""

GOOD = 4
"""From this accuracy on, of 1 to 5, a judged answer counts as right."""

OPEN = "open"
"""The kind of an answer that is not closed."""

LONGEST_VALUE = 80
"""Characters of a value that are kept with a grade."""

Line = Callable[[Response], str | None]
"""Function that states an answer in one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """A panel whose question has a known answer.

    Attributes:
        leading: how many gave the most frequent answer.
        panel: how many took a position; different models only.
        kind: of the answer: `number`, `choice`, `yes_no`, `date` or `name`.
        right: whether the leading answer was the known one; of several that were given equally
            often, the share that was.
    """

    leading: int
    panel: int
    kind: str
    right: float


def graded_debate(t: Transcript, line: Line, known: str | None = None) -> Graded | None:
    """Grade a panel's first answers: their agreement, and whether the leading one was right.

    None if it cannot be told: no closed answers, no known answer, a judge that does not mark them,
    fewer than two different models, or a panelist that was told to argue for something else.

    Args:
        known: the right answer, if the debate itself does not state it.
    """
    if _told_what_to_say(t):
        return None
    answers = dict(_positions(t, line))
    values = {model: value_of(text, t.query) for model, (_, text) in answers.items()}
    kinds = {kind_of(text, t.query) for _, text in answers.values()}
    if len(answers) < 2 or len(kinds) != 1 or None in kinds or None in values.values():
        return None
    groups: dict[str, list[str]] = {}
    for model, value in values.items():
        groups.setdefault(str(value), []).append(model)
    most = max(map(len, groups.values()))
    rights = [_right(t, value, [answers[m] for m in models], line, known)
              for value, models in groups.items() if len(models) == most]  # fmt: skip
    if None in rights:
        return None
    share = sum(map(bool, rights)) / len(rights)
    return Graded(leading=most, panel=len(answers), kind=str(kinds.pop()), right=share)


def graded_answers(t: Transcript, line: Line) -> tuple[GradedAnswer, ...]:
    """Grade each model's first answer, as far as that can be told; empty if it cannot."""
    if _told_what_to_say(t):
        return ()
    grades = []
    for model, (response, text) in _positions(t, line):
        value = value_of(text, t.query)
        right = _right(t, value, [(response, text)], line, None)
        if right is not None:
            kind = kind_of(text, t.query) or OPEN
            said = (value or "")[:LONGEST_VALUE]
            grades.append(GradedAnswer(model=model, kind=kind, right=right, value=said))
    return tuple(grades)


def is_right(t: Transcript, line: Line) -> bool | None:
    """Return whether the debate's answer was right, as it turned out; None if that is not known."""
    if t.outcome is None or t.brief.mode == FORECAST:
        return None
    if t.outcome.outcome in VERDICTS:
        return t.outcome.outcome == RIGHT
    said = _answer_line(t, line)
    return _same(t.outcome.outcome, said, t.query) if said else None


def _told_what_to_say(t: Transcript) -> bool:
    """Return whether first answers say nothing of what models hold; forecasts are scored apart."""
    if t.brief.mode == FORECAST:
        return True
    tags = t.brief.experiment
    assigned = any(p.team or p.role == "devils-advocate" for p in t.panelists)
    return assigned or bool(tags and tags.variables.get("poisoned"))


def _positions(t: Transcript, line: Line) -> Iterator[tuple[str, tuple[Response, str]]]:
    """Model -> its first answer and its line; a model that sits twice counts once."""
    first = t.round(0)
    heard: set[str] = set()
    for response in first.usable if first else ():
        text = line(response)
        # Seats of one model are no independent voices.
        if response.model_id in heard or not text or takes_no_position(text):
            continue
        heard.add(response.model_id)
        yield response.model_id, (response, text)


def _right(
    t: Transcript,
    value: str | None,
    answers: list[tuple[Response, str]],
    line: Line,
    known: str | None,
) -> bool | None:
    """Return whether an answer is right: by value, by the user's verdict, by the judge's marks."""
    # What turned out later overrides what was thought to be known when it began.
    truth = known or _turned_out(t) or t.brief.ground_truth or _of_experiment(t)
    if (
        truth and value is not None
    ):  # of open answers, only right ones could be told: by their words
        right = _same(truth, answers[0][1], t.query)
        if right is not None:
            return right
    if t.outcome and t.outcome.outcome in VERDICTS:
        return _like_the_answer(t, value, line, right=t.outcome.outcome == RIGHT)
    marks = [good for response, _ in answers if (good := _good(response)) is not None]
    if marks:
        return marks[0] if len(set(marks)) == 1 else None
    good = _good(t.synthesis) if t.synthesis else None
    return None if good is None else _like_the_answer(t, value, line, right=good)


def _same(truth: str, said: str, query: str) -> bool | None:
    """Return whether a line says what is true, by value; None if that cannot be told."""
    for verdict in compare_lines({"known": truth, "said": said}, query).values():
        if verdict.relation in ("agree", "disagree"):
            return verdict.relation == "agree"
    return None


def _turned_out(t: Transcript) -> str | None:
    """The value that turned out to be true, if the user said one."""
    told = t.outcome.outcome if t.outcome else None
    return None if told in VERDICTS else told


def _of_experiment(t: Transcript) -> str | None:
    tags = t.brief.experiment
    known = tags.variables.get(KNOWN_ANSWER) if tags else None
    return known if isinstance(known, str) else None


def _like_the_answer(t: Transcript, value: str | None, line: Line, *, right: bool) -> bool | None:
    """Grade an answer by that of the debate; a wrong one tells nothing of other answers."""
    final = value_of(_answer_line(t, line) or "", t.query)
    if final is None or value is None:
        return None
    # That "no" was wrong makes "yes" right; that Paris was wrong says nothing of Rome.
    if final != value and not right:
        return True if {final, value} == {"yes", "no"} else None
    return right == (final == value)


def _answer_line(t: Transcript, line: Line) -> str | None:
    """The debate's answer in one sentence; without a synthesis, what most panelists say at last."""
    if t.synthesis is not None:
        return line(t.synthesis)
    last = t.last_round
    said = [text for r in (last.usable if last else ()) if (text := line(r))]
    values = [value_of(text, t.query) for text in said]
    counts = {v: values.count(v) for v in values if v is not None}
    leaders = [v for v, n in counts.items() if n == max(counts.values())]
    return said[values.index(leaders[0])] if len(leaders) == 1 else None


def _good(response: Response) -> bool | None:
    marks = response.analysis.get(SCORE)
    mark = marks.get("accuracy") if isinstance(marks, Mapping) else None
    if isinstance(mark, bool) or not isinstance(mark, int | float):
        return None
    return mark >= GOOD
