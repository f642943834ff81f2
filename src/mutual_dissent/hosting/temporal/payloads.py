"""Data in Temporal's history: ids, figures and words of ours, and never any content."""

from __future__ import annotations

from dataclasses import dataclass

from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes

from mutual_dissent.core.values.deal import STAGES, Progress

DEBATE, EXPERIMENT = "debate", "experiment"
"""The kinds of workflows."""

HOLD, SCOPE, PAGE, SEEN = "hold", "scope", "page", "seen"
HALT, ENDED = "halt", "ended"
"""The kinds of activities."""

OF_EXPERIMENT = SearchAttributeKey.for_keyword("DissentExperiment")
OF_MODE = SearchAttributeKey.for_keyword("DissentMode")
OF_STATUS = SearchAttributeKey.for_keyword("DissentStatus")
OF_COST = SearchAttributeKey.for_float("DissentCost")

ATTRIBUTES = {
    OF_EXPERIMENT.name: "Keyword",
    OF_MODE.name: "Keyword",
    OF_STATUS.name: "Keyword",
    OF_COST.name: "Double",
}
"""The search attributes, and Temporal's names of their types."""

HIGHEST, USUAL, LOWEST = 1, 3, 5
"""Temporal's priorities."""

WAITING, RUNNING = "waiting", "running"
"""The status of a debate that no worker has begun, and of one that goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The input of a debate's workflow.

    Attributes:
        max_cost: dollars that it may cost in all.
        new_cost: the same, without what is on record: for one that is begun now.
        lease: seconds of silence after which another worker takes it over.
        indexed: whether the server has our search attributes.
    """

    transcript_id: str
    lease: float
    experiment: str = ""
    mode: str = ""
    max_cost: float | None = None
    new_cost: float | None = None
    indexed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateOutcome:
    """The end of a debate.

    Attributes:
        status: as on record; `waiting` if no worker has begun it.
        reason: why, in a word, or the sentence that says what is wrong with a worker.
        cost: dollars that all of it cost, earlier runs included.
        ordered: whether it was ordered to wait.
        halted: whether its experiment was stopped.
    """

    status: str = WAITING
    reason: str = ""
    cost: float = 0.0
    unpriced: int = 0
    ordered: bool = False
    halted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """A page of an experiment's debates."""

    name: str
    stage: str
    start: int
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowState:
    """The state of an experiment when its workflow ends."""

    name: str
    stopped: str
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentProgress:
    """The input of an experiment's workflow, also when it goes on in a new history.

    Attributes:
        tally: progress so far, in a new history.
        stage: which debates are dealt out, from `start` on.
        budget: dollars for all of it.
    """

    name: str
    lease: float
    priority_key: int = USUAL
    indexed: bool = False
    stage: str = STAGES[0]
    start: int = 0
    budget: float | None = None
    tally: Progress | None = None


def attributes(given: Given | ExperimentProgress, status: str) -> TypedSearchAttributes:
    """Return the search attributes of a workflow; none where the server does not know them."""
    if not given.indexed:
        return TypedSearchAttributes.empty
    name = given.experiment if isinstance(given, Given) else given.name
    pairs = [SearchAttributePair(OF_STATUS, status)]
    if name:
        pairs.append(SearchAttributePair(OF_EXPERIMENT, name))
    if isinstance(given, Given) and given.mode:
        pairs.append(SearchAttributePair(OF_MODE, given.mode))
    return TypedSearchAttributes(pairs)
