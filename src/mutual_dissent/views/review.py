"""The review: findings in order, for programs, for a terminal and for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from mutual_dissent.analysis.review.order import (
    REFUTED,
    SEVERAL,
    STANDINGS,
    OrderedFinding,
    ordered_findings,
)
from mutual_dissent.analysis.review.report import (
    NOT_THERE,
    NOTHING,
    TITLES,
    in_short,
    limits,
    report,
    who,
    words_of_others,
)
from mutual_dissent.analysis.review.text import documents
from mutual_dissent.core.codec.camel import Shape
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.defects import REFUTE, SEVERITIES
from mutual_dissent.text.sanitize import one_line, plain
from mutual_dissent.views.account import account
from mutual_dissent.views.heading import heading
from mutual_dissent.views.panel.names import with_names

AROUND = 3
LONGEST_LINE = 300
_COLOURS = {"critical": "bold red", "high": "red", "medium": "yellow", "low": "cyan"}
_TONES = {SEVERAL: "bold", REFUTED: "dim"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExcerptLine(Shape):
    """A line of the text under review, beside a finding; `marked` is that of the finding."""

    number: int
    text: str
    marked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Review(Shape):
    """A review: what was found, in order, and what bounds it.

    Attributes:
        summary: how many findings there are of each standing, in a sentence.
        findings: found by several first, refuted ones last; none is left out.
        limits: what was not looked at, cut or missed, in sentences.
        excerpts: label -> the lines of the text around the finding, where its place is known.
    """

    summary: str
    findings: tuple[OrderedFinding, ...]
    limits: tuple[str, ...]
    excerpts: dict[str, tuple[ExcerptLine, ...]]


def review_of(t: Transcript, most: int | None = None) -> Review:
    """The review that a debate came to, as far as it is.

    Args:
        most: how many findings are told, without excerpts; the limits say how many more there are.
    """
    found = ordered_findings(t)
    shown = found[:most]
    more = len(found) - len(shown)
    left = (f"{more} more findings are not listed here.",) if more else ()
    return Review(
        summary=in_short(found),
        findings=shown,
        limits=(*limits(t), *left),
        excerpts=dict(_excerpts(t, shown)) if most is None else {},
    )


def _excerpts(
    t: Transcript, found: Sequence[OrderedFinding]
) -> Iterator[tuple[str, tuple[ExcerptLine, ...]]]:
    texts = {d.name: d.lines for d in documents(t.brief)} if found else {}
    for f in found:
        if f.path in texts and f.line:
            near = [n for n in texts[f.path] if abs((n.number or 0) - f.line) <= AROUND]
            yield (
                f.label,
                tuple(
                    ExcerptLine(
                        number=line.number or 0,
                        text=plain(line.text[:LONGEST_LINE]),
                        marked=line.number == f.line,
                    )
                    for line in near[: 4 * AROUND]
                ),
            )


def reaches(review: Review, severity: str) -> int:
    """Number of findings at least that severe that nobody has refuted."""
    # SEVERITIES begins with the worst.
    worst = SEVERITIES[: SEVERITIES.index(severity) + 1]
    return sum(f.severity in worst and f.standing != REFUTED for f in review.findings)


def draw_findings(t: Transcript, *, verbose: bool = False) -> Iterator[RenderableType]:
    """Findings for a terminal: a heading for each standing, refuted ones in a line each."""
    review = review_of(t)
    if not review.findings:
        yield Text(NOTHING)
    for standing in STANDINGS:
        some = [f for f in review.findings if f.standing == standing]
        if some:
            yield Text(f"{TITLES[standing]} ({len(some)})", style=_TONES.get(standing, "bold"))
        for f in some:
            yield _drawn_finding(t, f, folded=standing == REFUTED and not verbose)
        if some:
            yield Text()
    for line in review.limits:
        yield Text(f"! {one_line(line, 2000)}", style="yellow")


def _drawn_finding(t: Transcript, f: OrderedFinding, *, folded: bool) -> RenderableType:
    """Number and severity, and beside them where it is, the claim, and what was said to it."""
    told = Text(one_line(f.where, 300), style="bold")
    told.append(
        f" {one_line(f.claim, 600)}" if f.where else one_line(f.claim, 600), style="not bold"
    )
    told.append(f" ({with_names(t, who(f))})\n", style="not bold dim")
    for line, style in _below(f, folded=folded):
        told.append(f"{with_names(t, line)}\n", style=f"not bold {style}")
    told.rstrip()
    row = Table.grid(padding=(0, 1))
    row.add_column(width=4, justify="right")
    row.add_column(width=8)
    row.add_row(f"{f.number}.", Text(f.severity, style=_COLOURS.get(f.severity, "")), told)
    return row


def _below(f: OrderedFinding, *, folded: bool) -> Iterator[tuple[str, str]]:
    """Lines below a finding, and their style; of a folded one the refutation alone."""
    if folded:
        yield from ((line, "dim") for line in words_of_others(f, only=REFUTE))
        return
    yield from ((f"> {line.strip()}", "dim") for line in plain(f.quote).splitlines()[:3])
    if f.quote and not f.quoted:
        yield NOT_THERE, "yellow"
    if f.fix:
        yield f"fix: {one_line(f.fix, 600)}", "dim"
    yield from ((line, "dim") for line in words_of_others(f))


def told_first(t: Transcript) -> str:
    """The first line of a review: what was found, what went wrong, and what it cost."""
    spent = account(t).cost
    return " ".join(
        x for x in (heading(t), f"{spent[0].upper()}{spent[1:]}." if spent else "") if x
    )


def pull_request(t: Transcript) -> str:
    """The review as a comment on a pull request; what was refuted is folded."""
    found = ordered_findings(t)
    kept = [f for f in found if f.standing != REFUTED]
    gone = [f for f in found if f.standing == REFUTED]
    body = report(t, kept) if kept or not gone else "\n".join(f"- {x}" for x in limits(t))
    lines = [f"**{told_first(t)}**", "", body]
    if gone:
        lines += ["", f"<details><summary>Refuted ({len(gone)})</summary>", ""]
        # Of the report the list alone: its title stands in the summary, the limits above.
        lines += [report(t, gone).partition("\n\n")[2].partition("\n\n")[0], "", "</details>"]
    return with_names(t, "\n".join(lines).rstrip() + "\n")
