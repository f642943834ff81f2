"""The quote: a debate walked with answers of usual length, to see what it would cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import combinations

from mutual_dissent.analysis.answers import descriptions
from mutual_dissent.analysis.answers.inquiry import hypothetical_inquiry
from mutual_dissent.analysis.citations.claims import MOST_PAGES
from mutual_dissent.analysis.ledger import analyst
from mutual_dissent.analysis.scores import grades
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.codec.camel import Shape
from mutual_dissent.core.events import Answered
from mutual_dissent.core.measures import AGREE, BY_VALUE, Cluster, Consensus, Measures, Pair
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.ports import Prices
from mutual_dissent.core.response import Ask, Response
from mutual_dissent.core.step import Mode, Script, Step
from mutual_dissent.core.stopping import NEVER_EARLY, Exit
from mutual_dissent.core.tool import MOST_READING, SearchWay
from mutual_dissent.core.transcript import DESCRIPTION, INQUIRY, OPINION_ROLES, REPLY, Transcript
from mutual_dissent.core.values.citation import CITATIONS, READ, CitedClaim, CitedPassage
from mutual_dissent.core.values.defects import SUPPOSED
from mutual_dissent.core.values.picture import Picture
from mutual_dissent.engine.context_fit import fit
from mutual_dissent.engine.notes import note_end, note_final
from mutual_dissent.engine.sources import citations
from mutual_dissent.prompts.library import Library
from mutual_dissent.text.numbers import figure

USUAL_LENGTH = {
    "judge": 80, "analysis": 900, CITATIONS: 600, "digest": 400, "summary": 400, "synthesis": 700,
    INQUIRY: 80, REPLY: 300, DESCRIPTION: 600,
}  # fmt: skip
"""Tokens of a usual answer by its role; 500 for any other."""

_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
Longest = Callable[[Route], int | None]


@dataclass(slots=True, kw_only=True)
class QuoteLine(Shape):
    """Calls, tokens and dollars of one panelist.

    `thought_tokens` are those of the output that it is reckoned to think, at its `effort`;
    `search_usd` is the part of the cost that as many `searches` as it may make take at list price.
    """

    seat: str
    model_id: str
    vendor: str
    effort: str = ""
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    thought_tokens: int = 0
    searches: int = 0
    search_usd: float | None = 0.0
    cost_usd: float | None = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedPicture(Shape):
    """A picture that would be sent: its measures, to whom it goes, and who is told of it by whom.

    `described_by` is who would tell those that see none; others would be asked if that fails.
    """

    media_type: str
    width: int
    height: int
    size: int
    sha256: str
    shown_to: tuple[str, ...]
    described_by: str | None = None
    described_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedText(Shape):
    """A text that would be sent with the query and its characters, or a picture."""

    name: str
    characters: int
    picture: QuotedPicture | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedSearch(Shape):
    """A way to search, and the seats that have it.

    Attributes:
        by: the vendor, or the services of the configuration in the order in which they are tried.
        own: whether the vendor searches by itself.
        most: the searches of one answer that are reckoned with; `bounded` if there can be no more.
        usd: the list price of one; None where it is not known, 0 where it is a part of the call's.
        as_of: the month of that price.
        text: all of it in a sentence.
    """

    seats: tuple[str, ...]
    by: str
    own: bool
    most: int
    bounded: bool
    usd: float | None
    as_of: str
    text: str


@dataclass(slots=True, kw_only=True)
class CostQuote:
    """Cost of a debate ahead of it, with as many rounds as it may have.

    Attributes:
        at_most: whether it may stop earlier, so that this is an upper bound.
        least: the same if all agree at once and cite nothing, where that takes fewer calls.
        less_where: what makes it take less; empty where nothing does.
        attached: all that leaves this machine beside the query.
        searching: who searches the web with what.
        reading: who may look into which folder; empty where nobody may.
        checking: what is fetched to check citations; empty where none are.
        on_citations: calls among them that judge citations.
    """

    lines: list[QuoteLine] = field(default_factory=list)
    at_most: bool = False
    least: CostQuote | None = None
    less_where: str = ""
    attached: tuple[QuotedText, ...] = ()
    searching: tuple[QuotedSearch, ...] = ()
    reading: str = ""
    checking: str = ""
    on_citations: int = 0

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
    most, least = (
        _walked(_Desk(opened, library, prices, longest, agreed=agreed), mode)
        for agreed in (False, True)
    )
    most.attached = tuple(_attached(opened.brief))
    most.searching = tuple(_searching(opened.brief))
    most.reading = _reading(opened.brief)
    most.checking = _checking(opened.brief)
    early = opened.brief.rounds == "auto" or opened.brief.exits != NEVER_EARLY
    if least.calls < most.calls:
        less = _less_where(most, early=early or least.calls < most.calls - most.on_citations)
        return replace(most, at_most=True, least=least, less_where=less)
    return replace(most, at_most=early)


def _less_where(most: CostQuote, *, early: bool) -> str:
    """Circumstances in which fewer calls are made."""
    agreed = "the panel agrees early" if early else ""
    uncited = "no passage of a cited page has to be judged" if most.on_citations else ""
    return " or ".join(filter(None, (agreed, uncited)))


def _attached(brief: Brief) -> Iterator[QuotedText]:
    """Documents and earlier debates that go with the query."""
    for document in brief.context:
        shown = _picture(document.picture, brief) if document.picture else None
        yield QuotedText(name=document.name, characters=len(document.text), picture=shown)
    told = Counter[str]()
    for said in brief.earlier:
        if said.debate:
            told[f"debate {said.debate[:8]}"] += len(said.text)
    yield from (QuotedText(name=name, characters=size) for name, size in told.items())


def _searching(brief: Brief) -> Iterator[QuotedSearch]:
    """Ways to search, each with those who have it."""
    seats: dict[SearchWay, list[str]] = {}
    for who in brief.panel:
        if way := brief.search_of(who):
            seats.setdefault(way, []).append(who.seat)
    for way, names in seats.items():
        yield QuotedSearch(
            seats=tuple(names), by=way.by, own=way.own, most=way.most, bounded=way.bounded,
            usd=0.0 if way.included else way.usd, as_of=way.as_of, text=_said(names, way),
        )  # fmt: skip


def _reading(brief: Brief) -> str:
    """Sentence on the folder that is looked into; calls for it are not in the sum.

    One more than there are uses: who has none left may have to be told so once more.
    """
    if not brief.workspace:
        return ""
    name = brief.workspace.replace("\\", "/").rstrip("/").rpartition("/")[2] or brief.workspace
    return (
        f"Looking into {name} takes up to {MOST_READING + 1} further calls an answer, which are "
        "not in the sum."
    )


def _checking(brief: Brief) -> str:
    """Sentence on the pages that are fetched to check citations."""
    if not brief.check_citations:
        return ""
    who = brief.analyst.seat if brief.analyst else ""
    read = f", and {who} is asked once whether they say so" if who else ""
    return f"At most {MOST_PAGES} pages that answers cite are fetched from here{read}."


def _said(seats: Sequence[str], way: SearchWay) -> str:
    """Sentence that says who searches, with what, and at which price."""
    one = len(seats) == 1
    whose = f"the search of {'its' if one else 'their'} vendor, {way.by}" if way.own else way.by
    if way.included:
        price = "a part of what its calls cost"
    elif way.usd is None:
        price = "the price of a search is not known"
    elif not way.usd:
        price = "no price"
    else:
        bound = "at most" if way.bounded else "reckoned with"
        price = f"${figure(way.usd)} a search ({way.as_of}), {bound} {way.most} an answer"
    verb = "searches" if one else "search"
    return f"{', '.join(seats)} {verb} the web with {whose}: {price}."


def _picture(picture: Picture, brief: Brief) -> QuotedPicture:
    others = [p for p in (brief.synthesizer, *brief.fallbacks, brief.judge) if p]
    seats = dict.fromkeys(p.seat for p in (*brief.panel, *others) if not p.route.is_human)
    return QuotedPicture(
        media_type=picture.media_type,
        width=picture.width,
        height=picture.height,
        size=picture.size,
        sha256=picture.sha256,
        shown_to=tuple(s for s in seats if s not in brief.blind),
        described_by=brief.describers[0].seat if brief.describers else None,
        described_for=brief.blind,
    )


def _walked(desk: _Desk, mode: Mode) -> CostQuote:
    desk.walk(descriptions.script(desk.now))
    desk.walk(mode.script(desk.now))
    desk.walk(grades.script(desk.now))
    if not analyst.is_needless(desk.now):
        desk.walk(analyst.script(desk.now))
    before = sum(line.calls for line in desk.lines.values())
    # Supposing that all agree is to suppose the least: then nothing is cited.
    if desk.now.brief.check_citations and not desk.agreed:
        desk.now = replace(desk.now, cited=_SUPPOSED)
        desk.walk(citations.script(desk.now))
    quote = CostQuote(lines=list(desk.lines.values()))
    return replace(quote, on_citations=quote.calls - before)


_SUPPOSED = MOST_PAGES * (
    CitedPassage(
        cited=CitedClaim(url="https://a.example", title="", claim="x" * 150),
        state=READ,
        passage="x" * 600,
    ),
)
"""Citations that a debate which checks them is quoted with."""


class _Desk:
    """A debate that is walked with usual answers; `agreed` supposes that all of them agree."""

    def __init__(
        self,
        opened: Transcript,
        library: Library,
        prices: Prices,
        longest: Longest,
        *,
        agreed: bool = False,
    ) -> None:
        self.now, self._library, self._prices = opened, library, prices
        self._longest, self.agreed = longest, agreed
        self.lines: dict[str, QuoteLine] = {}

    def walk(self, script: Script) -> None:
        try:
            step = next(script)
            while True:
                if isinstance(step, Step):
                    self._take(step)
                else:
                    self.now = self.now.apply(note_final(self.now, step, _NEVER)[1])
                step = script.send(self.now)
        except StopIteration:
            return

    def _take(self, step: Step) -> None:
        for turn in step.turns:
            one = fit(self.now, step, turn, self._library, self._prices)
            # Summaries of rounds that its reader has no room for are calls as well.
            while piece := one.next():
                one.take(self._count(piece.ask))
            ask = one.request().ask
            # All samples are paid for; only the one that is chosen is read by the others.
            for _ in range(step.samples(turn) - 1):
                self._bill(ask)
            self._count(ask)
        if self.agreed:
            self.now = self.now.apply(note_end(step, _agreement(self.now), _NEVER))

    def _count(self, ask: Ask) -> Response:
        """Count a call, and take a usual answer for it."""
        answered = _usual_answer(ask, self._bill(ask), self.now.panelists)
        self.now = self.now.apply(answered)
        return answered.response

    def _bill(self, ask: Ask) -> int:
        """Count a call; return how many tokens others will read of its answer."""
        who, tokens_in = ask.panelist, ask.input_estimate
        if who.route.is_human:
            return self._of_person(who)
        usual = USUAL_LENGTH.get(ask.role, 500)
        longest = ask.max_tokens or self._longest(who.route)
        words, tokens_out = (min(n, longest or n) for n in (usual, usual + who.route.thought))
        route = who.route
        new = QuoteLine(
            seat=who.seat, model_id=who.model_id, vendor=route.vendor, effort=route.effort
        )
        line = self.lines.setdefault(who.seat, new)
        cost = self._prices.cost(who.route, tokens_in, tokens_out)
        way = self.now.brief.search_of(who) if ask.role in OPINION_ROLES else None
        if way:
            line.searches += way.most
            line.search_usd = add_known(line.search_usd, way.most_usd)
            cost = add_known(cost, way.most_usd)
        line.calls += 1
        line.input_tokens += tokens_in
        line.output_tokens += tokens_out
        line.thought_tokens += tokens_out - words
        # One call without a price makes the whole line unknown: a part would pass for the sum.
        line.cost_usd = add_known(line.cost_usd, cost)
        return words

    def _of_person(self, who: Panelist) -> int:
        """Add a line for the user, who is no call and costs nothing."""
        free = QuoteLine(seat=who.seat, model_id=who.model_id, vendor=who.route.vendor)
        self.lines.setdefault(who.seat, free)
        # Tokens: what a person writes is read, and paid for, by the others.
        return 500


def add_known(total: float | None, more: float | None) -> float | None:
    """The sum; None as soon as one part is not known."""
    return None if total is None or more is None else total + more


def _agreement(now: Transcript) -> Measures:
    """Measures of a last round in which all give one closed answer."""
    answers = now.rounds[-1].usable if now.rounds else ()
    seats = tuple(sorted(r.model_alias for r in answers))
    pairs = tuple(
        Pair(a=a, b=b, relation=AGREE, source=BY_VALUE) for a, b in combinations(seats, 2)
    )
    group = Cluster(theme="", members=seats, summary="", spokesman=seats[0]) if seats else None
    found = Consensus(agreement_level=1.0, clusters=(group,) if group else (), pairs=pairs)
    early = now.brief.exits != NEVER_EARLY
    return Measures(
        agreement=1.0,
        measure="values",
        consensus=found,
        exit=Exit(reason="consensus", details="") if early else None,
    )


def _usual_answer(ask: Ask, tokens: int, panel: Sequence[Panelist]) -> Answered:
    response = Response(
        model_id=ask.panelist.model_id,
        model_alias=ask.panelist.seat,
        round_number=ask.round_number,
        role=ask.role,
        # As many characters a token as `tokens_in` reckons when others read it.
        content="x" * int(tokens * 3.5),
        timestamp=_NEVER,
        analysis=hypothetical_inquiry(panel) if ask.role == INQUIRY else {},
        # A review without findings would have nothing to check, and be quoted without that step.
        findings=SUPPOSED if "findings" in (ask.schema or {}).get("properties", ()) else (),
    )
    return Answered(
        at=_NEVER,
        key=ask.key,
        seat=ask.panelist.seat,
        request_hash=ask.request_hash,
        response=response,
    )
