"""Quoting: others' text inside a request, fenced so that it cannot pass for anything else."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from mutual_dissent.core.brief import Brief

MAX_QUOTE = 24_000
"""The most characters of one answer that others are shown."""


@dataclass(frozen=True, slots=True)
class Fence:
    """The code of one request's quotations. Authors of quoted text cannot have seen it."""

    code: str

    @classmethod
    def of(cls, nonce: str, key: str) -> Fence:
        """The fence of the request with that key in the debate with that nonce."""
        return cls(hashlib.sha256(f"{nonce}/{key}".encode()).hexdigest()[:10])

    def quote(self, label: str, text: str, limit: int = MAX_QUOTE) -> str:
        """One quotation. A text that holds the code gets a gap in it, whoever guessed it."""
        kept = shorten(text, limit).replace(self.code, f"{self.code[:5]} {self.code[5:]}")
        return f"[{label} | {self.code}]\n{kept}\n[end | {self.code}]"

    def unquote(self, request: str) -> list[tuple[str, str]]:
        """Every (label, text) that was quoted in a request: what `quote` put there."""
        code = re.escape(self.code)
        pattern = re.compile(rf"\[([^\n]*) \| {code}\]\n(.*?)\n\[end \| {code}\]", re.DOTALL)
        return pattern.findall(request)


def shorten(text: str, limit: int) -> str:
    """The text, or its beginning with a sentence that says how much was cut."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n[cut here: {len(text) - limit:,} of {len(text):,} characters left out]"


def labels(brief: Brief) -> dict[str, str]:
    """Seat -> what other panelists call it: a letter drawn by seed, or its alias if named."""
    if brief.named:
        return {p.seat: p.seat for p in brief.panel}
    letters = [chr(ord("A") + i) for i in range(len(brief.panel))]
    Random(f"{brief.seed}/labels").shuffle(letters)
    return {p.seat: f"Panelist {x}" for p, x in zip(brief.panel, letters, strict=True)}


def order(brief: Brief, key: str, seats: Mapping[str, int]) -> list[str]:
    """The seats in the order that this reader sees them in: shuffled by seed, unless named."""
    ordered = sorted(seats, key=lambda s: seats[s])
    if not brief.named:
        Random(f"{brief.seed}/{key}").shuffle(ordered)
    return ordered
