"""Judgements: a judge reads the same answers twice, in opposite orders, and picks one each time.

A judgement is a debate of the judge alone, with an id that follows from its content: it is
recorded, resumed and paid for once like any other.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import Random
from typing import Any

from mutual_dissent.core.brief import ExperimentMetadata
from mutual_dissent.experiments.design.experiment import Experiment, ExperimentQuery
from mutual_dissent.experiments.design.extraction import capital_letters
from mutual_dissent.experiments.jury.eligibility import judge_options
from mutual_dissent.prompts.fences import Fence, shorten
from mutual_dissent.prompts.library import Library, fill

PROMPT = "experiments/pick"
ROOM = 150_000
"""Characters that all answers together may take."""

# "Answer: B", "**The best answer is C**", "Final choice = A".
_PICK = re.compile(
    r"^\W*(?:the\s+)?(?:final\s+|best\s+)?(?:answer|pick|choice|letter)\s*(?:is|:|=)\W*([A-Z]{1,2})\b",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One reading of some answers by a judge.

    Attributes:
        about: the owners of the answers; `sides` are the names of two conditions that are compared.
        answers: the candidates, in the order of the samples or conditions.
        turn: 0 for the drawn order, 1 for its reverse.
        named: whether several judges read these answers, so that the judge is part of the id.
    """

    experiment: Experiment
    about: str
    query: ExperimentQuery
    repeat: int
    judge: str
    answers: tuple[str, ...]
    turn: int
    library: Library
    sides: tuple[str, ...] = ()
    named: bool = False

    @property
    def label(self) -> str:
        """Return what debates that cost about the same have in common."""
        return f"judge of {self.about}"

    @property
    def order(self) -> list[int]:
        """Return the candidates in the order that they are shown in."""
        # Dice that are seeded by a text fall alike on every machine.
        order = list(range(len(self.answers)))
        Random(f"{self.experiment.seed}/{self.query.id}/{self.repeat}/{self.about}").shuffle(order)
        return order if self.turn == 0 else order[::-1]

    @property
    def text(self) -> str:
        """Return the request to the judge."""
        fence = Fence.of(self._digest.hex(), "pick")
        room = ROOM // len(self.answers)
        shown = "\n\n".join(
            fence.quote(f"Answer {letter(place)}", self.answers[i], room)
            for place, i in enumerate(self.order)
        )
        asked = shorten(self.query.text, ROOM // 4)
        return fill(self.library.text(PROMPT), {"query": asked, "other_responses": shown})

    @property
    def transcript_id(self) -> str:
        """Return the id of its debate, the same on every run and every machine."""
        return str(uuid.UUID(bytes=self._digest[:16], version=4))

    @property
    def options(self) -> dict[str, Any]:
        """Return the options of its debate."""
        tags = ExperimentMetadata(
            experiment_id=self.experiment.name,
            source_tool=self.experiment.source_tool,
            campaign_id=self.experiment.campaign_id,
            condition=self.label,
            variables={
                "query": self.query.id, "repeat": self.repeat, "way": "judge", "turn": self.turn,
            },
        )  # fmt: skip
        return {**judge_options(self.experiment, self.judge), "seed": 0, "experiment": tags}

    def read_pick(self, words: str) -> int | None:
        """Return the candidate that the judge's words pick, None if none can be told."""
        letters = {letter(place): i for place, i in enumerate(self.order)}
        stated = [m.upper() for m in _PICK.findall(words)]
        # The last one counts: before it, a judge weighs the others.
        found = [*capital_letters(words), *stated]
        return next((letters[s] for s in reversed(found) if s in letters), None)

    @property
    def _digest(self) -> bytes:
        parts = [
            "judgement", self.experiment.name, self.query.id, self.query.text, str(self.repeat),
            str(self.experiment.seed), str(self.turn), self.about, *self.answers,
        ]  # fmt: skip
        parts += [self.judge] if self.named else []
        return sha256("\0".join(parts).encode("utf-8", "replace")).digest()


def letter(place: int) -> str:
    """Return A, B, ... Z, AA, AB, ..."""
    return chr(65 + place) if place < 26 else f"{chr(64 + place // 26)}{chr(65 + place % 26)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """The result of two readings: the candidate, and whether the judge contradicted itself."""

    chosen: int
    tied: bool


def combine_picks(picks: tuple[int | None, int | None], same: Sequence[object], seed: str) -> Pick:
    """Return the pick of two readings; where they differ, the seed decides and it is a tie.

    Args:
        same: a value per candidate that is equal for equal answers.
    """
    readable = [p for p in picks if p is not None]
    if len(readable) == 2 and same[readable[0]] == same[readable[1]]:
        return Pick(chosen=readable[0], tied=False)
    drawn = Random(seed).choice(readable or list(range(len(same))))
    return Pick(chosen=drawn, tied=len(readable) != 1)
