"""Dealing debates out: what there is to hold and how far it is, in figures and ids alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

STAGES = ("trials", "judgements")
"""The debates of an experiment in their order: what is judged has to be there first."""


MOST_PROBLEMS = 50
"""Kinds of failures that are told apart; further ones are counted together."""

OTHER = "other reasons"


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A debate that is still to be held.

    Attributes:
        mode: its procedure, where the experiment names one.
        likely: dollars that it will cost, as far as that is known and there is a budget.
        spent: dollars that are on record for it already.
    """

    transcript_id: str
    mode: str = ""
    likely: float = 0.0
    spent: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DealtPage:
    """Some debates of an experiment, in their order.

    Attributes:
        due: those that are still to be held.
        complete: how many others of this page are.
        then: where the next page begins; None after the last one.
    """

    due: Sequence[Due] = ()
    complete: int = 0
    then: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Size of an experiment: its debates, dollars spent earlier, and dollars for all."""

    total: int
    earlier: float = 0.0
    budget: float | None = None


@dataclass(slots=True, kw_only=True)
class Progress:
    """Progress of an experiment's run, here or on workers.

    Attributes:
        total: the debates of the experiment, the judges' among them.
        before: how many of them were complete when the run began.
        done: how many this run completed.
        failed: how many ended without an answer; `problems` says why and how many of each, and
            `examples` the first of them where their record says more.
        paused: how many had begun when the run was stopped, and wait to be resumed.
        spent: dollars, of this run; `earlier` is what was spent before. `unpriced` calls of this
            run are not in it, because nobody knows their price.
        stopped: why no further debate is begun: `stopped` by somebody, or the `budget`.
        resting: whether all of it waits for somebody to say that it goes on.
    """

    total: int = 0
    before: int = 0
    done: int = 0
    failed: int = 0
    paused: int = 0
    running: int = 0
    spent: float = 0.0
    earlier: float = 0.0
    unpriced: int = 0
    stopped: str = ""
    resting: bool = False
    problems: dict[str, int] = field(default_factory=dict)
    examples: dict[str, str] = field(default_factory=dict)

    @property
    def left(self) -> int:
        """Return how many are still to be held."""
        return self.total - self.before - self.done - self.failed

    def problem(self, why: str, transcript_id: str = "") -> None:
        """Count a failure."""
        self.failed += 1
        if why not in self.problems and len(self.problems) >= MOST_PROBLEMS:
            why = OTHER
        self.problems[why] = self.problems.get(why, 0) + 1
        self.examples.setdefault(why, transcript_id)
