"""Sources that the answer and the panel refer to, each once, under one number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mutual_dissent.analysis.answers.citations import (
    collect_citations,
    marks,
    normalise_url,
    number_citations,
)
from mutual_dissent.core.codec.camel import Shape
from mutual_dissent.core.response import Citation, Response
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.text.sanitize import one_line, plain
from mutual_dissent.views.answer import answer
from mutual_dissent.views.remarks.readable import named_text


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSource(Shape):
    """A source, and who named it."""

    number: int
    url: str
    title: str
    cited_by: tuple[str, ...]


def sources(t: Transcript) -> tuple[Citation, ...]:
    """Every source of a debate by its number: those of the answer first, then the panel's."""
    shown = answer(t)
    return collect_citations([*([shown] if shown else []), *t.turns()])


def sources_of_answer(t: Transcript) -> tuple[Citation, ...]:
    """The sources that the answer itself names: the first numbers."""
    shown = answer(t)
    return collect_citations([shown]) if shown else ()


def cite_answer(t: Transcript, shown: Response) -> str:
    """The text of the answer: numbers in the place of addresses, names in that of letters."""
    return number_citations(named_text(t, shown), sources(t), shown.citations)


def answer_sources(t: Transcript, text: str) -> tuple[CitedSource, ...]:
    """The sources that the answer names, and those whose numbers stand in its text."""
    own, marked = len(sources_of_answer(t)), marks(text)
    return tuple(s for s in all_sources(t) if s.number <= own or s.number in marked)


def all_sources(t: Transcript) -> tuple[CitedSource, ...]:
    """Every source of a debate by its number, and the seats that named it."""
    shown = answer(t)
    return cited_sources(sources(t), [*t.turns(), *([shown] if shown else [])])


def cited_sources(
    citations: Iterable[Citation], responses: Sequence[Response]
) -> tuple[CitedSource, ...]:
    """Sources with numbers, each with the seats whose answers name it."""
    by: dict[str | None, dict[str, None]] = {}
    for response in responses:
        for citation in collect_citations([response]):
            by.setdefault(normalise_url(citation.url), {})[response.model_alias] = None
    return tuple(
        CitedSource(
            number=number,
            url=plain(c.url),
            title=one_line(c.title, 300),
            cited_by=tuple(by.get(normalise_url(c.url), ())),
        )
        for number, c in enumerate(citations, 1)
    )
