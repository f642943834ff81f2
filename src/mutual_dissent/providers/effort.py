"""Effort: which models can be told how much to think, and what their vendors want to be told."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mutual_dissent.core.errors import UserError, clip
from mutual_dissent.core.panel import EFFORTS, RUN_HERE, Route
from mutual_dissent.providers.endpoints import TABLE, Endpoint

ANY = EFFORTS
USUAL = EFFORTS[1:]
ENDS = ("low", "high")

KNOWN: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "openai": (
        # "gpt-5-mini", but neither "gpt-5.1", which knows no `minimal`, nor "gpt-5-chat-latest".
        (r"gpt-5(?!\.|-chat)", ANY),
        (r"(gpt-([6-9]|\d\d)|gpt-5\.\d+|gpt-oss|o[1-9]|codex)(?!.*-chat)", USUAL),
    ),
    # "claude-3-7-sonnet", "claude-sonnet-4-5"; not "claude-3-5-haiku" or "claude-haiku-3".
    "anthropic": ((r"claude-(3-7|[a-z]+-(?!3)\d|[a-z]+-\d\d)", USUAL),),
    "google": (
        (r"gemini-2\.5", ANY),
        (r"gemini-3(\.1)?-flash", ANY),
        (r"gemini-3-pro", ENDS),
        (r"gemini-([3-9]|\d\d)", USUAL),
    ),
    "xai": ((r"grok-3-mini", ENDS), (r"grok-(4\.[3-9](?!\d)|[5-9])(?!.*non-reasoning)", USUAL)),
    "groq": ((r"openai/gpt-oss", USUAL),),
    "perplexity": ((r"sonar-deep-research", USUAL),),
    "ollama": ((r"", USUAL),),
    "lmstudio": ((r"", USUAL),),
    "vllm": ((r"", USUAL),),
}
"""Vendor -> the beginnings of models' ids, and the efforts that they know, from its own pages.

What a server on the user's machine runs is the user's own: it is asked. llama.cpp ignores it.
"""

MAKERS = {"openai": "openai", "anthropic": "anthropic", "google": "google", "x-ai": "xai"}
"""Makers as OpenRouter names them; it translates every effort for models that know any."""

BUDGETS = {"minimal": 512, "low": 2_048, "medium": 8_192, "high": 24_576}
"""Tokens of thought that models are given which take a number in place of a word."""


def check_effort(route: Route, endpoints: Mapping[str, Endpoint]) -> None:
    """Make sure that a route's model can be told how much to think.

    Raises:
        UserError: if its vendor does not know that effort for it.
    """
    if not route.effort:
        return
    known = efforts(route, endpoints)
    who = f"{clip(route.model_id)!r} at {route.vendor}"
    if route.vendor in RUN_HERE:
        raise UserError(
            f"{clip(route.model_id)!r} is a program that sets its own effort; name it without "
            f"@{route.effort}"
        )
    if not known:
        raise UserError(f"{who} knows no effort; name it without @{route.effort}")
    if route.effort not in known:
        raise UserError(f"{who} knows no effort {route.effort!r}; choose from {', '.join(known)}")


def efforts(route: Route, endpoints: Mapping[str, Endpoint]) -> tuple[str, ...]:
    """The efforts that a model knows; none where its vendor takes none for it."""
    vendor, model = route.vendor, route.model_id.removeprefix("models/")
    if route.via_openrouter or vendor == "openrouter":
        maker, _, name = model.partition("/")
        own = MAKERS.get(maker)
        return ANY if own is None or _known(own, name.replace(".", _dot(own))) else ()
    if vendor in TABLE:
        return _known(vendor, model)
    endpoint = endpoints.get(vendor)  # a server of the user's own, which speaks somebody's dialect
    if endpoint is None:
        return ()
    return ANY if endpoint.dialect == "openai-chat" else _known(endpoint.dialect, model)


def _dot(vendor: str) -> str:
    """Return how a vendor writes the dot of a version that OpenRouter has."""
    return "-" if vendor == "anthropic" else "."


def _known(vendor: str, model: str) -> tuple[str, ...]:
    return next((known for start, known in KNOWN.get(vendor, ()) if re.match(start, model)), ())


def takes_words(model: str) -> bool:
    """Return whether a model is told its effort by a word; older ones are told a number."""
    return not _BY_NUMBER.match(model.removeprefix("models/"))


# "gemini-2.5-pro", "claude-sonnet-4-5-20250929", "claude-opus-4-1"
_BY_NUMBER = re.compile(
    r"gemini-2\.5|claude-(3-7-sonnet|(sonnet|haiku)-4(-[015])?|opus-4(-[01])?)(-\d{8}|-latest)?$"
)
