"""Review: everyone looks for defects alone; what one alone found, the others check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mutual_dissent.analysis.review.order import CHECK, REVIEW, ordered_findings, single_findings
from mutual_dissent.analysis.review.report import report
from mutual_dissent.analysis.review.text import parts
from mutual_dissent.core.checks import has_findings, has_verdicts
from mutual_dissent.core.form import Form
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.sight import Seen, Sight
from mutual_dissent.core.step import Mode, Need, Script, Step, Turn, WrittenAnswer
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.defects import Defect

FINDINGS = Form(
    name="review", findings=True, position="your verdict on the whole text in one sentence"
)
CHECKS = Form(name="check", verdicts=True, position="in one sentence, what your checks come to")
LONGEST_LIST = 24_000
"""Characters of findings that are checked in one request, where contexts leave room for it."""

Row = tuple[str, tuple[str, ...], Defect]


def script(so_far: Transcript) -> Script:
    """A round for each part of the text, then the checks; code orders what came of them."""
    shown = parts(so_far.brief)
    for n in range(len(shown)):
        so_far = yield _review(so_far, n)
    number = len(shown)
    for n in range(len(shown)):
        for rows in _lists(single_findings(so_far, n), so_far.brief.part_size):
            if turns := tuple(_checks(so_far, n, rows)):
                need = Need.NOTHING
                so_far = yield Step(turns=turns, role=CHECK, round_number=number, need=need)
                number += 1
    yield from conclusion(so_far)


def conclusion(so_far: Transcript) -> Script:
    """The findings in order: code writes the answer, without a further call."""
    if so_far.brief.synthesize:
        yield WrittenAnswer(text=report(so_far, ordered_findings(so_far)))


def _review(so_far: Transcript, part: int) -> Step:
    """Every reviewer alone, about one part of the text."""
    shown = parts(so_far.brief)[part]
    panel = so_far.standing if part else so_far.panelists
    turns = tuple(
        Turn(panelist=p, prompt="review/review", form=FINDINGS, checks=(has_findings,), shown=shown)
        for p in panel
    )
    return Step(turns=turns, role=REVIEW, round_number=part)


def _checks(so_far: Transcript, part: int, rows: Sequence[Row]) -> Iterator[Turn]:
    """A turn for everyone who is to check something that it did not find itself."""
    shown = parts(so_far.brief)[part]
    for p in so_far.standing:
        if theirs := tuple((label, f) for label, seats, f in rows if p.seat not in seats):
            yield Turn(
                panelist=p, prompt="review/check", sees=_sight(theirs), form=CHECKS,
                checks=(has_verdicts,), shown=shown,
            )  # fmt: skip


def _sight(findings: tuple[tuple[str, Defect], ...]) -> Sight:
    """Findings of others, of whom nothing is said."""

    def found_by_others(so_far: Transcript, reader: Panelist) -> Seen:
        return Seen(findings=findings)

    return found_by_others


def _lists(rows: Sequence[Row], room: int | None) -> Iterator[list[Row]]:
    """Findings in lists that fit beside a part of the text."""
    most = min(LONGEST_LIST, room or LONGEST_LIST)
    held: list[Row] = []
    size = 0
    for row in rows:
        length = sum(map(len, (row[2].where, row[2].claim, row[2].quote, row[2].fix)))
        if held and size + length > most:
            yield held
            held, size = [], 0
        held.append(row)
        size += length
    if held:
        yield held


REVIEW_MODE = Mode(
    name="review",
    summary="Everyone reports defects of a text alone; the others check what one alone found.",
    script=script,
    conclusion=conclusion,
    rounds=None,
    structured=True,
    by_parts=True,
    unsigned=True,
    with_user=False,
)
