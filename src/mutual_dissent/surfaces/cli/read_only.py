"""The record, for commands that only look at it: they work with a broken configuration, too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.process.failure import complain


@contextmanager
def record() -> Iterator[MutualDissent]:
    """The app; what is wrong with the configuration is one line, as long as the place is known."""
    md = MutualDissent(forgive=_warn)
    try:
        yield md
    finally:
        md.close()


def _warn(why: str) -> None:
    complain(f"{why} (shown without the configuration)")
