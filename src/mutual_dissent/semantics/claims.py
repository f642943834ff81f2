"""Cuts an answer into claims and finds those that carry its position."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LONGEST_ANSWER = 20_000  # characters that are read; a position is stated before that
_LONGEST_CLAIM = 600
_MOST_CLAIMS = 60
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_LIST_MARK = re.compile(r"^\s*(?:[-*+•–]|\d{1,2}[.)]|[a-z][.)]|#{1,6}|>)\s+")
_DECORATION = re.compile(r"[*_`]{1,3}")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|Dr|Mr|Mrs|Ms|Prof|St|No|approx|a\.m|p\.m)\.$")
# No blank follows the end of a Chinese or Japanese sentence.
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9])|(?<=[。！？])")
_PART = re.compile(
    r"[.;:]\s+|\s+—\s+|,?\s+(?:because|since|but|while|whereas|although|though|yet|however|and|so)\s+"
    r"|,\s+(?:as|not)\s+",
    re.IGNORECASE,
)
_HEAD = re.compile(r"(?:yes|no|absolutely|definitely|certainly|sure)[.!:,]?", re.IGNORECASE)
_POSITION = re.compile(
    r"\b(?:should|shouldn['’]t|must|ought|recommend\w*|advis\w+|suggest|i would|i['’]d|"
    r"i am against|"
    r"i['’]m against|in favou?r|i think|i believe|in my (?:view|opinion)|my (?:answer|advice|view)|"
    r"better|best|worse|right|wrong|waste|worth|need to|needs? to|have to|use|avoid|keep|prefer|"
    r"choose|go with|stick with|therefore|overall|in short|in conclusion|to sum up|all in all|"
    r"bottom line|answer is|it is time|deserves?|never|always|yes|no)\b",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"^(?:so|therefore|overall|in short|in conclusion|to sum up|all in all|in summary|to conclude|"
    r"bottom line|ultimately|my (?:recommendation|advice|answer))\b",
    re.IGNORECASE,
)
_CONCESSION = re.compile(
    r"^(?:admittedly|granted|of course|it is true that|true,|"
    r"some (?:will |may |might )?(?:say|argue|"
    r"object|claim)|critics|opponents|proponents|while |although |though |on the other hand|"
    r"that said|there are also|to be fair|certainly,)",
    re.IGNORECASE,
)

_COURTESY = re.compile(
    r"^(?:i hope|let me know|feel free|hope this|happy to|good luck|if you (?:have|need))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class WeightedClaim:
    """One statement of an answer and how likely it carries the position."""

    text: str
    weight: float


def claims(answer: str) -> list[WeightedClaim]:
    """The statements of an answer in order: sentences and list items, weighed by their markers."""
    texts = _statements(_FENCE.sub(" ", answer[:_LONGEST_ANSWER]))[:_MOST_CLAIMS]
    last = len(texts) - 1
    return [WeightedClaim(text, _weight(text, i, last)) for i, text in enumerate(texts)]


def parts(claim: str) -> list[str]:
    """Cut a claim where another point begins: a reason, a 'but', an 'and', a sentence."""
    pieces = [p.strip(" ,.;:") for p in _PART.split(claim)]
    return [p for p in pieces if len(p.split()) >= 2]


def ends(answer: str) -> str:
    """The first and last claim of an answer: there a position is stated and summed up."""
    all_claims = claims(answer)
    texts = [c.text for c in all_claims if c.weight >= 0 and not _COURTESY.match(c.text)]
    texts = texts or [c.text for c in all_claims]
    return " ".join(dict.fromkeys((*texts[:1], *texts[-1:])))


def _statements(text: str) -> list[str]:
    statements: list[str] = []
    for line in text.splitlines():
        bare = _DECORATION.sub("", _LIST_MARK.sub("", line)).strip()
        if bare:
            statements += _sentences(bare)
        if len(statements) > _MOST_CLAIMS:
            break
    return _joined_heads(statements)


def _sentences(line: str) -> list[str]:
    parts: list[str] = []
    for part in _SENTENCE_END.split(line):
        if parts and _ABBREVIATION.search(parts[-1]):
            parts[-1] = f"{parts[-1]} {part}"
        elif part.strip():
            parts.append(part.strip())
    return [p[:_LONGEST_CLAIM] for p in parts]


def _joined_heads(parts: list[str]) -> list[str]:
    """A bare 'Yes.' belongs to the sentence after it."""
    joined: list[str] = []
    for part in parts:
        if joined and _HEAD.fullmatch(joined[-1]):
            joined[-1] = f"{joined[-1]} {part}"
        else:
            joined.append(part)
    return joined


def _weight(text: str, place: int, last: int) -> float:
    weight = 1.0 if _POSITION.search(text) else 0.0
    weight += 1.2 if place == 0 else 0.4 if place in (1, last) else 0.0
    weight += 1.0 if _CLOSING.match(text) else 0.0
    weight -= 1.5 if _CONCESSION.match(text) else 0.0
    weight -= 1.0 if text.endswith("?") else 0.0
    return weight - (0.8 if len(text.split()) < 4 else 0.0)
