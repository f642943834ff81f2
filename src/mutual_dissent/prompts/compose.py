"""From a step's turn to a complete request: the one place where requests are put together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mutual_dissent.core.brief import Brief
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.response import Ask, Response
from mutual_dissent.core.sight import Seen
from mutual_dissent.core.step import Step, Turn
from mutual_dissent.core.transcript import Round, Transcript
from mutual_dissent.prompts.library import Library, fill
from mutual_dissent.prompts.quoting import MAX_QUOTE, Fence, labels, order, shorten

MAX_REPLY = 4_000
"""Characters of its own reply that a panelist is reminded of when it is asked once more."""

REMINDER = 600
"""Characters of the query that a prompt repeats: the head of the request has all of it."""


@dataclass(frozen=True, slots=True)
class Composed:
    """A request for a turn, and the seats whose answers were too long to be quoted whole in it.

    `again` says that it asks once more for an answer that was not in order.
    """

    ask: Ask
    turn: Turn
    cut: tuple[str, ...] = ()
    again: bool = False


def compose(
    so_far: Transcript, step: Step, turn: Turn, library: Library, window: int | None = None
) -> Composed:
    """The request for one turn of a step.

    Args:
        window: how many tokens the reader's model takes; quotations share at most half of it.
    """
    brief, key = so_far.brief, step.key(turn)
    desk = _Desk(brief, key, turn.sees(so_far, turn.panelist), window)
    shown = {**desk.blanks(), **_layers(turn, brief.mode, library), **turn.blanks}
    task = fill(library.text(turn.prompt), shown)
    return Composed(
        Ask(
            key=key,
            panelist=turn.panelist,
            round_number=step.round_number,
            role=step.role,
            prompt=turn.prompt,
            about=turn.about,
            system=library.text("common/system"),
            head=head(brief),
            tail=_about_you(turn.panelist) + task,
            labels=desk.used,
            schema=turn.form.schema() if turn.form else None,
            max_tokens=brief.max_tokens,
            temperature=brief.temperature,
            timeout=brief.call_timeout,
            strict_model=brief.strict_model,
        ),
        turn,
        tuple(desk.cut),
    )


def once_more(composed: Composed, reply: Response, complaint: str, nonce: str) -> Composed:
    """The same request again, with what was wrong with the reply."""
    ask = composed.ask
    key = f"{ask.key}/again"
    quoted = Fence.of(nonce, key).quote("your reply", reply.content, MAX_REPLY)
    tail = (
        f"{ask.tail}\n\nYou replied:\n{quoted}\n\nThat cannot be used yet: {complaint}. "
        "Reply once more, complete and in the form that was asked for."
    )
    return replace(composed, ask=replace(ask, key=key, tail=tail), cut=(), again=True)


def head(brief: Brief) -> str:
    """What every request of a debate begins with: the attached documents and the query."""
    fence = Fence.of(brief.nonce, "attached")
    documents = "".join(
        f"# Attached document\n{fence.quote(a.name, a.text, len(a.text))}\n\n"
        for a in brief.context
    )
    return f"{documents}# Query\n{brief.query}\n\n# Your part\n"


def _layers(turn: Turn, mode: str, library: Library) -> dict[str, str]:
    """The layers that prompts of structured answers share: the form, and what to verify."""
    if turn.form is None:
        return {}
    own = library.text(f"{mode}/verification") if f"{mode}/verification" in library.names else ""
    checks = [library.text("common/verification"), own]
    return {
        "structure": fill(library.text("common/structure"), {"form": turn.form.in_words()}),
        "verification": "\n".join(c for c in checks if c),
    }


def _about_you(panelist: Panelist) -> str:
    """Persona, perspective and private context: after the common head, before the task."""
    parts = []
    if panelist.instructions:
        parts.append(panelist.instructions)
    if panelist.perspective:
        parts.append(f"Argue from this perspective: {panelist.perspective}.")
    if panelist.context:
        parts.append(f"For you alone:\n{panelist.context}")
    return "".join(f"{p}\n\n" for p in parts)


class _Desk:
    """Everything one reader has in front of it, under labels and fences of its own."""

    def __init__(self, brief: Brief, key: str, seen: Seen, window: int | None) -> None:
        self._brief, self._key, self._seen = brief, key, seen
        self._fence = Fence.of(brief.nonce, key)
        self._names = labels(brief)
        quoted = len(seen.others) + sum(len(r.usable) for r in seen.rounds) + 2
        self._limit = min(MAX_QUOTE, int(window * 3.5 / 2 / quoted)) if window else MAX_QUOTE
        self.used: dict[str, str] = {}
        self.cut: list[str] = []

    def blanks(self) -> dict[str, str]:
        """The public blanks of a prompt, filled from what this reader may see."""
        seen = self._seen
        digest = self._fence.quote("digest", seen.digest.text, MAX_QUOTE) if seen.digest else ""
        return {
            "query": shorten(self._brief.query, REMINDER),
            "own_response": self._own(seen.own),
            "other_responses": self._answers(seen.others) or digest,
            "formatted_transcript": "\n\n".join(self._round(r) for r in seen.rounds if r.usable),
            "synthesis": self._fence.quote("response", seen.subject.text) if seen.subject else "",
            "ground_truth": self._brief.ground_truth or "",
            "critiques": "",
        }

    def _own(self, own: Response | None) -> str:
        return self._fence.quote("you", own.text, self._limit) if own else ""

    def _round(self, round_: Round) -> str:
        title = "Initial answers" if round_.round_number == 0 else f"Round {round_.round_number}"
        return f"{title}:\n\n{self._answers(round_.usable)}"

    def _answers(self, responses: Iterable[Response]) -> str:
        by_seat = {r.model_alias: r for r in responses}
        places = {p.seat: i for i, p in enumerate(self._brief.panel) if p.seat in by_seat}
        quoted = []
        for seat in order(self._brief, self._key, places):
            self.used[self._names[seat]] = seat
            content = by_seat[seat].text
            if len(content) > self._limit and seat not in self.cut:
                self.cut.append(seat)
            quoted.append(self._fence.quote(self._names[seat], content, self._limit))
        return "\n\n".join(quoted)
