"""Pages behind citations: each is fetched once, and the passage nearest to each claim found."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from mutual_dissent.analysis.answers.verbatim import is_in
from mutual_dissent.analysis.answers.words import words
from mutual_dissent.analysis.bottom_lines.words import ENGLISH, tokens
from mutual_dissent.core.values.citation import ABSENT, FOREIGN, READ, UNREACHED, VERBATIM
from mutual_dissent.tools.addresses import NotFetched
from mutual_dissent.tools.fetch import Pages
from mutual_dissent.tools.passages import closest, split_sentences

LEAST_TEXT = 200
"""Characters that a page must have: with fewer, what it shows is made by a program."""
LEAST_NEAR = 0.3
LEAST_QUOTE = 5
MOST_QUOTED = 0.6
MORE_WORDS = 2
"""Words that a sentence may have beside a claim that it is."""
FOREIGN_SHARE, ENGLISH_SHARE = 0.06, 0.15
SAMPLE = 20_000
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]{20,600})[\"”“»]")


class CitationPages:
    """Reads cited pages from the public web."""

    def __init__(self, pages: Pages) -> None:
        """Set up; nothing is opened yet."""
        self._pages = pages

    async def read(self, url: str, claims: Sequence[str]) -> list[tuple[str, str, str]]:
        """State, passage and reason for each claim about one page. Raises only CancelledError."""
        try:
            page = await self._pages.page(url)
        except NotFetched as e:
            return [(UNREACHED, "", str(e))] * len(claims)
        text = page.text.strip()
        if len(text) < LEAST_TEXT:
            return [(UNREACHED, "", "the page has no text without running its programs")] * len(
                claims
            )
        return await asyncio.to_thread(lambda: [judge_words(c, text) for c in claims])


def judge_words(claim: str, text: str) -> tuple[str, str, str]:
    """State, passage and reason of one claim, as far as words alone decide it."""
    passage, nearness = closest(claim, text)
    if _stands(claim, text):
        return VERBATIM, passage, ""
    if nearness >= LEAST_NEAR:
        return READ, passage, ""
    if _in_two_languages(claim, text):
        return FOREIGN, "", "the page is in another language than the claim"
    return ABSENT, "", "the page has no passage with the words of the claim"


def _in_two_languages(claim: str, text: str) -> bool:
    """Return whether one of two texts is English and the other one is not, as far as it shows."""
    low, high = sorted((_english(claim), _english(text[:SAMPLE])))
    return low < FOREIGN_SHARE and high > ENGLISH_SHARE


def _english(text: str) -> float:
    """Share of the words that are among the commonest of English."""
    said = tokens(text)
    return sum(word in ENGLISH for word in said) / max(1, len(said))


def _stands(claim: str, text: str) -> bool:
    """Return whether the text has the claim, or the quote that most of it is, as it stands.

    Within a longer sentence it may be denied, or be somebody's opinion: that is for others to say.
    """
    if len(claim.split()) >= LEAST_QUOTE and _is_sentence(claim, text):
        return True
    for quote in _QUOTED.findall(claim):
        share = len(words(quote)) / max(1, len(words(claim)))
        if len(quote.split()) >= LEAST_QUOTE and share >= MOST_QUOTED and is_in(quote, [text]):
            return True
    return False


def _is_sentence(claim: str, text: str) -> bool:
    if not is_in(claim, [text]):
        return False
    most = len(claim.split()) + MORE_WORDS
    return any(len(s.split()) <= most and is_in(claim, [s]) for s in split_sentences(text))
