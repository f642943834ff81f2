"""Progress of a run: a bar on a terminal, plain lines in a pipe, both on stderr."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from mutual_dissent.surfaces.cli.input import is_terminal
from mutual_dissent.surfaces.cli.tables import dollars
from mutual_dissent.surfaces.process.failure import say
from mutual_dissent.views.phrases import plural

if TYPE_CHECKING:
    from rich.progress import Progress as Drawn

    from mutual_dissent.core.values.deal import Progress

STEPS = 20
"""Lines printed in a pipe: one for each such part of the whole."""


class RunProgress:
    """Shows the progress of a run."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._drawn: Drawn | None = None
        self._step = -1
        self._began = time.monotonic()

    def __enter__(self) -> Self:
        if is_terminal(sys.stderr):
            self._drawn = _bar()
            self._drawn.add_task(self._name, total=None, facts="")
            self._drawn.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._drawn is not None:
            self._drawn.stop()

    def show(self, progress: Progress) -> None:
        """Show progress; in a pipe only when it reached the next step."""
        held = progress.before + progress.done + progress.failed
        if self._drawn is not None:
            task = self._drawn.tasks[0].id
            self._drawn.update(
                task, total=progress.total, completed=held, facts=self._facts(progress)
            )
            return
        step = held * STEPS // max(1, progress.total)
        if step != self._step:
            self._step = step
            say(f"{held:,} of {progress.total:,} debates, {self._facts(progress)}")

    def _facts(self, progress: Progress) -> str:
        held = progress.done + progress.failed
        took = time.monotonic() - self._began
        return facts(progress, took / held * progress.left if held else None)


def facts(progress: Progress, left: float | None) -> str:
    """Format the progress of a run: failures, running debates, cost, remaining time."""
    parts = [
        f"{progress.failed:,} failed" if progress.failed else "",
        f"{progress.running:,} running" if progress.running else "",
        format_spending(progress.earlier + progress.spent, progress.unpriced),
        f"about {duration(left)} left" if left else "",
    ]
    return ", ".join(p for p in parts if p)


def format_spending(amount: float, unpriced: int) -> str:
    """Format dollars spent; calls of unknown price are named, never counted as free."""
    if not unpriced:
        return dollars(amount)
    rest = f"{plural(unpriced, 'call')} of unknown price"
    return f"{dollars(amount)} + {rest}" if amount else rest


def duration(seconds: float) -> str:
    """Format a time to wait."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _bar() -> Drawn:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from mutual_dissent.surfaces.cli.live.screen import console

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("{task.fields[facts]}", markup=False),
        console=console(stderr=True),
        get_time=time.monotonic,
        expand=True,
    )
