"""What a call needs, in one line: an endpoint of a fake vendor, an ask, and who listens."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.response import Ask
from mutual_dissent.core.values.secret import Key
from mutual_dissent.providers.endpoints import Endpoint
from mutual_dissent.providers.http.limits import Bounds
from mutual_dissent.providers.router import Router

CANARY = "sk-canary-9f8e7d6c5b4a3210"
QUICK = Bounds(backoff=0.01, idle=30.0, farewell=0.2, connect=30.0)
IMPATIENT = replace(QUICK, idle=0.8)
"""For answers that fall silent; one that comes slowly on a busy machine may seem to."""


def an_ask(*, seat: str = "ada", vendor: str = "acme", model: str = "m1", **more: Any) -> Ask:
    """An ask like any other."""
    route = Route(vendor=vendor, model_id=model)
    values: dict[str, Any] = {
        "key": f"0/initial/{seat}", "round_number": 0, "role": "initial", "prompt": "initial",
        "system": "You sit on a panel.", "head": "Tabs or spaces?", "tail": "\nAnswer.",
        "timeout": 60.0,
    }  # fmt: skip
    return Ask(panelist=Panelist(seat=seat, route=route), **{**values, **more})


def an_endpoint(base_url: str, dialect: str = "openai-chat", **more: Any) -> Endpoint:
    """An endpoint with a canary for a key."""
    values: dict[str, Any] = {
        "vendor": "acme",
        "key": Key(CANARY, "ACME_API_KEY"),
        "key_env": "ACME_API_KEY",
    }
    return Endpoint(base_url=base_url, dialect=dialect, **{**values, **more})


def a_router(*endpoints: Endpoint, bounds: Bounds = QUICK, **more: Any) -> Router:
    """A router over these endpoints that does not wait long."""
    return Router({e.vendor: e for e in endpoints}, bounds=bounds, **more)
