"""What the API answers with where it says what there is, and what was spent."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from mutual_dissent.surfaces.api.shapes import Described, Json, Said
from mutual_dissent.surfaces.facts.agents import Agents

__all__ = ["Agents", "Models", "Modes", "Presets", "Quote", "Stats"]


class Route(Described):
    """How a model is reached."""

    vendor: str
    model_id: str
    via_openrouter: bool


class QuoteLine(Described):
    """What one panelist would be asked and paid for."""

    seat: str
    model_id: str
    vendor: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


class Seated(Described):
    """Who would be asked, and by which route."""

    seat: str
    route: Route
    persona: str | None


class Quote(Described):
    """What a debate would take; nobody was asked."""

    mode: str
    panel: list[Seated]
    synthesizer: Seated

    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    at_most: bool
    lines: list[QuoteLine]


class Alias(Described):
    """A short name of a model, and how it is reached now."""

    alias: str
    vendor: str | None
    route: Route | None
    unreachable: str | None
    input_usd: float | None
    output_usd: float | None
    context: int | None


class KnownModel(Described):
    """A model of the price table."""

    name: str
    vendor: str
    model_id: str
    input_usd: float | None
    output_usd: float | None
    context: int | None


class Models(Said):
    """Who can sit on a panel; prices are dollars for a million tokens."""

    aliases: list[Alias]
    models: list[KnownModel]


class Mode(Described):
    """A procedure."""

    name: str
    summary: str
    rounds: int | None
    max_rounds: int
    min_panel: int
    order: str
    options: Annotated[
        list[str], Field(description="Fields of /api/chat that it heeds beyond those of all modes.")
    ]


class Named(Described):
    """Something with a name, and what it is for."""

    name: str


class Modes(Said):
    """The procedures, and what they can be told."""

    default: Annotated[str, Field(description="The mode of /api/chat where none is said.")]
    modes: list[Mode]
    topologies: list[Named]
    personas: list[Named]
    rules: list[str]


class Preset(Named):
    """A preset, and the fields of /api/chat that it stands for."""

    summary: str
    values: Json


class Presets(Said):
    """The presets."""

    presets: list[Preset]


class Spent(Described):
    """What was spent under one name."""

    name: str
    calls: int
    tokens: int
    cost_usd: float | None


class Outcomes(Described):
    """What became of the debates of one mode or preset."""

    name: str
    debates: int
    completed: int
    changed: int
    same: int
    unclear: int
    mean_gain: float | None
    one_model: int
    calls: int
    cost_usd: float | None
    unpriced: int


class ModelRecord(Described):
    """What one model did in the debates that it sat in."""

    model_id: str
    aliases: list[str]
    debates: int
    calls: int
    failed: int
    latency_ms: int | None
    moved_debates: int
    cost_usd: float | None
    unpriced: int


class Record(Described):
    """What deliberation was worth in the newest debates."""

    looked_at: int
    left_out: int
    unreadable: int
    modes: list[Outcomes]
    presets: list[Outcomes]
    models: list[ModelRecord]


class Stats(Said):
    """What debates cost, and what deliberation was worth."""

    by: Literal["model", "vendor", "day", "all"]
    spending: list[Spent]
    record: Record
