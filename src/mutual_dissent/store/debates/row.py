"""A debate's row: what an append changes in it, folded from the new events alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from mutual_dissent.analysis.scores.grades import SCORE, mean_mark
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.codec.plain import to_bytes
from mutual_dissent.core.errors import StoreError
from mutual_dissent.core.events import (
    Answered,
    Closed,
    Event,
    Opened,
    Reopened,
    Resolved,
    RoundEnded,
    RoundStarted,
    Scored,
    Status,
)
from mutual_dissent.core.figures.stats import is_unpriced, tokens_of
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import MEASURES, REWRITTEN, VERDICTS

SHOWN_QUERY = 2_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)


@dataclass(slots=True)
class Append:
    """One append, ready to be written: its rows, and what they add to the debate's row.

    Attributes:
        begins: whether work begins with it; no panelist is asked unless it is on record.
        tried: whether it was tried before and may be on record: acknowledgements can get lost.
    """

    transcript_id: str
    first_seq: int
    last_seq: int
    updated_at: int
    rows: list[tuple[int, str, str]]
    begins: bool = False
    tried: bool = False
    opened: Opened | None = None
    closed: bool = False
    status: str | None = None
    reason: str | None = None
    heading: str | None = None
    rounds: int = 0
    calls: int = 0
    failed: int = 0
    unpriced: int = 0
    tokens: int = 0
    cost_usd: float | None = None
    agreement: float | None = None
    exit: str | None = None
    score: float | None = None
    unscored: bool = False
    synthesizer: str | None = None
    outcome: str | None = None
    began: int | None = None
    idle: int = 0
    spent: list[Spent] = field(default_factory=list)


Spent = tuple[str, str, str, int, int, int, int, int, float | None]
"""A line of the ledger: day, vendor, model, calls, unpriced, tokens, input, output, dollars."""


def change_of(transcript_id: str, events: Sequence[Event]) -> Append:
    """Fold events into a change.

    Raises:
        StoreError: if they are not numbered one after the other, or cannot be stored.
    """
    first, last = events[0], events[-1]
    if [e.seq for e in events] != list(range(first.seq, first.seq + len(events))):
        raise StoreError(f"the events of debate {transcript_id[:8]} are not numbered in order")
    if (first.seq == 1) != isinstance(first, Opened):
        raise StoreError(f"the log of debate {transcript_id[:8]} does not begin with its brief")
    change = Append(
        transcript_id=transcript_id,
        first_seq=first.seq,
        last_seq=last.seq,
        updated_at=ticks(last.at),
        rows=[(e.seq, e.kind, _body(e)) for e in events],
        begins=isinstance(first, Opened | Reopened | Resolved),
    )
    before = None
    for event in events:
        _count(change, event)
        if isinstance(event, Opened | Reopened | Resolved):
            _pause(change, ticks(event.at), before)
        before = ticks(event.at)
    return change


def _pause(change: Append, at: int, before: int | None) -> None:
    """Leave out the time without work: between an end and a new beginning."""
    if before is None:
        change.began = at
    else:
        change.idle += at - before


def write(db: sqlite3.Connection, change: Append) -> bool:
    """Write an append within the present transaction; False if the log does not end before it."""
    known = _number_of(db, change.transcript_id)
    if known is not None and change.tried and is_written(db, change):
        return True
    if (known is None) is not (change.opened is not None):
        return False
    number = _open(db, change, change.opened) if change.opened else known or 0
    if not db.execute(_UPDATE, {**counts(change), "number": number}).rowcount:
        return False
    db.executemany(
        "INSERT INTO events (debate, seq, kind, body) VALUES (?, ?, ?, ?)",
        [(number, *row) for row in change.rows],
    )
    if change.spent:
        db.executemany(_SPEND, change.spent)
    if change.closed:
        index_text(db, number)
    return True


def ticks(at: datetime) -> int:
    """Return a time as microseconds since 1970."""
    return (at - _EPOCH) // _TICK


def at_tick(tick: int) -> datetime:
    """Return the time of a number of microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=tick)


def index_text(db: sqlite3.Connection, number: int) -> None:
    """Put the answers of a debate into the search index."""
    db.execute(
        "UPDATE search SET answers = ?, synthesis = ? WHERE rowid = ?", (*texts(db, number), number)
    )


def texts(db: sqlite3.Connection, number: int) -> tuple[str, str]:
    """Return the searchable texts of a debate: its answers, and its synthesis."""
    bodies = db.execute(
        "SELECT body FROM events WHERE debate = ? AND kind = 'answered' ORDER BY seq", (number,)
    )
    answers: list[str] = []
    synthesis = ""
    for response in _responses(body for (body,) in bodies):
        if response["role"] == "synthesis":
            synthesis = response["content"] or synthesis
        elif response["role"] != "judge":
            answers.append(response["content"])
    return "\n\n".join(answers), synthesis


def _responses(bodies: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the answers in bodies of events, without those that are damaged."""
    for body in bodies:
        with suppress(ValueError, KeyError, TypeError):
            response = orjson.loads(body)["response"]
            yield {"role": str(response["role"]), "content": str(response["content"] or "")}


def ledger_line(response: Response) -> Spent:
    """Return the ledger line of a response."""
    vendor = response.routing.vendor if response.routing else response.provider or ""
    tokens_in, tokens_out = response.input_tokens or 0, response.output_tokens or 0
    return (
        response.timestamp.astimezone(UTC).date().isoformat(),
        vendor,
        response.model_id,
        int(response.tries > 0),
        int(is_unpriced(response)),
        tokens_of(response),
        tokens_in,
        tokens_out,
        response.cost_usd,
    )


def ledger_lines(events: Iterable[Event]) -> list[Spent]:
    """Return the ledger lines of a whole log."""
    bought = (e.response for e in events if isinstance(e, Answered) and not e.reused)
    return [ledger_line(r) for r in bought if not r.chosen]


def unspend(db: sqlite3.Connection, lines: Iterable[Spent]) -> None:
    """Take lines out of the ledger; a line that is left with zeros is not shown."""
    for day, vendor, model, *numbers in lines:
        less = [None if n is None else -n for n in numbers]
        db.execute(_SPEND, (day, vendor, model, *less))


# Read by both databases: on SQLite with values for the names, on PostgreSQL with columns.
SETS = """
    last_seq = :last_seq, updated_at = :updated_at, status = coalesce(:status, debates.status),
    reason = coalesce(:reason, debates.reason), heading = coalesce(:heading, debates.heading),
    rounds = max(debates.rounds, :rounds), calls = debates.calls + :calls,
    failed = debates.failed + :failed, unpriced = debates.unpriced + :unpriced,
    tokens = debates.tokens + :tokens,
    cost_usd = coalesce(debates.cost_usd + :cost_usd, debates.cost_usd, :cost_usd),
    agreement = coalesce(:agreement, debates.agreement), exit = coalesce(:exit, debates.exit),
    score = CASE WHEN :unscored THEN :score ELSE coalesce(:score, debates.score) END,
    synthesizer = coalesce(:synthesizer, debates.synthesizer),
    outcome = coalesce(:outcome, CASE WHEN :unscored AND debates.outcome IN ('right', 'wrong')
        THEN '' ELSE debates.outcome END),
    worked = debates.worked + :updated_at - coalesce(:began, debates.updated_at) - :idle
"""

_UPDATE = f"UPDATE debates SET {SETS} WHERE number = :number AND last_seq = :first_seq - 1"  # noqa: S608 - constants

SPEND = """
ON CONFLICT (day, vendor, model_id) DO UPDATE SET
    calls = ledger.calls + excluded.calls, unpriced = ledger.unpriced + excluded.unpriced,
    tokens = ledger.tokens + excluded.tokens,
    input_tokens = ledger.input_tokens + excluded.input_tokens,
    output_tokens = ledger.output_tokens + excluded.output_tokens,
    cost_usd = coalesce(ledger.cost_usd + excluded.cost_usd, ledger.cost_usd, excluded.cost_usd)
"""

LINE = (
    "day",
    "vendor",
    "model_id",
    "calls",
    "unpriced",
    "tokens",
    "input_tokens",
    "output_tokens",
    "cost_usd",
)

_SPEND = f"INSERT INTO ledger ({', '.join(LINE)}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) {SPEND}"  # noqa: S608 - constants


def counts(change: Append) -> dict[str, Any]:
    """Return what an append changes in its debate's row, by the names in `SETS`."""
    return {name: getattr(change, name) for name in COUNTS}


COUNTS = {
    "first_seq": "bigint",
    "last_seq": "bigint",
    "updated_at": "bigint",
    "status": "text",
    "reason": "text",
    "heading": "text",
    "rounds": "bigint",
    "calls": "bigint",
    "failed": "bigint",
    "unpriced": "bigint",
    "tokens": "bigint",
    "cost_usd": "double precision",
    "agreement": "double precision",
    "exit": "text",
    "unscored": "boolean",
    "score": "double precision",
    "synthesizer": "text",
    "outcome": "text",
    "began": "bigint",
    "idle": "bigint",
}
"""The names in `SETS`, and PostgreSQL's names of their types."""


def _open(db: sqlite3.Connection, change: Append, opened: Opened) -> int:
    row = first_row(change.transcript_id, opened)
    while db.execute("SELECT 1 FROM debates WHERE number = ?", (row["number"],)).fetchone():
        row["number"] += 1
    columns, places = ", ".join(row), ", ".join(f":{name}" for name in row)
    db.execute(f"INSERT INTO debates ({columns}) VALUES ({places})", row)  # noqa: S608 - constants
    number = int(row["number"])
    db.executemany(
        "INSERT INTO names (name, debate) VALUES (?, ?)",
        [(name, number) for name in names_of(opened.brief)],
    )
    db.execute(
        "INSERT INTO search (rowid, query, answers, synthesis) VALUES (?, ?, '', '')",
        (number, opened.brief.query),
    )
    return number


def first_row(transcript_id: str, opened: Opened) -> dict[str, Any]:
    """Return the row of a debate before its first event is counted, by the names of columns."""
    brief, experiment, at = opened.brief, opened.brief.experiment, ticks(opened.at)
    panel, models, vendors = (_json(names) for names in _panel_names(brief))
    return {
        "number": at,
        "transcript_id": transcript_id,
        "query": brief.query
        if len(brief.query) <= SHOWN_QUERY
        else brief.query[:SHOWN_QUERY] + "…",
        "status": Status.CREATED.value,
        "mode": brief.mode,
        "preset": brief.preset,
        "topology": brief.topology,
        "panel": panel,
        "models": models,
        "vendors": vendors,
        "synthesizer": brief.synthesizer.seat,
        "experiment_id": experiment.experiment_id if experiment else None,
        "campaign_id": experiment.campaign_id if experiment else None,
        "condition": (experiment.condition or None) if experiment else None,
        "replay_of": brief.replay_of,
        "conversation": brief.conversation,
        "owner": brief.owner,
        "created_at": at,
        "updated_at": at,
        "last_seq": 0,
    }


def names_of(brief: Brief) -> set[str]:
    """Return the names that a debate can be found by."""
    return {name for p in (*brief.panel, brief.synthesizer) for name in _names(p)}


def _panel_names(brief: Brief) -> tuple[list[str], list[str], list[str]]:
    """Return the seats of a panel, their models, and the vendors that serve them."""
    panel = brief.panel
    models = dict.fromkeys(p.model_id for p in panel)
    return [p.seat for p in panel], list(models), list(dict.fromkeys(p.route.vendor for p in panel))


def _json(names: list[str]) -> str:
    return orjson.dumps(names).decode()


def _names(panelist: Panelist) -> set[str]:
    """Return the names that a panelist can be found by."""
    model = panelist.model_id.lower()
    return {panelist.alias.lower(), panelist.seat.lower(), model, model.rpartition("/")[2]}


def _count(change: Append, event: Event) -> None:
    match event:
        case Opened():
            change.opened = event
        case RoundStarted() | Reopened():
            change.status, change.closed = Status.ACTIVE.value, False
            if isinstance(event, Reopened):
                _reopen(change, event)
        case Answered():
            _count_answer(change, event.response, reused=event.reused)
        case RoundEnded():
            measured = event.measures
            if measured.agreement is not None and measured.measure in MEASURES:
                change.agreement = measured.agreement
            change.exit = measured.exit.reason if measured.exit else change.exit
        case Scored():
            if event.name == SCORE and "/synthesis/" in event.about:
                change.score = mean_mark(event.score)
        case Closed():
            change.status, change.closed = event.status.value, True
            change.reason, change.heading = event.reason, event.text
        case Resolved():
            change.outcome = event.outcome
        case _:
            pass


def _reopen(change: Append, event: Reopened) -> None:
    change.reason = change.heading = ""
    if event.brief:
        change.synthesizer = event.brief.synthesizer.seat
    if event.reason in REWRITTEN:  # the score is of an answer that is replaced
        change.unscored, change.score = True, None
        change.outcome = None if change.outcome in VERDICTS else change.outcome


def _count_answer(change: Append, response: Response, *, reused: bool) -> None:
    change.rounds = max(change.rounds, response.round_number + 1)
    change.failed += not response.usable
    if reused or response.chosen:
        return
    change.calls += 1
    change.unpriced += is_unpriced(response)
    change.tokens += tokens_of(response)
    if response.cost_usd is not None:
        change.cost_usd = (change.cost_usd or 0.0) + response.cost_usd
    change.spent.append(ledger_line(response))


def is_written(db: sqlite3.Connection, change: Append) -> bool:
    """Return whether a retried append is on record already, its acknowledgement lost."""
    seq, kind, body = change.rows[-1]
    row = db.execute(_WRITTEN, (change.transcript_id, seq)).fetchone()
    return row is not None and tuple(row) == (kind, body)


_WRITTEN = """
SELECT kind, body FROM events
WHERE debate = (SELECT number FROM debates WHERE transcript_id = ?) AND seq = ?
"""


def _number_of(db: sqlite3.Connection, transcript_id: str) -> int | None:
    query = "SELECT number FROM debates WHERE transcript_id = ?"
    row: tuple[Any, ...] | None = db.execute(query, (transcript_id,)).fetchone()
    return int(row[0]) if row else None


def _body(event: Event) -> str:
    try:
        return to_bytes(event).decode()
    except TypeError as e:
        raise StoreError(f"an event of kind {event.kind} cannot be stored: {e}") from e
