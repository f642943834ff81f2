"""Quotes of debates, for programs."""

from __future__ import annotations

from dataclasses import dataclass

from mutual_dissent.core.brief import Brief, Proposal, SimilarDebate
from mutual_dissent.core.codec.camel import Shape
from mutual_dissent.core.codec.plain import shallow
from mutual_dissent.core.panel import Panelist
from mutual_dissent.engine.limits.quote import CostQuote, QuotedSearch, QuotedText, QuoteLine
from mutual_dissent.surfaces.facts.models import KnownRoute, known_route


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedTotals(Shape):
    """Calls, tokens and dollars of a debate, estimated without any call.

    Attributes:
        at_most: whether it may take less; then `least_calls` and `least_cost_usd` say how little.
        attached: all that leaves this machine beside the query.
        searching: who searches the web with what; what that costs is in the lines and the sum.
        reading: who may look into which folder on this machine; empty where nobody may.
        checking: what is fetched to check citations; empty where none are.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    at_most: bool
    least_calls: int
    least_cost_usd: float | None
    lines: tuple[QuoteLine, ...]
    attached: tuple[QuotedText, ...]
    searching: tuple[QuotedSearch, ...]
    reading: str
    checking: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedPanelist(Shape):
    """A panelist that would be asked, and by which route; `written` is how a user names it."""

    seat: str
    written: str
    route: KnownRoute
    persona: str | None
    instructions: str
    context: str
    role: str | None
    perspective: str | None
    team: str | None
    samples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedProposal(Shape):
    """Procedure that a model proposed, by one call that was made; `note` says why none is taken."""

    by: str
    preset: str
    mode: str
    perspectives: tuple[str, ...]
    panel: tuple[str, ...]
    reason: str
    note: str
    cost_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedDebate(QuotedTotals):
    """A quote with the panel that it is for and, with the preset `auto`, what was proposed.

    Attributes:
        similar: earlier debates on the matter, at most three; `conversationId` goes on from one,
            `recall` says whether the panel is told the nearest unasked.
    """

    preset: str | None
    proposal: QuotedProposal | None
    mode: str
    panel: tuple[QuotedPanelist, ...]
    synthesizer: QuotedPanelist
    similar: tuple[SimilarDebate, ...]


def quoted_totals(quote: CostQuote) -> QuotedTotals:
    """A quote with its totals."""
    least = quote.least or quote
    return QuotedTotals(
        calls=quote.calls,
        input_tokens=quote.input_tokens,
        output_tokens=quote.output_tokens,
        cost_usd=quote.cost_usd,
        at_most=quote.at_most,
        least_calls=least.calls,
        least_cost_usd=least.cost_usd,
        lines=tuple(quote.lines),
        attached=quote.attached,
        searching=quote.searching,
        reading=quote.reading,
        checking=quote.checking,
    )


def quoted_debate(quote: CostQuote, brief: Brief) -> QuotedDebate:
    """A quote with the panel of its brief, and earlier debates on the matter."""
    return QuotedDebate(
        **shallow(quoted_totals(quote)),
        preset=brief.preset,
        proposal=_proposed(brief.proposal) if brief.proposal else None,
        mode=brief.mode,
        panel=tuple(map(_quoted, brief.panel)),
        synthesizer=_quoted(brief.synthesizer),
        similar=brief.similar,
    )


def _proposed(found: Proposal) -> QuotedProposal:
    cost = found.answer.cost_usd if found.answer else None
    return QuotedProposal(**shallow(found, "answer"), cost_usd=cost)


def _quoted(who: Panelist) -> QuotedPanelist:
    return QuotedPanelist(
        **shallow(who, "route"), written=who.written, route=known_route(who.route)
    )
