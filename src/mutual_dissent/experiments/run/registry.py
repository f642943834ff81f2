"""The registry: experiments on record, found again by name, and how far each has come."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadInput, Held, NotFound, UnknownName
from mutual_dissent.core.events import Status
from mutual_dissent.core.values.directive import Action
from mutual_dissent.core.values.terms import command
from mutual_dissent.experiments.design.equal_cost import match_samples
from mutual_dissent.experiments.design.experiment import Experiment, ExperimentQuery
from mutual_dissent.experiments.design.file import parse_experiment
from mutual_dissent.store.debates.search import ListedDebate
from mutual_dissent.store.experiments import Kept, State

PAGE = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentState:
    """The progress of an experiment.

    Attributes:
        state: its state on record; `interrupted` if its process is gone.
        total: its debates, without the judges'; None where its file cannot be read any more.
        cost_usd: the cost of all its debates, the judges' among them, as far as prices are known.
    """

    name: str
    state: str
    total: int | None
    completed: int
    failed: int
    cost_usd: float
    tokens: int
    updated_at: datetime


async def resolve_experiment(md: MutualDissent, experiment: Experiment) -> Experiment:
    """Return the experiment with nothing left to decide: as it was decided where it ran before."""
    kept = md.experiments.find(experiment.name)
    return await match_samples(md, experiment, _samples(kept) if kept else None)


def save_experiment(md: MutualDissent, experiment: Experiment) -> None:
    """Put an experiment that begins now on record, with all that it needs to be resumed."""
    samples = {c.name: c.samples for c in experiment.conditions}
    decided = {"samples": samples, "queries": [asdict(q) for q in experiment.queries]}
    text = orjson.dumps(decided).decode()
    md.experiments.keep(experiment.name, experiment.text, experiment.folder, text, md.clock())


async def load_experiment(md: MutualDissent, name: str) -> Experiment:
    """Return the experiment of that name, as it is on record.

    Raises:
        UserError: if there is no such experiment.
    """
    kept = _found(md, name)
    return await match_samples(md, _parsed(kept), _samples(kept))


def standings(
    md: MutualDissent, name: str | None = None, elsewhere: Collection[str] = ()
) -> list[ExperimentState]:
    """Return the progress of one experiment or all of them, the newest first.

    Args:
        name: the experiment; by default all of them.
        elsewhere: those that an engine deals out at the moment.
    """
    kept = [_found(md, name)] if name else md.experiments.every()
    return [_standing(md, k, elsewhere) for k in kept]


ORDERS = {State.FINISHING: None, State.STOPPING: Action.PAUSE, State.HALTING: Action.STOP}
"""The ways to stop an experiment, and the orders for its debates under way."""

UNDER_WAY = (State.RUNNING, *ORDERS)


def stop(
    md: MutualDissent, name: str, how: State = State.STOPPING, *, elsewhere: bool = False
) -> None:
    """Begin no further debate of an experiment, whichever process runs it.

    Args:
        name: its name.
        how: what becomes of debates that have begun: see `State`.
        elsewhere: whether an engine deals it out at the moment, and no process runs it.

    Raises:
        BadInput: if no process runs it.
    """
    _found(md, name)
    before = next(
        (s for s in UNDER_WAY if md.experiments.move(name, how, md.clock(), only=s)), None
    )
    if before is None or not (elsewhere or md.store.holder(lock_id(name)) is not None):
        if before:
            md.experiments.move(name, before, md.clock())
        way = command("experiment resume", repr(name))
        raise BadInput(f"experiment {name} is not under way; go on with: {way}")


def is_stopped(md: MutualDissent, name: str) -> bool:
    """Return whether an experiment is to end."""
    return md.experiments.state(name) in ORDERS


def order(md: MutualDissent, name: str) -> Action | None:
    """Return the order for debates of a stopped experiment that have begun, if any."""
    state = md.experiments.state(name)
    return ORDERS.get(state) if state else None


@contextmanager
def alone(md: MutualDissent, name: str) -> Iterator[None]:
    """Run an experiment that no other process runs.

    Raises:
        BadInput: if another process does.
    """
    try:
        with md.store.hold(lock_id(name)):
            yield
    except Held as e:
        pid = md.store.holder(lock_id(name))
        if pid is None:  # a debate of it is held, not the experiment
            raise
        raise BadInput(
            f"experiment {name} is run by process {pid}; wait for it, or: "
            f"{command('experiment stop', repr(name))}"
        ) from e


def save_state(md: MutualDissent, name: str, stopped: str, left: int) -> None:
    """Put on record where an experiment stands after a run."""
    states = {"stopped": State.STOPPED, "budget": State.BUDGET}
    state = states.get(stopped) or (State.INCOMPLETE if left else State.COMPLETE)
    md.experiments.move(name, state, md.clock())


def lock_id(name: str) -> str:
    """Return the id of an experiment's lock."""
    digest = sha256(f"experiment\0{name}".encode()).digest()
    # Debates have version 4: a lock of an experiment is never one of theirs.
    return str(uuid.UUID(bytes=digest[:16], version=5))


def rows(md: MutualDissent, experiment: str) -> Iterator[ListedDebate]:
    """Yield the stored debates of an experiment."""
    offset = 0
    while page := md.store.list(experiment=experiment, order="newest", limit=PAGE, offset=offset):
        yield from page
        offset += len(page)


def _found(md: MutualDissent, name: str) -> Kept:
    kept = md.experiments.find(name)
    if kept is None:
        known = [k.name for k in md.experiments.every()]
        if not known:
            way = command("experiment new", "NAME")
            raise NotFound(f"no experiment is on record; begin with: {way}")
        raise UnknownName("experiment", name, known)
    return kept


def _parsed(kept: Kept) -> Experiment:
    queries = [ExperimentQuery(**q) for q in _decided(kept).get("queries", [])]
    return parse_experiment(kept.text, kept.name, Path(kept.folder), queries or None)


def _samples(kept: Kept) -> dict[str, int]:
    return dict(_decided(kept).get("samples", {}))


def _decided(kept: Kept) -> dict[str, Any]:
    decided = orjson.loads(kept.settled or "{}")
    return decided if isinstance(decided, dict) else {}


def _standing(md: MutualDissent, kept: Kept, elsewhere: Collection[str]) -> ExperimentState:
    held = list(rows(md, kept.name))
    finished = sum(r.status is Status.COMPLETED for r in held)
    return ExperimentState(
        name=kept.name,
        state=kept.state.value if kept.name in elsewhere else _state(md, kept),
        total=_size(kept),
        completed=finished,
        failed=sum(r.status is Status.ERROR for r in held),
        cost_usd=sum(r.cost_usd or 0.0 for r in held),
        tokens=sum(r.tokens for r in held),
        updated_at=kept.updated_at,
    )


def _size(kept: Kept) -> int | None:
    try:
        experiment = _parsed(kept)
    except (BadInput, ValueError, TypeError):
        return None
    samples = _samples(kept)
    each = sum(c.samples or samples.get(c.name, 0) for c in experiment.asked)
    return each * len(experiment.queries) * experiment.repeats


def _state(md: MutualDissent, kept: Kept) -> str:
    if kept.state in UNDER_WAY and md.store.holder(lock_id(kept.name)) is None:
        return "interrupted"
    return kept.state.value
