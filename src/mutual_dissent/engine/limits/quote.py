"""The quote: a debate walked with answers of usual length, to see what it would cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from mutual_dissent.analysis.answers.inquiry import hypothetical_inquiry
from mutual_dissent.analysis.ledger import analyst
from mutual_dissent.analysis.scores import grades
from mutual_dissent.core.codec.camel import Shape
from mutual_dissent.core.events import Answered
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.ports import Prices
from mutual_dissent.core.response import Ask, Response
from mutual_dissent.core.step import Mode, Script, Step
from mutual_dissent.core.stopping import NEVER_EARLY
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.user.follow_up import INQUIRY, REPLY
from mutual_dissent.engine.context_fit import fit
from mutual_dissent.prompts.library import Library

USUAL_LENGTH = {
    "judge": 80, "analysis": 900, "digest": 400, "summary": 400, "synthesis": 700,
    INQUIRY: 80, REPLY: 300,
}  # fmt: skip
"""Tokens of a usual answer by its role; 500 for any other."""

Longest = Callable[[Route], int | None]


@dataclass(slots=True, kw_only=True)
class QuoteLine(Shape):
    """Calls, tokens and dollars of one panelist.

    `thought_tokens` are those of the output that it is reckoned to think, at its `effort`.
    """

    seat: str
    model_id: str
    vendor: str
    effort: str = ""
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    thought_tokens: int = 0
    cost_usd: float | None = 0.0


@dataclass(slots=True, kw_only=True)
class CostQuote:
    """Cost of a debate ahead of it, with as many rounds as it may have.

    Attributes:
        at_most: whether it may stop earlier, so that this is an upper bound.
    """

    lines: list[QuoteLine] = field(default_factory=list)
    at_most: bool = False

    @property
    def calls(self) -> int:
        """Return how many calls would be made."""
        return sum(line.calls for line in self.lines)

    @property
    def input_tokens(self) -> int:
        """About how many tokens would be sent."""
        return sum(line.input_tokens for line in self.lines)

    @property
    def output_tokens(self) -> int:
        """About how many tokens would come back."""
        return sum(line.output_tokens for line in self.lines)

    @property
    def cost_usd(self) -> float | None:
        """About how many dollars; None if a model has no known price."""
        costs = [line.cost_usd for line in self.lines]
        return None if None in costs else sum(c for c in costs if c is not None)

    @property
    def unpriced(self) -> list[str]:
        """The seats whose price is not known."""
        return [line.seat for line in self.lines if line.cost_usd is None]


def quote(
    opened: Transcript,
    mode: Mode,
    library: Library,
    prices: Prices,
    longest: Longest = lambda _: None,
) -> CostQuote:
    """Walk a debate's script without asking anybody.

    Args:
        longest: the most tokens that answers by a route have, where that is known.
    """
    desk = _Desk(opened, library, prices, longest)
    desk.walk(mode.script(desk.now))
    desk.walk(grades.script(desk.now))
    desk.walk(analyst.script(desk.now))
    at_most = opened.brief.rounds == "auto" or opened.brief.exits != NEVER_EARLY
    return CostQuote(lines=list(desk.lines.values()), at_most=at_most)


class _Desk:
    def __init__(
        self, opened: Transcript, library: Library, prices: Prices, longest: Longest
    ) -> None:
        self.now, self._library, self._prices = opened, library, prices
        self._longest = longest
        self.lines: dict[str, QuoteLine] = {}

    def walk(self, script: Script) -> None:
        try:
            step = next(script)
            while True:
                self._take(step)
                step = script.send(self.now)
        except StopIteration:
            return

    def _take(self, step: Step) -> None:
        for turn in step.turns:
            one = fit(self.now, step, turn, self._library, self._prices)
            while piece := one.next():
                one.take(self._count(piece.ask))
            ask = one.request().ask
            for _ in range(step.samples(turn) - 1):
                self._bill(ask)
            self._count(ask)

    def _count(self, ask: Ask) -> Response:
        """Count a call, and take a usual answer for it."""
        answered = _usual_answer(ask, self._bill(ask), self.now.panelists)
        self.now = self.now.apply(answered)
        return answered.response

    def _bill(self, ask: Ask) -> int:
        """Count a call; return how many tokens others will read of its answer."""
        who, tokens_in = ask.panelist, ask.input_estimate
        usual = USUAL_LENGTH.get(ask.role, 500)
        longest = ask.max_tokens or self._longest(who.route)
        words, tokens_out = (min(n, longest or n) for n in (usual, usual + who.route.thought))
        route = who.route
        new = QuoteLine(
            seat=who.seat, model_id=who.model_id, vendor=route.vendor, effort=route.effort
        )
        line = self.lines.setdefault(who.seat, new)
        cost = self._prices.cost(who.route, tokens_in, tokens_out)
        line.calls += 1
        line.input_tokens += tokens_in
        line.output_tokens += tokens_out
        line.thought_tokens += tokens_out - words
        known = line.cost_usd is not None and cost is not None
        line.cost_usd = (line.cost_usd or 0.0) + (cost or 0.0) if known else None
        return words


def _usual_answer(ask: Ask, tokens: int, panel: Sequence[Panelist]) -> Answered:
    never = datetime(1970, 1, 1, tzinfo=UTC)
    response = Response(
        model_id=ask.panelist.model_id,
        model_alias=ask.panelist.seat,
        round_number=ask.round_number,
        role=ask.role,
        content="x" * int(tokens * 3.5),
        timestamp=never,
        analysis=hypothetical_inquiry(panel) if ask.role == INQUIRY else {},
    )
    return Answered(
        at=never,
        key=ask.key,
        seat=ask.panelist.seat,
        request_hash=ask.request_hash,
        response=response,
    )
