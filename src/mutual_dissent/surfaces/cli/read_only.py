"""The app for commands that only read: they also work with a broken configuration."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.process.failure import complain


@contextmanager
def record() -> Iterator[MutualDissent]:
    """Open the app; an invalid configuration is reported in one line, if the store can be found."""
    md = MutualDissent(forgive=_warn)
    try:
        yield md
    finally:
        md.close()


def _warn(why: str) -> None:
    complain(f"{why} (shown without the configuration)")
