"""A picture that goes with a query: what is known of it, apart from its bytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

LEAST_TOKENS, MOST_TOKENS = 85, 1_600
"""Tokens that vendors bill a picture with, however small or large it is."""

LONGEST_SIDE, PIXELS_A_TOKEN = 1_568, 750
"""The size that a picture is scaled down to, and how many pixels of that make a token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture by the hash of its bytes, which the record keeps once.

    The bytes go with it from where it is read until it is on record, and from there to a vendor;
    they stand in no event, since JSON leaves out what begins with an underscore.
    """

    media_type: str
    sha256: str
    width: int
    height: int
    size: int
    _raw: bytes | None = field(default=None, repr=False, compare=False)

    @property
    def raw(self) -> bytes | None:
        """The bytes, where they are at hand."""
        return self._raw

    def with_bytes(self, raw: bytes | None) -> Picture:
        """The same with its bytes at hand, or without them."""
        return replace(self, _raw=raw)

    @property
    def tokens(self) -> int:
        """About how many tokens it is billed with."""
        scale = min(1.0, LONGEST_SIDE / max(self.width, self.height, 1))
        tokens = int(self.width * scale * self.height * scale / PIXELS_A_TOKEN)
        return min(MOST_TOKENS, max(LEAST_TOKENS, tokens))

    @property
    def words(self) -> str:
        """Its measures: `640 × 480 pixels, 23 kB`."""
        return f"{self.width:,} × {self.height:,} pixels, {byte_words(self.size)}"


def byte_words(size: int) -> str:
    """A number of bytes in kB or MB."""
    return f"{size / 1e6:.1f} MB" if size >= 1_000_000 else f"{max(1, round(size / 1e3)):,} kB"


def picture_tokens(pictures: Iterable[Picture]) -> int:
    """About how many tokens pictures are billed with, together."""
    return sum(p.tokens for p in pictures)
