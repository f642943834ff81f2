"""Parts of a request that models refuse: read from their refusals once, and not sent again."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from mutual_dissent.core.response import Ask, ErrorKind
from mutual_dissent.providers.dialects.base import VendorError
from mutual_dissent.providers.endpoints import Endpoint

SCHEMA, TOOLS, PICTURES = "schema", "tools", "pictures"
BESIDE = "schema beside tools"
SUBMITTING = "submitting"
SEARCH = "search"
WORDS = {
    SCHEMA: re.compile(
        r"response_?format|json[ _]?schema|json[ _]mode|response_?(json_?)?schema|text\.format"
        r"|output_?(format|config)|structured[ _]?output|response[ _]?mime[ _]?type|guided_json"
        r"|\bgrammar\b|\bschemas?\b",
        re.IGNORECASE,
    ),
    TOOLS: re.compile(
        r"\btools?\b|\btool_\w+|function[ _]?(call|declaration)|submit_response", re.IGNORECASE
    ),
    SEARCH: re.compile(r"\btools?\b|(web|google)[ _]?search|\bplugins?\b|grounding", re.IGNORECASE),
    PICTURES: re.compile(r"\bimages?\b|image_url|inline_?data|vision|multi-?modal", re.IGNORECASE),
}
KINDS = (ErrorKind.BAD_REQUEST, ErrorKind.UNKNOWN_MODEL)
"""The kinds of such a refusal: OpenRouter says 404 where no host of a model knows tools."""


def refused_parts(text: str) -> frozenset[str]:
    """Return the parts of a request that a refusal is about, going by its words."""
    return frozenset(part for part, words in WORDS.items() if words.search(text))


def is_about_pictures(error: VendorError) -> bool:
    """Return whether a model refuses a request for the pictures in it."""
    return error.kind in KINDS and PICTURES in error.refuses


@dataclass(slots=True)
class Refusals:
    """The parts that each model of each vendor refused, for as long as the process lives.

    A structured answer is asked for by the vendor's schema; where that is refused, by a tool that
    it is handed in with; where that is refused, too, in words alone.
    """

    known: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def shape(self, ask: Ask, endpoint: Endpoint) -> Ask:
        """Return the ask without the parts that its model is known to refuse."""
        refused = self.known.get(_model(ask, endpoint))
        if not refused:
            return ask
        if SEARCH in refused:
            ask = replace(ask, search=None)
        if TOOLS in refused:
            ask = replace(ask, tools=(), exchanges=())
        if ask.schema is None or not (SCHEMA in refused or (ask.tools and BESIDE in refused)):
            return ask
        by_tool = endpoint.takes_tools and not ask.own_search
        if by_tool and not refused & {TOOLS, SUBMITTING}:
            return replace(ask, submits=True)
        return replace(ask, schema=None)

    def learn(self, sent: Ask, endpoint: Endpoint, error: VendorError | None) -> bool:
        """Note what a failure says about the model; return whether it can be asked otherwise."""
        part = _refused_part(sent, error) if error and error.kind in KINDS else None
        if part is None:
            return False
        self.known.setdefault(_model(sent, endpoint), set()).add(part)
        return True


def _refused_part(sent: Ask, error: VendorError) -> str | None:
    """Return the first of the parts sent that a refusal is about."""
    if sent.schema is not None and not sent.submits and SCHEMA in error.refuses:
        return BESIDE if sent.tools else SCHEMA
    # Schema or tools: the tool that hands in has the schema as its parameters, so either means it.
    if sent.submits and error.refuses & {SCHEMA, TOOLS}:
        return SUBMITTING
    if sent.own_search and SEARCH in error.refuses:
        return SEARCH
    return TOOLS if sent.tools and TOOLS in error.refuses else None


def _model(ask: Ask, endpoint: Endpoint) -> tuple[str, str]:
    return endpoint.vendor, ask.panelist.model_id
