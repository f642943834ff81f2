"""Citations as they are checked: the claim, the page behind it, and what was found there."""

from __future__ import annotations

from dataclasses import dataclass, field

from mutual_dissent.core.codec.camel import Shape, about

READ, VERBATIM, ABSENT = "read", "verbatim", "absent"
UNREACHED, UNREAD, FOREIGN = "unreached", "unread", "foreign"
"""States of a page that was looked at: it has a passage on the claim, it has the claim itself, it
has nothing of it; it could not be had, there was no time for it, it is in another language."""

SUPPORTS, CONTRADICTS, NOT_FOUND = "supports", "contradicts", "not found"
NOT_REACHABLE, NOT_JUDGED, NOT_CHECKED = "not reachable", "not judged", "not checked"
VERDICTS = (SUPPORTS, CONTRADICTS, NOT_FOUND, NOT_REACHABLE, NOT_JUDGED, NOT_CHECKED)

CITATIONS = "citations"
"""The role of the analyst's judgement on citations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedClaim(Shape):
    """A sentence with the source that it names, and who wrote it.

    `in_answer` says that it stands in the final answer; `seats` are the panelists who wrote it.
    """

    url: str
    title: str
    claim: str
    in_answer: bool = False
    seats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPassage(Shape):
    """A citation whose page was looked at.

    Attributes:
        state: what came of it, in a word.
        passage: the part of the page that has most of the claim's words.
        reason: why there is none.
    """

    cited: CitedClaim
    state: str
    passage: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedCitation(Shape):
    """A citation and how it fared."""

    number: int
    url: str
    title: str
    claim: str = field(metadata=about("The sentence that names the source."))
    in_answer: bool = field(metadata=about("Whether it stands in the final answer."))
    cited_by: tuple[str, ...]
    verdict: str = field(metadata=about(f"One of: {', '.join(VERDICTS)}."))
    passage: str = field(metadata=about("What the page says on it."))
    quote: str = field(metadata=about("The words of it that the analyst judged by."))
    reason: str = field(metadata=about("Why it is not reachable, judged or checked."))
    judged_by: str = field(metadata=about("The analyst's seat; empty where words decided."))
