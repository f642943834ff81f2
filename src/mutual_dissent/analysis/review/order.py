"""The order of findings: found by several, confirmed, contested, left open, refuted.

Code decides it, never a model, and nothing is left out: no finding needs a majority to be shown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mutual_dissent.analysis.review.groups import enough
from mutual_dissent.analysis.review.text import documents
from mutual_dissent.core.codec.camel import Shape
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Round, Transcript
from mutual_dissent.core.values.defects import CONFIRM, REFUTE, SEVERITIES, Defect, FindingVerdict

SEVERAL, CONFIRMED, CONTESTED, LEFT_OPEN, REFUTED = STANDINGS = (
    "several", "confirmed", "contested", "open", "refuted",
)  # fmt: skip
"""Standing of a finding, in the order in which they are shown."""

REVIEW, CHECK = "initial", "evaluation"
"""Roles of the two steps of a review."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldVerdict(Shape):
    """Word of one reviewer on a finding of another."""

    seat: str
    verdict: str
    reason: str = ""
    quote: str = ""
    quoted: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedFinding(Shape):
    """A finding of the review, with all who reported it.

    Attributes:
        label: what it is called in this review.
        standing: `several`, `confirmed`, `contested`, `open` or `refuted`.
        quoted: whether the quote stands in the text; None without one.
        found_by: the seats that reported it.
        verdicts: what the others said to it, where few had reported it.
        wordings: the same in the words of the others that reported it.
        part: the number of the part of the text that it is in, from 0.
    """

    label: str
    standing: str
    severity: str
    path: str
    line: int | None
    heading: str
    claim: str
    quote: str
    quoted: bool | None
    fix: str
    found_by: tuple[str, ...]
    verdicts: tuple[HeldVerdict, ...] = ()
    wordings: tuple[str, ...] = ()
    part: int = 0

    @property
    def where(self) -> str:
        """Its place in words."""
        return Defect(path=self.path, line=self.line, heading=self.heading).where


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """Findings of one part that are the same one."""

    part: int
    members: tuple[tuple[str, int, Defect], ...]
    reviewers: int

    @property
    def is_shared(self) -> bool:
        """Return whether so many found it that it need not be checked."""
        return len(self.seats) >= enough(self.reviewers)

    @property
    def seats(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(seat for seat, _, _ in self.members))

    @property
    def lead(self) -> tuple[str, int, Defect]:
        """The member that speaks for it: its quote is there, it is the worst, it says most."""
        return min(self.members, key=lambda m: (not m[2].quoted, m[2].rank, -len(m[2].claim)))

    def label(self, nonce: str) -> str:
        """A name that tells nothing of who found it, and stays the same whatever comes later."""
        seat, n, _ = self.members[0]
        code = hashlib.sha256(f"{nonce}/{self.part}/{seat}/{n}".encode()).hexdigest()
        return f"F-{code[:6].upper()}"


def ordered_findings(t: Transcript) -> tuple[OrderedFinding, ...]:
    """Every finding of a review, in order."""
    said = _verdicts(t)
    place = {d.name: n for n, d in enumerate(documents(t.brief))}
    found = [_ordered(g, t.brief.nonce, said) for g in _groups(t)]

    def key(f: OrderedFinding) -> tuple[object, ...]:
        rank = SEVERITIES.index(f.severity)
        at = (place.get(f.path, len(place)), f.line or 0)
        return (STANDINGS.index(f.standing), rank, -len(f.found_by), at, f.label)

    return tuple(sorted(found, key=key))


def single_findings(t: Transcript, part: int) -> list[tuple[str, tuple[str, ...], Defect]]:
    """Label, authors and finding, for what too few found in a part to be sure of it."""
    few = [g for g in _groups(t) if g.part == part and not g.is_shared]
    rows = [(g.label(t.brief.nonce), g.seats, g.lead[2]) for g in few]
    return sorted(rows, key=lambda row: row[0])


def review_rounds(t: Transcript) -> Iterator[Round]:
    """The rounds in which findings were reported, one for each part of the text."""
    return (r for r in t.rounds if r.round_type == REVIEW)


def _groups(t: Transcript) -> Iterator[_Group]:
    for round_ in review_rounds(t):
        known = {
            f"{r.model_alias}/{n}": (r.model_alias, n, f)
            for r in round_.usable
            for n, f in enumerate(r.findings)
        }
        for names in (*(round_.measures.same_findings or ()), *((name,) for name in known)):
            # What was recorded comes first; a finding that came later stands alone.
            if members := tuple(known.pop(name) for name in names if name in known):
                reviewers = len(round_.usable)
                yield _Group(part=round_.round_number, members=members, reviewers=reviewers)


def names_of(responses: Sequence[Response]) -> list[tuple[str, str, Defect]]:
    """Name, seat and finding, for all findings of a round."""
    return [
        (f"{r.model_alias}/{n}", r.model_alias, f)
        for r in responses
        for n, f in enumerate(r.findings)
    ]


def _verdicts(t: Transcript) -> dict[str, list[tuple[str, FindingVerdict]]]:
    found: dict[str, list[tuple[str, FindingVerdict]]] = {}
    for round_ in t.rounds:
        for r in round_.usable if round_.round_type == CHECK else ():
            for verdict in r.verdicts:
                found.setdefault(verdict.label, []).append((r.model_alias, verdict))
    return found


def _ordered(
    group: _Group, nonce: str, said: dict[str, list[tuple[str, FindingVerdict]]]
) -> OrderedFinding:
    _, _, lead = group.lead
    label, worst = group.label(nonce), min(group.members, key=lambda m: m[2].rank)[2]
    heard = [(seat, v) for seat, v in said.get(label, ()) if seat not in group.seats]
    others = dict.fromkeys(f.claim for _, _, f in group.members if f.claim != lead.claim)
    return OrderedFinding(
        label=label,
        standing=SEVERAL if group.is_shared else _standing([v for _, v in heard]),
        severity=worst.severity,
        path=lead.path,
        line=lead.line,
        heading=lead.heading,
        claim=lead.claim,
        quote=lead.quote,
        quoted=lead.quoted,
        fix=lead.fix or next((f.fix for _, _, f in group.members if f.fix), ""),
        found_by=group.seats,
        verdicts=tuple(
            HeldVerdict(
                seat=seat, verdict=v.verdict, reason=v.reason, quote=v.quote, quoted=v.quoted
            )
            for seat, v in heard
        ),
        wordings=tuple(others),
        part=group.part,
    )  # fmt: skip


def _standing(verdicts: Sequence[FindingVerdict]) -> str:
    """Standing of what few reported. A refutation needs a quote that is in the text."""
    confirmed = any(v.verdict == CONFIRM for v in verdicts)
    refuted = [v for v in verdicts if v.verdict == REFUTE]
    if confirmed and not refuted:
        return CONFIRMED
    if refuted:
        shown = any(v.quoted for v in refuted)
        return REFUTED if shown and not confirmed else CONTESTED
    return LEFT_OPEN
