"""The sheet for a person on the panel: what any panelist would read there, as plain questions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mutual_dissent.core.brief import Brief
from mutual_dissent.core.closing import RELATIONS
from mutual_dissent.core.form import ESTIMATE_WORDS, STANCES, Form
from mutual_dissent.core.response import Response
from mutual_dissent.core.step import Step, Turn
from mutual_dissent.core.transcript import PANEL_ROLES
from mutual_dissent.core.values.sheet import ANSWER, BOTTOM, AnswerSheet, SheetField, ShownText
from mutual_dissent.prompts.anonymity import told_label
from mutual_dissent.prompts.fences import WORD, Fence, labels
from mutual_dissent.prompts.library import fill

CONFIDENCE, CHANGED = "confidence", "changed"
ESTIMATE, STANCE, RANKING, QUESTIONS = "estimate", "stance", "ranking", "questions"
CHANGES = ("nothing", "detail", "yes")
ON, GOOD, BAD = "on ", "good in ", "wrong in "
"""What the names of fields about another panelist begin with."""

_GONE = "\0"
_APART = ("own_response", "other_responses", "formatted_transcript", "critiques", "question",
          "questions", "query", "structure", "verification", "dissent")  # fmt: skip
"""Blanks of a prompt that a person is shown apart from it, or asked in plain questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetMatter:
    """Request that a sheet is made from.

    Attributes:
        prompt: the prompt as it is written; `task` is the same, filled.
        blanks: what is filled into it.
        part: what the panelist is told of itself, and by the user.
        others: the labels that it is shown.
        before: its last answer.
    """

    prompt: str
    task: str
    blanks: Mapping[str, str]
    part: str
    others: tuple[str, ...]
    before: Response | None


def answer_sheet(brief: Brief, step: Step, turn: Turn, matter: SheetMatter) -> AnswerSheet:
    """The sheet of a turn."""
    quoted = Fence.of(brief.nonce, step.key(turn)).unquote(matter.task)
    blanks = {**matter.blanks, **dict.fromkeys(_APART, _GONE)}
    is_answer = turn.form is not None or step.role in PANEL_ROLES
    label = labels(brief)[turn.panelist.seat]
    return AnswerSheet(
        label=label,
        query=brief.query,
        attached=tuple(a.name for a in brief.context),
        part=matter.part.removeprefix(told_label(label)).strip(),
        task=_task(fill(matter.prompt, blanks)),
        shown=tuple(ShownText(label=label, text=text) for label, text in quoted),
        fields=(
            *_own(turn.form, matter, is_answer),
            *(_more(turn.form, matter) if is_answer else ()),
        ),
        in_form=turn.form is not None,
    )


def _task(text: str) -> str:
    """The prompt without what stands apart, and without the words that only lead to it."""
    kept: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if _GONE not in paragraph:
            kept.append(paragraph.strip())
        # "... The others said:" leads to what is shown elsewhere: that sentence goes with it.
        elif kept and kept[-1].endswith(":") and "\n" not in kept[-1]:
            kept[-1] = kept[-1].rpartition(". ")[0]
            kept[-1] += "." if kept[-1] else ""
    return "\n\n".join(p for p in kept if p)


def _own(form: Form | None, matter: SheetMatter, is_answer: bool) -> Iterator[SheetField]:
    """The answer itself and, where it is one to the query, what it comes to."""
    reviews = form is not None and form.reviews
    before = matter.before if is_answer else None
    # The answer before is filled in: a person who changes nothing need not write it again.
    whole = "" if before is None or reviews else before.reasoning or before.content
    words = "What decides it for you" if reviews else "Your answer, with your reasons"
    yield SheetField(name=ANSWER, words=words, kind="text", needed=True, value=whole)
    if not is_answer:
        return
    one = "Your answer to the query in one sentence that can stand alone"
    line = before.bottom_line if before else ""
    yield SheetField(name=BOTTOM, words=one, needed=reviews, value=line)
    if form is not None and not reviews:
        figure = "If a quantity is asked: number, unit and range, such as 75 people [50 to 100]"
        wanted = form.estimate != ESTIMATE_WORDS  # a mode that lives on figures says which
        words = form.estimate[:1].upper() + form.estimate[1:] if wanted else figure
        value = _estimate(before)
        yield SheetField(name=ESTIMATE, words=words, needed=wanted, value=value)
    sure = "How sure are you that it is right, in percent"
    share = f"{before.confidence * 100:g}" if before and before.confidence is not None else ""
    yield SheetField(name=CONFIDENCE, words=sure, kind="percent", needed=True, value=share)


def _more(form: Form | None, matter: SheetMatter) -> Iterator[SheetField]:
    """The fields on others and on the answer before, and what else the form has."""
    for label in matter.others:
        yield _choice(f"{ON}{label}", f"Your answer and that of {label}", RELATIONS)
    if matter.before:
        yield _choice(CHANGED, "What did you change since your last answer", CHANGES)
    if form is None:
        return
    if form.stance:
        yield _choice(STANCE, "For or against what the query proposes", STANCES)
    if form.critique:
        for label in matter.others:
            yield SheetField(name=f"{GOOD}{label}", words=f"What is good in {label}'s answer")
            yield SheetField(name=f"{BAD}{label}", words=f"What is wrong in {label}'s answer")
    if form.ranking:
        first = ", ".join(label.removeprefix(f"{WORD} ") for label in matter.others)
        words = f"Rank the others, best first, such as {first}"
        yield SheetField(name=RANKING, words=words, needed=True)
    if form.questions:
        yield SheetField(name=QUESTIONS, words="What is still to be asked, one question a line",
                         kind="text")  # fmt: skip


def _estimate(before: Response | None) -> str:
    closing = before.closing if before else None
    return closing.estimate.words if closing and closing.estimate else ""


def _choice(name: str, words: str, choices: tuple[str, ...]) -> SheetField:
    return SheetField(name=name, words=words, kind="choice", choices=choices, needed=True)
