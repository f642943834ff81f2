"""The sources of a debate by the numbers that its answer has for them, and who named each."""

from __future__ import annotations

from typing import Any

from mutual_dissent.analysis.citations import collected, normalised
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.answer import answer
from mutual_dissent.views.safe import one_line, plain
from mutual_dissent.views.sources import sources


def cited(t: Transcript) -> list[dict[str, Any]]:
    """Every source once: its number, address, title, and the seats that named it."""
    shown = answer(t)
    by: dict[str | None, dict[str, None]] = {}
    for response in (*t.turns(), *([shown] if shown else [])):
        for citation in collected([response]):
            by.setdefault(normalised(citation.url), {})[response.model_alias] = None
    return [
        {
            "number": number,
            "url": plain(c.url),
            "title": one_line(c.title, 300),
            "citedBy": list(by.get(normalised(c.url), {})),
        }
        for number, c in enumerate(sources(t), 1)
    ]
