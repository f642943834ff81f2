"""Calls of tools, as far as all wires have them in common."""

from __future__ import annotations

from typing import Any

import orjson

from mutual_dissent.core.response import Ask
from mutual_dissent.core.tool import Tool, Use
from mutual_dissent.providers.endpoints import Endpoint
from mutual_dissent.providers.vendor_json import writable

MAX_KEPT = 1_000_000


def offered(ask: Ask, endpoint: Endpoint) -> tuple[Tool, ...]:
    """The tools that the vendor is told of: those that are ours to provide, if it takes any."""
    return tuple(t for t in ask.tools if not t.native) if endpoint.takes_tools else ()


def searches_itself(ask: Ask, endpoint: Endpoint) -> bool:
    """Whether the vendor's own search is to take the place of our tools."""
    return endpoint.native_search and bool(ask.tools)


def keep(call: dict[str, Any], **kept: Any) -> None:
    """Keep with a call what its vendor wants to see again; what is absurdly long is let go."""
    found = {name: value for name, value in kept.items() if value}
    if found and len(orjson.dumps(found)) <= MAX_KEPT:
        call["wire"] = found


def kept(uses: tuple[Use, ...], name: str) -> Any:
    """What was kept under a name with the first of the calls that has it."""
    return next((u.wire[name] for u in uses if u.wire.get(name)), None)


def named(uses: tuple[Use, ...], turn: int) -> list[tuple[str, Use]]:
    """Each use with its id, made up where the vendor gave none."""
    return [(u.id or f"call_{turn}_{i}", u) for i, u in enumerate(uses)]


def arguments_text(use: Use) -> str:
    """A call's arguments as the JSON text that they came as."""
    return writable(orjson.dumps(use.arguments).decode())
