"""What an analyst may reply."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from fakes.debates import START, panelist, response
from mutual_dissent.core.events import Answered, Asked, Event
from mutual_dissent.core.response import Ask
from mutual_dissent.core.transcript import ANALYSIS, Transcript, fold


def reply(**fields: Any) -> str:
    """A complete reply, with some fields."""
    names = ("positions", "contested", "common_ground", "minority", "corrections", "missing")
    return json.dumps({**{n: [] for n in names}, **fields})


def letters(ask: Ask) -> dict[str, str]:
    """Seat -> the letter that the analyst knows it by."""
    return {seat: label.rpartition(" ")[2] for label, seat in ask.labels.items()}


def reads(make: Callable[[dict[str, str]], dict[str, Any]]) -> Callable[[Ask], str]:
    """An analyst whose reply is made from the letters of the seats."""
    return lambda ask: reply(**make(letters(ask)))


def two_positions(ask: Ask) -> str:
    """An analyst that puts everybody but the last panelist into one position."""
    *most, last = sorted(letters(ask).items())
    return reply(
        positions=[
            {"statement": "Use tabs.", "holders": [letter for _, letter in most]},
            {"statement": "Use spaces.", "holders": [last[1]]},
        ]
    )


def read(events: Sequence[Event], text: str, seat: str = "eve") -> Transcript:
    """The debate of some events, read by an analyst that replied so; its letters are A, B, C..."""
    found = fold(events)
    for event in reading(events, text, seat):
        found = found.apply(event)
    return found


def reading(events: Sequence[Event], text: str, seat: str = "eve") -> list[Event]:
    """What the reading of a debate by an analyst that replied so adds to its log."""
    so_far = fold(events)
    labels = {f"Panelist {chr(65 + i)}": p.seat for i, p in enumerate(so_far.panelists)}
    who = panelist(seat)
    key, number = f"-1/analysis/{seat}", so_far.last_seq
    at = so_far.updated_at or START
    said = response(who, ANALYSIS, -1, text, at + timedelta(seconds=1))
    asked = Asked(at=at, key=key, seat=seat, round_number=-1, role=ANALYSIS, prompt="common/ledger",
                  request_hash="0" * 32, labels=labels)  # fmt: skip
    answered = Answered(at=at, key=key, seat=seat, request_hash="0" * 32, response=said)
    return [asked.with_seq(number + 1), answered.with_seq(number + 2)]


def unread(home: Path) -> Path:
    """A home whose debates nobody reads afterwards: where that is not what a test is about."""
    home.mkdir(parents=True, exist_ok=True)
    config = home / "config.toml"
    if not config.exists():
        config.write_text('[defaults]\nanalyst = "none"\n', "utf-8")
        config.chmod(0o600)
    return home
