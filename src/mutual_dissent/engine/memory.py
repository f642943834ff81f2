"""What is already known of a debate when it runs: its own log, or that of the one it replays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from mutual_dissent.core.events import Answered, Event, RoundEnded, RoundStarted, Scored
from mutual_dissent.core.response import Ask, ErrorKind, Finish, Response

WORTH_ANOTHER_TRY = frozenset(
    {
        ErrorKind.AUTH,
        ErrorKind.CREDITS,
        ErrorKind.RATE_LIMIT,
        ErrorKind.OVERLOADED,
        ErrorKind.TIMEOUT,
        ErrorKind.CONNECTION,
        ErrorKind.BAD_RESPONSE,
        ErrorKind.CANCELLED,
    }
)
"""Failures that may be over when a debate is resumed. Others would only be paid for again."""


@dataclass(slots=True)
class Memory:
    """The recorded part of a debate, by the keys of its asks.

    Attributes:
        answers: the last record of each ask.
        started: the steps that were begun, as (round, role).
        ended: the steps that were finished.
        scored: keys of responses that have a score.
        last_seq: the number of the last event in this debate's own log.
        borrowed: key -> an answer of the debate that this one replays.
    """

    answers: dict[str, Answered] = field(default_factory=dict)
    started: set[tuple[int, str]] = field(default_factory=set)
    ended: dict[tuple[int, str], RoundEnded] = field(default_factory=dict)
    scored: dict[str, Scored] = field(default_factory=dict)
    last_seq: int = 0
    borrowed: dict[str, Response] = field(default_factory=dict)

    @classmethod
    def of(cls, events: Iterable[Event]) -> Memory:
        """What a log holds. Failures that stopped a debate are forgotten, to be tried again."""
        memory = cls()
        last_step: set[str] = set()
        for event in events:
            memory.last_seq = event.seq
            match event:
                case RoundStarted():
                    memory.started.add((event.round_number, event.role))
                    last_step = set()
                case Answered():
                    memory.answers[event.key] = event
                    last_step.add(event.key)
                case RoundEnded():
                    memory.ended[event.round_number, event.role] = event
                case Scored():
                    memory.scored[event.about] = event
                case _:
                    pass
        memory._forget_failures(last_step)
        return memory

    def recorded(self, ask: Ask) -> Answered | None:
        """The record of an ask, if the very same was asked."""
        found = self.answers.get(ask.key)
        return found if found and found.request_hash == ask.request_hash else None

    def borrow(self, ask: Ask) -> Response | None:
        """The replayed debate's answer to an ask. A digest is taken whoever wrote it."""
        if found := self.borrowed.get(ask.key):
            return found
        if ask.role != "digest":
            return None
        prefix = f"{ask.round_number}/digest/"
        return next((r for k, r in self.borrowed.items() if k.startswith(prefix)), None)

    def _forget_failures(self, keys: set[str]) -> None:
        for key in keys:
            event = self.answers.get(key)
            if event and not event.response.usable and _may_be_over(event.response):
                del self.answers[key]
                self.ended.pop((event.response.round_number, event.response.role), None)


def _may_be_over(response: Response) -> bool:
    return response.finish is Finish.INCOMPLETE or response.error_kind in WORTH_ANOTHER_TRY
