"""A tool's errors, as one sentence with the next step for the client's model."""

from __future__ import annotations

import logging

from pydantic import ValidationError

from mutual_dissent.core.errors import BadConfig, DissentError
from mutual_dissent.surfaces.facts.faults import faults
from mutual_dissent.surfaces.terms import MCP
from mutual_dissent.text.sanitize import one_line

log = logging.getLogger("mutual_dissent")

MOST = 5
"""Wrong arguments that are named at once."""


def sentence(error: Exception) -> str:
    """Return the sentence about an error for the client's model."""
    match error:
        case ValidationError():
            return wrong_arguments(error)
        case BadConfig():
            return one_line(MCP.resolve(error.elsewhere))
        case DissentError():
            return one_line(error.in_terms(MCP), 2_000)
        case _:
            log.error("a tool failed", exc_info=error)
            return (
                f"this is a bug of the server ({type(error).__name__}); its log has the details, "
                "and other tools go on working"
            )


def wrong_arguments(error: ValidationError) -> str:
    """Explain which arguments are wrong, and why."""
    reasons = faults(error.errors(include_url=False, include_input=False), "argument")
    more = f"; and {len(reasons) - MOST} more" if len(reasons) > MOST else ""
    return f"{'; '.join(reasons[:MOST])}{more}; nobody was asked, call again with this corrected"
