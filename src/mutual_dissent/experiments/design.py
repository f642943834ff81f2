"""The design of an experiment: queries, conditions, repeats. Nothing is asked here."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mutual_dissent.core.brief import ExperimentMetadata

KINDS = ("number", "choice", "yes-no", "text", "free")
"""What an answer may be: it decides how two of them are compared."""

PANEL, SINGLE, SAMPLES, BEST, VOTE = "panel", "single", "self-consistency", "best-of", "vote"
WAYS = (PANEL, SINGLE, SAMPLES, BEST, VOTE)
"""How a condition comes to its answer.

    panel             a debate, as its options say
    single            one model alone
    self-consistency  one model several times, and a vote among its answers
    best-of           one model several times, and a judge that picks one
    vote              the first answers of a panel's debate, and a vote: no call of its own
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question, with the known answer where there is one."""

    id: str
    text: str
    answer: str | None = None
    kind: str = "free"
    context: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One way of answering all queries.

    Attributes:
        name: what the report calls it.
        way: one of `WAYS`.
        options: fields of `Options`, by their names.
        context: seat -> private context; the queries' own goes on top.
        samples: how often the model is asked, where it is asked several times.
        of: the condition whose first answers are voted on, for `vote`.
        variables: what the researcher wants to see on every transcript.
    """

    name: str
    way: str = PANEL
    options: Mapping[str, Any] = field(default_factory=dict)
    context: Mapping[str, str] = field(default_factory=dict)
    samples: int = 1
    of: str = ""
    variables: Mapping[str, Any] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """What the condition does, whatever it is called: a changed one is asked anew."""
        said = {"way": self.way, "options": self.options, "context": self.context}
        return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """Many debates as one question.

    Attributes:
        budget: dollars for all of it; None for no limit.
        concurrency: how many debates run at once.
        judge: who compares free answers with the known one, and picks the best of several.
        text: the file that it was read from, so that it can be resumed without it.
    """

    name: str
    queries: tuple[Query, ...]
    conditions: tuple[Condition, ...]
    summary: str = ""
    repeats: int = 1
    seed: int = 0
    budget: float | None = None
    concurrency: int = 10
    judge: str | None = None
    source_tool: str = "manual"
    campaign_id: str | None = None
    text: str = field(default="", repr=False)

    def condition(self, name: str) -> Condition:
        """The condition of that name."""
        return next(c for c in self.conditions if c.name == name)

    def trials(self) -> Iterator[Trial]:
        """Every debate that belongs to it, query by query, so that a part of it is balanced."""
        asked = [c for c in self.conditions if c.way != VOTE]
        for repeat in range(self.repeats):
            for query in self.queries:
                for condition in asked:
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
        """How many debates it has."""
        asked = sum(c.samples for c in self.conditions if c.way != VOTE)
        return asked * len(self.queries) * self.repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One debate of an experiment. Its id follows from what it is: it is never held twice."""

    experiment: Experiment
    condition: Condition
    query: Query
    repeat: int = 0
    sample: int = 0

    @property
    def transcript_id(self) -> str:
        """The id of its debate, the same on every run and every machine."""
        parts = (
            self.experiment.name,
            self.condition.fingerprint,
            self.query.id,
            self.query.text,
            json.dumps(dict(self.query.context), sort_keys=True),
            str(self.experiment.seed),
            str(self.repeat),
            str(self.sample),
        )
        digest = hashlib.sha256("\0".join(parts).encode()).digest()
        return str(uuid.UUID(bytes=digest[:16], version=4))

    @property
    def seed(self) -> int:
        """The seed of its debate: another for every repeat and sample, the same for conditions."""
        said = f"{self.experiment.seed}/{self.query.id}/{self.repeat}/{self.sample}"
        return int.from_bytes(hashlib.sha256(said.encode()).digest()[:4], "big") >> 1

    @property
    def tags(self) -> ExperimentMetadata:
        """What links its transcript to the experiment."""
        return ExperimentMetadata(
            experiment_id=self.experiment.name,
            source_tool=self.experiment.source_tool,
            campaign_id=self.experiment.campaign_id,
            condition=self.condition.name,
            variables={
                **self.condition.variables,
                "query": self.query.id,
                "repeat": self.repeat,
                "sample": self.sample,
                "way": self.condition.way,
            },
        )

    @property
    def options(self) -> dict[str, Any]:
        """The options of its debate."""
        context = {**self.condition.context, **self.query.context}
        more = {"panelist_context": context} if context else {}
        return {**self.condition.options, **more, "seed": self.seed, "experiment": self.tags}
