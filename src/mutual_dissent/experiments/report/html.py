"""The report as one HTML page: no script, nothing fetched, light or dark as the reader likes."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html import escape
from importlib import resources

from mutual_dissent import __version__
from mutual_dissent.experiments.report.parts import Section
from mutual_dissent.experiments.report.report import Report
from mutual_dissent.text.sanitize import plain

POLICY = "default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
"""The page's own style and nothing else, whatever a name may contain."""


def as_html(found: Report) -> str:
    """Return the report as a page of its own."""
    style = resources.files(__package__).joinpath("report.css").read_text("utf-8")
    body = "\n".join(
        [
            _header(found),
            *(_section(s, i) for i, s in enumerate(found.sections, 1)),
            f"<footer>Mutual Dissent {escape(__version__)}, from the recorded debates.</footer>",
        ]
    )
    # Exactly what stands between the tags, the first line break included.
    digest = b64encode(sha256(f"\n{style}".encode()).digest()).decode()
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY.format(digest=digest)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{_text(found.title)}: report</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _header(found: Report) -> str:
    first, *others = found.lead or ("Nothing is known yet.",)
    items = "".join(f"<li>{_text(s)}</li>" for s in others)
    links = "".join(
        f'<a href="#part-{i}">{_text(s.title)}</a>' for i, s in enumerate(found.sections, 1)
    )
    about = f'<p class="about">{_text(found.summary)}</p>' if found.summary else ""
    return (
        f'<header><p class="kind">Experiment</p><h1>{_text(found.title)}</h1>{about}'
        f'<div class="lead"><p>{_text(first)}</p>{f"<ul>{items}</ul>" if items else ""}</div>'
        f"<nav>{links}</nav></header>"
    )


def _section(section: Section, number: int) -> str:
    sentences = "".join(f"<p>{_text(s)}</p>" for s in section.sentences)
    charts = "".join(f"<figure>{_titled(c)}</figure>" for c in section.charts)
    columns = 1 if section.wide else min(2, len(section.charts))
    grid = f'<div class="charts n{columns}">{charts}</div>' if charts else ""
    return (
        f'<section id="part-{number}"><h2>{_text(section.title)}</h2>{sentences}{grid}'
        f"{_table(section)}</section>"
    )


def _titled(chart: str) -> str:
    """Return a chart with its title above it; the SVG has it for screen readers."""
    title = chart.partition("<title>")[2].partition("</title>")[0]
    return f"<figcaption>{title}</figcaption>{chart}" if title else chart


def _table(section: Section) -> str:
    if not section.rows:
        return ""
    head = "".join(f'<th scope="col">{_text(h)}</th>' for h in section.head)
    rows = "".join(f"<tr>{''.join(_cells(row))}</tr>" for row in section.rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div class="wide">{table}</div>'


def _cells(row: tuple[str, ...]) -> Iterator[str]:
    for i, cell in enumerate(row):
        if i == 0:
            yield f'<th scope="row">{_text(cell)}</th>'
        else:
            yield f"<td{_number(cell)}>{_figure(cell)}</td>"


def _number(cell: str) -> str:
    return ' class="num"' if cell[:1] in "0123456789$+-–−" else ""


def _figure(cell: str) -> str:
    """Return a cell; the interval behind a figure steps back."""
    value, bracket, rest = cell.partition(" [")
    if not bracket:
        return _text(cell)
    return f'{_text(value)} <span class="range">[{_text(rest)}</span>'


def _text(text: str) -> str:
    return escape(plain(text), quote=True)
