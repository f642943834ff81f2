"""A debate's row: what an append changes in it, folded from the new events alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from typing import Any, NamedTuple

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
from mutual_dissent.store.database import Database, Row

SHOWN_QUERY = 2_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)


def _column(sets: str, default: Any = None) -> Any:
    """Return the field of a column of the debate's row; `sets` says how an append changes it."""
    return field(default=default, metadata={"sets": sets})


_REPLACE = ":{0}"
_LATEST = "coalesce(:{0}, debates.{0})"
# NULL is not known, which is not zero: where one of the two is known, that one stands.
_SUM = "coalesce(debates.{0} + :{0}, debates.{0}, :{0})"
_MOST = "max(debates.{0}, :{0})"
_SCORE = f"CASE WHEN :unscored THEN :{{0}} ELSE {_LATEST} END"
_OUTCOME = """coalesce(:{0}, CASE WHEN :unscored AND debates.{0} IN ('right', 'wrong')
    THEN '' ELSE debates.{0} END)"""


class EventRow(NamedTuple):
    """An event as it is stored."""

    seq: int
    kind: str
    body: str


class LedgerLine(NamedTuple):
    """The cost of a call, or of many of a day."""

    day: str
    vendor: str
    model_id: str
    calls: int
    unpriced: int
    tokens: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


@dataclass(slots=True, kw_only=True)
class Append:
    """One append, ready to be written: its rows, and what they add to the debate's row.

    Attributes:
        begins: whether work begins with it; no panelist is asked unless it is on record.
        tried: whether it was tried before and may be on record: acknowledgements can get lost.
    """

    transcript_id: str
    first_seq: int
    rows: list[EventRow]
    begins: bool = False
    tried: bool = False
    opened: Opened | None = None
    closed: bool = False
    unscored: bool = False
    began: int | None = None
    idle: int = 0
    spent: list[LedgerLine] = field(default_factory=list)

    last_seq: int = _column(_REPLACE)
    updated_at: int = _column(_REPLACE)
    status: str | None = _column(_LATEST)
    reason: str | None = _column(_LATEST)
    heading: str | None = _column(_LATEST)
    rounds: int = _column(_MOST, 0)
    calls: int = _column(_SUM, 0)
    failed: int = _column(_SUM, 0)
    unpriced: int = _column(_SUM, 0)
    tokens: int = _column(_SUM, 0)
    cost_usd: float | None = _column(_SUM)
    agreement: float | None = _column(_LATEST)
    exit: str | None = _column(_LATEST)
    score: float | None = _column(_SCORE)
    outcome: str | None = _column(_OUTCOME)
    synthesizer: str | None = _column(_LATEST)


COLUMNS = {f.name: f.metadata["sets"].format(f.name) for f in fields(Append) if f.metadata}
"""The columns that an append changes, and how."""

# Read by both databases: on SQLite with values for the names, on PostgreSQL with columns.
SETS = ", ".join(f"{name} = {sets}" for name, sets in COLUMNS.items()) + (
    # Time of work: since the last event, or since a new beginning, without the breaks in between.
    ", worked = debates.worked + :updated_at - coalesce(:began, debates.updated_at) - :idle"
)

COUNTS = ("first_seq", *dict.fromkeys(re.findall(r":(\w+)", SETS)))
"""The fields of an append that change its debate's row."""

_values = attrgetter(*COUNTS)


def counts(change: Append) -> Row:
    """Return what an append changes in its debate's row, by the names in `SETS`."""
    return dict(zip(COUNTS, _values(change), strict=True))


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
        rows=[EventRow(e.seq, e.kind, _body(e)) for e in events],
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


def write(db: Database, change: Append) -> bool:
    """Write an append within the present transaction; False if the log does not end before it."""
    known = db.column(_NUMBER, name=change.transcript_id)
    if known and change.tried and is_written(db, change):
        return True
    # The opening of a debate that exists, or an append to one that does not.
    if bool(known) is bool(change.opened):
        return False
    number = _open(db, change) if change.opened else int(known[0])
    if not change.opened and not db.execute(_UPDATE, number=number, **counts(change)):
        return False
    db.executemany(_STORE, [{"number": number, **row._asdict()} for row in change.rows])
    if change.spent:
        db.executemany(_SPEND, [line._asdict() for line in change.spent])
    # Once for the whole debate, not with every answer: until then its query alone is found.
    if change.closed:
        index_text(db, number)
    return True


def ticks(at: datetime) -> int:
    """Return a time as microseconds since 1970."""
    return (at - _EPOCH) // _TICK


def at_tick(tick: int) -> datetime:
    """Return the time of a number of microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=tick)


def index_text(db: Database, number: int) -> None:
    """Put the answers of a debate into the search index."""
    db.execute(_INDEX, number=number, **texts(db, number))


def texts(db: Database, number: int) -> dict[str, str]:
    """Return the searchable texts of a debate: its answers, and its synthesis."""
    answers: list[str] = []
    synthesis = ""
    for response in _responses(db.column(_ANSWERS, number=number)):
        if response["role"] == "synthesis":
            synthesis = response["content"] or synthesis
        elif response["role"] != "judge":
            answers.append(response["content"])
    return {"answers": "\n\n".join(answers), "synthesis": synthesis}


def _responses(bodies: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the answers in bodies of events, without those that are damaged."""
    for body in bodies:
        with suppress(ValueError, KeyError, TypeError):
            response = orjson.loads(body)["response"]
            yield {"role": str(response["role"]), "content": str(response["content"] or "")}


def ledger_line(response: Response) -> LedgerLine:
    """Return the ledger line of a response."""
    return LedgerLine(
        day=response.timestamp.astimezone(UTC).date().isoformat(),
        vendor=response.routing.vendor if response.routing else response.provider or "",
        model_id=response.model_id,
        calls=int(response.tries > 0),
        unpriced=int(is_unpriced(response)),
        tokens=tokens_of(response),
        input_tokens=response.input_tokens or 0,
        output_tokens=response.output_tokens or 0,
        cost_usd=response.cost_usd,
    )


def ledger_lines(events: Iterable[Event]) -> list[LedgerLine]:
    """Return the ledger lines of a whole log."""
    bought = (e.response for e in events if isinstance(e, Answered) and not e.reused)
    return [ledger_line(r) for r in bought if not (r.chosen or r.by_code)]


def unspend(db: Database, lines: Iterable[LedgerLine]) -> None:
    """Take lines out of the ledger; a line that is left with zeros is not shown."""
    for line in lines:
        numbers = {name: getattr(line, name) for name in LINE[3:]}
        less = {name: None if n is None else -n for name, n in numbers.items()}
        db.execute(_SPEND, **(line._asdict() | less))


_NUMBER = "SELECT number FROM debates WHERE transcript_id = :name"

# No row changes where the log ends elsewhere: another process has written, and this does not fit.
_UPDATE = f"UPDATE debates SET {SETS} WHERE number = :number AND last_seq = :first_seq - 1"  # noqa: S608 - constants

_STORE = "INSERT INTO events (debate, seq, kind, body) VALUES (:number, :seq, :kind, :body)"

_INDEX = "UPDATE search SET answers = :answers, synthesis = :synthesis WHERE rowid = :number"

_ANSWERS = "SELECT body FROM events WHERE debate = :number AND kind = 'answered' ORDER BY seq"

SPEND = """
ON CONFLICT (day, vendor, model_id) DO UPDATE SET
    calls = ledger.calls + excluded.calls, unpriced = ledger.unpriced + excluded.unpriced,
    tokens = ledger.tokens + excluded.tokens,
    input_tokens = ledger.input_tokens + excluded.input_tokens,
    output_tokens = ledger.output_tokens + excluded.output_tokens,
    cost_usd = coalesce(ledger.cost_usd + excluded.cost_usd, ledger.cost_usd, excluded.cost_usd)
"""

LINE = LedgerLine._fields

_SPEND = f"INSERT INTO ledger ({', '.join(LINE)}) VALUES (:{', :'.join(LINE)}) {SPEND}"  # noqa: S608 - constants


def _open(db: Database, change: Append) -> int:
    """Write the row of a debate that begins, and what it is found by; return its number."""
    assert change.opened is not None
    row, brief = first_row(change), change.opened.brief
    # The number is the time of opening, so that the order of the table is that of the list. Two
    # debates may be opened within the same microsecond.
    while db.column("SELECT 1 FROM debates WHERE number = :number", number=row["number"]):
        row["number"] += 1
    db.execute(f"INSERT INTO debates ({', '.join(row)}) VALUES (:{', :'.join(row)})", **row)  # noqa: S608 - constants
    number = int(row["number"])
    names = [{"name": name, "number": number} for name in names_of(brief)]
    db.executemany("INSERT INTO names (name, debate) VALUES (:name, :number)", names)
    db.execute(_FIND_BY_QUERY, number=number, query=brief.query)
    return number


_FIND_BY_QUERY = """
INSERT INTO search (rowid, query, answers, synthesis) VALUES (:number, :query, '', '')
"""


def first_row(change: Append) -> Row:
    """Return the row of a debate that begins with an append, by the names of columns."""
    assert change.opened is not None
    opened, brief, query = change.opened, change.opened.brief, change.opened.brief.query
    experiment, at = brief.experiment, ticks(opened.at)
    panel, models, vendors = (_json(names) for names in _panel_names(brief))
    began = at if change.began is None else change.began
    row = {
        "number": at,
        "transcript_id": change.transcript_id,
        "query": query if len(query) <= SHOWN_QUERY else query[:SHOWN_QUERY] + "…",
        "mode": brief.mode,
        "preset": brief.preset,
        "topology": brief.topology,
        "panel": panel,
        "models": models,
        "vendors": vendors,
        "experiment_id": experiment.experiment_id if experiment else None,
        "campaign_id": experiment.campaign_id if experiment else None,
        "condition": (experiment.condition or None) if experiment else None,
        "replay_of": brief.replay_of,
        "conversation": brief.conversation,
        "owner": brief.owner,
        "created_at": at,
        "worked": change.updated_at - began - change.idle,
    }
    unset = {"status": Status.CREATED.value, "reason": "", "heading": "", "exit": "", "outcome": ""}
    unset["synthesizer"] = brief.synthesizer.seat
    for name in COLUMNS:
        value = getattr(change, name)
        row[name] = unset.get(name) if value is None else value
    return row


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
            # A key such as -1/synthesis/claude; single answers may have scores, too.
            if event.name == SCORE and "/synthesis/" in event.about:
                change.score = mean_mark(event.score)
        case Resolved():
            change.outcome = event.outcome
        case Closed():
            change.status, change.closed = event.status.value, True
            change.reason, change.heading = event.reason, event.text
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
    if reused or response.chosen or response.by_code:
        return
    change.calls += 1
    change.unpriced += is_unpriced(response)
    change.tokens += tokens_of(response)
    if response.cost_usd is not None:
        change.cost_usd = (change.cost_usd or 0.0) + response.cost_usd
    change.spent.append(ledger_line(response))


def is_written(db: Database, change: Append) -> bool:
    """Return whether a retried append is on record already, its acknowledgement lost."""
    last = change.rows[-1]
    row = db.row(_WRITTEN, name=change.transcript_id, seq=last.seq)
    return row is not None and EventRow(**row) == last


_WRITTEN = """
SELECT seq, kind, body FROM events
WHERE debate = (SELECT number FROM debates WHERE transcript_id = :name) AND seq = :seq
"""


def _body(event: Event) -> str:
    try:
        return to_bytes(event).decode()
    except TypeError as e:
        raise StoreError(f"an event of kind {event.kind} cannot be stored: {e}") from e
