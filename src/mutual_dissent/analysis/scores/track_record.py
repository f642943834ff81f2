"""Debates with a known answer: the panel's first agreement, and whether it was right.

Only first answers count, given before panelists read each other. Later agreement is partly
imitation, and the recordings that it would be compared with have none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from mutual_dissent.analysis.bottom_lines import compare_lines, kind_of, takes_no_position, value_of
from mutual_dissent.analysis.scores.chance_table import Graded
from mutual_dissent.analysis.scores.grades import SCORE
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript

KNOWN_ANSWER = "known_answer"
"""The variable by which an experiment's debates carry the answer to a closed query."""

GOOD = 4
"""From this accuracy on, of 1 to 5, a judged answer counts as right."""

Line = Callable[[Response], str | None]
"""Function that states an answer in one sentence."""


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


def _told_what_to_say(t: Transcript) -> bool:
    tags = t.brief.experiment
    assigned = any(p.team or p.role == "devils-advocate" for p in t.panelists)
    return assigned or bool(tags and tags.variables.get("poisoned"))


def _positions(t: Transcript, line: Line) -> Iterator[tuple[str, tuple[Response, str]]]:
    """Model -> its first answer and its line; a model that sits twice counts once."""
    first = t.round(0)
    heard: set[str] = set()
    for response in first.usable if first else ():
        text = line(response)
        if response.model_id in heard or not text or takes_no_position(text):
            continue
        heard.add(response.model_id)
        yield response.model_id, (response, text)


def _right(
    t: Transcript, value: str, answers: list[tuple[Response, str]], line: Line, known: str | None
) -> bool | None:
    """Return whether an answer is the known one: by value, else by the judge's marks."""
    truth = known or t.brief.ground_truth or _of_experiment(t)
    verdicts = compare_lines({"known": truth, "said": answers[0][1]}, t.query) if truth else {}
    for verdict in verdicts.values():
        if verdict.relation in ("agree", "disagree"):
            return verdict.relation == "agree"
    marks = [good for response, _ in answers if (good := _good(response)) is not None]
    if marks:
        return marks[0] if len(set(marks)) == 1 else None
    return _by_synthesis(t, value, line)


def _of_experiment(t: Transcript) -> str | None:
    tags = t.brief.experiment
    known = tags.variables.get(KNOWN_ANSWER) if tags else None
    return known if isinstance(known, str) else None


def _by_synthesis(t: Transcript, value: str, line: Line) -> bool | None:
    """Grade an answer by the scored synthesis; a wrong one tells nothing of other answers."""
    if t.synthesis is None or (good := _good(t.synthesis)) is None:
        return None
    final = value_of(line(t.synthesis) or "", t.query)
    if final is None:
        return None
    return good if final == value else (False if good else None)


def _good(response: Response) -> bool | None:
    marks = response.analysis.get(SCORE)
    mark = marks.get("accuracy") if isinstance(marks, Mapping) else None
    if isinstance(mark, bool) or not isinstance(mark, int | float):
        return None
    return mark >= GOOD
