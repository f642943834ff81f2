"""Tokens and cost of an answer, as the vendors of the chat-completions wire tell them."""

from __future__ import annotations

from typing import Any

from mutual_dissent.providers.dialects.base import PartialAnswer
from mutual_dissent.providers.dialects.json_values import count, dollars, mapping


def take_usage(reading: PartialAnswer, usage: dict[str, Any]) -> None:
    """Take in tokens and cost; vendors differ in their names."""
    prompt = mapping(usage.get("prompt_tokens_details"))
    completion = mapping(usage.get("completion_tokens_details"))
    reading.input_tokens = count(usage.get("prompt_tokens"))
    reading.output_tokens = count(usage.get("completion_tokens"))
    reading.cached_tokens = _first_count(
        prompt.get("cached_tokens"),
        usage.get("prompt_cache_hit_tokens"),
        usage.get("cached_tokens"),
        usage.get("num_cached_tokens"),
    )
    reading.reasoning_tokens = _first_count(
        completion.get("reasoning_tokens"), usage.get("reasoning_tokens")
    )
    _add_reasoning_billed_apart(reading, count(usage.get("total_tokens")))
    reading.vendor_cost_usd = _cost(usage)


def _add_reasoning_billed_apart(reading: PartialAnswer, total: int | None) -> None:
    """Add the reasoning to the output: xAI counts it in the total, but not in the completion."""
    asked, said, thought = reading.input_tokens, reading.output_tokens, reading.reasoning_tokens
    if thought and asked is not None and said is not None and total == asked + said + thought:
        reading.output_tokens = said + thought


def _first_count(*values: object) -> int | None:
    return next((n for v in values if (n := count(v)) is not None), None)


def _cost(usage: dict[str, Any]) -> float | None:
    """Return the vendor's charge; behind OpenRouter, also what the user's own key pays."""
    cost = usage.get("cost")
    charged = dollars(mapping(cost).get("total_cost") if type(cost) is dict else cost)
    if charged is not None and usage.get("is_byok") is True:
        behind = dollars(mapping(usage.get("cost_details")).get("upstream_inference_cost"))
        return None if behind is None else charged + behind
    return charged
