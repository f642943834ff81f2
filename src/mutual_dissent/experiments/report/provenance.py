"""Provenance: what a report must say so that it can be cited and its experiment repeated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from mutual_dissent import __version__
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.events import Status
from mutual_dissent.experiments.design.experiment import Experiment
from mutual_dissent.experiments.jury.schedule import count_judgements
from mutual_dissent.experiments.report.parts import Section
from mutual_dissent.experiments.results.results import TrialResult
from mutual_dissent.experiments.run.registry import rows
from mutual_dissent.store.experiments import State
from mutual_dissent.views.phrases import join_names, money, plural

TITLE = "Where this comes from"
MOST = 12
"""The most names listed in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The origin of an experiment's figures.

    Attributes:
        version: the program that made the report; `versions` are those that held the debates.
        file: the hash of the experiment's file; `queries` is that of the queries, with answers.
        held: when the first and the last debate that is reported began.
        served: alias -> the models that answered under it, as their vendors call them.
        prompts: a set of prompts -> name -> hash; one set unless they were changed in between.
        debates: the number of complete ones, and of all; `judgements` likewise.
        cost_usd: the cost of all debates, judges' and unfinished ones among them; calls of unknown
            price are not in it.
    """

    reported_at: datetime
    version: str
    versions: tuple[str, ...]
    file: str
    queries: str
    seed: int
    held: tuple[datetime, datetime] | None
    served: Mapping[str, tuple[str, ...]]
    prompts: Mapping[str, Mapping[str, str]]
    debates: tuple[int, int]
    judgements: tuple[int, int]
    failed: int
    cost_usd: float
    unpriced: int
    complete: bool


def provenance(
    md: MutualDissent, experiment: Experiment, results: Sequence[TrialResult]
) -> Provenance:
    """Collect the provenance of an experiment's results."""
    mine = {t.transcript_id for t in experiment.trials()}
    stored = list(rows(md, experiment.name))
    done = {r.transcript_id for r in stored if r.status is Status.COMPLETED}
    debates, due = (len(done & mine), experiment.size), count_judgements(experiment)
    state = md.experiments.state(experiment.name)
    judged = not due or state in (None, State.COMPLETE)
    began = [r.origin.began for r in results if r.origin.began is not None]
    return Provenance(
        reported_at=md.clock(),
        version=__version__,
        versions=tuple(sorted({r.origin.version for r in results if r.origin.version})),
        file=_digest(experiment.text),
        queries=_digest(*(f"{q.id}\0{q.text}\0{q.answer}" for q in experiment.queries)),
        seed=experiment.seed,
        held=(min(began), max(began)) if began else None,
        served=_served(results),
        prompts=_prompts(md, results),
        debates=debates,
        judgements=(len(done - mine), due),
        failed=sum(r.status is Status.ERROR for r in stored),
        cost_usd=sum(r.cost_usd or 0.0 for r in stored),
        unpriced=sum(r.unpriced for r in stored),
        complete=debates[0] == debates[1] and judged,
    )


def _served(results: Sequence[TrialResult]) -> dict[str, tuple[str, ...]]:
    served: dict[str, set[str]] = {}
    for alias, model in {pair for r in results for pair in r.origin.served}:
        served.setdefault(alias, set()).add(model)
    return {alias: tuple(sorted(models)) for alias, models in sorted(served.items())}


def _prompts(md: MutualDissent, results: Sequence[TrialResult]) -> dict[str, Mapping[str, str]]:
    """Return every set of prompts, from one debate that was held with it."""
    shown = {r.origin.prompts: r.transcript_id for r in results if r.origin.prompts}
    return {name: md.store.transcript(one).prompts for name, one in sorted(shown.items())}


def _digest(*texts: str) -> str:
    return sha256("\n".join(texts).encode("utf-8", "replace")).hexdigest()[:16]


def incomplete(found: Provenance) -> Iterator[str]:
    """Yield what to know of an incomplete run; nothing of a complete one."""
    if found.complete:
        return
    done, of = found.debates
    failed = f", {found.failed:,} failed" if found.failed else ""
    waiting = "" if done < of else "; judges have not read all of them"
    yield f"This run is incomplete: {done:,} of {of:,} debates are held{failed}{waiting}."


def provenance_section(found: Provenance) -> Section:
    """Return the same as a part of the report."""
    return Section(title=TITLE, head=("what", "which"), rows=tuple(_rows(found)))


def recording_section(path: Path, reported_at: datetime) -> Section:
    """Return the provenance of figures on a recording."""
    digest = sha256(path.read_bytes()).hexdigest()
    return Section(
        title=TITLE,
        head=("what", "which"),
        rows=(
            ("report", _by(reported_at)),
            ("recording", f"{path.name}, sha256 {digest}"),
            ("spent", "nothing: nobody was asked"),
        ),
    )


def _by(moment: datetime) -> str:
    return f"{_time(moment)}, by Mutual Dissent {__version__}"


def _rows(p: Provenance) -> Iterator[tuple[str, str]]:
    yield "report", _by(p.reported_at)
    if p.held:
        by = f", by version {join_names(list(p.versions))}" if p.versions else ""
        yield "debates held", f"{_time(p.held[0])} to {_time(p.held[1])}{by}"
    yield "run", " ".join(incomplete(p)) or f"complete: {plural(p.debates[1], 'debate')}"
    if p.judgements[1]:
        yield "judgements", f"{p.judgements[0]:,} of {p.judgements[1]:,}"
    unknown = f" and {plural(p.unpriced, 'call')} of unknown price" if p.unpriced else ""
    yield "spent", f"{money(p.cost_usd)}{unknown}, judges and unfinished debates included"
    yield "experiment", f"file {p.file}, queries {p.queries}, seed {p.seed}"
    for alias, models in p.served.items():
        more = f" and {len(models) - MOST} more" if len(models) > MOST else ""
        yield f"served as {alias}", ", ".join(models[:MOST]) + more
    for name, hashes in p.prompts.items():
        yield f"prompts, set {name}", ", ".join(f"{n} {h[:8]}" for n, h in sorted(hashes.items()))


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
