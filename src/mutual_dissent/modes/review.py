"""Review: everyone looks for defects alone; what few found, the others check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mutual_dissent.analysis.review.order import ReviewGroup, ordered_findings, reported_findings
from mutual_dissent.analysis.review.report import report
from mutual_dissent.analysis.review.text import parts
from mutual_dissent.core.checks import has_findings, has_verdicts
from mutual_dissent.core.form import Form
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.sight import Seen, Sight
from mutual_dissent.core.step import Mode, Need, Script, Step, Turn, WrittenAnswer
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.defects import CHECK, REVIEW, Defect

Labelled = tuple[tuple[str, Defect], ...]
FINDINGS = Form(
    name="review", findings=True, position="your verdict on the whole text in one sentence"
)
CHECKS = Form(name="check", verdicts=True, position="in one sentence, what your checks come to")
LONGEST_LIST = 24_000
"""Characters of findings that are checked in one request, where contexts leave room for it."""


def script(so_far: Transcript) -> Script:
    """A round for each part of the text, then the checks; code orders what came of them."""
    shown = parts(so_far.brief)
    for n in range(len(shown)):
        so_far = yield _review(so_far, n)
    number = len(shown)
    for n in range(len(shown)):
        found, room = reported_findings(so_far, n), so_far.brief.part_size
        for some in _lists([g for g in found if not g.is_settled], room):
            if turns := tuple(_checks(so_far, n, some, found)):
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
    # The first part is put to everyone; who failed there is not asked about the next.
    panel = so_far.standing if part else so_far.panelists
    turns = tuple(
        Turn(panelist=p, prompt="review/review", form=FINDINGS, checks=(has_findings,), shown=shown)
        for p in panel
    )
    return Step(turns=turns, role=REVIEW, round_number=part)


def _checks(
    so_far: Transcript, part: int, some: Sequence[ReviewGroup], found: Sequence[ReviewGroup]
) -> Iterator[Turn]:
    """A turn for everyone who is to check something that it did not find itself."""
    shown = parts(so_far.brief)[part]
    for p in so_far.standing:
        if theirs := [g for g in some if p.seat not in g.seats]:
            files = {g.lead[2].path for g in theirs}
            # To say "the same as" of a finding, its checker must know the others of that file.
            beside = [g for g in found if g not in theirs and g.lead[2].path in files]
            # As many as one list has room for; they are only to compare with.
            known = next(_lists(beside, so_far.brief.part_size), [])
            yield Turn(
                panelist=p, prompt="review/check", sees=_sight(_rows(theirs), _rows(known)),
                form=CHECKS, checks=(has_verdicts,), shown=shown,
            )  # fmt: skip


def _rows(groups: Sequence[ReviewGroup]) -> Labelled:
    return tuple((g.label, g.lead[2]) for g in groups)


def _sight(findings: Labelled, known: Labelled) -> Sight:
    """Findings, of whose authors nothing is said."""

    def found_by_others(so_far: Transcript, reader: Panelist) -> Seen:
        return Seen(findings=findings, known=known)

    return found_by_others


def _lists(groups: Sequence[ReviewGroup], room: int | None) -> Iterator[list[ReviewGroup]]:
    """Findings in lists that fit beside a part of the text."""
    most = min(LONGEST_LIST, room or LONGEST_LIST)
    held: list[ReviewGroup] = []
    size = 0
    for group in groups:
        f = group.lead[2]
        length = sum(map(len, (f.where, f.claim, f.quote, f.fix)))
        if held and size + length > most:
            yield held
            held, size = [], 0
        held.append(group)
        size += length
    if held:
        yield held


REVIEW_MODE = Mode(
    name="review",
    summary="Everyone reports defects of a text alone; the others check what few found.",
    script=script,
    conclusion=conclusion,
    rounds=None,
    structured=True,
    by_parts=True,
    unsigned=True,
    with_user=False,
)
