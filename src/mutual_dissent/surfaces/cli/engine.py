"""The option --engine, and what commands print about an engine."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from mutual_dissent.core.errors import BadInput
from mutual_dissent.surfaces.cli.tables import table

if TYPE_CHECKING:
    from mutual_dissent.app import MutualDissent
    from mutual_dissent.config.sections import ClusterOptions
    from mutual_dissent.hosting.engine import Roster

engine_option = click.option(
    "--engine",
    metavar="URL",
    help="The Temporal server that deals debates out (temporal://HOST:7233/NAMESPACE); by default "
    "MUTUAL_DISSENT_ENGINE or [cluster] engine. Keys go into the environment.",
)


def configured_engine(md: MutualDissent, given: str | None = None) -> ClusterOptions | None:
    """Return the engine from the option or the configuration, if any.

    Raises:
        UserError: if it cannot be used with this store.
    """
    from mutual_dissent.hosting.engines import check_shared, options

    cluster = options(md, given)
    if cluster.engine is None:
        return None
    check_shared(md, cluster)
    return cluster


def required_engine(md: MutualDissent, given: str | None = None) -> ClusterOptions:
    """Return the engine, for commands that need one.

    Raises:
        UserError: if none is configured, or it cannot be used with this store.
    """
    options = configured_engine(md, given)
    if options is None:
        raise BadInput(
            "an engine deals debates out to workers, and none is configured; start one for trying "
            "with: dissent cluster dev, or name yours by --engine, MUTUAL_DISSENT_ENGINE or "
            '[cluster] engine = "temporal://HOST:7233" in the configuration'
        )
    return options


def roster_as_text(roster: Roster, now: datetime) -> str:
    """Format the workers as a table, with the seconds since each was last heard from."""
    rows = [
        (w.name, f"{max(0, round((now - w.heard).total_seconds()))} s ago" if w.heard else "")
        for w in roster.workers
    ]
    return table(("NAME", "HEARD"), rows)
