"""The report as Markdown, without its charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mutual_dissent.experiments.report.report import Report
from mutual_dissent.text.sanitize import plain


def as_markdown(found: Report) -> str:
    """Return the report as Markdown; names from outside cannot pass for its own marks."""
    parts = [f"# {_cell(found.title)}", *(_sentence(s) for s in found.lead)]
    for section in found.sections:
        parts += [f"## {_sentence(section.title)}", *(_sentence(s) for s in section.sentences)]
        if section.rows:
            parts.append("\n".join(_table(section.head, section.rows)))
    return "\n\n".join(parts) + "\n"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(_cell(h) for h in head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(_cell(c) for c in row) + " |"


def _cell(text: str) -> str:
    return plain(text).replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def _sentence(text: str) -> str:
    return plain(text).replace("\n", " ").replace("<", "&lt;")
