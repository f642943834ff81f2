"""The queue of debates that any worker may take, and who the workers are.

A debate is taken in one statement that skips what others are taking at the same moment. It belongs
to its worker as long as that one gives signs of life; after that, the next one takes it over.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from mutual_dissent.store.postgres.line import Line
from mutual_dissent.store.postgres.server import Server

WITHDRAWN = "it was withdrawn"
SLACK = 1.05
"""Turns lie so much further apart than they need: calls are not equally long on their way."""

MOST_ATTEMPTS = 50
"""How many workers may die over a debate before it is given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A debate that waits for a worker.

    Attributes:
        owner: what it belongs to, such as an experiment.
        brief: the debate's brief as JSON.
        max_cost: dollars that it may cost in all; None for what the brief says.
        priority: higher goes first.
    """

    transcript_id: str
    owner: str
    brief: str
    max_cost: float | None = None
    priority: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """All workers are paused: since when, and who wanted it."""

    since: datetime
    who: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """A worker as the others see it; `state` is working, paused or leaving."""

    name: str
    host: str
    pid: int
    version: str
    capacity: int
    started: datetime
    beat: datetime
    alive: bool
    state: str
    debates: tuple[str, ...] = ()


class Queue:
    """All jobs and workers; nothing is opened before it is needed."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._line = Line(server)
        self._run = self._line.run

    # -- whoever wants debates held --------------------------------------------------------------

    def put(self, job: Job) -> None:
        """Have a debate held; one that waits or runs already is left as it is."""
        values = (job.transcript_id, job.owner, job.brief, job.max_cost, job.priority)
        self._run(_PUT, *values, durable=True)

    def ended(self, ids: Iterable[str]) -> dict[str, str]:
        """Id -> why it failed, or nothing, of those jobs that have ended or are not there."""
        wanted = list(ids)
        found = {i: (state, error) for i, state, error in self._run(_STATES, wanted)}
        return {
            i: found[i][1] if i in found else WITHDRAWN
            for i in wanted
            if i not in found or found[i][0] in ("done", "failed")
        }

    def withdraw(self, owner: str) -> None:
        """Take back what nobody has taken yet, and what dead workers had."""
        self._run(_WITHDRAW, owner, durable=True)

    def clear(self, owner: str) -> None:
        """Forget what has ended."""
        self._run("DELETE FROM jobs WHERE owner = ? AND state IN ('done', 'failed')", owner)

    def lengths(self) -> dict[str, int]:
        """How many jobs are waiting, running, done and failed."""
        counted = {str(s): int(n) for s, n in self._run(_LENGTHS)}
        return {s: counted.get(s, 0) for s in ("waiting", "running", "done", "failed")}

    # -- a pause of all workers ------------------------------------------------------------------

    def pause(self, who: str) -> bool:
        """Let no worker take or ask anything until `resume`; whether they were at work before."""
        return bool(self._run(_PAUSE, who, durable=True))

    def resume(self) -> bool:
        """Let the workers go on; whether they were paused."""
        return bool(self._run("DELETE FROM pauses RETURNING one", durable=True))

    def paused(self) -> Pause | None:
        """The pause of all workers, if there is one."""
        found = self._run("SELECT since, who FROM pauses")
        return Pause(since=found[0][0], who=str(found[0][1])) if found else None

    # -- workers ---------------------------------------------------------------------------------

    def take(self, worker: str, most: int) -> list[Job]:
        """The next debates, most urgent first, which are this worker's now; none in a pause."""
        self._run(_GIVE_UP, MOST_ATTEMPTS)
        return [
            Job(transcript_id=i, owner=owner, brief=brief, max_cost=cost, priority=priority)
            for i, owner, brief, cost, priority in self._run(_TAKE, most, worker)
        ]

    def finish(self, transcript_id: str, worker: str, error: str = "") -> None:
        """Say that a debate has ended, if it is still this worker's."""
        said = error.encode("utf-8", "replace").decode()
        state = "failed" if error else "done"
        # Forgotten by a server that crashed, it would be waited for as long as this worker lives.
        self._run(_FINISH, state, said, transcript_id, worker, durable=True)

    def put_back(self, transcript_id: str, worker: str, delay: float = 0.0) -> None:
        """Leave a debate to the next worker, after so many seconds."""
        self._run(_PUT_BACK, delay, transcript_id, worker, durable=True)

    def beat(
        self, name: str, host: str, pid: int, version: str, capacity: int, state: str = "working"
    ) -> None:
        """Give a sign of life."""
        self._run(_BEAT, name, host, pid, version, capacity, state, self.server.lease)

    def leave(self, name: str) -> None:
        """Be a worker no more; what it had is the next one's."""
        self._run(_LEAVE, name)
        self._run("DELETE FROM workers WHERE name = ?", name)

    def workers(self) -> list[Worker]:
        """Everybody who was heard of within a day, oldest first."""
        return [
            Worker(
                name=name, host=host, pid=pid, version=version, capacity=capacity,
                started=started, beat=beat, alive=alive, state=state, debates=tuple(debates or ()),
            )
            for name, host, pid, version, capacity, started, beat, alive, state, debates
            in self._run(_WORKERS)
        ]  # fmt: skip

    # -- the pace of all workers together --------------------------------------------------------

    def turn(self, name: str, per_minute: int) -> float:
        """Take the next turn with a vendor: 0 if it may be called now, else seconds to wait.

        Turns are 60 / `per_minute` seconds apart by the server's clock (GCRA), and a little more.
        One that comes late may be followed by a punctual one, so that the pace is kept; never by
        two.
        """
        gap = SLACK * 60.0 / per_minute
        if self._run(_TURN, name, gap, gap, gap / 2):
            return 0.0
        wait = self._run(_WAIT, gap / 2, name)
        return max(0.001, float(wait[0][0])) if wait else 0.001

    def close(self) -> None:
        """Let go of the database."""
        self._line.close()


_PUT = """
INSERT INTO jobs (transcript_id, owner, brief, max_cost, priority) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (transcript_id) DO UPDATE SET
    owner = excluded.owner, brief = excluded.brief, max_cost = excluded.max_cost,
    priority = excluded.priority, state = 'waiting', worker = NULL, attempts = 0, error = ''
WHERE jobs.state IN ('done', 'failed')
"""

_STATES = "SELECT transcript_id, state, error FROM jobs WHERE transcript_id = ANY(?)"

_LENGTHS = "SELECT state, count(*) FROM jobs GROUP BY state"

# Free is what waits, and what a worker has that gives no sign of life any more.
_FREE = """
(state = 'waiting' AND not_before <= clock_timestamp() OR state = 'running' AND NOT EXISTS (
    SELECT 1 FROM workers w WHERE w.name = worker AND w.expires > clock_timestamp()))
"""

_TAKE = f"""
WITH free AS (
    SELECT transcript_id FROM jobs WHERE {_FREE} AND NOT EXISTS (SELECT 1 FROM pauses)
    ORDER BY priority DESC, number LIMIT ? FOR UPDATE SKIP LOCKED
)
UPDATE jobs SET state = 'running', worker = ?, attempts = attempts + 1,
    taken_at = clock_timestamp()
FROM free WHERE jobs.transcript_id = free.transcript_id
RETURNING jobs.transcript_id, owner, brief, max_cost, priority
"""  # noqa: S608 - constants

_GIVE_UP = f"""
UPDATE jobs SET state = 'failed', error = 'every worker that took it died'
WHERE attempts >= ? AND {_FREE}
"""  # noqa: S608 - constants

_WITHDRAW = f"""
DELETE FROM jobs WHERE owner = ? AND (state = 'waiting' OR {_FREE})
"""  # noqa: S608 - constants

_PAUSE = "INSERT INTO pauses (who) VALUES (?) ON CONFLICT DO NOTHING RETURNING one"

_FINISH = "UPDATE jobs SET state = ?, error = ? WHERE transcript_id = ? AND worker = ?"

_PUT_BACK = """
UPDATE jobs SET state = 'waiting', attempts = attempts - 1,
    not_before = clock_timestamp() + make_interval(secs => ?)
WHERE transcript_id = ? AND worker = ? AND state = 'running'
"""

_LEAVE = """
UPDATE jobs SET state = 'waiting', attempts = attempts - 1 WHERE worker = ? AND state = 'running'
"""

_BEAT = """
INSERT INTO workers (name, host, pid, version, capacity, state, beat, expires)
VALUES (?, ?, ?, ?, ?, ?, clock_timestamp(), clock_timestamp() + make_interval(secs => ?))
ON CONFLICT (name) DO UPDATE SET
    beat = excluded.beat, expires = excluded.expires, state = excluded.state
"""

_WORKERS = """
SELECT name, host, pid, version, capacity, started, beat, expires > clock_timestamp(), state,
    (SELECT array_agg(transcript_id ORDER BY taken_at) FROM jobs
     WHERE worker = name AND state = 'running')
FROM workers WHERE beat > clock_timestamp() - interval '1 day' ORDER BY started, name
"""

_TURN = """
INSERT INTO buckets (name, tat) VALUES (?, clock_timestamp() + make_interval(secs => ?))
ON CONFLICT (name) DO UPDATE SET
    tat = greatest(buckets.tat, clock_timestamp()) + make_interval(secs => ?)
WHERE buckets.tat <= clock_timestamp() + make_interval(secs => ?)
RETURNING tat
"""

_WAIT = """
SELECT extract(epoch FROM tat - clock_timestamp())::double precision - ? FROM buckets WHERE name = ?
"""
