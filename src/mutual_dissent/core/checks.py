"""Checks: what is wrong with a structured answer, in words that its author is told once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.response import Response

Check = Callable[[Response, Panelist], str | None]
"""What is wrong with an answer, or None."""

STANCE_OF = {"PRIMARY": "for", "OPPOSITION": "against"}
"""The stance that a role of devil's advocate is to open with; evaluators conclude freely."""


def has_position(response: Response, _: Panelist) -> str | None:
    """A structured answer states a position and its reasons; who has none says why."""
    if not response.reasoning or (not response.position and response.closing is None):
        return "state your position and your reasoning"
    return None


def has_confidence(response: Response, _: Panelist) -> str | None:
    """Confidence is a number from 0 to 1."""
    if response.confidence is None:
        return "give your confidence as a number from 0 to 1"
    return None


def takes_assigned_stance(response: Response, panelist: Panelist) -> str | None:
    """Require that a panelist with a side opens with it."""
    wanted = STANCE_OF.get(panelist.role or "")
    if wanted and (response.stated_stance or response.stance) != wanted:
        return f'your role asks for the stance "{wanted}": argue it as well as it can be argued'
    return None


def has_forecast(response: Response, _: Panelist) -> str | None:
    """A forecast is a figure with its range; a probability lies between 0 and 100 percent."""
    estimate = response.closing.estimate if response.closing else None
    if not response.position:
        return None  # it takes none, which is said in its reasoning
    if estimate is None or estimate.low is None or estimate.high is None:
        return 'give your forecast with its range in "estimate", such as "23 % [14 to 40]"'
    if not estimate.low <= estimate.value <= estimate.high:
        return "the figure of your forecast must lie in its own range"
    if estimate.unit.startswith("%") and not 0 <= estimate.low <= estimate.high <= 100:
        return "a probability and its range lie between 0 and 100 %"
    return None


def concessions(responses: Sequence[Response]) -> tuple[Response, ...]:
    """Those of a later round who gave up the side that they opened with, if a whole side did."""
    for role, wanted in STANCE_OF.items():
        side = [r for r in responses if r.agent_role == role and r.usable and r.round_number > 0]
        if side and all(r.stance and r.stance != wanted for r in side):
            return tuple(side)
    return ()


def has_ballot(response: Response, _: Panelist) -> str | None:
    """A voter ranks the answers that it was shown."""
    return None if response.ballot else "rank the answers that you were shown, by their labels"


def has_critique(response: Response, _: Panelist) -> str | None:
    """A reviewer says something about the answers that it was shown."""
    if response.critique:
        return None
    return "criticise the answers that you were shown, each by its label"


NO_LIST = "no list"
"""The flag of a review in which no list of the form can be read."""


def has_findings(response: Response, _: Panelist) -> str | None:
    """A review has a list of findings, be it an empty one."""
    return "list your findings, or [] if there are none" if NO_LIST in response.flags else None


def has_verdicts(response: Response, _: Panelist) -> str | None:
    """A check has a list of verdicts by label."""
    return "list your verdicts, each by its label" if NO_LIST in response.flags else None


def has_options(response: Response, _: Panelist) -> str | None:
    """A decision has options and criteria."""
    found = response.matrix
    if found and len(found.options) > 1 and found.criteria:
        return None
    return "name at least two options, and the criteria that decide between them"


def has_scores(response: Response, _: Panelist) -> str | None:
    """Options are rated by the labels that they were shown under."""
    if response.matrix and response.matrix.scores:
        return None
    return "rate every option on every criterion from 1 to 5, by the labels of the list"


STRUCTURED: tuple[Check, ...] = (has_position, has_confidence)
"""What every structured answer must have."""
