"""Models that can be shown pictures: by their names, unless the configuration says it.

OpenRouter's list says it of its models. No list does for all vendors, so that names decide: makers
whose present models all see are listed with the few that do not, all others with the words by which
those are known that do. Of a model that nobody knows it is not assumed: it is told what is on a
picture, which costs a call, where a request with a picture would be refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from mutual_dissent.core.panel import EMBEDDED, HUMAN, PROGRAM, RECORDED, Panelist, Route

_BLIND = re.compile(
    r"gpt-3\.5|gpt-4($|-0|-32k|-1106-p|turbo-preview)|gpt-4-turbo-preview|o1-mini|o1-preview|o3-mini"
    r"|gpt-oss|davinci|babbage|audio|realtime|transcribe|search-preview"
    r"|claude-(1|2|instant)|claude-3-5-haiku-20241022"
    r"|gemini-1\.0-pro($|-0)|gemini-pro$|gemma-?[12]\b|gemma-3-1b|gemma3:(270m|1b)"
    r"|deep-research|grok-code"
)
_SEEING = re.compile(
    r"^(gpt-[4-9]|chatgpt|o[13-9]($|-)|claude|gemini|sonar)"
    r"|^grok-([4-9]|\d\d)|vision|llava|pixtral|moondream|minicpm-v|internvl|cogvlm|fuyu"
    r"|[-.:\d]vl\b|vl[-:]|-omni|gemma-?[3-9]|llama-?4|mistral-(small-?3\.?[1-9]|medium-?3|large-?3)"
    r"|mistral-small3\.[1-9]|nova-(lite|pro|premier)|phi-(4-multimodal|3\.5-vision)|kimi-(vl|k2\.5)"
    r"|glm-\d+(\.\d+)?v"
)
_OF_THIS_MACHINE = {EMBEDDED: False, PROGRAM: False, RECORDED: True, HUMAN: True}
"""Vendors without an endpoint. Recorded answers need no description, and a user has eyes."""


def sees_pictures(
    panelist: Panelist,
    told: Mapping[str, bool],
    listed: Callable[[Route], bool | None] = lambda _: None,
) -> bool:
    """Return whether a panelist's model can be shown pictures, as far as is known.

    Args:
        panelist: who would be shown them.
        told: alias, `vendor:model` or vendor -> what the configuration says of it.
        listed: what a list of the vendor's says of a model, if there is one.
    """
    route = panelist.route
    if route.vendor in _OF_THIS_MACHINE:
        return _OF_THIS_MACHINE[route.vendor]
    for name in (panelist.alias, f"{route.vendor}:{route.model_id}", route.vendor):
        if name in told:
            return told[name]
    known = listed(route)
    return seems_to_see(route.model_id) if known is None else known


def seems_to_see(model_id: str) -> bool:
    """Return whether a model can be shown pictures, by its name; a maker's prefix is no part."""
    name = model_id.lower().removeprefix("models/").rpartition("/")[2]
    return not _BLIND.search(name) and bool(_SEEING.search(name))
