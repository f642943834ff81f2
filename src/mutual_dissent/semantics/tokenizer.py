"""WordPiece of the uncased BERT vocabulary, in plain Python.

It gives the same pieces as the `tokenizers` library; a test compares the two.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

CLS, SEP, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
# BERT's own limit: a longer word is one unknown piece.
_LONGEST_WORD = 100
_CACHED_WORDS = 20_000
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class Tokenizer:
    """Cuts text into the numbered pieces of a vocabulary."""

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._unknown = self._numbers[UNKNOWN]
        self.cls, self.sep = self._numbers[CLS], self._numbers[SEP]
        # Texts of a debate repeat their words, and looking up a word is the slow part.
        self._of_word = lru_cache(_CACHED_WORDS)(self._pieces)

    def ids(self, text: str) -> list[int]:
        """The numbers of the text's pieces, without marks for begin and end."""
        return [number for word in _words(text) for number in self._of_word(word)]

    def _pieces(self, word: str) -> Sequence[int]:
        """The longest known pieces of a word from left to right, or the one for unknown."""
        if len(word) > _LONGEST_WORD:
            return (self._unknown,)
        ids: list[int] = []
        start = 0
        while start < len(word):
            end, number = self._longest(word, start)
            if number is None:
                return (self._unknown,)
            ids.append(number)
            start = end
        return tuple(ids)

    def _longest(self, word: str, start: int) -> tuple[int, int | None]:
        for end in range(len(word), start, -1):
            piece = word[start:end] if start == 0 else f"##{word[start:end]}"
            if piece in self._numbers:
                return end, self._numbers[piece]
        return start, None


def _words(text: str) -> Iterator[str]:
    """Lower-case words and single punctuation marks, without accents."""
    spaced = "".join(map(_clean, text))
    bare = "".join(
        c for c in unicodedata.normalize("NFD", spaced) if unicodedata.category(c) != "Mn"
    )
    # Python knows the Greek sigma at the end of a word, the vocabulary's authors did not.
    for chunk in bare.replace("Σ", "σ").lower().split():
        yield from _split_at_punctuation(chunk)


@lru_cache(4096)
def _clean(c: str) -> str:
    """The character as the vocabulary's authors normalised it."""
    if c in "\t\n\r" or unicodedata.category(c) == "Zs":
        return " "
    code = ord(c)
    if code in (0, 0xFFFD) or unicodedata.category(c)[0] == "C":
        return ""
    if any(low <= code <= high for low, high in _IDEOGRAPHS):
        return f" {c} "
    return c


def _split_at_punctuation(chunk: str) -> Iterator[str]:
    start = 0
    for place, c in enumerate(chunk):
        if _is_punctuation(c):
            if start < place:
                yield chunk[start:place]
            yield c
            start = place + 1
    if start < len(chunk):
        yield chunk[start:]


@lru_cache(4096)
def _is_punctuation(c: str) -> bool:
    ascii_mark = c.isascii() and c.isprintable() and not c.isalnum() and c != " "
    return ascii_mark or unicodedata.category(c)[0] == "P"
