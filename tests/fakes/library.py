"""A library of stored debates that differ in everything that the research pages show."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from fakes.debates import Said, debate, panelist
from mutual_dissent.core.brief import ExperimentMetadata
from mutual_dissent.core.events import Answered, Asked, Event, Opened
from mutual_dissent.store.store import Store

PANEL = (
    panelist("claude", "claude-opus-5", "anthropic"),
    panelist("gpt", "gpt-6", "openai"),
    panelist("gemini", "gemini-4-pro", "google"),
    panelist("grok", "grok-6", "xai"),
)
QUESTIONS = (
    "Should a small team keep its code in one repository?",
    "What is the capital of Australia?",
    "Is a heat pump worth it in an old house?",
    "Which database suits an append-only log?",
    "Are tabs better than spaces?",
)
YES = "Yes, it should be done: the benefits are greater than the costs in most cases."
NO = "No, it should not be done: the costs are greater than the benefits in most cases."
PERHAPS = "It depends on the size of the team and on how often the parts change together."
MODES = ("reflection", "delphi", "consensus", "ranking")
PRESETS = (None, "quick", "deep")


def an_id(n: int) -> str:
    """The id of the debate of that number."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"library {n}"))


def stocked(home: Path, number: int, **more: Any) -> list[str]:
    """Store so many debates in the home of a server; their ids, oldest first."""
    with Store(home / "dissent.db") as store:
        store.save_all(a_debate(n, **more) for n in range(number))
    return [an_id(n) for n in range(number)]


def a_debate(n: int, *, query: str | None = None, **brief: Any) -> list[Event]:
    """A debate of three rounds in which somebody may change its mind."""
    seats = PANEL[: 2 + n % 3]
    said = {p.seat: list(_said(n, i, [o.seat for o in seats])) for i, p in enumerate(seats)}
    marks = {
        "accuracy": 2 + n % 4,
        "completeness": 1 + n % 5,
        "explanation": "close",
        "judge": "gpt",
    }
    events = debate(
        said,
        panel=seats,
        query=query or f"{QUESTIONS[n % len(QUESTIONS)]} Case {n}.",
        synthesis=_written(n, [p.seat for p in seats]),
        transcript_id=an_id(n),
        scores={f"-1/synthesis/{seats[0].seat}": marks} if n % 3 == 0 else None,
        **{
            "mode": MODES[n % len(MODES)],
            "preset": PRESETS[n % len(PRESETS)],
            "rounds": 2,
            "experiment": ExperimentMetadata(experiment_id="exp-a", condition="plain")
            if n % 5 == 0
            else None,
            **brief,
        },
    )
    return list(on_its_day(events, n))


def _written(n: int, seats: Sequence[str]) -> str:
    """The synthesis, which may go against the panel's last answers, and says so."""
    final = (YES, NO, PERHAPS)[n % 3]
    last = [YES if n % 4 else (YES, NO)[(i + n) % 2] for i in range(len(seats))]
    views = "; ".join(
        f"{s} {'agree' if x == final else 'disagree'}" for s, x in zip(seats, last, strict=True)
    )
    closing = f"BOTTOM LINE: {final}\nON THE OTHERS: {views}"
    return f"The panel came to this: {final}\n\n{closing}"


def _said(n: int, seat: int, seats: Sequence[str]) -> Iterator[Said]:
    """Whoever is odd begins with another opinion, and may come round; all say how they relate."""
    firsts = [(YES, NO)[(i + n) % 2] for i in range(len(seats))]
    thens = [YES if n % 4 else first for first in firsts]
    first, then = firsts[seat], thens[seat]
    views = "; ".join(
        f"{other} {'agree' if thens[i] == then else 'disagree: the costs'}"
        for i, other in enumerate(seats)
        if i != seat
    )
    moved = f"yes: from no to yes, because of {seats[1 if seat == 0 else 0]}: the benefits"
    changed = "nothing" if then == first else moved
    for text, closing in (
        (first, f"BOTTOM LINE: {first}"),
        (
            f"{then} I have read the others.",
            f"BOTTOM LINE: {then}\nON THE OTHERS: {views}\nCHANGED: {changed}",
        ),
        (
            f"{then} I stay with that, round two.",
            f"BOTTOM LINE: {then}\nON THE OTHERS: {views}\nCHANGED: nothing",
        ),
    ):
        spent = {"cost_usd": 0.001 * (1 + n % 7), "latency_ms": 600 + 350 * seat}
        yield Said(f"{text}\n\n{closing}", spent)


def on_its_day(events: Sequence[Event], n: int) -> Iterator[Event]:
    """The same debate, held later: each number on its day. Everyone reads all others."""
    later = timedelta(hours=9 * n)
    opened = events[0]
    assert isinstance(opened, Opened)
    labels = {letter: p.seat for letter, p in zip("ABCD", opened.brief.panel, strict=False)}
    for event in events:
        moved = replace(event, at=event.at + later)
        if isinstance(moved, Asked) and moved.role == "reflection":
            moved = replace(moved, labels={k: v for k, v in labels.items() if v != moved.seat})
        if isinstance(moved, Answered):
            said = replace(moved.response, timestamp=moved.response.timestamp + later)
            moved = replace(moved, response=said)
        yield moved
