"""Seats: from names to panelists with routes, personas, parts and private context."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mutual_dissent.briefing.default_panel import Nearby, PanelChoice, default_panel
from mutual_dissent.briefing.options import (
    Options,
)
from mutual_dissent.briefing.presets import persona_words
from mutual_dissent.core.brief import (
    MAX_PANEL,
    Brief,
)
from mutual_dissent.core.errors import (
    BadInput,
    UnknownName,
    UserError,
    clip,
)
from mutual_dissent.core.panel import (
    EFFORTS,
    EMBEDDED,
    HUMAN,
    ME,
    MOST_SAMPLES,
    RECORDED,
    RUN_HERE,
    Panelist,
    Route,
    SeatName,
    base_name,
)
from mutual_dissent.core.ports import Prices
from mutual_dissent.core.step import Assignments, Mode
from mutual_dissent.providers.agents.table import program_maker
from mutual_dissent.providers.routes import ELSEWHERE, resolve

if TYPE_CHECKING:
    from mutual_dissent.config.settings import Settings

LOCAL = "local"
USUAL_WRITER = "claude"
FindRoute = Callable[[str], Route]


class Seating:
    """Seats of one debate: panelists, synthesizer, judge and analyst, each with its route."""

    def __init__(
        self,
        options: Options,
        settings: Settings,
        find: FindRoute,
        prices: Prices | None = None,
    ) -> None:
        self._options, self._settings, self.route, self._prices = options, settings, find, prices

    def seats(self, choice: PanelChoice) -> tuple[Panelist, ...]:
        """The panel of a choice.

        Raises:
            UserError: if it is too large, or a name, persona or seat is not known.
        """
        _check_size(choice.entries)
        written = [self._named(entry.name) for entry in choice.entries]
        names: list[str] = []
        for entry, name in zip(choice.entries, written, strict=True):
            names.append(_free_seat(_seat(entry.name, name, written), names))
        personas = {
            seat: e.persona for seat, e in zip(names, choice.entries, strict=True) if e.persona
        }
        personas.update(_dealt(persona_words(self._options.personas), names))
        _check_seats({**personas, **self._options.panelist_context}, names)
        return tuple(
            self._panelist(seat, name, personas.get(seat))
            for seat, name in zip(names, written, strict=True)
        )

    def synthesizer(self, panel: Sequence[Panelist]) -> Panelist:
        """The writer of the answer: as named, else the usual one or the first of the panel."""
        asked = self._options.synthesizer
        wanted = asked or self._settings.defaults.synthesizer
        if seated := _seated(wanted or USUAL_WRITER, panel):
            return _bare(seated)
        first = models(panel)[0]
        # A panel on this machine stays there, whatever writer the defaults name.
        if not wanted or (not asked and first.route.vendor == LOCAL):
            return _bare(first)
        try:
            return Panelist(seat=wanted, route=self.route(wanted))
        except UnknownName:
            raise
        except UserError:
            # A default that cannot be reached gives way; what is asked for now does not.
            if asked:
                raise
            return _bare(first)

    def analyst(
        self, panel: Sequence[Panelist], synthesizer: Panelist, mode: Mode | None = None
    ) -> tuple[Panelist | None, list[str]]:
        """The reader of the finished debate: as named, else the cheapest model on the panel."""
        wanted = self._options.analyst or self._settings.defaults.analyst
        if wanted == NOBODY or (mode and (mode.max_panel == 1 or mode.by_parts)):
            return None, []
        if not wanted:
            return analyst_of(panel, synthesizer, self._prices), []
        named = _seated(wanted, panel) or Panelist(seat=wanted, route=self.route(wanted))
        if named.route.vendor == LOCAL:
            raise BadInput("the embedded model is no analyst; name another one, or none")
        return _bare(named), analyst_notices(named, (*panel, synthesizer), maker)

    def judge(
        self, panel: Sequence[Panelist], synthesizer: Panelist
    ) -> tuple[Panelist | None, list[str]]:
        """The judge of a debate with a ground truth, and what the user should know about it."""
        if self._options.ground_truth is None:
            return None, []
        if wanted := self._options.judge or self._settings.defaults.judge:
            return Panelist(seat=wanted, route=self.route(wanted)), []
        judge = _impartial(panel, synthesizer)
        if judge.route.vendor == LOCAL:
            return None, ["not scored: the embedded model is no judge; name another one"]
        return judge, []

    def _named(self, written: str) -> SeatName:
        """The model, effort and samples of a seat; an alias may be called anything."""
        aliases = self._settings.aliases
        return SeatName(model=written) if written in aliases else SeatName.of(written)

    def _panelist(self, seat: str, name: SeatName, persona: str | None) -> Panelist:
        personas = self._settings.personas
        if persona and persona not in personas:
            raise UnknownName("persona", persona, personas)
        route = self.route(name.once)
        return Panelist(
            seat=seat,
            route=route,
            samples=_samples(name, route),
            persona=persona,
            instructions=personas[persona] if persona else "",
            context=_private(self._options.panelist_context, seat),
        )


def routes(settings: Settings, others: Iterable[str] = ()) -> FindRoute:
    """Return the search for a name among the configured vendors and `others`, of plugins."""
    endpoints = settings.endpoints()

    def find(name: str) -> Route:
        wanted = SeatName(model=name) if name in settings.aliases else SeatName.of(name)
        base = wanted.model
        if base == ME and ME not in settings.aliases:
            return own_route(wanted)
        _check_name(wanted)
        known = ELSEWHERE if base in settings.aliases else {*ELSEWHERE, *others}
        route = resolve(base, settings.aliases, settings.routing, endpoints, known)
        if route.vendor in RUN_HERE:
            settings.programs.check(route.model_id, route.vendor)
        if route.vendor == RECORDED and "#" not in route.model_id:
            raise UserError(f"{clip(base)!r} names no model; write recorded:FILE#MODEL")
        route = replace(route, effort=wanted.effort)
        if route.effort:
            from mutual_dissent.providers.effort import check_effort

            check_effort(route, endpoints)
        return route

    return find


def own_route(wanted: SeatName) -> Route:
    """The way to the user, who sits on the panel.

    Raises:
        BadInput: if it is told how much to think.
    """
    if wanted.effort:
        raise BadInput(f"{ME!r} is you: write it without @{wanted.effort}")
    return Route(vendor=HUMAN, model_id=ME, mode="direct")


def _check_name(wanted: SeatName) -> None:
    """Refuse an effort that nobody knows, and samples of somebody who is asked once."""
    base, mark, effort = wanted.model.partition("@")
    if mark and ":" not in base:
        raise UnknownName("effort", effort, EFFORTS)
    if wanted.samples != 1:
        raise BadInput(
            f"only panelists are asked several times; write {clip(wanted.once)} without "
            f"*{wanted.samples}"
        )


def choose_panel(options: Options, settings: Settings, nearby: Nearby, mode: Mode) -> PanelChoice:
    """The panel that was asked for, else as many of the default one as the mode takes."""
    if options.panel is None and mode.max_panel == 1:
        usual = options.synthesizer or settings.defaults.synthesizer
        return PanelChoice.of([usual or default_panel(settings, nearby).names[0]])
    if options.panel is None:
        return default_panel(settings, nearby).first(mode.max_panel, mode.name)
    entries = options.panel.split(",") if isinstance(options.panel, str) else options.panel
    names = [n.strip() for n in entries if n.strip()]
    return PanelChoice.of(names)


def check_panel(panel: Sequence[Panelist], mode: Mode) -> None:
    """Make sure that the panel is of a size that the mode takes.

    Raises:
        BadInput: if it is not.
    """
    _check_size(panel)
    if not mode.with_user and any(p.route.is_human for p in panel):
        raise BadInput(f"{mode.name} asks for a form that only models fill in; leave {ME!r} out")
    if len(panel) < mode.min_panel:
        raise BadInput(
            f"{mode.name} needs a panel of at least {mode.min_panel}, not {len(panel)}; "
            "name more models, or one model twice"
        )
    if mode.max_panel == 1 and (sampled := next((p for p in panel if p.samples > 1), None)):
        raise BadInput(
            f"{mode.name} is one answer of one model; name {sampled.alias} without "
            f"*{sampled.samples}"
        )
    if len(panel) > mode.max_panel:
        raise BadInput(f"{mode.name} takes a panel of {mode.max_panel}, not {len(panel)}")


def assign_parts(
    panel: tuple[Panelist, ...], mode: Mode, options: Options, seed: int
) -> tuple[Panelist, ...]:
    """The panel with the parts that the mode and the user give it."""
    if mode.assign is None:
        return panel
    given = {p.partition("=")[0]: p.partition("=")[2] for p in options.perspectives if "=" in p}
    return mode.assign(
        panel,
        Assignments(
            perspectives=tuple(p for p in options.perspectives if "=" not in p),
            how=options.perspective_order or Assignments().how,
            perspective_of=given,
            role_of=dict(options.roles),
            team_of=dict(options.teams),
            seed=seed,
        ),
    )


def in_context(panel: Sequence[Panelist], private: Mapping[str, str]) -> tuple[Panelist, ...]:
    """The panel, with private context for those seats or aliases that are given some."""
    _check_seats(private, [p.seat for p in panel])
    return tuple(replace(p, context=_private(private, p.seat) or p.context) for p in panel)


def stand_ins(panel: Sequence[Panelist], synthesizer: Panelist) -> tuple[Panelist, ...]:
    """Writers of the answer if the synthesizer fails: two other models of the panel."""
    able = (p for p in models(panel) if p.model_id != synthesizer.model_id)
    others = {p.model_id: _bare(p) for p in able}
    return tuple(others.values())[:2]


def models(panel: Sequence[Panelist]) -> list[Panelist]:
    """The panel without the user: those who can write, judge and read a debate.

    Raises:
        BadInput: if nobody is left, or the user has two seats.
    """
    found = [p for p in panel if not p.route.is_human]
    if not found:
        raise BadInput(f"{ME!r} needs at least one model beside you on the panel; name one")
    users = [p for p in panel if p.route.is_human]
    if len(users) > 1 or any(p.samples > 1 or p.route.effort for p in users):
        raise BadInput(f"you sit on a panel once; write {ME} alone, and once")
    return found


def check_own_seat(brief: Brief) -> None:
    """Make sure that the user has no other part than that of a panelist.

    Raises:
        BadInput: if it has.
    """
    others = (brief.synthesizer, *brief.fallbacks, brief.judge, brief.analyst)
    if any(p and p.route.is_human for p in others):
        raise BadInput(
            f"{ME!r} is a panelist and no synthesizer, judge or analyst; name a model for that"
        )


def maker(route: Route) -> str:
    """The maker of the model behind a route, as far as its id tells."""
    if route.vendor in RUN_HERE:
        return program_maker(route.model_id)
    # OpenRouter's ids begin with the maker, as in anthropic/claude-sonnet-5.5.
    return route.model_id.partition("/")[0] if "/" in route.model_id else route.vendor


def _impartial(panel: Sequence[Panelist], synthesizer: Panelist) -> Panelist:
    """A judge that is not the synthesizer and, where possible, not by its maker."""
    others = [_bare(p) for p in models(panel) if p.model_id != synthesizer.model_id]
    foreign = [p for p in others if maker(p.route) != maker(synthesizer.route)]
    return next(iter(foreign or others), synthesizer)


def _dealt(words: Iterable[str], seats: Sequence[str]) -> dict[str, str]:
    """Seat -> persona: those given by seat first, then the others to whoever has none yet."""
    words = list(words)
    of = {s.strip(): n.strip() for s, equals, n in (w.partition("=") for w in words) if equals}
    rest = (word.strip() for word in words if "=" not in word)
    return {**of, **dict(zip((s for s in seats if s not in of), rest, strict=False))}


def _seated(name: str, panel: Iterable[Panelist]) -> Panelist | None:
    """The panelist of that name, or of that model and effort where it is one of the panel's."""
    wanted = SeatName.of(name)
    exact = (p for p in panel if p.seat == name)
    same = (p for p in panel if wanted.effort and (p.alias, p.route.effort) == _of(wanted))
    return next(exact, None) or next(same, None)


def _of(name: SeatName) -> tuple[str, str]:
    return name.model, name.effort


def _bare(panelist: Panelist) -> Panelist:
    """The same model without the persona and private context of its seat on the panel."""
    return Panelist(seat=panelist.seat, route=panelist.route)


def _samples(name: SeatName, route: Route) -> int:
    """Return how often a panelist is asked for an answer.

    Raises:
        BadInput: if that is too often, or would be of no use.
    """
    if not 1 <= name.samples <= MOST_SAMPLES:
        raise BadInput(f"a seat has 1 to {MOST_SAMPLES} samples, not {name.samples}")
    if name.samples > 1 and route.is_human:
        raise BadInput(f"{ME!r} is you, who answers once: write it without *{name.samples}")
    if name.samples > 1 and route.vendor == RECORDED:
        raise BadInput(
            f"{clip(name.model)!r} has one recorded answer; name it without *{name.samples}"
        )
    return name.samples


def _seat(written: str, name: SeatName, panel: Sequence[SeatName]) -> str:
    """The name of a seat; its effort is a part of it only where another seat differs by it."""
    if any(n.model == name.model and n.effort != name.effort for n in panel):
        return name.once
    return name.model if name.effort or name.samples != 1 else written


def _free_seat(name: str, taken: Sequence[str]) -> str:
    if name not in taken:
        return name
    base = SeatName.of(name).once
    return next(f"{base}#{n}" for n in range(2, 99) if f"{base}#{n}" not in taken)


def _private(given: Mapping[str, str], seat: str) -> str:
    return given.get(seat) or given.get(base_name(seat)) or ""


def _check_seats(given: Iterable[str], seats: Sequence[str]) -> None:
    known = {n for seat in seats for n in (seat, base_name(seat))}
    if unknown := set(given) - known:
        raise UnknownName("panelist", min(unknown), seats)


def _check_size(seats: Sequence[object]) -> None:
    if len(seats) > MAX_PANEL:
        raise BadInput(f"a panel has at most {MAX_PANEL} members, not {len(seats)}; name fewer")


NOBODY = "none"
"""The name that stands for no analyst."""

CALL = (6_000, 900)
"""Tokens in and out of a usual analysis, by which prices are compared."""

_UNABLE = frozenset({EMBEDDED, RECORDED, HUMAN})
"""Who cannot read a debate: a model that is too small, one that only repeats, the user."""


def analyst_of(
    panel: Sequence[Panelist], synthesizer: Panelist, prices: Prices | None
) -> Panelist | None:
    """The cheapest of panel and synthesizer; the synthesizer where no price is known.

    It is told nothing about how much to think. What is free has no price to compare: it may be a
    model that is too small for the task. A panel of models that cannot read has no analyst.
    """
    if all(p.route.vendor in _UNABLE for p in panel):
        return None
    able = [p for p in (synthesizer, *panel) if p.route.vendor not in _UNABLE]
    costs = [(prices.cost(p.route, *CALL) if prices else None, p) for p in able]
    known = [(cost, p) for cost, p in costs if cost]
    found = min(known, key=lambda one: one[0])[1] if known else able[0]
    return Panelist(seat=found.seat, route=replace(found.route, effort=""))


def analyst_notices(
    analyst: Panelist, others: Sequence[Panelist], maker: Callable[[Route], str]
) -> list[str]:
    """The notice about an analyst whose maker has no other model in the debate."""
    ours = {(p.route.vendor, maker(p.route)) for p in others}
    route = analyst.route
    if (route.vendor, maker(route)) in ours:
        return []
    gets = "the query, the last answers and the synthesis also go there"
    return [f"{analyst.seat} ({route.vendor}) reads the debate as its analyst: {gets}"]
