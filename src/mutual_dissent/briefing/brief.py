"""From what a user asked for to a brief: seats, routes, defaults, and every check before money."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from mutual_dissent.analysis.ballots.rules import RULES
from mutual_dissent.briefing.default_panel import Nearby
from mutual_dissent.briefing.kinds import RealNumber, WholeNumber
from mutual_dissent.briefing.mode_fit import check_fits, part_size
from mutual_dissent.briefing.options import (
    LIMITS,
    MAX_CONTEXT,
    MAX_QUERY,
    OPTIONS,
    Options,
    Rounds,
)
from mutual_dissent.briefing.presets import Preset
from mutual_dissent.briefing.seating import (
    NOBODY,
    FindRoute,
    Seating,
    analyst_notices,
    assign_parts,
    check_panel,
    choose_panel,
    maker,
    models,
    routes,
    stand_ins,
)
from mutual_dissent.core.brief import (
    STANDARD_RUBRIC,
    Attachment,
    Brief,
    Earlier,
    Rubric,
)
from mutual_dissent.core.errors import (
    BadConfig,
    BadInput,
    NobodyToRead,
    UnknownName,
    UserError,
    clip,
)
from mutual_dissent.core.figures.forecasts import FORECAST
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.ports import Prices
from mutual_dissent.core.step import Mode
from mutual_dissent.core.stopping import NEVER_EARLY, ExitCriteria
from mutual_dissent.core.tool import MOST_READING, SearchWay
from mutual_dissent.core.values.terms import option
from mutual_dissent.text.numbers import figure

if TYPE_CHECKING:
    from mutual_dissent.briefing.inputs.sources import LookedInto, Sources
    from mutual_dissent.config.settings import Defaults, Settings


TOGETHER = {
    "mode": ("mode", "rounds", "panel"),
    "rounds": ("mode", "rounds"),
    "panel": ("mode", "panel"),
}
"""Defaults that can only be judged with others."""


def write_brief(
    query: str,
    options: Options,
    settings: Settings,
    find: FindRoute,
    modes: Mapping[str, Mode],
    topologies: Iterable[str],
    nearby: Nearby = Nearby(),  # noqa: B008 - it never changes
    prices: Prices | None = None,
    sources: Sources | None = None,
) -> Brief:
    """The brief for a query; `find` gives the route of a name, `prices` decide who is cheap.

    Of the folders among `sources`, as much is attached as all who take part can read.

    Raises:
        UserError: if anything asked for cannot be, before any call is made.
    """
    # `said` stays what was asked for now; `options` gets the preset's values.
    said = options
    with _default("preset", said, options, settings):
        options = with_preset(said, settings)
    seating = Seating(options, settings, find, prices)
    with _default("mode", said, options, settings):
        mode = _named("mode", options.mode or settings.defaults.mode, modes)
    topology = options.topology or settings.defaults.topology
    with _default("topology", said, options, settings):
        _named("topology", topology, {name: name for name in topologies})
    # By itself first, so that no preset is blamed for it.
    check_fits(said, mode, topologies)
    if options.preset:
        _check_preset_fits(options, mode, topologies)
    choice = choose_panel(options, settings, nearby, mode)
    with _default("panel", said, options, settings):
        panel = seating.seats(choice)
        check_panel(panel, mode)
    _check_temperature(options.temperature, panel)
    _check_bounds("seed", options.seed)
    seed = secrets.randbits(31) if options.seed is None else options.seed
    panel = assign_parts(panel, mode, options, seed)
    with _default("synthesizer", said, options, settings):
        # For what it checks: somebody must sit there who can write.
        models(panel)
        synthesizer = panel[0] if mode.max_panel == 1 else seating.synthesizer(panel)
    with _default("judge", said, options, settings):
        judge, notices = seating.judge(panel, synthesizer)
    with _default("rounds", said, options, settings):
        rounds = _rounds(options.rounds, settings.defaults.rounds, mode)
    with _default("analyst", said, options, settings):
        analyst, said_of_it = seating.analyst(panel, synthesizer, mode)
    folder = sources.workspace if sources else None
    tools, search, searching = _tools(said, options, settings, panel, beside=folder is not None)
    readers, reading = _readers(folder, panel, settings) if folder else ((), "")
    if sources:
        told = len(query) + sum(len(a.text) for a in sources.documents)
        most = part_size((*panel, synthesizer), told, prices)
        # What is read in parts need not fit into any context at once.
        sources = sources.within(MAX_CONTEXT - told if mode.by_parts else most)
    told_of = sources.notices if sources else ()
    return Brief(
        transcript_id=str(uuid.uuid4()),
        query=_checked_query(query),
        panel=panel,
        synthesizer=synthesizer,
        fallbacks=stand_ins(panel, synthesizer),
        synthesize=options.synthesize,
        answer=options.answer or settings.defaults.answer,
        follow_up=options.follow_up,
        judge=judge,
        preset=options.preset,
        mode=mode.name,
        topology=topology,
        rounds=rounds,
        context=_checked_context(sources.documents if sources else ()),
        earlier=_checked_earlier(options.earlier),
        part_size=part_size(panel, len(query), prices) if mode.by_parts else None,
        quorum=_quorum(options.quorum, settings.defaults.quorum, panel),
        max_cost=_positive("max_cost", options.max_cost, settings.defaults.max_cost),
        allow_unpriced=options.allow_unpriced,
        timeout=_positive("timeout", options.timeout, settings.defaults.timeout),
        grace=_positive("grace", options.grace, settings.defaults.grace),
        call_timeout=_positive("call_timeout", options.call_timeout, settings.defaults.call_timeout)
        or 120.0,
        named=settings.defaults.named if options.named is None else options.named,
        seed=seed,
        # Quotations are fenced with it, so that no answer can close its own fence.
        nonce=secrets.token_hex(8),
        strict_model=options.strict_model,
        max_tokens=options.max_tokens,
        answer_tokens=options.answer_tokens,
        temperature=options.temperature,
        due=_checked_due(options.due, mode),
        ground_truth=_checked_truth(options.ground_truth),
        score=options.score,
        rubric=_rubric(options.rubric, settings),
        exits=_exits(options, settings.defaults, mode),
        analyst=analyst,
        rule=_named("rule", options.rule or settings.defaults.rule, {r: r for r in RULES}),
        tools=tools,
        search=search,
        client=options.client,
        reply=options.reply,
        check_citations=tools if options.check_citations is None else options.check_citations,
        workspace=folder.path if folder else None,
        readers=readers,
        experiment=options.experiment,
        notices=tuple(
            n for n in (choice.notice, *notices, *said_of_it, searching, reading, *told_of) if n
        ),
    )


def check_default(
    name: str,
    settings: Settings,
    modes: Mapping[str, Mode],
    topologies: Iterable[str],
    others: Iterable[str] = (),
) -> None:
    """Make sure that a default can be used, by what a debate would say to it.

    Whether a model can be reached is another matter: its key may come from the environment.

    Args:
        name: which of the defaults; others that are wrong are left for whoever sets them.
        settings: as they would be.
        others: vendors that are added by plugins.

    Raises:
        UserError: the sentence that `ask` would say.
    """
    values = settings.defaults.only(TOGETHER.get(name, (name,)))
    alone = replace(settings, defaults=values)
    reach = routes(settings, others)

    def find(model: str) -> Route:
        try:
            return reach(model)
        except UnknownName:
            raise
        except UserError:
            return Route(vendor="", model_id=model)

    nothing = Options()
    with _default(name, nothing, nothing, alone):
        for model in (values.synthesizer, values.judge, values.analyst):
            if model not in (None, NOBODY):
                find(model)
    # A whole brief is written, so that a default meets every check that a debate makes.
    write_brief("?", nothing, alone, find, modes, topologies)


@contextmanager
def _default(name: str, said: Options, options: Options, settings: Settings) -> Iterator[None]:
    """Within it, what is wrong with a value that nobody asked for now is said of where it stands.

    Args:
        said: what was asked for; `options` has the preset's values too.
    """
    try:
        yield
    except UserError as e:
        if getattr(said, name, None) is not None:
            raise
        if getattr(options, name, None) is not None:
            raise BadInput(f"preset {options.preset}: {e.sentence}") from None
        if settings.defaults.is_usual(name):
            raise
        raise BadConfig(str(settings.home.config), f"defaults.{name}", e.sentence) from None


def with_preset(options: Options, settings: Settings) -> Options:
    """The options, and those of the preset where nothing was said.

    Raises:
        UnknownName: if there is no such preset.
    """
    name = options.preset or settings.defaults.preset
    if name is None:
        return options
    preset: Preset = _named("preset", name, settings.presets)
    return replace(preset.under(options, settings.defaults.mode), preset=name)


def _check_preset_fits(options: Options, mode: Mode, topologies: Iterable[str]) -> None:
    """Blame the preset for an option that fits the mode only without it."""
    try:
        check_fits(options, mode, topologies)
    except BadInput as e:
        raise BadInput(f"preset {options.preset}: {e.sentence}") from None


def check_runnable(
    brief: Brief, modes: Mapping[str, Mode], topologies: Iterable[str], held: int
) -> None:
    """Make sure that a stored brief can be run here: it may come from a stranger's file.

    Args:
        held: how many rounds are on record; those are not bought again.

    Raises:
        UserError: if it asks for what no debate may have.
    """
    mode = _named("mode", brief.mode, modes)
    if brief.topology not in topologies:
        raise UnknownName("topology", brief.topology, topologies)
    check_panel(brief.panel, mode)
    _quorum(brief.quorum, brief.quorum, brief.panel)
    checked_limits({name: getattr(brief, name) for name in LIMITS})
    if brief.rounds != "auto" and brief.rounds > max(held, mode.max_rounds):
        raise BadInput(
            f"{mode.name} takes at most {mode.max_rounds} rounds, and this debate's record asks "
            f"for {brief.rounds}; ask its query anew"
        )


def scoring_brief(brief: Brief, options: Options, settings: Settings, find: FindRoute) -> Brief:
    """The brief of a finished debate that is now to be scored.

    Raises:
        UserError: if there is nobody who could judge.
    """
    judge, notices = Seating(options, settings, find).judge(brief.panel, brief.synthesizer)
    if judge is None:
        raise BadInput(notices[0])
    return replace(
        brief,
        judge=judge,
        ground_truth=_checked_truth(options.ground_truth),
        score=options.score,
        rubric=_rubric(options.rubric, settings),
    )


def analyzing_brief(
    brief: Brief, analyst: str | None, settings: Settings, find: FindRoute, prices: Prices | None
) -> Brief:
    """The brief of a finished debate that an analyst is now to read.

    Raises:
        UserError: if there is nobody who could.
    """
    seated = (*brief.panel, brief.synthesizer)
    before = analyst_notices(brief.analyst, seated, maker) if brief.analyst else []
    # Earlier versions chose any vendor: one that was not named for this task is not kept.
    if analyst is None and brief.analyst and set(before) <= set(brief.notices):
        return brief
    seating = Seating(Options(analyst=analyst), settings, find, prices)
    found, notices = seating.analyst(brief.panel, brief.synthesizer)
    if found is None:
        raise NobodyToRead
    new = tuple(n for n in notices if n not in brief.notices)
    return replace(brief, analyst=found, notices=(*brief.notices, *new))


def _exits(options: Options, defaults: Defaults, mode: Mode) -> ExitCriteria:
    """The criteria to stop early; defaults hold only in modes whose first round counts."""
    usual = NEVER_EARLY
    if mode.first_counts:
        usual = replace(usual, **_criteria(defaults))
    return replace(usual, **_criteria(options))


def _criteria(said: Options | Defaults) -> dict[str, Any]:
    """The criteria that are said, None for those that are off."""
    names = [f.name for f in fields(ExitCriteria)]
    found = {name: getattr(said, f"exit_{name}") for name in names}
    return {k: None if v == "off" else v for k, v in found.items() if v is not None}


def _rounds(asked: Rounds | None, default: Rounds, mode: Mode) -> Rounds:
    if mode.rounds is None:
        # 0 stands for stages that are fixed.
        return 0
    rounds = asked if asked is not None else mode.rounds if mode.first_counts else default
    if rounds == "auto" and mode.first_counts:
        early = option("exit_consensus")
        raise BadInput(f"{mode.name} takes a number of rounds; it stops early by {early}")
    if rounds == "auto" or 1 <= rounds <= mode.max_rounds:
        return rounds
    auto = "" if mode.first_counts else " or 'auto'"
    raise BadInput(
        f"{mode.name} takes 1 to {mode.max_rounds} rounds{auto}, not {clip(str(rounds))}"
    )


def _quorum(asked: int | None, default: int, panel: Sequence[Panelist]) -> int:
    if asked is not None and not 1 <= asked <= len(panel):
        raise BadInput(f"quorum is 1 to {len(panel)} on this panel, not {asked}")
    return asked or min(default, len(models(panel)))  # nobody depends on the user's patience


def checked_limits(
    changes: Mapping[str, float | None], *, only_limits: bool = False
) -> dict[str, Any]:
    """The limits among `max_cost`, `timeout`, `call_timeout` and `grace` that are set.

    Raises:
        BadInput: if one is not a number above 0, or something else is among them.
    """
    if only_limits and (others := set(changes) - set(LIMITS)):
        raise UnknownName("limit of a debate", min(others), LIMITS)
    found = {k: _positive(k, v, None) for k, v in changes.items()}
    return {k: v for k, v in found.items() if v is not None}


def _positive(name: str, asked: float | None, default: float | None) -> float | None:
    value = asked if asked is not None else default
    _check_bounds(name, value)
    return value


def _check_bounds(name: str, value: object) -> None:
    kind = OPTIONS[name].kind
    assert isinstance(kind, WholeNumber | RealNumber)
    if value is not None and not kind.takes(value):
        raise BadInput(f"{option(name)} is {kind.what}, not {_shown(value)}")


def _shown(value: object) -> str:
    return figure(value) if isinstance(value, float) else clip(repr(value), 30)


def _check_temperature(temperature: float | None, panel: Sequence[Panelist]) -> None:
    """Refuse a temperature where vendors would, or where it makes samples pointless."""
    if temperature is None:
        return
    if thinker := next((p for p in panel if p.route.effort), None):
        raise BadInput(
            f"{thinker.written} takes no temperature beside its effort; leave out one of them"
        )
    sampled = next((p for p in panel if p.samples > 1), None)
    if sampled and not temperature:
        raise BadInput(
            f"{sampled.written} would answer the same {sampled.samples} times at temperature 0; "
            "leave out the temperature"
        )


def _tools(
    said: Options, options: Options, settings: Settings, panel: Sequence[Panelist], *, beside: bool
) -> tuple[bool, dict[str, SearchWay], str]:
    """Decide on searches of panelists, with a notice where they should have some and have none.

    Args:
        beside: whether they are offered other tools as well.

    Raises:
        BadInput: if tools are asked for now, and there are none.
    """
    wanted = settings.defaults.tools if options.tools is None else options.tools
    if not wanted:
        return False, {}, ""
    from mutual_dissent.briefing.search_plan import (
        no_search,
        not_searching,
        plan_search,
        why_no_search,
    )

    plan = plan_search(panel, settings.vendors, settings.search, beside=beside)
    if plan:
        return True, plan, not_searching(panel, plan, set_up=settings.search.any_backend)
    if said.tools:
        raise BadInput(no_search(panel, settings.vendors, settings.search))
    return (
        True,
        {},
        f"{why_no_search(panel, settings.vendors, settings.search)}; it answers without tools",
    )


def _readers(
    folder: LookedInto, panel: Sequence[Panelist], settings: Settings
) -> tuple[tuple[str, ...], str]:
    """Seats that can look into a folder, and a notice about who can and what they see.

    Raises:
        BadInput: if nobody can.
    """
    from mutual_dissent.briefing.search_plan import takes_tools

    seats = [p for p in panel if not p.route.is_human]
    readers = tuple(p.seat for p in seats if takes_tools(p, settings.vendors))
    others = [p.seat for p in seats if p.seat not in readers]
    if not readers:
        raise BadInput(
            f"nobody on this panel takes tools, so nobody could look into {folder.name}; seat a "
            f"model of a vendor's interface, or attach what matters with {option('context')}"
        )
    without = f"; {', '.join(others)} cannot, for want of tools" if others else ""
    return readers, (
        f"{', '.join(readers)} may read {'up to ' * folder.at_most}{folder.files:,} of "
        f"{folder.of:,} files below {folder.name}, and their vendors see what they read, at most "
        f"{MOST_READING} uses an answer, each a further call{without}"
    )


def _rubric(name: str | None, settings: Settings) -> Rubric:
    if name is None:
        return STANDARD_RUBRIC
    return Rubric(name=name, dimensions=dict(_named("rubric", name, settings.rubrics)))


def _named(kind: str, name: str, known: Mapping[str, Any]) -> Any:
    if name not in known:
        raise UnknownName(kind, name, known)
    return known[name]


def _checked_query(query: str) -> str:
    if not clean_text("the query", query).strip():
        raise BadInput("the query is empty; ask something")
    if len(query) > MAX_QUERY:
        raise BadInput(
            f"the query has {len(query):,} characters, {MAX_QUERY:,} are accepted; "
            f"attach long text with {option('context')}"
        )
    return clean_text("the query", query)


def _checked_context(context: Sequence[Attachment]) -> tuple[Attachment, ...]:
    size = sum(len(a.text) for a in context)
    if size > MAX_CONTEXT:
        raise BadInput(
            f"the attached text has {size:,} characters, {MAX_CONTEXT:,} are accepted; attach less"
        )
    return tuple(
        replace(a, name=clean_text("a name", a.name), text=clean_text(a.name, a.text))
        for a in context
    )


def _checked_earlier(earlier: Sequence[Earlier]) -> tuple[Earlier, ...]:
    size = sum(len(e.text) for e in earlier)
    if size > MAX_CONTEXT:
        raise BadInput(
            f"what was said before has {size:,} characters, {MAX_CONTEXT:,} are accepted; "
            "begin anew, or leave out the oldest"
        )
    return tuple(replace(e, text=clean_text("an earlier message", e.text)) for e in earlier)


def _checked_due(due: str | None, mode: Mode) -> str | None:
    """The day of a forecast as it is stored; it has an effect in the mode that forecasts alone."""
    if due is None or not due.strip():
        return None
    if mode.name != FORECAST:
        raise BadInput(f"{mode.name} makes no forecast; leave out {option('due')}")
    try:
        return date.fromisoformat(due.strip()).isoformat()
    except ValueError:
        raise BadInput(f"{option('due')} is a day such as 2027-01-31, not {clip(due)!r}") from None


def _checked_truth(truth: str | None) -> str | None:
    if truth is None:
        return None
    if not truth.strip() or len(truth) > MAX_QUERY:
        raise BadInput(f"the ground truth has 1 to {MAX_QUERY:,} characters")
    return clean_text("the ground truth", truth)


def clean_text(what: str, text: str) -> str:
    """Text that can be stored and sent: NUL and lone surrogates are replaced visibly.

    Raises:
        BadInput: if it is no text.
    """
    if not isinstance(text, str):
        raise BadInput(f"{what} is a text, not {clip(repr(text))}")
    if len(text) > 0 and text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "�")
