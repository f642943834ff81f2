"""The store: every debate's events in one database, written durably, read at once.

The database is a SQLite file, or a PostgreSQL database which several machines share.
"""

from __future__ import annotations

import builtins
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack, cast

import orjson

from mutual_dissent.core.errors import (
    BadInput,
    Held,
    NotFound,
    NotRunning,
    NotSaved,
    NotWritable,
    NotYours,
    StoreError,
)
from mutual_dissent.core.events import Event, Status
from mutual_dissent.core.transcript import Transcript, fold
from mutual_dissent.core.values.directive import Action, Directive
from mutual_dissent.core.values.terms import command, option
from mutual_dissent.store.access import Access, Appends, Place, open_database
from mutual_dissent.store.database import Database, Row, user_error
from mutual_dissent.store.debates import idempotency, pictures, search, summaries
from mutual_dissent.store.debates import tags as marks
from mutual_dissent.store.debates.filters import UNFINISHED, Filters, ListFilters
from mutual_dissent.store.debates.idempotency import Repeat
from mutual_dissent.store.debates.ids import check_id
from mutual_dissent.store.debates.locks import Holds
from mutual_dissent.store.debates.row import change_of, ledger_lines, unspend
from mutual_dissent.store.debates.search import ListedDebate, Order, Spending
from mutual_dissent.store.debates.summaries import Kept
from mutual_dissent.store.debates.writer import Writer
from mutual_dissent.store.viewer import VIEWER, only_of

if TYPE_CHECKING:
    from mutual_dissent.store.files.remnant import Remnant
    from mutual_dissent.store.postgres.appends import SharedAppends
    from mutual_dissent.store.postgres.leases import Leases

FRESH = 1.0
"""Seconds for which a successful write proves that the record can be written."""

OUTAGE_SECONDS = 30.0
"""Seconds for which an append is retried where a server may be restarting."""

_SPARE_BYTES = 1 << 20
# Events of a damaged log that are looked for one by one: the number of the last may be damaged too.
_MOST_EVENTS = 100_000
# Several pages: a smaller row may fit into a page that is there already, and proves nothing.
_PROBE_BYTES = 32_768
_DIRECT = """
INSERT INTO directives (transcript_id, action, text) VALUES (:name, :action, :text)
"""
_PROBE = """
INSERT INTO probe (id, filler) VALUES (1, :filler)
ON CONFLICT (id) DO UPDATE SET filler = excluded.filler
"""


class Store:
    """All stored debates. Nothing is opened, made or started before it is needed."""

    def __init__(self, path: Place | str) -> None:
        """Use the database at `path`; the locks of a file lie beside it."""
        self.path: Place = Path(path) if isinstance(path, str) else path
        self._access = Access(self.path)
        self._proved = float("-inf")
        self._holds: Holds | Leases
        self._appends: Appends | SharedAppends
        self._holds, self._appends = self._ways()
        self._kept: dict[str, ExitStack] = {}
        self._expected: set[str] = set()
        # Its sentence about a problem goes on record and to clients: without our folders.
        public_name = Path(self.path.name) if isinstance(self.path, Path) else self.path
        self._writer = Writer(
            lambda: open_database(self.path, lenient=True),
            lambda e: user_error(e, public_name, NotSaved),
            self._conflict,
            self._appends.write,
            self._let_go,
            self._appends.alone,
            OUTAGE_SECONDS if not isinstance(self.path, Path) else 0.0,  # SQLite waits by itself
        )

    def _ways(self) -> tuple[Holds | Leases, Appends | SharedAppends]:
        """Return the locks and the appends that fit the kind of database."""
        if not isinstance(self.path, Path):
            from mutual_dissent.store.postgres.appends import SharedAppends
            from mutual_dissent.store.postgres.leases import Leases

            leases = Leases(self.path)
            return leases, SharedAppends(self.path, leases.owner)
        return Holds(self.path.parent / "locks", self._access.readable), Appends(self.path)

    # -- writing ---------------------------------------------------------------------------------

    def journal(self, transcript_id: str) -> DebateJournal:
        """Return the journal that one debate's events are appended to."""
        return DebateJournal(check_id(transcript_id), self._writer)

    def save(self, events: Sequence[Event]) -> None:
        """Store a whole log at once, from outside an event loop.

        Raises:
            Held: if the debate is stored already.
            NotSaved: if it could not be written.
        """
        self.save_all([events])

    def save_all(self, logs: Iterable[Sequence[Event]]) -> None:
        """Store many logs in one transaction: all of them or none."""
        with self._access.transaction() as db:
            changes = [change_of(check_id(fold(e[:1]).transcript_id), e) for e in logs]
            written = self._appends.write(db, changes)
            for change, fits in zip(changes, written, strict=True):
                if not fits:
                    raise self._conflict(change.transcript_id)
        self._appends.after_commit()

    def check_writable(self) -> None:
        """Check that answers can be stored, before the first one is paid for.

        Raises:
            NotWritable: if they cannot.
        """
        if self.in_debt:
            raise NotWritable(self._writer.problem or "the record cannot be written at the moment")
        try:
            self._try_to_write()
        except StoreError as e:
            raise NotWritable(*e.args) from e

    def _try_to_write(self) -> None:
        # Where many debates begin at once, one trial is enough for all of them; and none of them
        # waits for its turn to write only to find that out.
        fresh = time.monotonic() - max(self._proved, self._writer.wrote_at) < FRESH
        if fresh and isinstance(self.path, Path):
            self._check_space(self.path.parent)
            return
        with self._access.to_write(NotWritable) as db:
            if not isinstance(self.path, Path):
                return  # the brief is written before any panelist is asked, and shows it
            self._check_space(self.path.parent)
            # More than a page, written and deleted again: on a full disk a small row may still find
            # room.
            db.execute(_PROBE, filler=bytes(_PROBE_BYTES))
            db.execute("DELETE FROM probe")
            self._proved = time.monotonic()

    @staticmethod
    def _check_space(folder: Path) -> None:
        if not hasattr(os, "statvfs"):
            return
        free = os.statvfs(folder)
        if free.f_bavail * free.f_frsize < _SPARE_BYTES:
            raise StoreError(
                f"the disk under {folder} is full; free some space, or use {option('no_save')}"
            )

    def delete(self, transcript_id: str) -> None:
        """Forget a debate and what it cost.

        Raises:
            Held: if a process works on it.
            NotFound: if there is no debate of that id.
        """
        with self.hold(transcript_id), self._access.to_write() as db:
            number = self._number(transcript_id)
            lines = ledger_lines(self.events(transcript_id))
            with db.transaction():
                unspend(db, lines)
                _erase(db, number)
                pictures.forget(db, transcript_id)
            # What of it waits in memory would bring it back.
            self._writer.backlog.drop(transcript_id)

    def replace(self, events: Sequence[Event]) -> None:
        """Put a whole log in the place of one that is damaged or ends earlier; marks stay.

        Raises:
            Held: if a process works on it.
            NotFound: if there is no debate of that id.
            NotSaved: if it could not be written.
        """
        change = change_of(check_id(fold(events[:1]).transcript_id), events)
        transcript_id = change.transcript_id
        with self.hold(transcript_id), self._access.to_write() as db:
            number, (old, lost) = self._number(transcript_id), self.remnant(transcript_id)
            (rating,) = db.column("SELECT rating FROM debates WHERE number = :n", n=number)
            with db.transaction():
                if lost:
                    change.spent = []  # the ledger has the costs of what is lost, too
                else:
                    unspend(db, ledger_lines(old))
                tags = marks.tags_of(db, number)
                _erase(db, number)
                self._appends.write(db, [change])
                number = self._number(transcript_id)
                marks.add_tags(db, number, tags)
                marks.rate(db, number, rating)
        self._appends.after_commit()

    # -- what is not on record yet -----------------------------------------------------------------

    def owes(self, transcript_id: str) -> bool:
        """Return whether events of a debate wait in memory until they can be written."""
        return transcript_id in self._writer.backlog

    @property
    def in_debt(self) -> bool:
        """Return whether events of any debate wait in memory."""
        return bool(self._writer.backlog)

    # -- what users say of debates -----------------------------------------------------------------

    def tag(self, transcript_id: str, *tags: str) -> tuple[str, ...]:
        """Put tags on a debate.

        Returns:
            All tags that it has now.

        Raises:
            BadInput: if one is not a valid tag.
        """
        with self._access.transaction() as db:
            marks.add_tags(db, number := self._mine(transcript_id), tags)
            return marks.tags_of(db, number)

    def untag(self, transcript_id: str, *tags: str) -> tuple[str, ...]:
        """Take tags off a debate.

        Returns:
            The tags that are left.
        """
        with self._access.transaction() as db:
            marks.remove_tags(db, number := self._mine(transcript_id), tags)
            return marks.tags_of(db, number)

    def rate(self, transcript_id: str, rating: int | None) -> None:
        """Set the user's rating of a debate, 1 to 5; None takes it back.

        Raises:
            BadInput: if the rating is invalid.
        """
        with self._access.transaction() as db:
            marks.rate(db, self._mine(transcript_id), rating)

    def tags(self) -> dict[str, int]:
        """Return every tag with the number of debates that have it."""
        with self._access.to_read() as db:
            return marks.all_tags(db) if db else {}

    # -- summaries -------------------------------------------------------------------------------

    def summaries(self, ids: Sequence[str], version: int) -> dict[str, str]:
        """Return id -> summary, for the debates with an up-to-date one of that version."""
        with self._access.to_read() as db:
            return summaries.find(db, ids, version) if db else {}

    def summarise(self, found: Mapping[str, Kept], version: int) -> None:
        """Keep summaries: id -> the last event that was seen, and the text.

        Raises:
            NotSaved: if they cannot be written.
        """
        with self._access.transaction() as db:
            summaries.keep(db, version, found)

    # -- pictures --------------------------------------------------------------------------------

    def keep_pictures(
        self, transcript_id: str, new: Mapping[str, tuple[str, bytes]], known: Iterable[str] = ()
    ) -> None:
        """Keep the pictures of a debate that is about to be opened.

        Args:
            transcript_id: the debate's id.
            new: hash -> media type and bytes.
            known: hashes of others that are on record already.

        Raises:
            NotSaved: if they cannot be written.
        """
        with self._access.transaction() as db:
            pictures.keep(db, check_id(transcript_id), new)
            pictures.use(db, transcript_id, known)

    def forget_pictures(self, transcript_id: str) -> None:
        """Forget the pictures of a debate that was not opened after all."""
        with self._access.transaction() as db:
            pictures.forget(db, check_id(transcript_id))

    def orphan_pictures(self) -> builtins.list[str]:
        """Return the ids of debates that were never opened, and for which pictures are kept."""
        with self._access.to_read() as db:
            found = pictures.orphans(db) if db else []
        return [name for name in found if self.holder(name) is None]

    def picture(self, sha256: str) -> tuple[str, bytes] | None:
        """Return the media type and the bytes of a picture, if it is on record."""
        with self._access.to_read() as db:
            return pictures.find(db, sha256) if db else None

    # -- directives ------------------------------------------------------------------------------

    def direct(self, transcript_id: str, directive: Directive) -> None:
        """Leave a directive for the process that works on a debate.

        Raises:
            NotRunning: if no process does.
        """
        # What is kept is held for its backlog alone: no task is left that would read the order.
        if self.holder(check_id(transcript_id)) is None or transcript_id in self._kept:
            raise NotRunning(transcript_id)
        with self._access.to_write() as db:
            action, text = directive.action.value, directive.text
            db.execute(_DIRECT, name=transcript_id, action=action, text=text)

    def debates_with_directives(self) -> frozenset[str]:
        """Return the debates that have pending directives."""
        rows = self._access.rows("SELECT transcript_id FROM directives")
        return frozenset(row["transcript_id"] for row in rows)

    def directives(self, transcript_id: str) -> builtins.list[Directive]:
        """Pop the pending directives of a debate."""
        where = "FROM directives WHERE transcript_id = :name"
        # Looked at first: a DELETE takes the turn to write even if it finds nothing.
        if not self._access.rows(f"SELECT 1 {where} LIMIT 1", name=check_id(transcript_id)):
            return []
        with self._access.to_write(StoreError) as db:
            rows = db.rows(f"DELETE {where} RETURNING number, action, text", name=transcript_id)
        rows.sort(key=itemgetter("number"))
        return [Directive(action=Action(row["action"]), text=row["text"]) for row in rows]

    # -- requests that may be repeated -----------------------------------------------------------

    def find_repeat(self, owner: str, name: str, now: datetime) -> Repeat | None:
        """Return the request that an owner made under that name, if it is still remembered."""
        with self._access.to_read() as db:
            return idempotency.find_repeat(db, owner, name, now) if db else None

    def remember(self, owner: str, name: str, what: tuple[str, str], now: datetime) -> None:
        """Remember a request by its fingerprint and the debate that it is about."""
        with self._access.transaction() as db:
            idempotency.remember(db, owner, name, what, now)

    def forget(self, owner: str, name: str) -> None:
        """Forget a request that could not be obeyed."""
        with self._access.to_write() as db:
            idempotency.forget(db, owner, name)

    # -- holding ---------------------------------------------------------------------------------

    def hold(self, transcript_id: str) -> AbstractContextManager[None]:
        """Work on a debate alone, or raise Held with the process that does.

        It stays held while events of it are not on record: no other process may go on without them.
        """
        return self._hold(check_id(transcript_id))

    @contextmanager
    def _hold(self, transcript_id: str) -> Iterator[None]:
        held = self._kept.pop(transcript_id, None)
        if held is None:
            held = ExitStack()
            held.enter_context(self._holds.hold(transcript_id))
        try:
            yield
        finally:
            # Put down before the look at what is owed: the writer's thread may write it at any
            # moment, and then lets go of what it finds here.
            self._kept[transcript_id] = held
            if not self.owes(transcript_id):
                self._let_go(transcript_id)

    def _let_go(self, transcript_id: str) -> None:
        """Release a debate that no task works on, once all of it is on record."""
        if held := self._kept.pop(transcript_id, None):
            held.close()

    @contextmanager
    def expect(self, transcript_id: str) -> Iterator[None]:
        """Count a debate that waits for its turn in this process among those under way."""
        self._expected.add(transcript_id)
        try:
            yield
        finally:
            self._expected.discard(transcript_id)

    @contextmanager
    def announce_wait(self, transcript_id: str) -> Iterator[None]:
        """Let all other processes see meanwhile that a debate waits for its turn in this one."""
        waiting = self._holds.waiting
        with suppress(StoreError, OSError):  # it waits all the same
            waiting.add(check_id(transcript_id))
        try:
            yield
        finally:
            with suppress(StoreError, OSError):
                waiting.remove(transcript_id)

    def is_queued(self, transcript_id: str) -> bool:
        """Return whether a debate waits for its turn in any process."""
        return transcript_id in self._holds.waiting.ids()

    def _under_way(self) -> set[str]:
        """Return the ids that a process works on, or will when their turn comes."""
        return self._holds.under_way() | self._expected

    def holder(self, transcript_id: str) -> int | None:
        """Return the process that works on a debate, if any; 0 if it is not known which."""
        return self._holds.holder(check_id(transcript_id))

    def stale_locks(self) -> builtins.list[Path]:
        """Return the lock files of processes that died."""
        return self._holds.stale()

    # -- reading ---------------------------------------------------------------------------------

    def find(self, prefix: str, *, to_change: bool = False) -> str:
        """Return the full id that begins with `prefix`.

        Args:
            to_change: whether it is to be changed, given orders or deleted.

        Raises:
            BadInput: if it cannot be an id, or is ambiguous.
            NotFound: if the viewer sees no debate that begins so.
            NotYours: if the viewer may not change it.
        """
        check_id(prefix)
        # The brace is the character after z.
        rows = self._access.rows(
            "SELECT transcript_id, owner FROM debates WHERE transcript_id >= :first "
            "AND transcript_id < :last AND (:owner = '' OR owner = :owner) "
            # Five are named in the sentence, and the sixth says that there are more.
            "ORDER BY transcript_id LIMIT 6",
            first=prefix,
            last=prefix + "{",
            owner=only_of() or "",
        )
        owners = {row["transcript_id"]: row["owner"] for row in rows}
        ids = list(owners)
        if prefix in ids or len(ids) == 1:
            full = prefix if prefix in ids else ids[0]
            viewer = VIEWER.get()
            if to_change and viewer and not viewer.may_change(owners[full]):
                raise NotYours(f"debate {full[:8]} is not this token's; it may only be looked at")
            return full
        if ids:
            shown = ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")
            raise BadInput(f"several debates begin with {prefix}: {shown}; give more of it")
        raise NotFound(f"no stored debate begins with {prefix}; `{command('list')}` shows them all")

    def events(self, transcript_id: str) -> builtins.list[Event]:
        """Return a debate's whole log; where it is damaged, notes stand for what cannot be read.

        Raises:
            NotFound: if there is no debate of that id.
        """
        return self.remnant(transcript_id).events

    def remnant(self, transcript_id: str) -> Remnant:
        """Return the same, and what of it cannot be read, in words."""
        from mutual_dissent.store.files.remnant import KnownRow, remnant

        owed = self._writer.backlog.rows(check_id(transcript_id))
        debate = self._row(transcript_id, "number, last_seq, query, mode, models")
        if debate is None:
            raise _not_found(transcript_id)
        last = debate["last_seq"]
        rows = self._rows(debate["number"], last)
        known = KnownRow(transcript_id, debate["query"], debate["mode"], _names(debate["models"]))
        return remnant([*rows, *(row for row in owed if row.seq > last)], last, known)

    def _rows(self, number: int, last: int) -> builtins.list[tuple[int, str, str]]:
        """Return the stored events of a debate; one by one where they cannot be read together."""
        every = "SELECT seq, kind, body FROM events WHERE debate = :debate"
        try:
            rows = self._access.rows(f"{every} ORDER BY seq", debate=number)
        except StoreError:
            rows = []
            for seq in range(1, min(last, _MOST_EVENTS) + 1):
                with suppress(StoreError):
                    rows += self._access.rows(f"{every} AND seq = :seq", debate=number, seq=seq)
        return [(row["seq"], row["kind"], row["body"]) for row in rows]

    def query(self, transcript_id: str) -> str:
        """Return a debate's query, cut where it is long; also if its log is damaged."""
        return str(self._seen(transcript_id, "query"))

    def last_seq(self, transcript_id: str) -> int:
        """Return the number of a debate's last event; 0 if there is no such debate."""
        owed = self._writer.backlog.rows(check_id(transcript_id))
        row = self._row(transcript_id, "last_seq")
        return max([row["last_seq"] if row else 0, *(event.seq for event in owed)])

    def transcript(self, transcript_id: str) -> Transcript:
        """Return a debate as its log tells it; `interrupted` if unfinished and not under way."""
        transcript = fold(self.events(transcript_id))
        unfinished = transcript.status.value in UNFINISHED
        status = transcript.status
        if unfinished and transcript_id not in self._under_way():
            status = Status.INTERRUPTED
        unsaved = transcript.unsaved if self.owes(transcript_id) else ""
        return replace(transcript, status=status, unsaved=unsaved)

    def list(
        self,
        *,
        limit: int = 50,
        offset: int = 0,
        order: Order = "newest",
        reverse: bool = False,
        **wanted: Unpack[ListFilters],
    ) -> builtins.list[ListedDebate]:
        """Return a page of the debates that pass the filters."""
        filters = self._filters(wanted)
        with self._access.to_read() as db:
            if db is None:
                return []
            rows = search.rows(
                db, filters, limit=limit, offset=offset, order=order, reverse=reverse
            )
        return [self._as_it_stands(row) for row in rows]

    def _as_it_stands(self, row: ListedDebate) -> ListedDebate:
        """Return a row with the status that includes events which are not on record yet."""
        if not self.owes(row.transcript_id):
            return row
        t = self.transcript(row.transcript_id)
        return replace(row, status=t.status, reason=t.closed_reason)

    def questions(self, owner: str, far: int) -> builtins.list[search.AskedQuestion]:
        """Return the owner's questions among so many of the newest finished debates."""
        with self._access.to_read() as db:
            return search.questions(db, owner, far) if db else []

    def some(self, ids: Sequence[str]) -> builtins.list[ListedDebate]:
        """Return the debates of these ids, newest first; unknown ids are left out."""
        with self._access.to_read() as db:
            if db is None:
                return []
            rows = search.some(db, [_unicode(i) or "" for i in ids], self._under_way())
        return [r for r in rows if only_of() is None or self._is_seen(r.transcript_id)]

    def _is_seen(self, transcript_id: str) -> bool:
        """Return whether a debate exists for the viewer."""
        try:
            self._number(transcript_id)
        except NotFound:
            return False
        return True

    def choices(self) -> dict[str, builtins.list[str]]:
        """Return filter -> the values that debates have, to narrow lists to."""
        with self._access.to_read() as db:
            # These are the values of all owners' debates: who sees only its own is shown none.
            return search.choices(db) if db and not only_of() else {}

    def count(self, *, at_most: int | None = None, **wanted: Unpack[ListFilters]) -> int:
        """Return the number of debates that `list` would show, counted as far as `at_most`."""
        filters = self._filters(wanted, shown=False)
        with self._access.to_read() as db:
            return search.count(db, filters, at_most) if db else 0

    def totals(
        self,
        by: Literal["model", "vendor", "day", "all"] = "model",
        *,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> builtins.list[Spending]:
        """Return the cost of all debates, by model, vendor or day. Reused answers cost nothing."""
        with self._access.to_read() as db:
            if db is None or only_of():  # the ledger has no owners
                return []
            return search.spending(db, by, since, until)

    def conversation(self, transcript_id: str) -> builtins.list[str]:
        """Return the ids of the debates of a debate's conversation, in order.

        The first id names the conversation, also where its debate was deleted meanwhile.
        """
        first = str(self._seen(transcript_id, "conversation") or transcript_id)
        query = "SELECT transcript_id FROM debates WHERE conversation = :first ORDER BY number"
        return [first, *(row["transcript_id"] for row in self._access.rows(query, first=first))]

    def stamps(self, experiment: str) -> dict[str, int]:
        """Return the complete debates of an experiment, each with the time of its last change."""
        rows = self._access.rows(
            "SELECT transcript_id, updated_at FROM debates "
            "WHERE experiment_id = :experiment AND status = :status",
            experiment=experiment,
            status=Status.COMPLETED.value,
        )
        return {row["transcript_id"]: row["updated_at"] for row in rows}

    def ids(self) -> builtins.list[str]:
        """Return the ids of all debates, newest first."""
        rows = self._access.rows("SELECT transcript_id FROM debates ORDER BY number DESC")
        return [row["transcript_id"] for row in rows]

    def problems(self) -> builtins.list[str]:
        """Return what is wrong with the database itself."""
        try:
            with self._access.to_read() as db:
                return db.problems() if db else []
        except StoreError as e:
            return [str(e)]

    # -- opening and closing ---------------------------------------------------------------------

    def close(self) -> None:
        """Write what is waiting, and close the database."""
        self._writer.close()
        for transcript_id in list(self._kept):
            self._let_go(transcript_id)
        self._appends.close()
        self._holds.close()
        self._access.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def commits(self) -> int:
        """Number of transactions that the journals' appends have cost so far."""
        return self._writer.commits

    def _filters(self, wanted: ListFilters, *, shown: bool = True) -> Filters:
        """Return filters to search by; `shown` says that the debates found are shown, too."""
        status = wanted.get("status")
        try:
            stands = Status(status) if status is not None else None
        except ValueError:
            known = ", ".join(s.value for s in Status)
            raise BadInput(f"{status!r:.60} is not a status; choose from {known}") from None
        # Who works on what is asked of the system, file by file: not where only numbers are wanted.
        # Where there is no database nothing is held, and looking would make one.
        matters = (shown or stands) and self.path.exists()
        held = self._under_way() if matters else set()
        clean = {k: _unicode(v) if isinstance(v, str) else v for k, v in wanted.items()}
        kept = cast("ListFilters", clean)
        if kept.get("text"):
            self._appends.catch_up()
        return Filters(wanted=kept, status=stands, held=tuple(held), owner=only_of())

    def owner(self, transcript_id: str) -> str:
        """Return the name of the token that began a debate; empty if there is none."""
        row = self._row(check_id(transcript_id), "owner")
        return str(row["owner"]) if row else ""

    def _row(self, transcript_id: str, columns: str) -> Row | None:
        """Return columns of a debate's row, if it is on record."""
        query = f"SELECT {columns} FROM debates WHERE transcript_id = :name"  # noqa: S608 - constants
        return next(iter(self._access.rows(query, name=transcript_id)), None)

    def _seen(self, transcript_id: str, column: str) -> Any:
        """Return a value of the row of a debate that exists for the viewer."""
        row = self._row(check_id(transcript_id), f"{column}, owner")
        if row is None or only_of() not in (None, row["owner"]):
            raise _not_found(transcript_id)
        return row[column]

    def _number(self, transcript_id: str) -> int:
        return int(self._seen(transcript_id, "number"))

    def _mine(self, transcript_id: str) -> int:
        """Return the number of a debate that the viewer may change."""
        return self._number(self.find(transcript_id, to_change=True))

    def _conflict(self, transcript_id: str) -> StoreError:
        holder = self._holds.holder(transcript_id)
        other = holder if holder and holder != os.getpid() else None
        return Held(transcript_id, f"process {other}" if other else "another process")


class DebateJournal:
    """One debate's end of the log: the Journal that the engine appends to."""

    __slots__ = ("_writer", "transcript_id")

    def __init__(self, transcript_id: str, writer: Writer) -> None:
        self.transcript_id = transcript_id
        self._writer = writer

    async def append(self, events: Sequence[Event]) -> None:
        """Store numbered events; on return they survive a power cut.

        Raises:
            Held: if another process has appended to this debate.
            NotSaved: if they could not be written. They are kept, read as if they were on record,
                and written as soon as possible; only events that begin a run are not.
        """
        if events:
            await self._writer.append(change_of(self.transcript_id, events))


def _erase(db: Database, number: int) -> None:
    """Take a debate out of all tables but the ledger."""
    for column, tables in _OF_A_DEBATE.items():
        for table in tables:
            db.execute(f"DELETE FROM {table} WHERE {column} = :number", number=number)  # noqa: S608 - constants


# The search index comes last: on PostgreSQL words may be added to it until the debate is gone.
_OF_A_DEBATE = {
    "debate": ("names", "tags", "summaries", "events"),
    "number": ("debates",),
    "rowid": ("search",),
}


def _names(listed: object) -> builtins.list[str]:
    """Return the names in a column that has a list of them, if that can be read."""
    with suppress(ValueError, TypeError):
        return [str(name) for name in orjson.loads(str(listed))]
    return []


def _not_found(transcript_id: str) -> NotFound:
    return NotFound(f"no stored debate is {transcript_id}; `{command('list')}` shows them all")


def _unicode(text: str | None) -> str | None:
    """Return the text without lone surrogates, which no stored text has."""
    return None if text is None else text.encode("utf-8", "replace").decode()
