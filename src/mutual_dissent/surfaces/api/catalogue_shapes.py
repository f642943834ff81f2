"""What the API answers with where it says what there is, and what was spent."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from mutual_dissent.surfaces.api.shapes import Json, Said, Stored
from mutual_dissent.surfaces.mcp.results import Agents

__all__ = ["Agents", "Models", "Modes", "Presets", "Quote", "Stats"]


class QuoteLine(Stored):
    """What one panelist would be asked and paid for."""

    seat: str
    model_id: str
    vendor: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


class Seated(Stored):
    """Who would be asked, and by which route."""

    seat: str
    route: Json
    persona: str | None


class Quote(Stored):
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


class Alias(Stored):
    """A short name of a model, and how it is reached now."""

    alias: str
    vendor: str | None
    route: Json | None
    unreachable: str | None
    input_usd: float | None
    output_usd: float | None
    context: int | None


class KnownModel(Stored):
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


class Mode(Stored):
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


class Named(Stored):
    """Something with a name, and what it is for."""

    name: str


class Modes(Said):
    """The procedures, and what they can be told."""

    default: Annotated[str, Field(description="The mode of /api/chat where none is said.")]
    modes: list[Mode]
    topologies: list[Named]
    personas: list[Named]
    rules: list[str]


class Presets(Said):
    """The presets."""

    presets: list[Named]


class Spent(Stored):
    """What was spent under one name."""

    name: str
    calls: int
    tokens: int
    total_cost_usd: float | None


class Stats(Said):
    """What debates cost, and what deliberation was worth."""

    by: Literal["model", "vendor", "day", "all"]
    spending: list[Spent]
    record: Json
