"""The answer sheet: a request as a person reads it, and the plain questions that it is put in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from mutual_dissent.core.codec.camel import Shape

FieldKind = Literal["text", "line", "percent", "choice"]

ANSWER, BOTTOM = "answer", "bottom_line"
"""The names of the two fields that every answer to a query has."""

MOST_TEXT, MOST_LINE = 100_000, 1_000
"""Characters of an answer, and of any other field."""

SHORT_ANSWER = 200
"""Characters of an answer of one line that is its own bottom line."""

Reply = Mapping[str, str]
"""The name of a field -> what was filled in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetField(Shape):
    """One question of a sheet.

    Attributes:
        kind: `text` of many lines, a `line`, a `percent`, or a `choice`, after which a colon and
            a few words may follow.
        needed: whether it must be filled in.
        value: what holds where nothing is filled in: the answer that was given before.
    """

    name: str
    words: str
    kind: FieldKind = "line"
    choices: tuple[str, ...] = ()
    needed: bool = False
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownText(Shape):
    """A text that the person is shown, under the label that any panelist would know it by."""

    label: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSheet(Shape):
    """A request to a person on the panel.

    Attributes:
        label: what the others call the person.
        part: persona, perspective, private context and what the user has added, if any.
        task: what is to be done, in the words that any panelist in that place is told.
        shown: what it may read: its own last answer (`you`) and those of others.
        in_form: whether the answer is put on record as a form, else as prose with closing lines.
    """

    label: str
    query: str
    attached: tuple[str, ...] = ()
    part: str = ""
    task: str = ""
    shown: tuple[ShownText, ...] = ()
    fields: tuple[SheetField, ...] = ()
    in_form: bool = False

    def again(self, complaint: str) -> AnswerSheet:
        """The sheet once more, with what was wrong with the reply."""
        return replace(self, task=f"Your answer cannot be used yet: {complaint}.\n\n{self.task}")


def field_problem(field: SheetField, said: str) -> str:
    """Say what is wrong with what was filled in; empty where nothing is."""
    said = said.strip()
    if not said:
        return "this needs an answer" if field.needed else ""
    if len(said) > (MOST_TEXT if field.kind == "text" else MOST_LINE):
        return "this is too long"
    if field.kind == "percent" and share(said) is None:
        return "write a number from 0 to 100"
    if field.kind == "choice" and choice_in(field, said) is None:
        return f"begin with {', '.join(field.choices[:-1])} or {field.choices[-1]}"
    return ""


def choice_in(field: SheetField, said: str) -> tuple[str, str] | None:
    """The choice and what follows it: `partly: the costs`; its beginning will do."""
    word, _, more = said.strip().partition(":")
    word = word.strip().casefold()
    # "a" for agree, "d: the costs" for disagree; a beginning of two choices is none.
    found = [c for c in field.choices if word and c.startswith(word)]
    return (found[0], " ".join(more.split())) if len(found) == 1 else None


def share(said: str) -> float | None:
    """A percentage as a share of 1."""
    try:
        value = float(said.strip().removesuffix("%").strip().replace(",", "."))
    except ValueError:
        return None
    return value / 100 if 0 <= value <= 100 else None


def complete(sheet: AnswerSheet, reply: Reply) -> dict[str, str]:
    """The reply, with what was said before where nothing is filled in."""
    said = {name: text.strip() for name, text in reply.items() if text.strip()}
    kept = {f.name: f.value for f in sheet.fields if f.value}
    if said.get(ANSWER, kept.get(ANSWER)) != kept.get(ANSWER):  # so has the bottom line changed
        kept.pop(BOTTOM, None)
    return kept | said


def sheet_problem(sheet: AnswerSheet, whole: Reply) -> str:
    """Say what is wrong with a completed reply; empty where nothing is."""
    known = {f.name: f for f in sheet.fields}
    if odd := sorted(set(whole) - set(known)):
        return f"nothing asks for {odd[0][:40]!r}; fill in {', '.join(known)}"
    found = ((name, field_problem(f, whole.get(name, ""))) for name, f in known.items())
    return next((f"{name}: {problem}" for name, problem in found if problem), "")
