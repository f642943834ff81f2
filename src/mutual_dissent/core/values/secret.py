"""Keys, wrapped so that they cannot be shown by accident."""

from __future__ import annotations

SHORTEST = 4
"""Letters that a key must have to be looked for: a shorter one would be found in every text."""
REAL = 12
"""Letters that every vendor's keys have; what people set for servers of their own is shorter."""


class Key:
    """An API key. Its text comes out of `reveal` alone, which only an adapter calls."""

    __slots__ = ("_text", "source")

    def __init__(self, text: str, source: str) -> None:
        """Wrap a key; `source` says where it came from, such as the name of a variable."""
        self._text = text
        self.source = source

    def reveal(self) -> str:
        """The key itself, for the request to its own vendor."""
        return self._text

    def mask(self, text: str) -> str:
        """The text without the key, should a vendor have echoed it."""
        return text.replace(self._text, "[key]") if len(self._text) >= SHORTEST else text

    @property
    def is_placeholder(self) -> bool:
        """Return whether it may be an everyday word (`test`, `ollama`) that answers are full of."""
        return len(self._text) < REAL

    @property
    def last_four(self) -> str:
        """Enough to recognise it by."""
        return f"…{self._text[-4:]}" if not self.is_placeholder else "…"

    def __repr__(self) -> str:
        return f"Key({self.last_four} from {self.source})"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a key is not pickled")
