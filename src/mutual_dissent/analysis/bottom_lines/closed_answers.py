"""A line read as a closed answer: a number, a choice, yes or no, a date or a name."""

from __future__ import annotations

import re
from dataclasses import replace

from mutual_dissent.analysis.bottom_lines import choices
from mutual_dissent.analysis.bottom_lines.kinds import ClosedAnswer
from mutual_dissent.analysis.bottom_lines.names import Name, name_in
from mutual_dissent.analysis.bottom_lines.numbers import (
    ESTIMATES,
    LARGER,
    Number,
    dates,
    numbers,
    years,
)
from mutual_dissent.analysis.bottom_lines.questions import QuestionAsked
from mutual_dissent.analysis.bottom_lines.remainder import (
    TURNS,
    counting_rest,
    remainder,
    tense,
    without_given,
)
from mutual_dissent.analysis.bottom_lines.words import (
    ENGLISH,
    emphasised_texts,
    fold_case,
    is_denied,
    is_english,
    is_negated,
    seems_english,
    stem,
    strip_emphasis,
    tokens,
)

_LONGEST = 700
_ASIDE = re.compile(r"\([^()]{0,120}\)")
_QUOTE = re.compile(r"(?<!\w)[\"'“‘„«]([^\"“”„«»]{2,300}?)[\"'”’“»](?!\w)")
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"


def closed_answer(line: str, asked: QuestionAsked) -> ClosedAnswer | None:
    """The line as a closed answer to the question; None if it is open or cannot be read."""
    closed = _read_closed(line, asked)
    # Those two were read together with what they say besides.
    if closed is None or closed.kind in ("yes_no", "choice"):
        return closed
    clean = strip_emphasis(line[:_LONGEST])
    text = without_given(clean) if closed.number else _ASIDE.sub(_gloss, clean)
    rest = remainder(choices.without_advice(text), asked, _value_text(closed, clean))
    rest = tuple(part for part in rest if not _is_asked(part, asked))
    if closed.number:
        rest = counting_rest(rest)
    # "between 40 and 60" and "40 to 60" are one range.
    if closed.number and closed.number.low != closed.number.high:
        rest = tuple(part for part in rest if part not in ("between-#", "from-#"))
    if closed.name:  # `was won by X` says no more than `X won`
        rest = tuple(part for part in rest if part != "by-#")
        # Marks that roles are exchanged, so that it does not agree with a passive line.
        rest += ("active",) if _is_active(closed.name, asked) else ()
    return replace(
        closed,
        rest=rest,
        tense="" if asked.names else tense(clean),
        is_understood=_is_english(clean, asked),
    )


def _is_asked(part: str, asked: QuestionAsked) -> bool:
    """Return whether it is the question's preposition before the value, or `old` of an age."""
    before, _, value = part.partition("-")
    return (value == "#" and before in asked.asked_with) or (part == "old" and asked.is_age)


def _is_active(name: Name, asked: QuestionAsked) -> bool:
    """Return whether a name does what the question says is done to it: `Who was beaten by Bo?`."""
    passive = "by" in asked.words and "by" not in name.everything
    return passive and name.lead == "first" and bool(name.after)


def _gloss(aside: re.Match[str]) -> str:
    """Drop an aside in brackets, unless it turns the meaning round."""
    return aside.group() if TURNS & frozenset(tokens(aside.group())) else " "


def _value_text(closed: ClosedAnswer, clean: str) -> str:
    """The part of the line that is its value."""
    if closed.number:
        # With "about" and its like, which the number has as a field of its own.
        return f"{clean[closed.number.start : closed.number.until]} {ESTIMATES}"
    if closed.date:
        days = [d for d in dates(clean) if d.year == closed.date.year]
        # "in the year 1691", "on Monday, 4 May 1691" say no more than the date does.
        return " ".join(["year", _WEEKDAYS, closed.value, *(clean[d.start : d.end] for d in days)])
    return closed.name.text if closed.name else ""


def _read_closed(line: str, asked: QuestionAsked) -> ClosedAnswer | None:
    line = line[:_LONGEST]
    clean = strip_emphasis(line).strip()
    if not clean:
        return None
    if asked.kind == "choice":
        return choices.choice(line, asked)
    if asked.kind in (None, "yes_no"):
        value = choices.yes_no(clean, asked) or choices.letter(clean, asked)
        return value or _bare(clean, asked)
    # A question of any kind may offer lettered options.
    if asked.letters and (option := choices.letter(clean, asked)):
        return option
    return _asked_for(line, asked)


def _asked_for(line: str, asked: QuestionAsked) -> ClosedAnswer | None:
    clean = strip_emphasis(line)
    # A "not" in a quoted title denies nothing.
    if is_denied(_without_quotes(clean)) or not _is_readable(clean, asked):
        return None
    if asked.kind == "year":
        return _year(line, asked)
    if asked.kind == "date":
        return _date(line, asked)
    if asked.kind == "number":
        return _number(line, asked)
    name = name_in(line, asked)
    return ClosedAnswer("name", " ".join(name.words), name=name) if name else None


def _without_quotes(text: str) -> str:
    return re.sub(r"[\"“„«][^\"“”„«»]{1,160}[\"”“»]", " ", text)


def _is_readable(clean: str, asked: QuestionAsked) -> bool:
    """Return whether the line is English, or so short that most of its words are understood."""
    return _is_english(clean, asked) or (len(tokens(clean)) <= 24 and not is_negated(clean))


def _is_english(clean: str, asked: QuestionAsked) -> bool:
    return is_english(clean) or (asked.is_english and seems_english(clean, asked.words))


def _only(values: list[str], marked: list[str]) -> str | None:
    """The one value of several mentions: if there are more, the one that is emphasised."""
    if len(set(values)) == 1:
        return values[0]
    return marked[0] if len(set(marked)) == 1 else None


def _year(line: str, asked: QuestionAsked) -> ClosedAnswer | None:
    clean = strip_emphasis(line)
    known = {d.year for d in years(asked.text)}
    # Years in brackets, as "(born 1850)", answer nothing; blanks keep the places of the others.
    outside = re.sub(r"\([^()]{0,80}\)", lambda m: " " * len(m.group()), clean)
    years_ = [d for d in years(outside) if d.year not in known]
    marked = [d for text in emphasised_texts(line) for d in years(text) if d.year not in known]
    value = _only([d.shown for d in years_], [d.shown for d in marked])
    date = next((d for d in years_ if d.shown == value), None)
    if not value or not date:
        return None
    whole = next((d for d in dates(clean) if d.year == date.year), None)
    return ClosedAnswer("date", value, date=replace(date, month=whole.month) if whole else date)


def _date(line: str, asked: QuestionAsked) -> ClosedAnswer | None:
    clean = strip_emphasis(line)
    known = {d.shown for d in dates(asked.text)}
    days = [d for d in dates(clean) if d.shown not in known]
    marked = [
        d.shown for text in emphasised_texts(line) for d in dates(text) if d.shown not in known
    ]
    value = _only([d.shown for d in days], marked)
    # "When ...?" may be answered by a year alone.
    if not days and not known:
        spans = years(clean)
        value = _only([d.shown for d in spans], [])
        days = spans
    date = next((d for d in days if d.shown == value), None)
    return ClosedAnswer("date", value, date=date) if value and date else None


def _number(line: str, asked: QuestionAsked) -> ClosedAnswer | None:
    clean = _without_quoted_question(strip_emphasis(line), asked)
    clean = re.sub(r"\([^()]{0,80}\)", lambda m: " " * len(m.group()), clean)
    # "Twenty-five of the 40 came": the number in digits may not be the one meant.
    if LARGER.search(clean):
        return None
    known = {n.shown for n in numbers(asked.text)}
    values = [n for n in numbers(clean, in_words=True) if n.shown not in known and not _is_year(n)]
    marked = [n.shown for text in emphasised_texts(line) for n in numbers(text, in_words=True)]
    value = _only([n.shown for n in values], marked)
    if value is None:
        # Of several the one that counts what was asked for: "1000 visitors" of "visitors".
        near = [n for n in values if n.after and stem(n.after) in asked.stems]
        value = _only([n.shown for n in near], [])
    number = next((n for n in values if n.shown == value), None)
    return ClosedAnswer("number", value, number=number) if value and number else None


def _without_quoted_question(clean: str, asked: QuestionAsked) -> str:
    """The line with blanks for what it quotes of the question: a three there answers nothing."""

    def kept(quote: re.Match[str]) -> str:
        is_asked = fold_case(quote[1]) in fold_case(asked.text)
        return " " * len(quote.group()) if is_asked else quote.group()

    return _QUOTE.sub(kept, clean)


def _is_year(number: Number) -> bool:
    counted = number.after and number.after not in ENGLISH
    plain = number.low == number.high and not number.unit and number.step == 1 and not counted
    return plain and 1500 <= number.low <= 2100


def _bare(clean: str, asked: QuestionAsked) -> ClosedAnswer | None:
    """A line that is nothing but a value, and words that introduce it."""
    core = choices.without_advice(clean)
    words = tokens(core)
    if not words or len(words) > 8 or is_negated(clean):
        return None
    values = numbers(clean, in_words=True)
    if len(values) == 1 and len(tokens(clean[values[0].end :])) <= 2:
        return ClosedAnswer("number", values[0].shown, number=values[0])
    day = dates(clean)
    if len(day) == 1 and day[0].end - day[0].start >= len(core) - 12 and len(words) <= 4:
        return ClosedAnswer("date", day[0].shown, date=day[0])
    bare = core.strip(" .!*\"'“”")
    # Without a question that asks for a name, only a bare one is taken for it: "PostgreSQL".
    if len(words) <= 3 and all(w[0].isupper() for w in bare.split()) and not asked.is_open:
        name = name_in(bare, QuestionAsked())
        return ClosedAnswer("name", " ".join(name.words), name=name) if name else None
    return None
