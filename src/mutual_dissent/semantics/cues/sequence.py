"""Comparisons and orders of events in the words that `comparisons` reads: than, before, after.

'Not as tall as' is 'less tall than', 'outperforms' is 'better than', 'not until' is 'only after'.
"""

from __future__ import annotations

import re

_LOOK = 400  # characters; a comparison stands in a single claim
_NOT = (
    r"(?:\b(?:do|does|did|must|should|may|can|could|will|would|is|are|was|were) ?(?:not|n['’]t)|"
    r"\bcannot|\bcan['’]t|\bnever)"
)
_IS = r"is|are|was|were|takes|take|took|costs|cost"
_EXACTLY, _QUALITY = r"(?: just| about| exactly)?", r"(?!well|soon|far|if|much|many)(\w+)"
_THEN = r",? first,?(?: and then| and|,? then|;)"
# Each works on what those before it have made: "isn't as" must be "is not as" first.
_REWORDED = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        (r"\b(?:is|are|was|were)n['’]t (?=(?:nearly |quite )?(?:as|so) \w+)", "is not "),
        (r"\bnot (?:nearly |quite |half )?(?:as|so) (\w+)\b(.{0,40}?) as\b", r"less \1\2 than"),
        (r"\b(?:twice|thrice|\w+ times) as (\w+)\b(.{0,40}?) as\b", r"more \1\2 than"),
        (r"\b(?:half|a third|a quarter|a tenth) as (\w+)\b(.{0,40}?) as\b", r"less \1\2 than"),
        (r"\b(?:outperform|defeat|outscore|surpass)(?:e?[sd]|ed)?\b|\bbeats?\b", "ahead than"),
        (r"\b(?:is|are|was|were) preferred (?:to|over)\b", "is ahead than"),
        (r"^.{0,60}?\bprefer(?:s|red)? (.{2,40}?) (?:to|over)\b", r"\1 ahead than"),
        (r"\b(?:is|are|was|were) superior to\b", "is better than"),
        (r"\b(?:is|are|was|were) inferior to\b", "is worse than"),
        (r"\b(?:lost|loses|lose) (?:out )?(?:to|against)\b", "behind than"),
        (r"\b(?:takes?|took|taking|needs?) longer\b", "is slower"),
        (r"\b(?:takes?|took|taking|needs?)( [a-z ]{0,25}?)? (more|less) time\b", r"is\1 \2 slow"),
        (r"\b(more|less) (?:much|many)\b", r"\1"),
        (rf"\b({_IS}) as long as\b", r"\1 equally slow than"),
        (rf"\b({_IS}) at least as (\w+) as\b", r"\1 minimally \2 than"),
        (rf"\b({_IS}){_EXACTLY} as {_QUALITY} as\b", r"\1 equally \2 than"),
        (rf"{_NOT} (.{{3,80}}?) (?:until|before)\b", r"\1 after"),
        (r"\bonly (?:after|once|when)\b", "after"),
        (r"\bhad already (.{3,60}?) when\b", r"had \1 before"),
        (rf"^(.{{3,80}}?){_THEN} (.{{3,80}}?)(?:,? afterwards| later)?(?=[.!]?$)", r"\1 before \2"),
    )
)


def reword(text: str) -> str:
    """The text in lower case, its comparisons and orders said with 'than', 'before' and 'after'."""
    low = text[:_LOOK].lower()
    for pattern, wording in _REWORDED:
        low = pattern.sub(wording, low)
    return low
