"""Memory of a debate when it runs: its own log, or that of the debate it replays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from mutual_dissent.core.events import (
    Answered,
    Asked,
    CitationsRead,
    Closed,
    Event,
    Noted,
    Remarked,
    Reopened,
    RoundEnded,
    RoundStarted,
    Scored,
    Status,
)
from mutual_dissent.core.response import Ask, ErrorKind, Finish, Response
from mutual_dissent.core.step import Step
from mutual_dissent.core.transcript import (
    ANALYSIS,
    ANALYZED,
    DESCRIPTION,
    ENDING_ROLES,
    PANEL_ROLES,
    SAMPLE,
)
from mutual_dissent.core.values.citation import CITATIONS

LATE = "late"
"""The reason of a debate that is reopened for those who were not waited for, or failed."""


@dataclass(slots=True)
class Memory:
    """The recorded part of a debate, by the keys of its asks.

    Attributes:
        answers: the last record of each ask.
        started: the steps that were begun, as (round, role, part).
        ended: the steps that were finished.
        scored: keys of responses that have a score.
        last_seq: the number of the last event in this debate's own log.
        bought: everything that was paid for in this debate, also what was tried again later.
        remarks: what the user has said to the panel.
        cited: what pages behind citations said.
        asked: the last request of each key, as it was put on record.
        told: the sentences about shortened requests that were said; each is said once.
        borrowed: key -> an answer of the debate that this one replays.
        anew: keys that are asked again although an answer was known.
        complete: the last round that the replayed debate had to its end: who is silent up to there
            stays silent. -1 if there is none.
    """

    answers: dict[str, Answered] = field(default_factory=dict)
    started: set[tuple[int, str, str]] = field(default_factory=set)
    ended: dict[tuple[int, str, str], RoundEnded] = field(default_factory=dict)
    scored: dict[str, Scored] = field(default_factory=dict)
    last_seq: int = 0
    bought: list[Response] = field(default_factory=list)
    remarks: list[Remarked] = field(default_factory=list)
    cited: CitationsRead | None = None
    asked: dict[str, Asked] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    borrowed: dict[str, Response] = field(default_factory=dict)
    anew: set[str] = field(default_factory=set)
    complete: int = -1

    @classmethod
    def of(cls, events: Iterable[Event]) -> Memory:
        """Read a log. Failures that stopped a debate are forgotten, to be tried again."""
        memory, stopped = cls(), False
        last_step: set[str] = set()
        for event in events:
            memory._keep(event)
            match event:
                case RoundStarted():
                    last_step = set()
                case Answered():
                    last_step.add(event.key)
                    stopped = False  # it was resumed: the ending before this one no longer counts
                case Closed():
                    stopped = event.status in (Status.STOPPED, Status.ERROR)
                case _:
                    pass
        if stopped:
            # Those of the last step alone: later answers were given without the panelists that
            # failed earlier, and would belong to requests that no longer exist (decision 3).
            memory._forget_failures(last_step)
        return memory

    def take(self, *events: Event) -> None:
        """Add the events that open a debate."""
        for event in events:
            self._keep(event)

    def _keep(self, event: Event) -> None:
        """Add one event to the memory, or take from it what the event voids."""
        self.last_seq = event.seq
        match event:
            case RoundStarted():
                self.started.add((event.round_number, event.role, event.part))
            case Asked():
                self.asked[event.key] = event
            case Answered():
                self.answers[event.key] = event
                self.bought += [] if event.reused else [event.response]
            case RoundEnded():
                self.ended[event.round_number, event.role, event.part] = event
            case Scored():
                self.scored[event.about] = event
            case Noted():
                self.told.add(event.text)
            case Remarked():
                self.remarks.append(event)
            case CitationsRead():
                self.cited = event
            case Reopened():
                self._reopen(event)
            case _:
                pass

    def _reopen(self, event: Reopened) -> None:
        """Forget what is to be made anew."""
        if event.reason == LATE:
            self.forget_late()
        elif event.again:
            self.forget_turn(event.again)
        elif event.reason == "continued":
            self.forget_ending()
        elif event.reason == "synthesized":
            self.forget_synthesis()
        elif event.reason == ANALYZED:
            self.forget_analysis()

    def forget_ending(self) -> None:
        """The debate goes on: its synthesis is to be written anew, and no round was the last."""
        self.forget_synthesis()
        self.ended = {
            # With the reason to stop that is on record, the script would end again at once.
            place: replace(e, measures=replace(e.measures, exit=None))
            for place, e in self.ended.items()
        }

    def forget_late(self) -> bool:
        """Forget late and failed answers, so that they are asked for again; return whether any was.

        They were not waited for, or failed in a way that may be over.
        """
        late = {k: a for k, a in self.answers.items() if _is_missing(a.response)}
        # With a seat, its samples: `0/initial/gpt/2` is one of `0/initial/gpt`.
        late |= {
            k: a
            for k, a in self.answers.items()
            if a.response.role == SAMPLE and k.rpartition("/")[0] in late
        }
        for key, answered in late.items():
            del self.answers[key]
            self._measure_again(answered.response)
        self._describe_again(a.response for a in late.values())
        if late:
            self.forget_ending()
        return bool(late)

    def forget_synthesis(self) -> None:
        """The answer is to be written, again or for the first time."""
        for key in [k for k, a in self.answers.items() if a.response.role in ENDING_ROLES]:
            del self.answers[key]
            self.scored.pop(key, None)
        self.cited = None
        self.ended = {p: e for p, e in self.ended.items() if p[1] not in ENDING_ROLES}

    def forget_analysis(self) -> None:
        """The debate is to be read anew, also by an analyst that has read it."""
        for key in [k for k, a in self.answers.items() if a.response.role == ANALYSIS]:
            del self.answers[key]
        self.ended = {p: e for p, e in self.ended.items() if p[1] != ANALYSIS}

    def forget_turn(self, key: str) -> None:
        """A turn is taken again, and with it all that was asked once its answer was there."""
        turn = self.answers.get(key)
        if turn is None:
            return
        self._describe_again([turn.response])
        part = f"{key}/"  # its samples were asked before it was chosen
        stale = {key, *(k for k in self.answers if k.startswith(part) or self._follows(k, turn))}
        self.anew |= stale
        self.answers = {k: a for k, a in self.answers.items() if k not in stale}
        # Measures and scores since then rest on an answer that no longer counts.
        self.ended = {place: e for place, e in self.ended.items() if e.seq < turn.seq}
        self.scored = {about: s for about, s in self.scored.items() if s.seq < turn.seq}

    def _follows(self, key: str, turn: Answered) -> bool:
        """Return whether an ask may have been told what was said in a turn."""
        if asked := self.asked.get(key):
            return asked.seq > turn.seq
        number = self.answers[key].response.round_number  # an imported record has no requests
        return number < 0 or number > turn.response.round_number

    def reusable(self) -> dict[str, Response]:
        """Key -> answer, for another debate that replays this one."""
        return reusable({k: a.response for k, a in self.answers.items()})

    def recall(self, ask: Ask) -> Answered | None:
        """The record of an ask. An answer stands, even if its prompt reads otherwise by now.

        What a judge is asked depends on the known answer and the rubric, a verdict on citations on
        what their pages said: those must be the same.
        """
        found = self.answers.get(ask.key)
        if found and ask.role in ("judge", CITATIONS) and found.request_hash != ask.request_hash:
            return None
        return found

    def under(self, prefix: str) -> list[Answered]:
        """Answers to asks whose keys begin with `prefix`."""
        return [a for key, a in self.answers.items() if key.startswith(prefix)]

    def silent(self, step: Step) -> bool:
        """Return whether nobody is asked in a step: the replayed debate had it to its end."""
        return step.role in PANEL_ROLES and 0 <= step.round_number <= self.complete

    def borrow(self, ask: Ask) -> Response | None:
        """The replayed debate's answer to an ask. A digest is taken whoever wrote it."""
        if ask.key in self.anew or ask.role == CITATIONS:
            return None
        if found := self.borrowed.get(ask.key):
            return found
        if ask.role != "digest":
            return None
        # Its author is the synthesizer, which a replay may replace: then the seat in the key
        # differs.
        prefix = f"{ask.round_number}/digest/"
        return next((r for k, r in self.borrowed.items() if k.startswith(prefix)), None)

    def _forget_failures(self, keys: set[str]) -> None:
        failed = {k: a for k in keys if (a := self.answers.get(k)) and a.response.may_be_over}
        for key, event in failed.items():
            del self.answers[key]
            self._measure_again(event.response)
        self._describe_again(a.response for a in failed.values())

    def _describe_again(self, voided: Iterable[Response]) -> None:
        """Forget that no description could be had, where somebody sat out for want of one."""
        if not any(r.error_kind is ErrorKind.UNSEEN for r in voided):
            return
        told = {k: a.response for k, a in self.answers.items() if a.response.role == DESCRIPTION}
        for key, response in told.items():
            if response.may_be_over:
                del self.answers[key]
                self._measure_again(response)

    def _measure_again(self, response: Response) -> None:
        """Forget what was measured in a round of which an answer is to come anew."""
        place = (response.round_number, response.role)
        self.ended = {p: e for p, e in self.ended.items() if p[:2] != place}


def reusable(answers: dict[str, Response]) -> dict[str, Response]:
    """Answers that a replay takes over: all but syntheses and scores, which it makes itself."""
    return {k: r for k, r in answers.items() if r.role not in {*ENDING_ROLES, "judge"}}


def _is_missing(response: Response) -> bool:
    panelist = response.role in PANEL_ROLES and response.may_be_over
    return panelist or (response.finish is Finish.LATE and response.role != SAMPLE)
