"""The configured engine, and what is missing where it cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutual_dissent.app import MutualDissent
from mutual_dissent.config.file import read_document
from mutual_dissent.config.sections import ClusterOptions, read_cluster
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.values.terms import option
from mutual_dissent.store.postgres.server import PostgresServer

if TYPE_CHECKING:
    from mutual_dissent.hosting.temporal.adapter import TemporalEngine


def options(md: MutualDissent, given: str | None = None) -> ClusterOptions:
    """Return the engine that was named, else that of the environment or the configuration."""
    return read_cluster(read_document(md.home.config), md.env, given)


async def connect_engine(found: ClusterOptions) -> TemporalEngine:
    """Return the engine, connected.

    Raises:
        DissentError: if it cannot be used; the sentence says what to do.
    """
    try:
        from mutual_dissent.hosting.temporal.adapter import TemporalEngine
    except ImportError as e:
        raise BadInput(
            "an engine needs more than is installed; run: pip install 'mutual-dissent[cluster]'"
        ) from e
    return await TemporalEngine.connect(found)


def check_shared(md: MutualDissent, found: ClusterOptions) -> None:
    """Check that the workers of the engine can read the record.

    Raises:
        BadInput: if it is a file on this machine, and the engine is elsewhere.
    """
    here = found.engine is not None and found.engine.is_here
    if not here and not isinstance(md.place, PostgresServer):
        raise BadInput(
            "workers on other machines cannot read a file: this needs a PostgreSQL database; name "
            f"one by {option('db')}, MUTUAL_DISSENT_DB or [store] url in the configuration"
        )
