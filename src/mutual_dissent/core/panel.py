"""Panelists, and the route by which each is reached."""

from __future__ import annotations

from dataclasses import dataclass

PROGRAM = "cli"
"""The vendor of agent programs (`cli:claude`), which choose their models themselves."""


EMBEDDED = "local"
"""The vendor of the embedded models, none of which is fit to judge a debate."""

DEMO = "smollm2"
"""The embedded model that is too small for closing lines and forms, and knows next to nothing."""

RECORDED = "recorded"
"""The vendor of recorded answers (`recorded:answers.jsonl#model`): nobody is asked."""


def base_name(seat: str) -> str:
    """The name that a seat was given, without the number of a repeated one: `claude` of `claude#2`.

    Only a number is one: in `recorded:answers.jsonl#model` the last part names the model.
    """
    base, mark, number = seat.rpartition("#")
    return base if mark and number.isdecimal() else seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Route to a model: the routing decision that every response carries.

    Attributes:
        vendor: whose API is called: a row of the endpoint table, `local`, `cli` for programs, or a
            configured endpoint.
        model_id: the id that this vendor knows the model by.
        mode: `auto`, `direct` or `openrouter`, as configured for the alias.
        via_openrouter: whether OpenRouter stands between us and the model's maker.
    """

    vendor: str
    model_id: str
    mode: str = "auto"
    via_openrouter: bool = False

    @property
    def is_demo(self) -> bool:
        """Return whether the model behind it is the smallest embedded one."""
        return self.vendor == EMBEDDED and self.model_id == DEMO


@dataclass(frozen=True, slots=True, kw_only=True)
class Panelist:
    """One seat: a model with everything that makes it this panelist and no other.

    Attributes:
        seat: its name in this debate, unique: `claude`, `claude#2`.
        route: how its model is reached.
        persona: the name of its persona, if it has one.
        instructions: the persona's text.
        context: private context, kept through every round.
        role: its part in the mode, such as `PRIMARY` or `devils-advocate`.
        perspective: the viewpoint it argues from, where a mode assigns one.
        team: its team, where a mode has teams.
    """

    seat: str
    route: Route
    persona: str | None = None
    instructions: str = ""
    context: str = ""
    role: str | None = None
    perspective: str | None = None
    team: str | None = None

    @property
    def model_id(self) -> str:
        """The id its vendor knows the model by."""
        return self.route.model_id

    @property
    def alias(self) -> str:
        """The name it was seated under, without the number of a repeated seat."""
        return base_name(self.seat)
