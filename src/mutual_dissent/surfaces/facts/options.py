"""The options of a debate as a list for programs; the page builds its form from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mutual_dissent.app import MutualDissent
from mutual_dissent.briefing import kinds
from mutual_dissent.briefing.options import OPTIONS, Option, Where, options_for
from mutual_dissent.core.codec.camel import Shape, about
from mutual_dissent.surfaces.facts.names import known_names

KINDS: dict[type, str] = {
    kinds.YesNo: "flag",
    kinds.WholeNumber: "number",
    kinds.RealNumber: "number",
    kinds.OrWord: "number",
    kinds.OneOf: "choice",
    kinds.NameOf: "choice",
    kinds.ModelName: "model",
    kinds.ModelNames: "models",
    kinds.SeatWords: "words",
    kinds.SeatParts: "parts",
    kinds.SeatTexts: "texts",
    kinds.LongText: "text",
    kinds.Attachments: "documents",
    kinds.Addresses: "addresses",
    kinds.Messages: "messages",
    kinds.StoredDebate: "session",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownName(Shape):
    """A name that can be chosen, and what it stands for."""

    name: str
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionEntry(Shape):
    """An option of a debate."""

    name: str = field(metadata=about("The field of POST /api/chat."))
    label: str
    summary: str
    section: str
    kind: str = field(metadata=about("The control that a form has for it."))
    choices: tuple[KnownName, ...]
    words: tuple[str, ...] = field(metadata=about("Words that it takes instead of a value."))
    low: float | None = field(default=None, metadata=about("The lower bound of a number."))
    high: float | None = field(default=None, metadata=about("The upper bound of a number."))
    usual: Any = field(default=None, metadata=about("The configured default, where there is one."))
    needs: str | None = field(
        default=None, metadata=about("What a mode must have for it; `panel`: several panelists.")
    )
    beside: str | None = field(
        default=None, metadata=about("The option without which it has no effect.")
    )
    in_form: bool = field(metadata=about("Whether the page's form has it."))
    folded: bool = field(metadata=about("Whether the form has it out of sight at first."))


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateOptions(Shape):
    """Every option of a debate."""

    options: tuple[OptionEntry, ...]


def debate_options(md: MutualDissent) -> DebateOptions:
    """The options that REST takes, with the names that can be chosen now."""
    return DebateOptions(options=tuple(_entry(md, option) for option in options_for(Where.REST)))


def _entry(md: MutualDissent, option: Option) -> OptionEntry:
    low, high = _bounds(option.kind)
    return OptionEntry(
        name=option.in_json,
        label=option.label or option.name.replace("_", " ").capitalize(),
        summary=option.body or option.help,
        section=option.section,
        kind=KINDS[type(option.kind)],
        choices=tuple(KnownName(name=n, summary=s) for n, s in _choices(md, option.kind)),
        words=_words(option.kind),
        low=low,
        high=high,
        usual=md.settings.defaults.get(option.name),
        needs=option.needs.need if option.needs else None,
        beside=OPTIONS[option.beside].in_json if option.beside else None,
        in_form=Where.PAGE in option.where,
        folded=option.folded,
    )


def _choices(md: MutualDissent, kind: kinds.ValueKind) -> list[tuple[str, str]]:
    match kind:
        case kinds.NameOf(what):
            return list(known_names(md, what))
        case kinds.OneOf(words) | kinds.SeatParts(_, words):
            return [(word, "") for word in words]
        case _:
            return []


def _words(kind: kinds.ValueKind) -> tuple[str, ...]:
    match kind:
        case kinds.OrWord(_, word):
            return (word,)
        case kinds.ModelName(none=True):
            return ("none",)
        case _:
            return ()


def _bounds(kind: kinds.ValueKind) -> tuple[float | None, float | None]:
    match kind:
        case kinds.OrWord(number):
            return _bounds(number)
        case kinds.WholeNumber(low, high) | kinds.RealNumber(low, high):
            return low, high
        case _:
            return None, None
