"""Rankings in plain words: under a heading, as `C > A = B`, as a numbered or bare list."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum

from mutual_dissent.analysis.answers.labels import Labels, Place

# "1. C", "#2: Response A", "3rd place - B", "### 1) C", "**Rank 1:** C", "- C"
_ITEM = re.compile(
    r"^(?:#{1,6}[ \t]{1,3})?[*_]{0,3}"
    r"(?:(?:rank|place|position)?[ \t]{0,2}#?(?P<n>\d{1,3})(?:st|nd|rd|th)?(?: place)?"
    r"[*_]{0,3}(?:[ \t]{0,2}[.):–—-]|(?<=#\d)(?=[ \t]))"
    r"|(?P<bullet>[-*•+]))[*_]{0,3}[ \t]{1,4}(?P<text>\S.*)$",
    re.IGNORECASE,
)
# A table: "| 1 | Response C | ..."
_ROW = re.compile(r"^\|[ \t]{0,9}(?P<n>\d{1,3})[ \t]{0,9}\|[ \t]{0,9}(?P<text>[^|]{1,200})\|")
_CUE = re.compile(
    r"\b(?:rank(?:ing|ings|ed|s)?|best to worst|best first|order of preference"
    r"|preference order|ballot|my vote)\b",
    re.IGNORECASE,
)
# "Reasons for my ranking:" heads no ranking.
_NO_CUE = re.compile(
    r"\b(?:rationale|reason(?:s|ing)?|explanations?|criteria|justification|why|notes?)\b",
    re.IGNORECASE,
)
_LIST = re.compile(r"[,;]|\bthen\b", re.IGNORECASE)
_HEADING = 160  # characters
_GAP = 8  # lines of remarks that may stand below a numbered place
_MOST_PLACES = 64


class Kind(IntEnum):
    """Degrees of certainty that a block is a ranking, the surest last."""

    BARE = 0
    NUMBERED = 1
    CHAIN = 2
    HEADED = 3


@dataclass
class Block:
    """Lines that belong together: places with their numbers, where they have some."""

    kind: Kind
    places: list[tuple[int | None, Place]] = field(default_factory=list)
    indent: int = 0
    gap: int = 0
    remarks: bool = False
    reported: bool = False

    def takes(self, number: int | None, indent: int) -> bool:
        """Return whether a list item belongs to this block."""
        numbers = [n for n, _ in self.places]
        if not numbers:
            return True
        if number is None:
            return numbers[-1] is None and indent <= self.indent
        return numbers[-1] is not None and (number not in numbers or number == numbers[-1])

    def levels(self) -> list[Place]:
        """The places in the order of their numbers, those of the same number together.

        A list whose numbers are all the same is one that Markdown numbers itself.
        """
        numbers = [n for n, _ in self.places]
        if None in numbers or len(set(numbers)) == 1:
            return [place for _, place in self.places]
        levels: dict[int, Place] = {}
        for number, place in self.places:
            levels.setdefault(number or 0, []).extend(place)
        return [levels[n] for n in sorted(levels)]

    def ranks(self, shown: int) -> bool:
        """Return whether the block is well-formed enough to be a ranking."""
        named = {label for _, place in self.places for label in place if label}
        # Without a heading one label alone is a mention.
        least = 1 if self.kind is Kind.HEADED else min(2, max(1, shown))
        return len(named) >= least and not (self.kind is Kind.BARE and self.remarks)


def text_rankings(text: str, known: Labels) -> list[list[Place]]:
    """The rankings of the surest kind that a text has, in its order."""
    reader = _BlockReader(known)
    for line in text.replace("\r\n", "\n").split("\n"):
        reader.line(line.expandtabs(4))
    blocks = [b for b in reader.blocks if not b.reported and b.ranks(len(known.seats))]
    surest = max((b.kind for b in blocks), default=Kind.BARE)
    return [b.levels() for b in blocks if b.kind is surest]


class _BlockReader:
    """Goes through the lines once and collects the blocks."""

    def __init__(self, known: Labels) -> None:
        self._known = known
        self.blocks: list[Block] = []
        self._open: Block | None = None

    def line(self, line: str) -> None:
        text = line.strip()
        if not text or text.startswith("```"):
            return
        indent = len(line) - len(line.lstrip())
        chain = self._known.chain.search(line)
        item = _ITEM.match(text) or _ROW.match(text)
        if self._is_heading(text, listed=item is not None):
            self._heading(text)
        # "A = B" alone may be an equation or a remark.
        elif chain and ">" in chain[0].translate(_ARROWS):
            self._chain(chain[0])
        elif item:
            self._item(item, indent)
        else:
            self._text(text)

    def _is_heading(self, text: str, *, listed: bool) -> bool:
        if listed or len(text) > _HEADING or not _CUE.search(text) or _NO_CUE.search(text):
            return False
        # A long sentence that speaks of ranking is prose.
        return ":" in text or text.startswith(("#", "*", "_")) or len(text) <= _HEADING // 3

    def _heading(self, text: str) -> None:
        reported = bool(self._known.reported.search(text))
        block = self._begin(Kind.HEADED)
        block.reported = reported
        chain = self._known.chain.search(text)
        # "Final ranking: C, then A, then B": the places stand in the heading itself.
        rest = text.rpartition(":")[2] if ":" in text else ""
        pieces = [self._known.whole(p) for p in _LIST.split(rest)] if rest.strip(" *_") else []
        if chain:
            block.places = [(None, p) for p in _links(chain[0], self._known)]
        elif pieces and all(pieces):
            block.places = [(None, p) for p in pieces]
        if block.places:
            self._open = None

    def _chain(self, text: str) -> None:
        headed = self._open if self._open and not self._open.places else None
        block = headed or self._begin(Kind.CHAIN)
        block.places = [(None, p) for p in _links(text, self._known)]
        self._open = None

    def _item(self, item: re.Match[str], indent: int) -> None:
        number = int(item["n"]) if item["n"] else None
        place = self._known.place(item["text"])
        block = self._open
        if block and number is None and block.places and block.places[-1][0] is not None:
            return  # remarks below a numbered place
        if block and block.places and number is None and indent > block.indent:
            return
        if block is None or not block.takes(number, indent):
            block = self._begin(Kind.BARE if number is None else Kind.NUMBERED)
        if not block.places:
            block.indent = indent
        if (place or block.kind is Kind.HEADED) and len(block.places) < _MOST_PLACES:
            block.places.append((number, place or [None]))
        block.remarks |= not self._known.whole(item["text"])
        block.gap = 0

    def _text(self, text: str) -> None:
        block = self._open
        if block is None:
            return
        place = self._known.whole(text) if len(text) <= _HEADING else []
        if block.kind is Kind.HEADED and place and all(n is None for n, _ in block.places):
            block.places = [*block.places, (None, place)][:_MOST_PLACES]
            return
        block.gap += 1
        numbered = bool(block.places) and block.places[-1][0] is not None
        if block.gap > (_GAP if numbered else 1):
            self._open = None

    def _begin(self, kind: Kind) -> Block:
        self._open = Block(kind)
        self.blocks.append(self._open)
        return self._open


_ARROWS = str.maketrans(dict.fromkeys("≻≥→", ">"))


def _links(chain: str, known: Labels) -> list[Place]:
    """The places of `C > A = B`."""
    places: list[Place] = []
    at = 0
    for token in known.token.finditer(chain):
        between = chain[at : token.start()].translate(_ARROWS)
        if not places or ">" in between or "&gt;" in between:
            places.append([])
        places[-1].append(known.read(token[0]))
        at = token.end()
    return places
