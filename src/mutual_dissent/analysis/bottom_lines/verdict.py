"""A verdict on two bottom lines, and the port of a model that may be asked for one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol


class Judged(Protocol):
    """Judgement of the embedded model on a pair of claims."""

    @property
    def relation(self) -> str:
        """Agree, disagree, partial, uncertain or unrelated."""
        ...

    @property
    def confidence(self) -> float:
        """Confidence of that, 0 to 1."""
        ...


Judge = Callable[[Sequence[tuple[str, str]]], Sequence[Judged]]
"""The embedded model, asked about pairs of one-sentence claims."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Relation of two bottom lines.

    Attributes:
        relation: agree, partly or disagree.
        source: value, or claim where the embedded model was asked.
        reason: the reason, in a few plain words.
    """

    relation: str
    source: str
    reason: str
