"""Aliases: the short names that models go by."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Alias:
    """A model with the ids that it goes by on each route.

    Attributes:
        openrouter: its id at OpenRouter, if it is there.
        direct: its id at its own vendor, if it can be called there.
        vendor: the endpoint that `direct` belongs to.
    """

    name: str
    openrouter: str | None
    direct: str | None
    vendor: str
