"""A finding: something that the doctor found wrong, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that is not as it should be.

    Attributes:
        kind: a word for programs: database, log, missing, outdated, ahead, unknown, edited,
            damaged, foreign, permissions, lock, picture, unfinished; where machines share a record,
            also lease, abandoned; of what deals debates out, engine.
        subject: the file or the debate it is about.
        text: what is wrong, and what to do about it.
        fixable: whether `fix` would mend it.
        fixed: whether it was mended.
    """

    kind: str
    subject: str
    text: str
    fixable: bool = False
    fixed: bool = False
