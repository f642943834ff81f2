"""The order of findings: found by several, confirmed, contested, left open, refuted.

Code decides it, never a model, and nothing is left out: no finding needs a majority to be shown.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mutual_dissent.analysis.review.groups import MOST_UNSURE, enough, may_be_one
from mutual_dissent.analysis.review.text import documents
from mutual_dissent.core.codec.camel import Shape
from mutual_dissent.core.errors import clip
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Round, Transcript
from mutual_dissent.core.values.defects import (
    CHECK,
    CONFIRM,
    REFUTE,
    REVIEW,
    SEVERITIES,
    Defect,
    FindingVerdict,
)

SEVERAL, CONFIRMED, CONTESTED, LEFT_OPEN, REFUTED = STANDINGS = (
    "several", "confirmed", "contested", "open", "refuted",
)  # fmt: skip
"""Standing of a finding, in the order in which they are shown."""

LONGEST_TITLE = 60
_LABEL = re.compile(r"\bF-[0-9A-F]{6}\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldVerdict(Shape):
    """Word of one reviewer on a finding of another.

    Attributes:
        same_as: the number of another finding that it takes for the same, where it stays apart.
    """

    seat: str
    verdict: str
    reason: str = ""
    quote: str = ""
    quoted: bool | None = None
    same_as: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingReport(Shape):
    """One reviewer's own report of a finding that others reported, too.

    Attributes:
        label: what it was called when it was checked; reports of one label were alike in words.
    """

    seat: str
    label: str
    severity: str
    where: str
    claim: str
    quote: str
    quoted: bool | None
    fix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedFinding(Shape):
    """A finding of the review, with all who reported it.

    Attributes:
        number: its place in the order, from 1.
        label: what it is called in this review.
        standing: `several`, `confirmed`, `contested`, `open` or `refuted`.
        quoted: whether the quote stands in the text; None without one.
        line_doubtful: whether the line is only said: the quote is not in the text.
        found_by: the seats that reported it.
        joined_by: the seats that said that reports which differ in words are one defect.
        verdicts: what the others said to it, where few had reported it.
        reports: every report of it, word for word, where there are several.
        part: the number of the part of the text that it is in, from 0.
    """

    number: int = 0
    label: str
    standing: str
    severity: str
    path: str
    line: int | None
    heading: str
    claim: str
    quote: str
    quoted: bool | None
    line_doubtful: bool
    fix: str
    found_by: tuple[str, ...]
    joined_by: tuple[str, ...] = ()
    verdicts: tuple[HeldVerdict, ...] = ()
    reports: tuple[FindingReport, ...] = ()
    part: int = 0

    @property
    def where(self) -> str:
        """Its place in words."""
        at = Defect(path=self.path, line=self.line, heading=self.heading, quoted=self.quoted)
        return at.where


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewGroup:
    """Findings of one part that are the same one.

    Attributes:
        members: seat, label and finding of each report.
        reviewers: how many reviewed that part.
        joined_by: the seats by whose word reports of several labels are one.
    """

    part: int
    members: tuple[tuple[str, str, Defect], ...]
    reviewers: int
    joined_by: tuple[str, ...] = ()

    @property
    def is_shared(self) -> bool:
        """Return whether several found it: those whose quote is not in the text do not count."""
        sound = {seat for seat, _, f in self.members if f.quoted is not False}
        return len(sound) >= enough(self.reviewers)

    @property
    def is_settled(self) -> bool:
        """Return whether so many found it that it need not be checked."""
        return self.is_shared and len(self.seats) > MOST_UNSURE

    @property
    def seats(self) -> tuple[str, ...]:
        """Those who reported it."""
        return tuple(dict.fromkeys(seat for seat, _, _ in self.members))

    @property
    def label(self) -> str:
        """Label under which it was checked; the first, where several are one."""
        return self.members[0][1]

    @property
    def labels(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(dict.fromkeys(label for _, label, _ in self.members))

    @property
    def lead(self) -> tuple[str, str, Defect]:
        """The member that speaks for it: its quote is there, it is the worst, it says most."""
        # A quote that stands in the text comes before severity: it can be checked.
        return min(self.members, key=lambda m: (not m[2].quoted, m[2].rank, -len(m[2].claim)))


Said = Mapping[str, Sequence[tuple[str, FindingVerdict]]]
"""Label -> seat and verdict, of all who checked it."""


def ordered_findings(t: Transcript) -> tuple[OrderedFinding, ...]:
    """Every finding of a review, in order and numbered."""
    said = _verdicts(t)
    place = {d.name: n for n, d in enumerate(documents(t.brief))}
    order = {p.seat: n for n, p in enumerate(t.brief.panel)}
    groups = _joined(list(_groups(t)), said, order)
    found = [(_ordered(g, said), g.labels) for g in groups]

    def key(row: tuple[OrderedFinding, object]) -> tuple[object, ...]:
        f, _ = row
        rank = SEVERITIES.index(f.severity)
        at = (place.get(f.path, len(place)), f.line or 0)
        return (STANDINGS.index(f.standing), rank, -len(f.found_by), at, f.label)

    found.sort(key=key)
    numbers = {label: n for n, (_, labels) in enumerate(found, 1) for label in labels}
    return tuple(
        # Who says the same to two reports of one defect is heard once.
        replace(f, number=n, verdicts=tuple(dict.fromkeys(_numbered(f, labels, said, numbers))))
        for n, (f, labels) in enumerate(found, 1)
    )


def reported_findings(t: Transcript, part: int) -> list[ReviewGroup]:
    """Findings of a part as they were reported, before anybody checked one; by label."""
    return sorted((g for g in _groups(t) if g.part == part), key=lambda g: g.label)


def without_labels(t: Transcript, text: str) -> str:
    """The text with findings by number in the place of labels, which tell a reader nothing.

    While there is no final order, they are called by the beginnings of their claims.
    """
    if not _LABEL.search(text):
        return text
    names = {
        label: _name(f.number) if t.synthesis else f"'{clip(f.claim, LONGEST_TITLE)}'"
        for f in ordered_findings(t)
        for label in (f.label, *(r.label for r in f.reports))
    }
    lines = [_SAME.sub(r"\1", line) for line in _renamed(text, names).split("\n")]
    # Two reports of one defect have one number: what was said to both alike is said once.
    twice = (n and line == lines[n - 1] and _SAID.match(line) for n, line in enumerate(lines))
    return "\n".join(line for line, again in zip(lines, twice, strict=True) if not again)


# A finding is never "the same as" itself, once its reports have one number.
_SAME = re.compile(r"^(- (finding \d{1,6}): \w{1,20}) \(the same as \2\)")
_SAID = re.compile(r"- finding \d{1,6}: ")


def _name(number: int) -> str:
    return f"finding {number}"


def _renamed(text: str, names: Mapping[str, str]) -> str:
    return _LABEL.sub(lambda m: names.get(m[0].upper(), "another finding"), text)


def review_rounds(t: Transcript) -> Iterator[Round]:
    """The rounds in which findings were reported, one for each part of the text."""
    return (r for r in t.rounds if r.round_type == REVIEW)


def _groups(t: Transcript) -> Iterator[ReviewGroup]:
    for round_ in review_rounds(t):
        known = {
            f"{r.model_alias}/{n}": (r.model_alias, n, f)
            for r in round_.usable
            for n, f in enumerate(r.findings)
        }
        for names in (*(round_.measures.same_findings or ()), *((name,) for name in known)):
            # What was recorded comes first; a finding that came later stands alone.
            if members := tuple(known.pop(name) for name in names if name in known):
                seat, n, _ = members[0]
                label = _label(f"{t.brief.nonce}/{round_.round_number}/{seat}/{n}")
                yield ReviewGroup(
                    part=round_.round_number,
                    members=tuple((seat, label, f) for seat, _, f in members),
                    reviewers=len(round_.usable),
                )


def _label(key: str) -> str:
    """A name that tells nothing of who found it, and stays the same whatever comes later."""
    return f"F-{hashlib.sha256(key.encode()).hexdigest()[:6].upper()}"


def _joined(groups: list[ReviewGroup], said: Said, order: Mapping[str, int]) -> list[ReviewGroup]:
    """Groups, of which those are one that reviewers take for one: a finder, or two of them."""
    of = {g.label: g for g in groups}
    for (one, other), seats in _same(said).items():
        a, b = of.get(one), of.get(other)
        # `of` is looked up anew for each pair: groups that were joined before are found as one.
        if a is None or b is None or a is b or not _may_join(a, b, said):
            continue
        # One checker alone may be mistaken; a finder knows best what it meant.
        if len(seats) > 1 or seats & {*a.seats, *b.seats}:
            joined = tuple(dict.fromkeys((*a.joined_by, *b.joined_by, *sorted(seats))))
            members = sorted((*a.members, *b.members), key=lambda m: order.get(m[0], len(order)))
            both = replace(a, members=tuple(members), joined_by=joined)
            of.update(dict.fromkeys(both.labels, both))
    return list({g.label: g for g in of.values()}.values())


def _same(said: Said) -> dict[tuple[str, str], set[str]]:
    """Two labels -> who says that they are one; what somebody refutes, it takes for nothing."""
    pairs: dict[tuple[str, str], set[str]] = {}
    for label, verdicts in said.items():
        for seat, v in verdicts:
            if v.same_as and v.verdict != REFUTE:
                one, other = sorted((label, v.same_as))
                pairs.setdefault((one, other), set()).add(seat)
    return pairs


def _may_join(a: ReviewGroup, b: ReviewGroup, said: Said) -> bool:
    """Return whether two groups can be one: near each other, and no finder takes them for two."""
    # Who reported both took them for two.
    if a.part != b.part or set(a.seats) & set(b.seats):
        return False
    for one, other in ((a, b), (b, a)):
        heard = (x for label in one.labels for x in said.get(label, ()))
        if any(v.verdict == REFUTE and seat in other.seats for seat, v in heard):
            return False
    return any(may_be_one(f, g) for _, _, f in a.members for _, _, g in b.members)


def names_of(responses: Sequence[Response]) -> list[tuple[str, str, Defect]]:
    """Name, seat and finding, for all findings of a round."""
    return [
        (f"{r.model_alias}/{n}", r.model_alias, f)
        for r in responses
        for n, f in enumerate(r.findings)
    ]


def _verdicts(t: Transcript) -> Said:
    found: dict[str, list[tuple[str, FindingVerdict]]] = {}
    for round_ in t.rounds:
        for r in round_.usable if round_.round_type == CHECK else ():
            for verdict in r.verdicts:
                found.setdefault(verdict.label, []).append((r.model_alias, verdict))
    return found


def _ordered(group: ReviewGroup, said: Said) -> OrderedFinding:
    _, _, lead = group.lead
    # As severe as anybody calls it, whichever report speaks for it.
    worst = min(group.members, key=lambda m: m[2].rank)[2]
    heard = [v for _, v in _heard(group.seats, group.labels, said)]
    return OrderedFinding(
        label=group.label,
        standing=_standing(group, heard),
        severity=worst.severity,
        path=lead.path,
        line=lead.line,
        heading=lead.heading,
        claim=lead.claim,
        quote=lead.quote,
        quoted=lead.quoted,
        line_doubtful=lead.line is not None and lead.quoted is False,
        fix=lead.fix or next((f.fix for _, _, f in group.members if f.fix), ""),
        found_by=group.seats,
        joined_by=group.joined_by,
        reports=tuple(_reports(group)) if len(group.members) > 1 else (),
        part=group.part,
    )  # fmt: skip


def _reports(group: ReviewGroup) -> Iterator[FindingReport]:
    """Every report of a finding, the one that speaks for it first."""
    for seat, label, f in sorted(group.members, key=lambda m: m is not group.lead):
        yield FindingReport(
            seat=seat, label=label, severity=f.severity, where=f.where, claim=f.claim,
            quote=f.quote, quoted=f.quoted, fix=f.fix,
        )  # fmt: skip


def _heard(
    finders: Sequence[str], labels: Sequence[str], said: Said
) -> Iterator[tuple[str, FindingVerdict]]:
    """The words of those who did not report it; of one who checked it twice, each."""
    for label in labels:
        yield from ((seat, v) for seat, v in said.get(label, ()) if seat not in finders)


def _numbered(
    f: OrderedFinding, labels: Sequence[str], said: Said, numbers: Mapping[str, int]
) -> Iterator[HeldVerdict]:
    for seat, v in _heard(f.found_by, labels, said):
        yield HeldVerdict(
            seat=seat,
            verdict=v.verdict,
            reason=_renamed(v.reason, {label: _name(n) for label, n in numbers.items()}),
            quote=v.quote,
            quoted=v.quoted,
            same_as=numbers.get(v.same_as) if v.same_as not in labels else None,
        )


def _standing(group: ReviewGroup, verdicts: Sequence[FindingVerdict]) -> str:
    """Standing of a finding. A second report confirms it; a refutation needs a quote that stands.

    So what several found stays first unless the text is shown to say otherwise.
    """
    refuted = [v for v in verdicts if v.verdict == REFUTE]
    shown = any(v.quoted for v in refuted)
    if group.is_shared and not shown:
        return SEVERAL
    confirmed = len(group.seats) > 1 or any(v.verdict == CONFIRM for v in verdicts)
    if refuted:
        return REFUTED if shown and not confirmed else CONTESTED
    return CONFIRMED if confirmed else LEFT_OPEN
