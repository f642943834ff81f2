"""The options of a debate: one table, from which every surface is made.

An entry says what the option takes, what holds without it, on which surfaces it is offered and what
a mode must have for it. Command line, REST, MCP, `[defaults]`, presets, the check against the mode
and the page's form follow from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from enum import Flag, auto
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from mutual_dissent.analysis.ballots.rules import BY_RECORD, DEFAULT, RULES
from mutual_dissent.briefing import kinds
from mutual_dissent.core.brief import (
    ANSWERS,
    MAX_PANEL,
    Attachment,
    Earlier,
    ExperimentMetadata,
    FileBytes,
)
from mutual_dissent.core.codec.camel import camel_case
from mutual_dissent.core.panel import ROLES, TEAMS
from mutual_dissent.core.tool import ClientTools, JsonReply

MAX_QUERY = 200_000
MAX_CONTEXT = 2_000_000
MAX_TOKENS = 1_000_000

Rounds = int | Literal["auto"]

DOLLARS = kinds.RealNumber(0, 1_000_000, above=True)
SECONDS = kinds.RealNumber(0, 30 * 86_400, above=True)
SHARE = kinds.RealNumber(0, 1, above=True)
ROUNDS = kinds.WholeNumber(1, 10)
TOKENS = kinds.WholeNumber(1, MAX_TOKENS)


class Where(Flag):
    """Surfaces that offer an option."""

    SHELL = auto()
    REST = auto()
    MCP = auto()
    DEFAULTS = auto()
    PRESETS = auto()
    PAGE = auto()

    FILE = DEFAULTS | PRESETS
    CALLED = SHELL | REST
    EVERYWHERE = SHELL | REST | MCP | FILE | PAGE
    NOWHERE = 0


@dataclass(frozen=True, slots=True)
class Requirement:
    """A feature that a mode must have for an option to make sense.

    Attributes:
        need: what is looked for in the mode.
        lack: what a mode without it has instead.
        example: a mode that has it.
        besides: values of the option that need no more than a panel.
    """

    need: Literal["rounds", "ballots", "topology", "role", "team", "perspective", "panel", "writer"]
    lack: str
    example: str = ""
    besides: tuple[str, ...] = ()

    @property
    def of_mode(self) -> bool:
        """Tell whether modes of several panelists differ in it."""
        return self.need not in ("panel", "writer")


BY_ROUNDS = Requirement("rounds", "fixed stages")
BY_PERSPECTIVES = Requirement("perspective", "no perspectives", "expert-panel")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option of a debate.

    Attributes:
        usual: the default of `[defaults]`, where nothing else is said.
        without: what holds without it, where that is no plain value.
        where: the surfaces that offer it.
        needs: what a mode must have for it.
        beside: the option without which it has no effect.
        section: what it is about; help and form are grouped by it.
        help: what it does, for all surfaces that have no words of their own for it.
        body: the same for REST.
        cli: the same for `--help`; `{usual}` stands for the default.
        file: the same for `[defaults]`.
        model: the same for the models that call MCP tools.
        flag: its name on the command line, if not that of the field.
        argument: its name in MCP, if not that of REST; a dot leads into an object.
        label: what the page's form calls it.
        folded: whether the form has it out of sight at first.
    """

    name: str = ""
    kind: kinds.ValueKind
    default: Any = None
    usual: Any = None
    without: str = ""
    where: Where = Where.EVERYWHERE
    needs: Requirement | None = None
    beside: str = ""
    section: str = "Other"
    help: str
    body: str = ""
    cli: str = ""
    file: str = ""
    model: str = ""
    flag: str = ""
    short: str = ""
    metavar: str = ""
    rest: str = ""
    argument: str = ""
    label: str = ""
    folded: bool = True

    @property
    def in_json(self) -> str:
        """The field of a REST body that it is."""
        return camel_case(self.rest or self.name)

    @property
    def in_shell(self) -> str:
        """The flag that it is."""
        return self.flag.partition("/")[0] or f"--{self.name.replace('_', '-')}"

    @property
    def in_mcp(self) -> str:
        """The argument of MCP that it is."""
        return ".".join(map(camel_case, (self.argument or self.rest or self.name).split(".")))

    @property
    def in_file(self) -> str:
        """The description of its setting among the defaults."""
        return f"{self.file or self.help}{f' Without it, {self.without}.' if self.without else ''}"


def _or(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


def entry(kind: kinds.ValueKind, help: str, **more: Any) -> Any:  # noqa: A002 - as click calls it
    """The field of `Options` that an entry of the table is."""
    option = Option(kind=kind, help=help, **more)
    if isinstance(option.default, Mapping):
        return field(default_factory=dict, metadata={"option": option})
    return field(default=option.default, metadata={"option": option})


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of one debate, as a surface passes them on; None is the configured default."""

    # A table: what an option is comes first, its words after it.
    # fmt: off
    panel: Sequence[str] | None = entry(
        kinds.ModelNames(), section="Panel", short="-p", metavar="A,B,C", argument="agents",
        help="Who sits on the panel: aliases or vendor:model; a name given twice sits twice, "
        "NAME@high says how much to think, NAME*3 asks three times in one voice.",
        cli="Aliases or vendor:model; twice sits twice, NAME@high thinks more, NAME*3 is sampled.",
        without="as many of claude, gpt, gemini and grok as can be reached",
        model="Names from get_agents, or vendor:model; twice sits twice; NAME@low|high, NAME*3.",
    )
    synthesizer: str | None = entry(
        kinds.ModelName(), section="Panel", where=Where.CALLED | Where.FILE | Where.PAGE,
        short="-s", label="Answer written by", folded=False,
        help="Who writes the final answer.",
        without="claude if it sits on the panel, else the first panelist",
    )
    synthesize: bool = entry(
        kinds.YesNo(), default=True, where=Where.REST,
        help="Whether a final answer is written; it can be made later.",
    )
    answer: Literal["synthesize", "select", "amend"] | None = entry(
        kinds.OneOf(ANSWERS), section="Panel", needs=Requirement("writer", "one answer alone"),
        label="The answer is", folded=False,
        help="How the final answer comes about: it is synthesized, a panelist's answer that leads "
        "is selected without a further call, or that one is amended.",
        without="it is synthesized; in escalate, closed answers that agree are selected",
        cli="synthesize, select the answer that leads, or amend that one (synthesize).",
        model="synthesize; select the leading answer, no call; or amend it.",
    )
    context: Sequence[Attachment | FileBytes | Path] = entry(
        kinds.Attachments(), section="What they are told", default=(),
        where=Where.CALLED | Where.MCP, short="-c",
        help="Texts that every panelist is given, 2,000,000 characters in all, and pictures.",
        cli="A file, picture, folder, repository or address of a page to attach; repeatable.",
        metavar="PATH|URL",
        model="Text, or page URLs, that all read first.",
    )
    pages: Sequence[str] = entry(
        kinds.Addresses(), section="What they are told", default=(), where=Where.REST,
        help="Addresses of pages on the public web, at most 10: each is fetched once, before "
        "anybody is asked, and its text is given to every panelist.",
    )
    conversation: str | None = entry(
        kinds.StoredDebate(), section="What they are told", where=Where.CALLED | Where.MCP,
        metavar="ID", rest="conversation_id", model="Earlier session to go on from.",
        help="An earlier debate to go on from: the panel is told the questions and answers of its "
        "conversation so far. Its mode and panel hold where nothing else is said.",
        cli="Go on from this debate: the panel is told its conversation so far.",
    )
    recall: Literal["off", "show", "auto"] | None = entry(
        kinds.OneOf(("off", "show", "auto")), section="What they are told", usual="show",
        where=Where.EVERYWHERE ^ Where.PRESETS, label="Earlier debates on the matter",
        help="Your earlier debates on the matter: off looks for none, show names them, auto also "
        "tells the panel the question and answer of the nearest that is surely on it.",
        cli="Your earlier debates on it: off, show, or auto: the panel is told one ({usual}).",
        model="Earlier debates: off, show, auto (tell one).",
    )
    earlier: Sequence[Earlier] = entry(
        kinds.Messages(), default=(), where=Where.REST,
        help="What was said before, in order: the user's instructions and words hold as the "
        "user's, answers are quoted. 2,000,000 characters in all.",
    )
    panelist_context: Mapping[str, str] = entry(
        kinds.SeatTexts(), default={}, where=Where.REST,
        help="Seat or alias -> what it alone is told, in every round.",
    )
    preset: str | None = entry(
        kinds.NameOf("preset"), section="Procedure", where=Where.EVERYWHERE ^ Where.PRESETS,
        label="Preset", folded=False,
        help="The name of a preset, which decides what is not said otherwise.",
        body="One that /api/presets lists; it decides what is not said otherwise. With `auto`, one "
        "call has a model propose it: a quote returns the proposal, a debate takes it as it is.",
        cli="A panel with mode and options, see: dissent presets; auto has a model propose one.",
        file="The preset that holds where none is named; it goes before the other defaults.",
        model="Panel, mode and options in one: decide, quick, ...; auto proposes one.",
    )
    mode: str | None = entry(
        kinds.NameOf("mode"), section="Procedure", usual="reflection", short="-m", label="Mode",
        folded=False,
        help="The procedure.",
        body="The procedure: ranking, consensus, or any other that /api/modes lists. Without it, "
        "that of the conversation, else the token's, else the configured one, else ranking.",
        cli="The procedure; see: dissent modes.",
        model="{modes}.",
    )
    rounds: Rounds | None = entry(  # noqa: RUF009 - an entry never changes
        kinds.OrWord(ROUNDS, "auto"), section="Procedure", usual=1, needs=BY_ROUNDS, short="-r",
        label="Rounds", folded=False,
        help="How many rounds are held, in the mode's own way of counting; auto: until it settles.",
        cli="In reflection, rounds after the first answers ({usual}); elsewhere, all rounds (3).",
        file="How many rounds follow the first answers in the reflection mode.",
        model="Rounds, unless an exit fires.",
    )
    topology: str | None = entry(
        kinds.NameOf("topology"), section="Procedure", usual="mesh",
        needs=Requirement("topology", "no topology", "reflection"),
        where=Where.CALLED | Where.FILE | Where.PAGE, short="-t", label="Who reads whom",
        folded=False,
        help="Who reads whom in the reflection mode.",
        cli="Who reads whom in reflection: mesh, ring, star, ...",
    )
    max_cost: float | None = entry(
        DOLLARS, section="Limits", metavar="USD", rest="max_cost_usd", label="Budget in dollars",
        folded=False,
        help="Dollars that the debate must not exceed.",
        without="there is no limit",
        cli="Stop before this is exceeded.",
    )
    timeout: float | None = entry(
        SECONDS, section="Limits", where=Where.CALLED | Where.FILE, metavar="SECONDS",
        help="Seconds for the whole debate.",
        without="there is no limit",
        cli="For the whole debate.",
    )
    grace: float | None = entry(
        SECONDS, section="Limits", where=Where.EVERYWHERE ^ Where.PAGE, metavar="SECONDS",
        help="Seconds for late panelists once enough others have answered; then the debate goes "
        "on without them.",
        without="they are waited for as long as one call may take",
        cli="For late panelists, once enough have answered; then the debate goes on without them.",
        model="Seconds for late agents once enough answered.",
    )
    call_timeout: float | None = entry(
        SECONDS, section="Limits", usual=120.0, where=Where.CALLED | Where.FILE, metavar="SECONDS",
        help="Seconds for one call, retries included.",
        cli="For one call ({usual}).",
    )
    allow_unpriced: bool = entry(
        kinds.YesNo(), section="Limits", default=False, where=Where.CALLED | Where.PAGE,
        beside="max_cost", label="Also models without a known price", folded=False,
        help="Accept models without a known price under a limit.",
        cli="Accept models without a known price.",
    )
    quorum: int | None = entry(
        kinds.WholeNumber(1, MAX_PANEL), section="Limits", usual=2,
        where=Where.CALLED | Where.FILE | Where.PAGE, label="Answers a round needs",
        help="Usable answers that a round needs for the debate to go on.",
        cli="Usable answers that a round needs ({usual}).",
    )
    personas: Mapping[str, str] | Sequence[str] = entry(
        kinds.SeatWords(mapping=True), section="Parts", default=(),
        where=Where.CALLED | Where.PRESETS, flag="--persona", metavar="[SEAT=]NAME",
        help="Personas: seat=name, or name for the next seat without one.",
        body="Seat -> persona; or names, dealt out in order.",
        cli="A panelist's persona: analyst, skeptic, ...",
    )
    perspectives: Sequence[str] = entry(
        kinds.SeatWords(), section="Parts", default=(),
        needs=BY_PERSPECTIVES,
        where=Where.EVERYWHERE ^ Where.DEFAULTS, metavar="A,B|SEAT=A",
        label="Perspectives, by comma", folded=False,
        help="Viewpoints to deal out, or seat=viewpoint, in expert-panel.",
        cli="What expert-panel looks at it from: technical, economic, ... or your own.",
        model="expert-panel: viewpoints, or agent=viewpoint.",
    )
    perspective_order: str | None = entry(
        kinds.OneOf(("round-robin", "random")), section="Parts",
        needs=BY_PERSPECTIVES,
        where=Where.CALLED | Where.PRESETS,
        help="How perspectives are dealt out; round-robin if nothing is said.",
    )
    roles: Mapping[str, str] = entry(
        kinds.SeatParts("claude=PRIMARY", ROLES), section="Parts", default={},
        needs=Requirement("role", "no roles", "devils-advocate"),
        where=Where.CALLED | Where.MCP | Where.PRESETS, flag="--role", metavar="SEAT=ROLE",
        help=f"Seat -> role: {_or(ROLES)}, in devils-advocate.",
        cli=f"In devils-advocate: {_or(ROLES)}.",
        model=f"devils-advocate: agent -> {_or(ROLES)}.",
    )
    teams: Mapping[str, str] = entry(
        kinds.SeatParts("claude=red", TEAMS), section="Parts", default={},
        needs=Requirement("team", "no teams", "red-team-blue-team"),
        where=Where.CALLED | Where.MCP | Where.PRESETS, flag="--team", metavar="SEAT=TEAM",
        help=f"Seat -> team: {_or(TEAMS)}, in red-team-blue-team.",
        cli=f"In red-team-blue-team: {_or(TEAMS)}.",
        model=f"red-team-blue-team: agent -> {_or(TEAMS)}.",
    )
    tools: bool | None = entry(
        kinds.YesNo(), section="Parts", usual=False, where=Where.CALLED | Where.FILE | Where.PAGE,
        flag="--tools/--no-tools", label="May search the web and check facts", folded=False,
        help="Whether panelists may search the web, by their vendors or as [search] says.",
        file="Whether panelists may search the web: by their vendors, or as [search] says.",
    )
    check_citations: bool | None = entry(
        kinds.YesNo(), section="Parts", where=Where.CALLED | Where.PAGE,
        flag="--check-citations/--no-check-citations", label="Check citations",
        help="Whether the pages that answers cite are fetched, and what they say compared with "
        "what is claimed.",
        without="they are, where the panel may search",
        cli="Fetch the pages that answers cite, and compare (as --tools).",
    )
    workspace: Path | None = entry(  # noqa: RUF009 - the same
        kinds.FolderPath(), section="Parts", where=Where.SHELL, metavar="DIR",
        help="A folder of which panelists may list, search and read files while they answer. Their "
        "vendors see what they read; secrets and what git ignores are left out.",
        cli="A folder that panelists may look into; their vendors see what they read.",
    )
    analyst: str | None = entry(
        kinds.ModelName(none=True), section="Reading, voting, stopping",
        needs=Requirement("panel", "no debate that could be read"), label="Analyst",
        help="Who reads the finished debate and draws up its ledger; none for nobody.",
        without="the cheapest of the models that take part",
        body="Who reads the finished debate and draws up its ledger; `none` for nobody. Without "
        "it, the cheapest of the models that take part.",
        cli="Who reads the finished debate (the cheapest who takes part).",
        model="Reads the finished debate; none: nobody. Usually the cheapest.",
    )
    rule: str | None = entry(
        kinds.NameOf("rule", tuple(RULES)), section="Reading, voting, stopping",
        usual=DEFAULT,
        needs=Requirement("ballots", "no ballots", "ranking", besides=(BY_RECORD,)),
        where=Where.CALLED | Where.FILE | Where.PAGE, label="Counted by", folded=False,
        help="How ballots are counted; weighted also weighs closed answers by your record.",
        cli=f"How ballots are counted: {', '.join(RULES)} ({{usual}}).",
        model="How ballots are counted.",
    )
    exit_consensus: float | Literal["off"] | None = entry(
        kinds.OrWord(SHARE, "off"), section="Reading, voting, stopping", usual=0.9, needs=BY_ROUNDS,
        argument="exit_criteria.consensus_threshold", label="Stop at agreement",
        help="Stop once agreement is at least this; off for never.",
        cli="Stop once agreement is at least this ({usual}; in reflection off).",
        file="In modes that are held round by round until they settle: stop once agreement is at "
        "least this.",
        model="Stop at this agreement; usually {usual}.",
    )
    exit_convergence: int | Literal["off"] | None = entry(
        kinds.OrWord(ROUNDS, "off"), section="Reading, voting, stopping", usual=2, needs=BY_ROUNDS,
        argument="exit_criteria.convergence_rounds", label="Stop after rounds without a move",
        help="Stop once nobody has moved for so many rounds; off for never.",
        cli="Stop once nobody has moved for N rounds ({usual}; in reflection off).",
        file="In the same modes: stop once nobody has moved for so many rounds.",
        model="Stop once nobody has moved for so many rounds; usually {usual}.",
    )
    exit_confidence: float | Literal["off"] | None = entry(
        kinds.OrWord(SHARE, "off"), section="Reading, voting, stopping", usual="off",
        needs=BY_ROUNDS, argument="exit_criteria.confidence_threshold", label="Stop at confidence",
        help="Stop once everyone is at least this sure; off for never.",
        cli="Stop once everyone is at least this sure ({usual}: models overstate it).",
        file="In the same modes: stop once everyone is at least this sure. Models overstate it.",
        model="Stop once everybody is this sure.",
    )
    due: str | None = entry(
        kinds.LongText(), section="Procedure", where=Where.CALLED | Where.MCP | Where.PAGE,
        metavar="DATE",
        label="Forecast: the day on which it can be resolved",
        help="The day on which a forecast can be resolved, such as 2027-01-31.",
        model="forecast: the day to resolve it, such as 2027-01-31.",
    )
    ground_truth: str | None = entry(
        kinds.LongText(), section="Scoring", where=Where.CALLED | Where.PAGE, metavar="TEXT",
        label="The known answer: a judge scores the debate against it",
        help="The known answer; with it, a judge scores the debate.",
        cli="The known answer to score against.",
    )
    judge: str | None = entry(
        kinds.ModelName(), section="Scoring", where=Where.CALLED | Where.FILE | Where.PAGE,
        beside="ground_truth", label="Judge",
        help="Who scores the answer.",
        without="a panelist that is neither the synthesizer nor of its vendor, where there is one",
    )
    score: Literal["synthesis", "all"] = entry(
        kinds.OneOf(("synthesis", "all")), section="Scoring", default="synthesis",
        where=Where.CALLED, beside="ground_truth",
        help="What is scored: the synthesis alone, or every answer.",
    )
    rubric: str | None = entry(
        kinds.NameOf("rubric"), section="Scoring", where=Where.CALLED | Where.PRESETS,
        beside="ground_truth",
        help="A rubric of the configuration, by which the judge scores.",
        cli="A [rubrics.NAME] of your configuration.",
    )
    named: bool | None = entry(
        kinds.YesNo(), usual=False, where=Where.CALLED | Where.FILE | Where.PAGE,
        label="Panelists see each other's names",
        help="Whether panelists see each other's names instead of letters.",
        cli="Panelists see each other's names.",
    )
    seed: int | None = entry(
        # The largest whole number that a page's JavaScript holds exactly.
        kinds.WholeNumber(0, 2**53 - 1), where=Where.CALLED | Where.PAGE, label="Seed",
        help="What labels and orders are shuffled by.",
    )
    follow_up: bool = entry(
        kinds.YesNo(), default=False, needs=Requirement("writer", "nobody to ask"),
        where=Where.CALLED | Where.PAGE, label="The writer may ask one panelist back",
        help="Whether the synthesizer may ask one panelist one question before it writes.",
        cli="The synthesizer may ask one panelist one question before it writes.",
    )
    strict_model: bool = entry(
        kinds.YesNo(), default=False, where=Where.CALLED,
        help="Refuse answers by another model than the one asked.",
    )
    max_tokens: int | None = entry(
        TOKENS, where=Where.REST | Where.PRESETS,
        help="The most tokens of one answer; sent to vendors only if set.",
    )
    answer_tokens: int | None = entry(
        TOKENS, where=Where.REST,
        help="The most tokens of the final answer alone.",
    )
    temperature: float | None = entry(
        kinds.RealNumber(0, 2), where=Where.REST | Where.PRESETS | Where.PAGE, label="Temperature",
        help="Sampling temperature; sent to vendors only if set.",
    )
    client: ClientTools | None = entry(  # noqa: RUF009 - the same
        kinds.ForPrograms(), where=Where.NOWHERE,
        help="The tools of the user's own program, which the final answer may call.",
    )
    reply: JsonReply | None = entry(  # noqa: RUF009 - the same
        kinds.ForPrograms(), where=Where.NOWHERE,
        help="The JSON that the answer must be.",
    )
    experiment: ExperimentMetadata | None = entry(  # noqa: RUF009 - the same
        kinds.ForPrograms(), where=Where.NOWHERE,
        help="Links the debate to a research experiment.",
    )
    # fmt: on


def _entries() -> Iterator[tuple[str, Option]]:
    for row in fields(Options):
        default = {} if row.default is MISSING else row.default
        yield row.name, replace(row.metadata["option"], name=row.name, default=default)


OPTIONS: Mapping[str, Option] = MappingProxyType(dict(_entries()))
"""Every option by its name."""

LIMITS = frozenset(n for n, o in OPTIONS.items() if o.kind in (DOLLARS, SECONDS))
"""Money and time that a debate may take; they can be changed when it goes on."""


def options_for(where: Where) -> list[Option]:
    """The options that a surface offers."""
    return [o for o in OPTIONS.values() if where in o.where]
