"""The smallest question that shows whether a model can be reached."""

from __future__ import annotations

from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.response import Ask, Finish, Response

QUESTION = "Reply with the word OK and nothing else."
MOST_TOKENS = 64
SECONDS = 30.0


def probe(name: str, route: Route, timeout: float = SECONDS) -> Ask:
    """A question to one model that costs next to nothing."""
    return Ask(
        key=f"0/probe/{name}",
        panelist=Panelist(seat=name, route=route),
        round_number=0,
        role="probe",
        prompt="",
        system="",
        head="",
        tail=QUESTION,
        max_tokens=MOST_TOKENS,
        timeout=timeout,
        insists=True,
    )


def was_reached(response: Response) -> bool:
    """Return whether the model was there: one that spent all tokens on thinking was, too."""
    return response.usable or (response.error_kind is None and response.finish is Finish.EMPTY)
