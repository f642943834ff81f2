"""The formats that a transcript can be written in; packages may add more by entry point."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mutual_dissent.core.transcript import Transcript

Format = Callable[[Transcript], str]


def json(t: Transcript) -> str:
    """The transcript as JSON, whole."""
    from mutual_dissent.text.sanitize import as_json
    from mutual_dissent.views.answer import fallback_answer
    from mutual_dissent.views.documents.json import transcript_to_bytes

    return as_json(transcript_to_bytes(t, fallback_answer(t)).decode())


def markdown(t: Transcript) -> str:
    """The transcript as a readable report."""
    from mutual_dissent.views.markdown import to_markdown

    return to_markdown(t)


def csv(t: Transcript) -> str:
    """The transcript as a table, one row a response."""
    from mutual_dissent.views.documents.csv import to_csv

    return to_csv(t)


def html(t: Transcript) -> str:
    """The transcript as one HTML file to share."""
    from mutual_dissent.views.documents.html import to_html

    return to_html(t)


def adr(t: Transcript) -> str:
    """A decision record: decision, options and who held them, dissent, what would change it."""
    from mutual_dissent.views.documents.adr import to_adr

    return to_adr(t)


def sarif(t: Transcript) -> str:
    """The findings of a review, for code hosts and scanners."""
    from mutual_dissent.views.documents.sarif import to_sarif

    return to_sarif(t)


def otlp(t: Transcript, *, content: bool = False) -> str:
    """Spans for OpenTelemetry, in OTLP's JSON: who was called when, tokens and errors; no texts."""
    from mutual_dissent.views.documents.otlp import to_otlp

    return to_otlp(t, content=content)


def answer(t: Transcript) -> str:
    """The answer alone, as it was written; nothing where there is none."""
    from mutual_dissent.text.sanitize import plain
    from mutual_dissent.views.answer import answer as shown
    from mutual_dissent.views.remarks.readable import named_text

    response = shown(t)
    return f"{plain(named_text(t, response)).strip()}\n" if response else ""


FORMATS: Mapping[str, Format] = {
    "json": json,
    "markdown": markdown,
    "csv": csv,
    "html": html,
    "adr": adr,
    "sarif": sarif,
    "otlp": otlp,
    "answer": answer,
}
"""Ours by name. Surfaces look here through the plugins of the group `mutual_dissent.formats`."""
