"""The brief: everything that decides how a debate goes, complete enough to run it again."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

from mutual_dissent.core.codec.camel import Shape, about
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.response import Response
from mutual_dissent.core.stopping import NEVER_EARLY, ExitCriteria
from mutual_dissent.core.tool import ClientTools, JsonReply, SearchWay
from mutual_dissent.core.values.picture import Picture


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarDebate(Shape):
    """An earlier debate on the matter: named to the user or, if attached, told to the panel."""

    transcript_id: str = field(metadata=about("Its id.", alias="sessionId"))
    query: str = field(metadata=about("Its question, cut after 200 characters."))
    heading: str = field(metadata=about("What its panel held, in words, cut in the same way."))
    created_at: datetime
    attached: bool = field(
        default=False, metadata=about("Whether the panel is told its question and its answer.")
    )
    bottom_line: str = field(
        default="", metadata=about("Of one that is attached, its answer in one sentence.")
    )
    estimate: str = field(default="", metadata=about("Its figure, if its answer is one."))

    @property
    def date(self) -> str:
        """The day on which it was held: `3 May 2026`."""
        return f"{self.created_at.day} {self.created_at:%B %Y}"

    @property
    def words(self) -> str:
        """Sentence about it: `on 3 May 2026: "Go or Rust?" (3 of 4: Go.)`."""
        said = self.bottom_line or self.heading
        held = f" ({said})" if said else ""
        return f'on {self.date}: "{self.query}"{held}'


# Readers know panelists by the letters A to P.
MAX_PANEL = 16
SYNTHESIZE: Final = "synthesize"
SELECT: Final = "select"
AMEND: Final = "amend"
ANSWERS = (SYNTHESIZE, SELECT, AMEND)
"""Ways to come to the final answer."""
CALL_TIMEOUT, OWN_TIME = 120.0, 600.0
"""Seconds for one call, and for the user's own answer where nothing else is said."""
NOT_ATTACHED = "not attached:"
"""Beginning of a notice that names what was left out of what is attached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """Text or a picture that the user attached to the query; a picture has no text."""

    name: str
    text: str
    picture: Picture | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileBytes:
    """A file that goes with a query and is on no disk here: its name, and its bytes.

    `shown` says that it is one to be shown, so that anything but a picture is refused; `place` is
    where in a request it stands, if it stands in one.
    """

    name: str
    raw: bytes = field(repr=False)
    shown: bool = False
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """Something said before the query: what the user wants of all answers, asked, or was told.

    Attributes:
        speaker: whose words they are; `calls` are tools that an answer called, `result` is what the
            user's program says that they gave.
        debate: the id of the debate that it was said in, if any.
        since: whether it came after the query, in the course of dealing with it.
    """

    speaker: Literal["instructions", "user", "assistant", "calls", "result"]
    text: str
    debate: str | None = None
    since: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """Dimensions that a judge scores -> the meaning of 1 and 5."""

    name: str
    dimensions: dict[str, str]


STANDARD_RUBRIC = Rubric(
    name="standard",
    dimensions={
        "accuracy": "how factually correct the response is compared to the reference; "
        "5 = fully correct, 1 = fundamentally wrong",
        "completeness": "how much of the reference's key information the response covers; "
        "5 = covers everything, 1 = misses almost all points",
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentMetadata:
    """Links a debate to the research experiment that it belongs to."""

    experiment_id: str
    source_tool: str = "manual"
    campaign_id: str | None = None
    condition: str = ""
    variables: dict[str, Any] = field(default_factory=dict)
    finding_ref: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Procedure that a model proposed before the debate.

    Attributes:
        by: the seat of whoever proposed it; empty where nobody could.
        mode: a mode other than the preset's own, if one was proposed.
        note: why nothing of it was taken, if nothing was.
        answer: its call, until the debate is on record; there it stands among the answers.
    """

    by: str
    preset: str = ""
    mode: str = ""
    perspectives: tuple[str, ...] = ()
    panel: tuple[str, ...] = ()
    reason: str = ""
    note: str = ""
    answer: Response | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteWeights:
    """Weights of votes: the number of graded answers they rest on, and kind -> model -> weight."""

    answers: int
    kinds: dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """The order for a debate, which goes down through the layers. Stored whole, without any secret.

    Attributes:
        transcript_id: the debate's UUID.
        preset: the name of the preset that it was made with, if any.
        proposal: what a model proposed for it, if one was asked to.
        rounds: how many rounds follow the initial one, or `auto`.
        synthesizer: who writes the final answer; `fallbacks` are tried in order if it fails.
        synthesize: whether one is written; it can be made later.
        answer: whether it is synthesized, a panelist's answer that leads is selected, or that one
            is amended; None where the mode decides.
        follow_up: whether the synthesizer may ask one panelist one question before it writes.
        conversation: the id of the debate that began the conversation in which this one goes on.
        similar: earlier debates on the matter, of which the panel may be told the first.
        context: what the user attached to the query.
        blind: seats that see no pictures, where some are attached: they are told what is on them.
        describers: who may tell them, in the order in which they are asked.
        earlier: what was said before it, in order.
        part_size: characters of what is attached that a reviewer is shown at once, where it does
            not fit every context as a whole.
        exits: when to stop before the last round.
        analyst: who reads the finished debate and draws up its ledger, if anybody does.
        rule: how ballots are counted.
        tools: whether panelists may search and check facts.
        search: seat -> how it searches then; who has no way is not in it.
        client: the tools of the user's own program, which the final answer may call.
        reply: the JSON that the user's program wants as the answer, if it wants that.
        check_citations: whether the pages that answers cite are fetched and compared with them.
        workspace: the folder that panelists may look into, as it is found on this machine;
            `readers` are the seats that can.
        quorum: how many usable answers a panel step needs for the debate to go on.
        max_cost: dollars that must not be exceeded.
        timeout: seconds for the whole debate; `call_timeout` for one call.
        grace: seconds that late panelists get once enough others have answered.
        answer_tokens: the most tokens of the final answer alone; `max_tokens` are those of each.
        named: whether panelists see each other's aliases instead of labels.
        seed: what labels and orders are shuffled by.
        nonce: what the fences around quoted text are derived from.
        ground_truth: the known answer; with it the judge scores the debate, `score` says what.
        replay_of: the transcript whose recorded answers this one reuses.
        notices: what the user should know about how the panel came to be.
        own_chances: what the user's graded debates said about agreement when this one began, once
            there were enough of them.
        weights: what each panelist's vote counts under the rule `weighted`, by kind of answer, as
            the user's graded debates said when this one began.
        first: seats in the order in which `escalate` asks, by the user's graded debates, once there
            were enough of them; empty for the order of the panel.
        due: the day on which a forecast can be resolved, as YYYY-MM-DD.
        owner: the name of the token that it was begun with, if there was one.
    """

    transcript_id: str
    query: str
    panel: tuple[Panelist, ...]
    synthesizer: Panelist
    fallbacks: tuple[Panelist, ...] = ()
    synthesize: bool = True
    answer: Literal["synthesize", "select", "amend"] | None = None
    follow_up: bool = False
    conversation: str | None = None
    similar: tuple[SimilarDebate, ...] = ()
    judge: Panelist | None = None
    preset: str | None = None
    proposal: Proposal | None = None
    mode: str = "reflection"
    topology: str = "mesh"
    rounds: int | Literal["auto"] = 1
    context: tuple[Attachment, ...] = ()
    blind: tuple[str, ...] = ()
    describers: tuple[Panelist, ...] = ()
    earlier: tuple[Earlier, ...] = ()
    part_size: int | None = None
    exits: ExitCriteria = NEVER_EARLY
    analyst: Panelist | None = None
    rule: str = "borda"
    tools: bool = False
    search: dict[str, SearchWay] = field(default_factory=dict)
    client: ClientTools | None = None
    reply: JsonReply | None = None
    check_citations: bool = False
    workspace: str | None = None
    readers: tuple[str, ...] = ()
    quorum: int = 2
    max_cost: float | None = None
    allow_unpriced: bool = False
    timeout: float | None = None
    call_timeout: float = CALL_TIMEOUT
    grace: float | None = None
    named: bool = False
    seed: int = 0
    nonce: str = ""
    strict_model: bool = False
    max_tokens: int | None = None
    answer_tokens: int | None = None
    temperature: float | None = None
    ground_truth: str | None = None
    score: Literal["synthesis", "all"] = "synthesis"
    rubric: Rubric = STANDARD_RUBRIC
    experiment: ExperimentMetadata | None = None
    replay_of: str | None = None
    notices: tuple[str, ...] = ()
    own_chances: dict[str, Any] | None = None
    weights: VoteWeights | None = None
    first: tuple[str, ...] = ()
    due: str | None = None
    owner: str = ""

    @property
    def me(self) -> Panelist | None:
        """The user's own seat, if it has one."""
        return next((p for p in self.panel if p.route.is_human), None)

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The pictures among what is attached, in order."""
        return tuple(a.picture for a in self.context if a.picture)

    @property
    def texts(self) -> tuple[Attachment, ...]:
        """The texts among what is attached, in order."""
        return tuple(a for a in self.context if a.picture is None)

    def sees_pictures(self, panelist: Panelist) -> bool:
        """Return whether a panelist is sent the pictures themselves."""
        return panelist.seat not in self.blind

    def time_for(self, panelist: Panelist) -> float:
        """Seconds for one answer; a person has more of them, unless others were asked for."""
        usual = self.call_timeout == CALL_TIMEOUT
        return OWN_TIME if usual and panelist.route.is_human else self.call_timeout

    def search_of(self, panelist: Panelist) -> SearchWay | None:
        """The way in which this seat searches the web; None where it does not."""
        return self.search.get(panelist.seat) if self.tools else None

    @property
    def attached(self) -> SimilarDebate | None:
        """The earlier debate that the panel is told of last, if any."""
        return next((d for d in self.similar if d.attached), None)

    @property
    def told_answer(self) -> str:
        """The answer of that debate, as the panel is told it."""
        said = (e.text for e in reversed(self.earlier) if e.debate and e.speaker == "assistant")
        return next(said, "")

    @property
    def everyone(self) -> tuple[Panelist, ...]:
        """Every panelist that may be asked something in this debate."""
        others = [p for p in (self.judge, self.analyst) if p]
        return (*self.panel, self.synthesizer, *self.fallbacks, *others)
