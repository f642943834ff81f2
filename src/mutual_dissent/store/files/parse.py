"""From a file's fields to a log that folds to the debate it tells of.

Files of every version are read: ours, those of Mutual Dissent before (`model_alias`), and those of
Questionable AI (`model_name`, no role). What they do not say is derived; what cannot be read is
left out and noted. Nothing here raises because of a file's content.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from typing import Any, NamedTuple, TypeVar
from uuid import NAMESPACE_URL, uuid5

from mutual_dissent.core.brief import Brief, ExperimentMetadata
from mutual_dissent.core.codec.plain import Malformed, from_plain
from mutual_dissent.core.events import (
    Answered,
    Asked,
    CitationsRead,
    Closed,
    Event,
    Noted,
    Opened,
    Remarked,
    Reopened,
    Resolved,
    RoundEnded,
    RoundStarted,
    Scored,
    Status,
)
from mutual_dissent.core.measures import measures_from_plain
from mutual_dissent.core.response import Finish, Response
from mutual_dissent.core.transcript import MOST_ROUNDS, PANEL_ROLES, SCHEMA_VERSION
from mutual_dissent.store.debates.ids import is_id
from mutual_dissent.store.files.guess_panel import guess_seats
from mutual_dissent.store.files.old_errors import error_kind
from mutual_dissent.store.files.salvage import Plain, plain_from_bytes
from mutual_dissent.text.numbers import figure

SCORE = "ground_truth_score"
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
USUAL_QUORUM = 2
_UNFINISHED = (Status.CREATED, Status.ACTIVE)
T = TypeVar("T")


class ParsedTranscript(NamedTuple):
    """A log, empty if nothing could be read, and notes on what was dropped."""

    events: list[Event]
    notes: list[str]


class AnswerRecord(NamedTuple):
    """An answer with the key it has in its debate."""

    key: str
    response: Response


def reading(data: bytes) -> ParsedTranscript:
    """Read the debate in a file's bytes."""
    fields, notes = plain_from_bytes(data)
    if not fields:
        return ParsedTranscript([], notes or ["nothing in it is a debate"])
    return _FileReader(fields, notes, data).read()


class _FileReader:
    """Goes through the fields of one file and notes what it could not use."""

    def __init__(self, fields: Plain, notes: list[str], data: bytes) -> None:
        self.fields = fields
        self.notes = notes
        self.data = data
        self.salvaged = "loose" in fields
        self.metadata: Plain = self.of_type("metadata", dict, {})
        self.created_at = self.time("created_at") or self.earliest() or _LONG_AGO

    def read(self) -> ParsedTranscript:
        self.remark_on_version()
        records = self.records()
        if not records and not isinstance(self.fields.get("query"), str):
            return ParsedTranscript([], [*self.notes, "nothing in it is a debate"])
        brief = self.brief(records)
        opened = Opened(
            at=self.created_at,
            brief=brief,
            version=_text(self.metadata.get("version")),
            settings=_dict(self.metadata.get("resolved_config")),
            prompts=_texts(self.fields.get("prompts")),
        )
        events = [opened, *self.remarks(), *self.course(records)]
        events += self.end(records, events[-1].at)
        updated = self.time("updated_at")
        if updated and len(events) > 1 and not isinstance(events[-1], Noted):
            events[-1] = replace(events[-1], at=updated)
        return ParsedTranscript([e.with_seq(i) for i, e in enumerate(events, 1)], self.notes)

    # -- the parts of a log ----------------------------------------------------------------------

    def brief(self, records: list[AnswerRecord]) -> Brief:
        """Return the stored brief, or one derived from the answers."""
        transcript_id, query = self.transcript_id(), _text(self.fields.get("query"))
        own = {"transcript_id": transcript_id, "query": query}
        stored = self.fields.get("brief")
        if isinstance(stored, dict):
            try:
                return from_plain(Brief, {**stored, **own})
            except Malformed as e:
                self.notes.append(f"its brief could not be read and was derived: {e}")
        rounds = self.fields.get("max_rounds")
        panel, synthesizer = guess_seats(
            [r.response for r in records],
            _list(self.fields.get("panel")),
            _text(self.fields.get("synthesizer_id")),
            _texts(self.metadata.get("panelist_context")),
        )
        return Brief(
            transcript_id=transcript_id,
            query=query,
            panel=panel,
            synthesizer=synthesizer,
            rounds=rounds if isinstance(rounds, int) and 0 <= rounds <= 100 else 1,
            experiment=self.experiment(),
        )

    def remarks(self) -> Iterator[Event]:
        """Yield the notes for the user, and the cost that only an old file knows."""
        for plain in _list(self.fields.get("notes")):
            if note := self.tolerant(Noted, plain, {"at": self.fields.get("created_at")}):
                yield note
        cost = _dict(self.metadata.get("stats")).get("total_cost_usd")
        if "brief" not in self.fields and isinstance(cost, int | float):
            text = f"the imported file says that this debate cost ${figure(cost)}"
            yield Noted(at=self.created_at, code="imported_cost", text=text)

    def course(self, records: list[AnswerRecord]) -> Iterator[Event]:
        """Yield everything that was asked, answered, measured and scored."""
        if self.status(records) is Status.ACTIVE and not records:
            # Without a round that has begun, its log would tell of a debate that was only created.
            yield RoundStarted(at=self.created_at, round_number=0, role="initial", seats=())
        hashes, labels = _texts(self.fields.get("asked")), _dict(self.fields.get("labels"))
        reused, pending = self.keys("reused"), self.keys("pending")
        again = dict.fromkeys([r.key for r in records] + pending, 0)
        remarks = self.user_remarks()
        if again:
            # A file has the number of calls that were bought twice, not which: the first one gets
            # them all.
            again[next(iter(again))] = self.bought_twice()
        for step in _steps(records):
            yield from self.take_remarks(remarks, step[0].response.round_number)
            yield _started(step)
            for key, response in step:
                times = again.pop(key, 0)
                if times or key in labels:
                    asked = replace(self.ask_event(key, hashes, labels), seat=response.model_alias)
                    yield from [asked] * (times + 1)
                yield Answered(
                    at=response.timestamp,
                    key=key,
                    seat=response.model_alias,
                    request_hash=hashes.get(key, ""),
                    response=response,
                    reused=key in reused,
                )
        yield from self.measures()
        yield from self.scores(records)
        for key in pending:
            yield from [self.ask_event(key, hashes, labels)] * (again.pop(key, 0) + 1)
        yield from self.take_remarks(remarks)
        # A continued debate has no synthesis until it has a new one; the old one is superseded.
        stale = any(r.response.role == "synthesis" and r.response.usable for r in records)
        if stale and self.fields.get("synthesis") is None and "superseded" in self.fields:
            yield Reopened(at=self.created_at, reason="continued")

    def user_remarks(self) -> list[tuple[int | None, str]]:
        """Return the user's remarks to the panel, each with the round it was told in, if known."""
        texts, heard = _list(self.fields.get("remarks")), _list(self.fields.get("heard"))
        numbers = [n if isinstance(n, int) else None for n in heard]
        return [(n, _text(t)) for t, n in zip_longest(texts, numbers[: len(texts)])]

    def take_remarks(
        self, remarks: list[tuple[int | None, str]], before: int | None = None
    ) -> Iterator[Event]:
        """Take the remarks of a round off the list and yield them; or all that are left."""
        chosen = [r for r in remarks if before is None or r[0] == before]
        remarks[:] = [r for r in remarks if r not in chosen]
        yield from (Remarked(at=self.created_at, text=text) for _, text in chosen)

    def end(self, records: list[AnswerRecord], before: datetime) -> Iterator[Event]:
        """Yield the closing event, if there was one; `before` is the time of the last event."""
        status = self.status(records)
        if status in _UNFINISHED:
            return
        closed = _dict(self.fields.get("closed"))
        last = max((r.response.timestamp for r in records), default=self.created_at)
        at = self.time("updated_at") or last
        # A break is told as a new beginning, so that the time of work comes out as the file says
        # it.
        if resumed := self.resume_time(before, at):
            yield Reopened(at=resumed, reason="resumed")
        yield Closed(
            at=at,
            status=status,
            reason=_text(closed.get("reason")) or self.reason(status, records),
            text=_text(closed.get("text")),
        )
        cited = self.fields.get("cited")
        if cited and (read := self.tolerant(CitationsRead, {"cited": cited}, {"at": at})):
            yield read
        plain = self.fields.get("outcome")
        if plain is not None and (resolved := self.tolerant(Resolved, plain, {"at": at})):
            yield resolved

    def resume_time(self, stopped: datetime, end: datetime) -> datetime | None:
        """Return when work went on after a break, if the file tells of one."""
        worked, whole = self.fields.get("worked_seconds"), end - self.created_at
        if not isinstance(worked, int | float) or not 0 <= worked < whole.total_seconds():
            return None
        with suppress(OverflowError):
            return stopped + (whole - timedelta(seconds=worked))
        return None

    def reason(self, status: Status, records: list[AnswerRecord]) -> str:
        """Return why a debate ended, where its file does not say so."""
        if self.salvaged:
            return "damaged"
        if status is not Status.ERROR:
            return "done"
        turns = [r.response for r in records if r.response.role in PANEL_ROLES]
        last = max((r.round_number for r in turns), default=0)
        usable = sum(r.usable for r in turns if r.round_number == last)
        return "synthesis" if usable >= USUAL_QUORUM else "quorum"

    # -- answers ---------------------------------------------------------------------------------

    def records(self) -> list[AnswerRecord]:
        """Return every answer; a later one replaces an earlier one of its key."""
        records: list[AnswerRecord] = []
        for plain, role in self.plain_answers():
            if response := self.response(plain, role):
                records.append(self.pair_key(plain, response, records))
        return records

    def plain_answers(self) -> Iterator[tuple[Any, str]]:
        """Yield every answer as it stands in the file, with the role that its place implies."""
        for plain in _list(self.fields.get("superseded")):
            yield plain, ""
        for round_ in _list(self.fields.get("rounds")):
            if not isinstance(round_, dict):
                self.notes.append("a round is not an object and was dropped")
                continue
            for plain in _list(round_.get("responses")):
                yield _in_round(plain, round_), _text(round_.get("round_type"))
        for place, role in (("asides", ""), ("failed_syntheses", "synthesis"), ("loose", "")):
            for plain in _list(self.fields.get(place)):
                yield plain, role
        if self.fields.get("synthesis") is not None:
            yield self.fields["synthesis"], "synthesis"

    def response(self, plain: Any, role: str) -> Response | None:
        """Read an answer of any version."""
        if not isinstance(plain, dict):
            self.notes.append("an answer is not an object and was dropped")
            return None
        number = plain.get("round_number")
        if not isinstance(number, int):
            number = -1 if role == "synthesis" else 0
        # Views have a part for every round: with a number of a billion an export would never end.
        if number > MOST_ROUNDS:
            self.notes.append(f"round {number} is not believed: {MOST_ROUNDS} is the last there is")
            number = MOST_ROUNDS
        implied = "synthesis" if number == -1 else "initial" if number == 0 else "reflection"
        model = _text(plain.get("model_id"))
        alias = plain.get("model_alias") or _text(plain.get("model_name")).lower()
        values = {
            **plain,
            "model_alias": alias or model.rpartition("/")[2] or "unknown",
            "round_number": number,
            "role": plain.get("role") or role or implied,
            "error": None if plain.get("error") is None else str(plain["error"]),
            "analysis": _dict(plain.get("analysis")),
        }
        if "content" in plain and plain["content"] is None:
            values |= {"content": "", "finish": plain.get("finish", Finish.EMPTY.value)}
        if "finish" not in plain and "error" in plain:
            values |= _failure(plain["error"])
        if isinstance(plain.get("routing"), dict):
            values["routing"] = {"model_id": model, **plain["routing"]}
        if plain.get("finish", "complete") not in list(Finish):
            self.notes.append(f"an answer of {alias!r:.40} ended in an unknown way and is not used")
            values["finish"] = Finish.INCOMPLETE.value
        return self.tolerant(Response, values, {"timestamp": self.created_at.isoformat()})

    def pair_key(
        self, plain: Plain, response: Response, before: list[AnswerRecord]
    ) -> AnswerRecord:
        """Pair an answer with its key; where a file has none, a seat taken twice gets a number."""
        if stored := _text(plain.get("key")):
            return AnswerRecord(stored, response)
        taken, seat, n = {r.key for r in before}, response.model_alias, 1
        while (key := f"{response.round_number}/{response.role}/{seat}") in taken:
            n += 1
            seat = f"{response.model_alias}#{n}"
        return AnswerRecord(key, replace(response, model_alias=seat))

    # -- smaller things --------------------------------------------------------------------------

    def ask_event(self, key: str, hashes: dict[str, str], labels: Plain) -> Asked:
        number, _, rest = key.partition("/")
        role, _, seat = rest.partition("/")
        return Asked(
            at=self.created_at,
            key=key,
            seat=seat.partition("/")[0],
            round_number=int(number) if number.removeprefix("-").isdecimal() else 0,
            role=role,
            prompt="",
            request_hash=hashes.get(key, ""),
            labels=_texts(labels.get(key)),
        )

    def measures(self) -> Iterator[Event]:
        for plain in _list(self.fields.get("rounds")):
            round_ = _dict(plain)
            measures, number = _dict(round_.get("measures")), round_.get("round_number")
            role = _text(round_.get("round_type"))
            if measures and isinstance(number, int) and number <= MOST_ROUNDS:
                yield RoundEnded(
                    at=self.created_at,
                    round_number=number,
                    role=role if role in PANEL_ROLES else "initial",
                    measures=measures_from_plain(measures),
                )

    def scores(self, records: list[AnswerRecord]) -> Iterator[Event]:
        stored = _dict(self.metadata.get("scores"))
        for key, response in dict(records).items():  # the last one of each key
            score = stored.get(key) if "brief" in self.fields else response.analysis.get(SCORE)
            name = next((k for k, v in response.analysis.items() if v == score), None)
            if name is not None and isinstance(score, dict):  # else it is of an earlier answer
                yield Scored(at=self.created_at, about=key, name=name, score=score)

    def status(self, records: list[AnswerRecord]) -> Status:
        """Return the debate's status; a damaged file is not trusted to be complete."""
        whole = any(r.response.role == "synthesis" and r.response.usable for r in records)
        try:
            status = Status(_text(self.fields.get("status")))
        except ValueError:
            without = Status.STOPPED if self.salvaged else Status.ERROR
            return Status.COMPLETED if whole else without
        damaged = self.salvaged and status is Status.COMPLETED and not whole
        return Status.STOPPED if damaged else status

    def experiment(self) -> ExperimentMetadata | None:
        plain = self.metadata.get("experiment")
        if not isinstance(plain, dict):
            return None
        return self.tolerant(ExperimentMetadata, plain, {"experiment_id": "unnamed"})

    def transcript_id(self) -> str:
        """Return the id, or one derived from the file, and so the same each time it is read."""
        stored = self.fields.get("transcript_id")
        plain = stored.strip().lower() if isinstance(stored, str) else ""
        if is_id(plain):
            return plain
        self.notes.append("it has no id of its own and was given one")
        return str(uuid5(NAMESPACE_URL, plain or hashlib.sha256(self.data).hexdigest()))

    def remark_on_version(self) -> None:
        version = self.fields.get("schema_version", SCHEMA_VERSION)
        if not isinstance(version, int) or version > SCHEMA_VERSION:
            self.notes.append(
                f"it was written by another version (schema {version!r:.20}, this one knows "
                f"{SCHEMA_VERSION}); what this version does not know was left out"
            )

    def bought_twice(self) -> int:
        value = self.fields.get("bought_twice")
        return min(max(value, 0), 1000) if isinstance(value, int) else 0

    def keys(self, name: str) -> list[str]:
        return [k for k in _list(self.fields.get(name)) if isinstance(k, str)]

    def earliest(self) -> datetime | None:
        """Return the time of the first answer, for files that do not say when they were made."""
        times = [_time(p.get("timestamp")) for p, _ in self.plain_answers() if isinstance(p, dict)]
        return min((t for t in times if t), default=None)

    def time(self, name: str) -> datetime | None:
        return _time(self.fields.get(name))

    def of_type(self, name: str, kind: type[T], otherwise: T) -> T:
        value = self.fields.get(name, otherwise)
        if isinstance(value, kind):
            return value
        self.notes.append(f"{name} has the wrong shape and was dropped")
        return otherwise

    def tolerant(self, cls: type[T], plain: Any, defaults: Plain) -> T | None:
        """Build a dataclass from what can be read; None if a field that it needs is missing."""
        if not isinstance(plain, dict):
            self.notes.append(f"a {cls.__name__.lower()} is not an object and was dropped")
            return None
        values, left_out = {**defaults, **plain, **_times(plain)}, list[str]()
        while True:
            try:
                value = from_plain(cls, values)
            except Malformed as e:
                name = e.path[0] if e.path else ""
                if name not in values or name in left_out:
                    self.notes.append(f"a {cls.__name__.lower()} was dropped: {e}")
                    return None
                # One field less with each turn, so that this ends.
                left_out.append(name)
                del values[name]
                values |= {k: v for k, v in defaults.items() if k == name}
                continue
            if left_out:
                what = ", ".join(left_out)
                self.notes.append(f"of a {cls.__name__.lower()}, {what} could not be read")
            return value


def _steps(records: list[AnswerRecord]) -> list[list[AnswerRecord]]:
    """Group the answers by step, the latest step last: its failures are worth another try."""
    steps: dict[tuple[int, str], list[AnswerRecord]] = {}
    for record in records:
        steps.setdefault(_place(record), []).append(record)
    if records:
        # Reversed: of several with the latest time, the last in the file counts.
        latest = max(reversed(records), key=lambda r: r.response.timestamp)
        steps[_place(latest)] = steps.pop(_place(latest))
    return list(steps.values())


def _place(record: AnswerRecord) -> tuple[int, str]:
    return record.response.round_number, record.response.role


def _started(step: list[AnswerRecord]) -> RoundStarted:
    number, role = _place(step[0])
    seats = tuple(dict.fromkeys(r.response.model_alias for r in step))
    at = min(r.response.timestamp for r in step)
    return RoundStarted(at=at, round_number=number, role=role, seats=seats)


def _failure(error: Any) -> Plain:
    """Return what the error of an old file stands for; an empty one stands for none."""
    if not error:
        return {"error": None}
    return {"finish": Finish.FAILED.value, "error_kind": error_kind(str(error)).value}


def _in_round(plain: Any, round_: Plain) -> Any:
    if isinstance(plain, dict) and "round_number" not in plain:
        return {**plain, "round_number": round_.get("round_number")}
    return plain


def _times(plain: Plain) -> Plain:
    """Return the valid times of an answer or a note, in UTC where it does not say."""
    return {k: at for k in ("at", "timestamp") if (at := _time(plain.get(k)))}


def _time(value: Any) -> datetime | None:
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
        return at and (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> Plain:
    return value if isinstance(value, dict) else {}


def _texts(value: Any) -> dict[str, str]:
    return {k: v for k, v in _dict(value).items() if isinstance(v, str)}
