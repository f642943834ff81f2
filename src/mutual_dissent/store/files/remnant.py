"""Reading a damaged log: a note stands in the place of what cannot be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import orjson

from mutual_dissent.core.brief import Brief
from mutual_dissent.core.codec.plain import Malformed
from mutual_dissent.core.events import Answered, Event, Noted, Opened, event_from_plain
from mutual_dissent.store.files.guess_panel import guess_seats

DAMAGED = "damaged"
"""The code of the notes that stand for what was lost."""

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


class Remnant(NamedTuple):
    """A log that can be folded, and what was lost of it, in words."""

    events: list[Event]
    lost: list[str]


class KnownRow(NamedTuple):
    """A debate's line in lists: enough to read its log without its brief."""

    transcript_id: str
    query: str
    mode: str
    models: Sequence[str]


def remnant(rows: Iterable[tuple[int, str, str]], last_seq: int, known: KnownRow) -> Remnant:
    """Read the log in these rows; it should go from 1 to `last_seq`."""
    readable = {seq: event for seq, *row in rows if (event := _event(seq, *row))}
    last = max([last_seq, *readable])
    if len(readable) == last and isinstance(readable.get(1), Opened):
        return Remnant([readable[seq] for seq in sorted(readable)], [])
    opened = readable.pop(1, None)
    begin = opened if isinstance(opened, Opened) else _derived(readable, known)
    events: list[Event] = [begin, *_filled(readable, last, begin.at)]
    lost = [] if begin is opened else ["its brief could not be read"]
    lost += [e.text for e in events[1:] if e.seq not in readable and isinstance(e, Noted)]
    return Remnant(events, lost)


def _event(seq: int, kind: str, body: str) -> Event | None:
    try:
        plain = orjson.loads(body)
        plain["kind"], plain["seq"] = kind, seq
        event = event_from_plain(plain)
    except (ValueError, TypeError, Malformed):
        return None
    return event if event.at.tzinfo else None


def _filled(readable: Mapping[int, Event], last: int, at: datetime) -> Iterator[Event]:
    """Yield the events after the first, with a note in the place of each run of lost ones."""
    before = 1
    for seq in [*sorted(readable), last + 1]:
        if seq > before + 1:
            which = (
                f"event {before + 1}" if seq == before + 2 else f"events {before + 1} to {seq - 1}"
            )
            were = "was" if seq == before + 2 else "were"
            text = f"{which} of {last} could not be read and {were} left out"
            yield Noted(seq=seq - 1, at=at, code="damaged", text=text)
        if seq in readable:
            yield readable[seq]
            at = readable[seq].at
        before = seq


def _derived(readable: Mapping[int, Event], known: KnownRow) -> Opened:
    """Derive the opening of a debate without its brief, from its answers and its line in lists."""
    answers = [e.response for e in readable.values() if isinstance(e, Answered)]
    panel, synthesizer = guess_seats(answers, known.models, "", {})
    brief = Brief(
        transcript_id=known.transcript_id,
        query=known.query,
        mode=known.mode,
        panel=panel,
        synthesizer=synthesizer,
    )
    return Opened(seq=1, at=min((e.at for e in readable.values()), default=_LONG_AGO), brief=brief)
