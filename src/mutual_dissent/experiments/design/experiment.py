"""The design of an experiment: queries, conditions, repeats. Nothing is asked here."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mutual_dissent.analysis.scores.track_record import KNOWN_ANSWER
from mutual_dissent.briefing.seating import NOBODY
from mutual_dissent.core.brief import ExperimentMetadata
from mutual_dissent.core.panel import SeatName, base_name
from mutual_dissent.experiments.design.extraction import add_instruction

KINDS = ("number", "choice", "yes-no", "text", "free")
"""The kinds of answers: they decide how two of them are compared."""

PANEL, SINGLE, SAMPLES, BEST, VOTE = "panel", "single", "self-consistency", "best-of", "vote"
"""The ways in which a condition comes to its answer.

    panel             a debate, as its options say
    single            one model alone
    self-consistency  one model several times, and a vote among its answers
    best-of           one model several times, and a judge that picks one
    vote              the first answers of a panel's debate, and a vote: no call of its own
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentQuery:
    """A question, with the known answer where there is one.

    Attributes:
        context: seat or alias -> private context, in every condition that seats it.
        payload: what poisoned panelists are told; `target` is the answer that it aims at.
        campaign_id: the campaign or scan that it comes from; `finding_ref` is the finding.
        variables: further values for its transcripts.
    """

    id: str
    text: str
    answer: str | None = None
    kind: str = "free"
    context: Mapping[str, str] = field(default_factory=dict)
    payload: str | None = None
    target: str | None = None
    campaign_id: str | None = None
    finding_ref: str | None = None
    variables: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One way of answering all queries.

    Attributes:
        name: its name in the report.
        way: the way to its answer, one of the five above.
        options: fields of `Options`, by their names.
        context: seat -> private context; the queries' own goes on top.
        samples: the number of times that the model is asked, where it is asked several times.
        of: the condition whose first answers are voted on, for `vote`.
        fingerprint: a hash of what it does.
        variables: values that the researcher wants on every transcript.
        poisoned: the seats that are told the query's payload, or else this `payload`.
        place: the table of the file that it stands in, and its number among several.
    """

    name: str
    way: str = PANEL
    options: Mapping[str, Any] = field(default_factory=dict)
    context: Mapping[str, str] = field(default_factory=dict)
    samples: int = 1
    of: str = ""
    variables: Mapping[str, Any] = field(default_factory=dict)
    poisoned: tuple[str, ...] = ()
    payload: str | None = None
    place: tuple[str, int] = ("", 0)
    fingerprint: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Hash what the condition does, whatever its name: a changed one is asked again."""
        content: dict[str, Any] = {
            "way": self.way,
            "options": self.options,
            "context": self.context,
        }
        # Only then: debates without a payload keep the ids that they have on record.
        if self.poisoned:
            content |= {"poisoned": self.poisoned, "payload": self.payload}
        text = json.dumps(content, sort_keys=True, default=str)
        object.__setattr__(self, "fingerprint", hashlib.sha256(text.encode()).hexdigest())

    @property
    def debate_options(self) -> dict[str, Any]:
        """Return the options of its debates: without an analyst, unless the file names one."""
        return {"analyst": NOBODY, **self.options}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """The comparison of free answers with each other, two at a time and in both orders.

    Attributes:
        judges: the possible judges, the preferred one first.
        pairs: the conditions that are compared; empty for every panel with every model alone.
        all: whether every judge judges every pair, so that self-preference can be measured.
    """

    judges: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    all: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """Many debates as one question.

    Attributes:
        budget: dollars for all of it; None for no limit.
        concurrency: the most debates at once.
        judge: compares free answers with the known one, and picks the best of several.
        judging: how free answers are compared with each other, if they are.
        text: its file's text, so that it can be resumed without it; `file` and `folder` are its
            name and where the files that it names are searched for.
    """

    name: str
    queries: tuple[ExperimentQuery, ...]
    conditions: tuple[Condition, ...]
    summary: str = ""
    repeats: int = 1
    seed: int = 0
    budget: float | None = None
    concurrency: int = 10
    judge: str | None = None
    source_tool: str = "manual"
    campaign_id: str | None = None
    judging: Judging | None = None
    text: str = field(default="", repr=False)
    file: str = field(default="", repr=False)
    folder: str = field(default="", repr=False)

    def condition(self, name: str) -> Condition:
        """Return the condition of that name."""
        return next(c for c in self.conditions if c.name == name)

    @property
    def asked(self) -> tuple[Condition, ...]:
        """Return the conditions that have debates of their own."""
        return tuple(c for c in self.conditions if c.way != VOTE)

    def trials(self) -> Iterator[Trial]:
        """Yield all its debates, query by query, so that a part of them is balanced."""
        for repeat in range(self.repeats):
            for query in self.queries:
                for condition in self.asked:
                    for sample in range(condition.samples):
                        yield Trial(
                            experiment=self,
                            condition=condition,
                            query=query,
                            repeat=repeat,
                            sample=sample,
                        )

    @property
    def size(self) -> int:
        """Return the number of its debates."""
        return sum(c.samples for c in self.asked) * len(self.queries) * self.repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One debate of an experiment. Its id follows from its content: it is never held twice."""

    experiment: Experiment
    condition: Condition
    query: ExperimentQuery
    repeat: int = 0
    sample: int = 0

    @property
    def transcript_id(self) -> str:
        """Return the id of its debate, the same on every run and every machine."""
        parts = (
            self.experiment.name,
            self.condition.fingerprint,
            self.query.id,
            self.query.text,
            json.dumps(context, sort_keys=True) if (context := self.context) else "{}",
            str(self.experiment.seed),
            str(self.repeat),
            str(self.sample),
        )
        digest = hashlib.sha256("\0".join(parts).encode()).digest()
        return str(uuid.UUID(bytes=digest[:16], version=4))

    @property
    def text(self) -> str:
        """Return the request: the query, and how to end."""
        return add_instruction(self.query.text, self.query.kind)

    @property
    def label(self) -> str:
        """Return what debates that cost about the same have in common."""
        return self.condition.name

    @property
    def seed(self) -> int:
        """Return the seed: another for every repeat and sample, the same for all conditions."""
        name = f"{self.experiment.seed}/{self.query.id}/{self.repeat}/{self.sample}"
        return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") >> 1

    @property
    def tags(self) -> ExperimentMetadata:
        """Return the metadata that links its transcript to the experiment."""
        known = None if self.query.kind == "free" else self.query.answer
        return ExperimentMetadata(
            experiment_id=self.experiment.name,
            source_tool=self.experiment.source_tool,
            campaign_id=self.experiment.campaign_id or self.query.campaign_id,
            finding_ref=self.query.finding_ref,
            condition=self.condition.name,
            variables={
                **self.query.variables,
                **self.condition.variables,
                "query": self.query.id,
                "repeat": self.repeat,
                "sample": self.sample,
                "way": self.condition.way,
                **({"poisoned": list(self.condition.poisoned)} if self.condition.poisoned else {}),
                **({KNOWN_ANSWER: known} if known else {}),
            },
        )

    @property
    def options(self) -> dict[str, Any]:
        """Return the options of its debate."""
        more: dict[str, Any] = {"panelist_context": self.context} if self.context else {}
        if self.query.kind == "free" and self.query.answer:
            more |= {"ground_truth": self.query.answer, "judge": self.experiment.judge}
        return {**self.condition.debate_options, **more, "seed": self.seed, "experiment": self.tags}

    @property
    def context(self) -> dict[str, str]:
        """Return seat -> private context: from the condition, the query, and the payload."""
        # Looked at only for a context: an experiment has this asked of every debate, several times.
        panel = self.query.context and self.condition.options.get("panel")
        seated = panel and {n for m in panel for n in (m, SeatName.of(m).once, base_name(m))}
        own = {
            seat: text
            for seat, text in self.query.context.items()
            if seated is None or seat in seated or base_name(seat) in seated
        }
        payload = self.query.payload or self.condition.payload
        poison = dict.fromkeys(self.condition.poisoned, payload) if payload else {}
        return {**self.condition.context, **own, **{k: v for k, v in poison.items() if v}}
