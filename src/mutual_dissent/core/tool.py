"""Tools: what a panelist may use while it answers, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Something that a model may call. `parameters` is a JSON schema of its arguments."""

    name: str
    description: str
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One call of a tool by a model, and the text that it was given back."""

    id: str
    name: str
    arguments: dict[str, Any]
    result: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One turn in which the model called tools instead of answering: what it said, and the uses."""

    text: str
    uses: tuple[Use, ...]
