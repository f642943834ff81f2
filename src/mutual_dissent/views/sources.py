"""Sources: what the answer and the panel refer to, each once, under one number."""

from __future__ import annotations

from mutual_dissent.analysis.citations import collected, numbered
from mutual_dissent.core.response import Citation, Response
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.answer import answer
from mutual_dissent.views.said import named_text


def sources(t: Transcript) -> tuple[Citation, ...]:
    """Every source of a debate by its number: those of the answer first, then the panel's."""
    shown = answer(t)
    return collected([*([shown] if shown else []), *t.turns()])


def sources_of_answer(t: Transcript) -> tuple[Citation, ...]:
    """The sources that the answer itself names: the first numbers."""
    shown = answer(t)
    return collected([shown]) if shown else ()


def cited(t: Transcript, shown: Response) -> str:
    """The text of the answer: numbers in the place of addresses, names in that of letters."""
    return numbered(named_text(t, shown), sources(t), shown.citations)
