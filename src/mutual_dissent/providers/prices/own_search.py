"""Vendors that search the web by themselves, for which models, and what a search costs there.

List prices, each with the month in which it was read; free quotas are not counted. What is not
known is None, never zero. Those of 2026 were read again: xAI's and Brave's on their own pages, the
others where they are quoted. Those of 2025 could not be.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mutual_dissent.core.panel import Route
from mutual_dissent.core.tool import SearchWay


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSearch:
    """Search of a vendor.

    Attributes:
        vendor: whose it is.
        models: the model ids that can search.
        way: how they do, and at which price.
        unasked: whether they search for every answer, whatever they are told.
        alone: whether they take no other tools beside it.
    """

    vendor: str
    models: re.Pattern[str]
    way: SearchWay
    unasked: bool = False
    alone: bool = True


def _of(models: str) -> re.Pattern[str]:
    return re.compile(models, re.IGNORECASE)


def _way(vendor: str, **more: object) -> SearchWay:
    return SearchWay(by=vendor, own=True, **more)  # type: ignore[arg-type]


RESPONSES = "openai-responses"

TABLE: tuple[OwnSearch, ...] = (
    OwnSearch(
        vendor="anthropic",
        # Those before 3.5 know no such tool.
        models=_of(r"claude-(?!2|instant|3-(opus|sonnet|haiku))"),
        way=_way("anthropic", usd=0.01, as_of="2026-09"),
        alone=False,
    ),
    OwnSearch(
        vendor="google",
        models=_of(r"(models/)?gemini-[12]"),
        # Billed by answer, however often it searches for it.
        way=_way("google", usd=0.035, most=1, as_of="2026-09"),
    ),
    OwnSearch(
        vendor="google",
        models=_of(r"(models/)?gemini-"),
        way=_way("google", usd=0.014, bounded=False, as_of="2026-09"),
    ),
    OwnSearch(
        vendor="openai",
        models=_of(r"gpt-4o(-mini)?-search"),
        way=_way("openai", usd=0.025, most=1, as_of="2025-12"),
        unasked=True,
    ),
    OwnSearch(
        vendor="openai",
        models=_of(r"gpt-.*-search"),
        way=_way("openai", usd=0.01, most=1, as_of="2025-12"),
        unasked=True,
    ),
    OwnSearch(
        vendor="openai",
        # Not the models of a chat program, the smallest of 4.1, nor those that hear, draw or speak.
        models=_of(
            r"(gpt-([5-9]|\d\d)(?![\d.]*-chat)|gpt-4\.1(?!-nano)|gpt-4o|o3(?!-mini)|o4-mini)"
            r"(?!.*-(audio|realtime|transcribe|tts|image|deep-research))"
        ),
        # What the pages say is billed as tokens of the request, in addition.
        way=_way("openai", wire=RESPONSES, usd=0.01, as_of="2026-03"),
    ),
    OwnSearch(
        vendor="xai",
        models=_of(r"grok-([4-9]|\d\d)(?!.*-(image|imagine|video))"),
        # It takes no limit. What it charges is in its answers.
        way=_way("xai", wire=RESPONSES, usd=0.005, bounded=False, as_of="2026-11"),
    ),
    OwnSearch(
        vendor="openrouter",
        models=_of(r"perplexity/|.*:online$"),
        way=_way("openrouter", most=1),
        unasked=True,
    ),
    OwnSearch(
        vendor="openrouter",
        models=_of(r"."),
        # Five results of Exa: the engine and the number that are asked for.
        way=_way("openrouter", usd=0.02, most=1, as_of="2025-12"),
        alone=False,
    ),
    OwnSearch(
        vendor="perplexity",
        models=_of(r"."),
        way=_way("perplexity", most=1, included=True),
        unasked=True,
    ),
    OwnSearch(
        vendor="groq",
        models=_of(r"(groq/)?compound"),
        way=_way("groq", bounded=False),
        unasked=True,
    ),
)


def own_search(route: Route) -> OwnSearch | None:
    """The search that a model has at its vendor, if it has one."""
    return next(
        (s for s in TABLE if s.vendor == route.vendor and s.models.match(route.model_id)), None
    )


BACKEND_USD: dict[str, tuple[float, str]] = {
    "SearXNG": (0.0, ""),  # the user's own
    "Tavily": (0.008, "2025-12"),
    "Brave": (0.005, "2026-09"),
}
"""Services of the configuration -> the list price of a search, and the month it was read in."""
