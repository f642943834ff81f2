"""Labels on ballots: `Panelist C`, `Response C`, `**C**` are the same answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from unicodedata import normalize

Place = list[str | None]
"""The labels that share a place; None for an answer that was never shown."""

_KINDS = "panelist|response|answer|model|candidate|option|solution|reply|assistant|participant"
_MARKS = r"[*_`\"'“”\[(]{0,4}"
_ENDS = r"[*_`\"'“”\])]{0,4}"
_TIE = r"\s{0,3}(?:==?|~|≈|&|/|,|\band\b|\bties? with\b|\btied with\b)\s{0,3}"
_ORDER = r"\s{0,3}(?:>{1,3}|≻|≥|→|-{1,2}>|=>|&gt;)\s{0,3}"
_EQUAL = r"\s{0,3}(?:=|~|≈)\s{0,3}"
# After a lone A or I, which may as well be a word of the sentence.
_VERB = re.compile(r"\s(?:is|was|has|because|for|since|as|and|with|by|tied|then|comes|gets)\b")
_WORDS = ("A", "I")
# Up to p: a panel has at most 16 seats.
_FOREIGN = re.compile(r"[^\W\d_a-z]{2,20} ?([a-p])")
"""A word in another script than Latin, and a letter."""

_LEAD = re.compile(r"^(?:\s|[*_]|tied?:?\s|joint:?\s)*", re.IGNORECASE)
_BEST = "best|strongest|(?:clear |overall )?winner"


class KnownLabels:
    """Labels that a reader was shown, in every way that models write them."""

    def __init__(self, seats: Mapping[str, str]) -> None:
        self.seats = dict(seats)
        self._forms = {_flat(label): label for label in seats}
        short: dict[str, list[str]] = {}
        for label in seats:
            short.setdefault(_flat(label).rpartition(" ")[2], []).append(label)
        # A last word that two labels share stands for neither.
        self._short = {word: of[0] for word, of in short.items() if len(of) == 1}

    def seat(self, name: object) -> str | None:
        """The seat that a field names, also if the field is only a letter.

        A part may stand after it, as in the quotation: `Panelist A, PRIMARY`.
        """
        if not isinstance(name, str):
            return None
        label = self.read(name, anything=True) or self._with_part(name) or self._foreign(name)
        return self.seats[label] if label else None

    def _with_part(self, label: str) -> str | None:
        """The whole label before a comma or a bracket, where no other one follows."""
        name, _, part = label.replace("(", ",").partition(",")
        more = any(form in part.casefold() for form in self._forms)
        return None if more else self._forms.get(_flat(name))

    def _foreign(self, label: str) -> str | None:
        """The letter at the end of a label that was translated: `パネリストB`."""
        match = _FOREIGN.fullmatch(_flat(label)[:40])
        return self._short.get(match[1]) if match else None

    def read(self, text: str, *, anything: bool = False) -> str | None:
        """The label that a token stands for; None for an unknown one.

        Args:
            anything: whether single letters may be small.
        """
        flat = _flat(text)
        if flat in self._forms:
            return self._forms[flat]
        kind, _, word = flat.rpartition(" ")
        labels = self._short.get(word) if not kind or kind in _KINDS.split("|") else None
        # In running text a small "a" is an article; `word` is folded, so that "A" is not in it.
        if labels and word == flat and len(word) == 1 and not anything and word in text:
            return None
        return labels


class Labels(KnownLabels):
    """The same, found in running text."""

    def __init__(self, seats: Mapping[str, str]) -> None:
        super().__init__(seats)
        self._compile()

    def _compile(self) -> None:
        full = "|".join(_pattern(f) for f in sorted(self._forms, key=len, reverse=True))
        words = sorted((w for w in self._short if len(w) > 1), key=len, reverse=True)
        letters = "".join(re.escape(w.upper()) for w in self._short if len(w) == 1)
        # Bare letters count in capitals alone, though the rest of the pattern ignores case.
        bare = [*(_pattern(w) for w in words), f"(?-i:[A-Z{letters}])"]
        body = f"{full or '(?!)'}|(?:{_KINDS})[ \t]{{1,3}}[^\\W_]{{1,20}}|{'|'.join(bare)}"
        token = f"{_MARKS}(?<![\\w#])(?:{body})(?![\\w#+’]|['-]\\w){_ENDS}"
        flags = re.IGNORECASE
        self.token = re.compile(token, flags)
        self.chain = re.compile(f"{token}(?:(?:{_ORDER}|{_EQUAL}){token})+", flags)
        self.tie = re.compile(_TIE, flags)
        named = f"{_MARKS}(?<![\\w#])(?:{full or '(?!)'}|(?:{_KINDS})[ \t]{{1,3}}[A-Z])\\b{_ENDS}"
        self.named = re.compile(named, flags)
        self.reported = re.compile(
            rf"{named}\s?['’]s\b|\b(?:by|of|from|according to)\s{named}", flags
        )
        self.praise = re.compile(
            rf"\b(?:{_BEST})(?: answer| response)?(?: overall)? (?:is|was):?\s(?P<after>{named})"
            rf"|(?P<before>{named})\s(?:is|was) (?:clearly |by far |overall )?the "
            rf"(?:{_BEST})(?=\s{{0,3}}(?:[.!;,)]|$|answer|response|overall|of))",
            flags | re.MULTILINE,
        )

    def place(self, text: str) -> Place:
        """The labels that a line of a list begins with, or the first that it names in full."""
        at = lead.end() if (lead := _LEAD.match(text)) else 0
        labels: Place = []
        while match := self.token.match(text, at):
            if self._is_word(match[0], text, match.end()):
                break
            labels.append(self.read(match[0]))
            between = self.tie.match(text, match.end())
            if not between:
                break
            at = between.end()
        if not labels and (mention := self.named.search(text, 0, 120)):
            labels.append(self.read(mention[0]))
        return labels

    def whole(self, text: str) -> Place:
        """The labels of a text that has nothing else in it; empty if it has."""
        place = self.place(text)
        rest = self.tie.sub(" ", self.token.sub(" ", text))
        return place if place and not rest.strip(" .*_`;:!") else []

    def _is_word(self, token: str, text: str, end: int) -> bool:
        bare = token.strip("*_`\"'“”[]() ")
        if bare not in _WORDS or bare != token.strip():
            return False
        following = text[end : end + 12]
        return bool(re.match(r"\s[a-z]", following)) and not _VERB.match(following)


def favourites(text: str, known: Labels) -> list[str]:
    """The labels that a text calls the best."""
    labels = (known.read(m["after"] or m["before"]) for m in known.praise.finditer(text))
    return [label for label in labels if label is not None]


def _flat(text: str) -> str:
    """A label without its marks, case, width and doubled blanks."""
    plain = text if text.isascii() else normalize("NFKC", text)
    return " ".join(plain.strip("*_`\"'“”[]().:; \t").casefold().split())


def _pattern(flat: str) -> str:
    return r"[ \t]{1,3}".join(re.escape(word) for word in flat.split())
