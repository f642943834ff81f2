"""Panelists, and the route by which each is reached."""

from __future__ import annotations

import re
from dataclasses import dataclass

PROGRAM = "cli"
"""The vendor of agent programs (`cli:claude`), which choose their models themselves."""

AGENT = "acp"
"""The vendor of agent programs that speak the Agent Client Protocol (`acp:NAME`)."""

RUN_HERE = frozenset({PROGRAM, AGENT})
"""Vendors whose answers come from a program that is run on this machine."""

EMBEDDED = "local"
"""The vendor of the embedded models, none of which is fit to judge a debate."""

DEMO = "smollm2"
"""The embedded model that is too small for closing lines and forms, and knows next to nothing."""

ME = "me"
"""The seat of the user, who sits on the panel like any model."""

HUMAN = "human"
"""The vendor of that seat: nobody is called, a person is asked."""

RECORDED = "recorded"
"""The vendor of recorded answers (`recorded:answers.jsonl#model`): nobody is asked."""


ROLES = ("PRIMARY", "OPPOSITION", "EVALUATOR")
"""Roles in devils-advocate: for, against, and those who weigh both."""

TEAMS = ("red", "blue")
"""Teams in red-team-blue-team."""

EFFORTS = ("minimal", "low", "medium", "high")
"""How much a model may be told to think, least first."""

THOUGHT = {"": 0, "minimal": 200, "low": 1_000, "medium": 4_000, "high": 12_000}
"""Tokens of thought that an answer is reckoned to take at an effort, beside its words."""

MOST_SAMPLES = 9

_SAMPLES = re.compile(r"\*(\d{1,6})$")


def base_name(seat: str) -> str:
    """The model that a seat was given, without effort, samples and number: `claude`.

    So `claude@high*3`, `claude@high` and `claude#2` are all seats of `claude`. Only a number is
    one: in `recorded:answers.jsonl#model` the last part names the model.
    """
    return SeatName.of(seat).model


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatName:
    """A seat as users write it: `claude`, `claude@high`, `claude*3`, `openai:gpt-5@low*3`.

    Attributes:
        effort: one of `EFFORTS`; empty for what the vendor takes for usual.
        samples: how often it is asked, in one voice.
    """

    model: str
    effort: str = ""
    samples: int = 1

    @classmethod
    def of(cls, written: str) -> SeatName:
        """Read a name; what is no effort and no number belongs to the model's id."""
        base, mark, number = written.rpartition("#")
        rest = base if mark and number.isdecimal() else written
        times = _SAMPLES.search(rest)
        rest = rest[: times.start()] if times else rest
        model, mark, effort = rest.rpartition("@")
        # Any other @ belongs to the id ("claude@20250929"), or to the name of a recorded file.
        known = mark and model and effort in EFFORTS and not rest.startswith(f"{RECORDED}:")
        return cls(
            model=model if known else rest,
            effort=effort if known else "",
            samples=int(times[1]) if times else 1,
        )

    def __str__(self) -> str:
        times = f"*{self.samples}" if self.samples > 1 else ""
        return f"{self.once}{times}"

    @property
    def once(self) -> str:
        """The name of the model with its effort, as it is asked once."""
        return f"{self.model}@{self.effort}" if self.effort else self.model


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Route to a model: the routing decision that every response carries.

    Attributes:
        vendor: whose API is called: a row of the endpoint table, `local`, `cli` for programs, or a
            configured endpoint.
        model_id: the id that this vendor knows the model by.
        mode: `auto`, `direct` or `openrouter`, as configured for the alias.
        via_openrouter: whether OpenRouter stands between us and the model's maker.
        effort: how much it is told to think, one of `EFFORTS`; empty where nothing is said.
    """

    vendor: str
    model_id: str
    mode: str = "auto"
    via_openrouter: bool = False
    effort: str = ""

    @property
    def thought(self) -> int:
        """Tokens that it is reckoned to think for an answer, where it is told how much."""
        return THOUGHT.get(self.effort, 0)

    @property
    def is_demo(self) -> bool:
        """Return whether the model behind it is the smallest embedded one."""
        return self.vendor == EMBEDDED and self.model_id == DEMO

    @property
    def is_human(self) -> bool:
        """Return whether a person is asked by it."""
        return self.vendor == HUMAN


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
        samples: how often it is asked for each answer to the query; the samples are one voice.
    """

    seat: str
    route: Route
    persona: str | None = None
    instructions: str = ""
    context: str = ""
    role: str | None = None
    perspective: str | None = None
    team: str | None = None
    samples: int = 1

    @property
    def model_id(self) -> str:
        """The id its vendor knows the model by."""
        return self.route.model_id

    @property
    def alias(self) -> str:
        """The name of its model as it was seated, without effort and number."""
        return base_name(self.seat)

    @property
    def written(self) -> str:
        """Return how a user would write its seat: `claude@high*3`."""
        return str(SeatName(model=self.alias, effort=self.route.effort, samples=self.samples))
