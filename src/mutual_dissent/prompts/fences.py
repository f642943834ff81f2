"""Quoting: others' text inside a request, fenced so that it cannot pass for anything else."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from mutual_dissent.core.brief import Brief
from mutual_dissent.core.sight import Names
from mutual_dissent.text.sanitize import invisible_words

WORD = "Panelist"
"""What stands before the letter of a panelist."""

MAX_QUOTE = 24_000
"""The most characters of one answer that others are shown."""


@dataclass(frozen=True, slots=True)
class Fence:
    """The code of one request's quotations. Authors of quoted text cannot have seen it."""

    code: str

    @classmethod
    def of(cls, nonce: str, key: str) -> Fence:
        """The fence of the request with that key in the debate with that nonce."""
        # Of the key as well: a model that has seen one request's code cannot close another's fence.
        return cls(hashlib.sha256(f"{nonce}/{key}".encode()).hexdigest()[:10])

    def quote(self, label: str, text: str, limit: int = MAX_QUOTE) -> str:
        """One quotation. A text that holds the code gets a gap in it, whoever guessed it.

        So do tokens by which a model's template knows turns. What the text hides is said before it.
        """
        kept = inert(shorten(text, limit)).replace(self.code, f"{self.code[:5]} {self.code[5:]}")
        hidden = invisible_words(kept)
        said = f"(What follows came {hidden}.)\n" if hidden else ""
        # Square brackets: small models copy fewer of them into their answers.
        return f"{said}[{label} | {self.code}]\n{kept}\n[end | {self.code}]"

    def unquote(self, request: str) -> list[tuple[str, str]]:
        """Every (label, text) that was quoted in a request: what `quote` put there."""
        code = re.escape(self.code)
        pattern = re.compile(rf"\[([^\n]*) \| {code}\]\n(.*?)\n\[end \| {code}\]", re.DOTALL)
        return pattern.findall(request)


_CONTROL = re.compile(
    r"<(?=[|\uff5c][^<>\s|]{1,60}[|\uff5c]>)|<(?=(?:start|end)_of_turn>)|<(?=<{1,2}/?SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CALLS)\])"
)
"""How that begins which opens or ends a turn: ChatML, Llama, Phi, DeepSeek, Gemma, Mistral."""


def inert(text: str) -> str:
    """The text with a gap in every token that a model's template would take for a turn."""
    return _CONTROL.sub(r"\g<0> ", text)


def shorten(text: str, limit: int) -> str:
    """The text, or its beginning with a sentence that says how much was cut."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n[cut here: {len(text) - limit:,} of {len(text):,} characters left out]"


def labels(brief: Brief, names: Names = Names.DEBATE) -> dict[str, str]:
    """Seat -> what readers call it: a letter drawn by seed, or its alias if named.

    The user's own seat keeps its letter, so that nobody learns that one of them is a person.

    A debate has one set of letters, the same for all readers, so that a letter means the same
    panelist in every text that is quoted.
    """
    seats = [p.seat for p in brief.panel]
    letters = _letters(f"{brief.seed}/labels", len(seats))
    found = {s: f"{WORD} {x}" for s, x in zip(seats, letters, strict=True)}
    if names is Names.DEBATE and brief.named:
        return {s: s for s in seats} | ({m.seat: found[m.seat]} if (m := brief.me) else {})
    return found


@lru_cache(maxsize=256)
def _letters(draw: str, number: int) -> tuple[str, ...]:
    """So many letters, shuffled; kept, since most requests of a debate draw the same."""
    letters = [chr(ord("A") + i) for i in range(number)]
    Random(draw).shuffle(letters)
    return tuple(letters)


def order(
    brief: Brief, key: str, seats: Mapping[str, int], names: Names = Names.DEBATE
) -> list[str]:
    """The seats in the order that this reader sees them in: shuffled by seed, unless named."""
    ordered = sorted(seats, key=lambda s: seats[s])
    # Shuffled per reader, so that no answer profits from standing first everywhere (decision 1).
    if len(ordered) > 1 and (not brief.named or names is not Names.DEBATE):
        Random(f"{brief.seed}/{key}").shuffle(ordered)
    return ordered
