"""Claims with the sources that they name: in the final answer, and in each panelist's last one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mutual_dissent.analysis.answers.citations import (
    MAX_TEXT,
    REFERENCE,
    in_text,
    listed_sources,
    normalise_url,
)
from mutual_dissent.analysis.answers.words import words
from mutual_dissent.core.response import Citation, Response
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.citation import CitedClaim

MOST_PAGES = 20
MOST_CLAIMS = 40
LONGEST = 600
LONGEST_SENTENCE = 4_000
LEAST_WORDS = 3
"""Meaningful words that a sentence must have to be a claim: `See also:` has none."""

# A sentence ends where a blank follows its stop, with the marks that stand behind it.
_END = re.compile(r"[.!?。][\"')\]”*_]{0,4}(?:[ ]?\[\d{1,3}\]){0,20}(?=\s|$)")
_MARKS = re.compile(r"(?<![\w\\])\[(\d{1,3})\](?!\()")
_LINK = re.compile(r"!?\[([^\[\]\n]{1,300})\]\([^()\s]{1,2000}\)")
# "([title](address))": the title names the page and says nothing.
_ASIDE = re.compile(r"\((?:\[[^\[\]\n]{1,300}\]\([^()\s]{1,2000}\)[;, ]{0,2}){1,9}\)")
_ADDRESS = re.compile(r"<?https?://[^\s<>)\]]{1,2000}>?")
_EMPTY = re.compile(r"[(\[][\s;,\ue000]{0,40}[)\]]")
_STOOD = "\ue000"
"""Stands for an address until it is known whether the sentence can do without it."""
LINK = "[link]"
"""Stands where an address is a part of the sentence; three dots would let anything stand there."""
_LAST = re.compile(r"[\s:;,\ue000]{0,80}\ue000[\s.]{0,4}$")
_BLANK = re.compile(r"[ \t]{1,4}([.,;!?])")
_LINE_START = re.compile(r"^[ \t]{0,8}(?:[-+•*>#]{1,6}|\d{1,3}[.)])[ \t]+")


def cited_claims(t: Transcript) -> list[CitedClaim]:
    """Claims with their sources, the answer's first; bounded in number."""
    final = t.synthesis
    if final is None:
        return []
    latest = (t.latest_of(p.seat) for p in t.panelists)
    found: dict[tuple[str, str], CitedClaim] = {}
    pages: set[str] = set()
    for response in (final, *(r for r in latest if r)):
        for source, text in claims_of(response):
            page = normalise_url(source.url)
            if page is None or (page not in pages and len(pages) >= MOST_PAGES):
                continue
            key = (page, " ".join(words(text)))
            if key not in found and len(found) >= MOST_CLAIMS:
                continue
            pages.add(page)
            known = found.get(key) or CitedClaim(url=source.url, title=source.title, claim=text)
            found[key] = _by(known, response, final)
    return list(found.values())


def _by(known: CitedClaim, response: Response, final: Response) -> CitedClaim:
    if response is final:
        return replace(known, in_answer=True)
    seats = dict.fromkeys((*known.seats, response.model_alias))
    return replace(known, seats=tuple(seats))


def claims_of(response: Response) -> Iterator[tuple[Citation, str]]:
    """Each source of an answer with a sentence that it stands behind."""
    if not response.usable:
        return
    text = response.text[:MAX_TEXT]
    numbered = _numbered(text, response.citations)
    for sentence in sentences(text):
        if REFERENCE.match(sentence) and _ADDRESS.search(sentence):
            continue
        named = [*in_text(sentence), *(numbered[n] for n in _marks(sentence) if n in numbered)]
        claim = bare_claim(sentence)
        if named and _says_something(claim):
            yield from ((source, claim) for source in named)
    # Where the vendor says which words a source is for, whatever the text shows.
    for source in response.citations:
        claims = map(bare_claim, response.cited_for.get(source.url, ()))
        yield from ((source, c) for c in claims if _says_something(c))


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, line by line, each with the marks that stand behind it."""
    for line in text.splitlines():
        at = 0
        for end in _END.finditer(line):
            yield line[at : end.end()][:LONGEST_SENTENCE]
            at = end.end()
        if at < len(line):
            yield line[at:][:LONGEST_SENTENCE]


def bare_claim(sentence: str) -> str:
    """The sentence without marks and markup, and with a word for addresses inside it."""
    text = _LINE_START.sub("", sentence[:LONGEST_SENTENCE])
    text = _ADDRESS.sub(_STOOD, _LINK.sub(r"\1", _ASIDE.sub("", text)))
    text = _EMPTY.sub("", _MARKS.sub("", text)).replace("**", "").replace("`", "")
    text = _LAST.sub(".", text) if _LAST.search(text) else text
    text = text.replace(_STOOD, LINK)
    return " ".join(_BLANK.sub(r"\1", text).split()).strip(" -–—:;,(")[:LONGEST]


def _says_something(claim: str) -> bool:
    return len(words(claim.replace(LINK, ""))) >= LEAST_WORDS


def _marks(sentence: str) -> list[int]:
    return [int(n) for n in _MARKS.findall(sentence)]


def _numbered(text: str, own: Sequence[Citation]) -> Mapping[int, Citation]:
    """Number -> source: by the list of sources in the text, else in the order the vendor has."""
    return listed_sources(text) or dict(enumerate(own, 1))
