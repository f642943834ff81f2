"""The report of a review: its findings in order, as Markdown that code puts together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mutual_dissent.analysis.review.order import (
    CONFIRMED,
    CONTESTED,
    LEFT_OPEN,
    REFUTED,
    SEVERAL,
    STANDINGS,
    OrderedFinding,
    review_rounds,
)
from mutual_dissent.analysis.review.text import parts
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.defects import CONFIRM, REFUTE, SEVERITIES
from mutual_dissent.text.markdown_inert import inert_line
from mutual_dissent.text.sanitize import one_line

TITLES = {
    SEVERAL: "Found by several",
    CONFIRMED: "Confirmed",
    CONTESTED: "Contested",
    LEFT_OPEN: "Left open",
    REFUTED: "Refuted",
}
NOTHING = "Nobody reported a defect."
NOT_THERE = "the quote is not in the text"
DOES, LEAVES = {CONFIRM: "confirms", REFUTE: "refutes"}, "leaves it open"


ASKED = ": report every defect that you find in it."
UNNAMED = "Review the attached text"
"""Beginning of the query of reviews by earlier versions, which named nothing."""
NAMED = 2
"""Documents that the query of a review names; others are counted."""


def review_query(names: Sequence[str], since: str = "") -> str:
    """The query of a review, which names what is reviewed, so that lists can tell reviews apart.

    Args:
        since: the beginning of a change, such as a branch.
    """
    first = ", ".join(one_line(n, 80) for n in names[:NAMED]) or "the attached text"
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"Review {first}{more}{f' since {one_line(since, 60)}' if since else ''}{ASKED}"


def report(t: Transcript, found: Sequence[OrderedFinding]) -> str:
    """All findings in order, those that were refuted last; then what was not looked at."""
    lines: list[str] = [] if found else [NOTHING, ""]
    for standing in STANDINGS:
        if some := [f for f in found if f.standing == standing]:
            lines += [f"## {TITLES[standing]}", ""]
            lines += [line for f in some for line in _item(f)]
            lines.append("")
    lines += [f"- {line}" for line in limits(t)]
    return "\n".join(lines).strip()


def in_short(found: Sequence[OrderedFinding]) -> str:
    """The number of findings, the worst that is not refuted, and how many there are of each."""
    if not found:
        return NOTHING
    stands = [f.severity for f in found if f.standing != REFUTED]
    worst = f", the worst {min(stands, key=SEVERITIES.index)}" if stands else ""
    words = {SEVERAL: "found by several", CONFIRMED: "confirmed",
             CONTESTED: "contested", LEFT_OPEN: "left open", REFUTED: "refuted"}  # fmt: skip
    counts = ((words[s], sum(f.standing == s for f in found)) for s in STANDINGS)
    said = ", ".join(f"{n} {word}" for word, n in counts if n)
    return f"{len(found)} finding{'s' if len(found) > 1 else ''}{worst}: {said}."


def limits(t: Transcript) -> Iterator[str]:
    """Bounds of a review: its parts, who missed one, what was cut or not looked at."""
    shown = parts(t.brief)
    if len(shown) > 1:
        yield f"The text was reviewed in {len(shown)} parts, so that each fits every context."
    for round_ in review_rounds(t):
        of = f" of part {round_.round_number + 1}" if len(shown) > 1 else ""
        for r in round_.responses:
            if not r.usable:
                yield f"{r.model_alias} gave no review{of}."
            for flag in r.flags:
                if flag.startswith("findings:"):
                    yield f"{r.model_alias}{of}: {flag.removeprefix('findings:').strip()}."
    yield from (n for n in t.brief.notices if n.startswith(NOT_REVIEWED))


NOT_REVIEWED = "not reviewed:"
"""Beginning of a notice that names what was left out of a review."""


def _item(f: OrderedFinding) -> Iterator[str]:
    where = f"{_place(f)} " if f.where else ""
    yield f"{f.number}. **{f.severity}** {where}{inert_line(f.claim)} ({who(f)})"
    if f.quote:
        # A backtick would end the code that the quote is shown as.
        quote = one_line(f.quote, 200).replace("`", "'")
        yield f"   `{quote}`{'' if f.quoted else f' ({NOT_THERE})'}"
    if f.fix:
        yield f"   Fix: {_fix(f.fix)}"
    yield from (f"   {inert_line(line)}" for line in words_of_others(f))


_STRINGS = re.compile(r"\"[^\"]{0,200}\"|'[^']{0,200}'")
_SYMBOLS = re.compile(r"[=(){}\[\]<>*_;]|//|->")
_SENTENCE = re.compile(r"\b[A-Za-z]{1,30}(?:[ ,]{1,2}[A-Za-z]{1,30}){2}\b(?![(._])")


def _fix(text: str) -> str:
    """A fix as Markdown: code as code, so that it can be read and copied as it is."""
    line = one_line(text, 600)
    bare = _STRINGS.sub('""', line)
    # Three words in a row are a sentence; code has signs between its names.
    if "`" in line or not _SYMBOLS.search(bare) or _SENTENCE.search(bare):
        return inert_line(line)
    return f"`{line}`"


def words_of_others(f: OrderedFinding, *, only: str = "") -> Iterator[str]:
    """A finding in the words of others that reported it, and what the rest said to it.

    Args:
        only: the verdict whose words are wanted, and nothing else.
    """
    if not only:
        yield from _other_reports(f)
    for v in f.verdicts:
        if v.same_as and not only:
            yield f"{v.seat} takes it for the same as finding {v.same_as}"
        if only not in ("", v.verdict) or not (v.reason or v.quote):
            continue
        quote = (
            f" ({one_line(v.quote, 200)})" if v.verdict == REFUTE and v.reason and v.quote else ""
        )
        yield f"{v.seat} {DOES.get(v.verdict, LEAVES)}: {one_line(v.reason or v.quote, 400)}{quote}"


def _other_reports(f: OrderedFinding) -> Iterator[str]:
    """The other reports of a finding, each where and as it was made, so that none is lost."""
    if f.joined_by:
        yield f"taken for one defect by {', '.join(f.joined_by)}"
    for r in f.reports[1:]:
        where = f"{one_line(r.where, 200)}: " if r.where != f.where else ""
        level = f"{r.severity}, " if r.severity != f.severity else ""
        if r.claim != f.claim or where or level:
            yield f"also reported as: {where}{one_line(r.claim, 600)} ({level}{r.seat})"


def _place(f: OrderedFinding) -> str:
    """A place in the text as code; one that is only said is no more than words."""
    if not f.path:
        return f"{inert_line(one_line(f.heading, 300))}:"
    return f"`{one_line(f.where, 300).replace('`', chr(39))}`"


def who(f: OrderedFinding) -> str:
    """Return who reported it, and who confirmed it, refuted it or left it open."""
    said = [", ".join(f.found_by)]
    for verdict, word in ((CONFIRM, "confirmed by"), (REFUTE, "refuted by"), ("", "left open by")):
        if seats := dict.fromkeys(
            v.seat for v in f.verdicts if (v.verdict if v.verdict in DOES else "") == verdict
        ):
            said.append(f"{word} {', '.join(seats)}")
    return "; ".join(said)
