"""What goes wrong in a tool, in one sentence with the next step: a model reads it and goes on."""

from __future__ import annotations

import logging
import re

from pydantic import ValidationError

from mutual_dissent.core.errors import (
    BadConfig,
    BadInput,
    DissentError,
    Finished,
    Held,
    NotFound,
    NotRunning,
)
from mutual_dissent.surfaces.facts.faults import faults
from mutual_dissent.views.safe import one_line

log = logging.getLogger("mutual_dissent")

MOST = 5
"""Wrong arguments that are named at once."""

WORDS = {
    "--max-cost": "maxCostUsd",
    "--call-timeout": "defaults.call_timeout in the configuration",
    "--rounds": "rounds",
    "--exit-consensus": "exitCriteria.consensusThreshold",
    "--exit-convergence": "exitCriteria.convergenceRounds",
    "--exit-confidence": "exitCriteria.confidenceThreshold",
    "--perspectives": "perspectives",
    "--role": "roles",
    "--team": "teams",
    "--panel": "agents",
    "--context": "context",
    "--mode": "mode",
    "--preset": "preset",
    "`dissent list` shows them": "list_sessions shows them",
    "choose other models or add --allow-unpriced": "choose other agents or leave it out",
}
"""The command line's words for what has another name here."""


def sentence(error: Exception) -> str:
    """What to tell the client's model of a failure."""
    match error:
        case ValidationError():
            return wrong_arguments(error)
        case NotFound():
            return _instead(error, "list_sessions shows the ids")
        case Finished():
            return _instead(error, "get_consensus has its answer, continue_roundtable goes on")
        case NotRunning():
            return _instead(error, "control_session with action resume goes on with it")
        case Held():
            return _instead(error, "get_consensus with wait follows it, control_session stops it")
        case BadInput() if "not a debate's id" in str(error):
            return _instead(error, "take a sessionId from start_roundtable or list_sessions")
        case BadConfig():
            return one_line(error.told_elsewhere)
        case DissentError():
            return one_line(_translated(str(error)), 2_000)
        case _:
            log.error("a tool failed", exc_info=error)
            return (
                f"this is a bug of the server ({type(error).__name__}); its log has the details, "
                "and other tools go on working"
            )


def wrong_arguments(error: ValidationError) -> str:
    """Which arguments are wrong, and why."""
    found = faults(error.errors(include_url=False, include_input=False), "argument")
    more = f"; and {len(found) - MOST} more" if len(found) > MOST else ""
    return f"{'; '.join(found[:MOST])}{more}; nobody was asked, call again with this corrected"


def _instead(error: Exception, way_on: str) -> str:
    """The first half of a sentence, with another way on."""
    return f"{one_line(str(error).partition('; ')[0], 500)}; {way_on}"


def _translated(text: str) -> str:
    for theirs in sorted(WORDS, key=len, reverse=True):
        text = text.replace(theirs, WORDS[theirs])
    return re.sub(r"dissent resume (\w+)", r"control_session resume \1", text)
