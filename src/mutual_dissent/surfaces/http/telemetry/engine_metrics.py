"""Cluster engine's figures in Prometheus format; empty without an engine."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import DissentError
from mutual_dissent.hosting.engines import connect_engine, options

if TYPE_CHECKING:
    from mutual_dissent.hosting.temporal.adapter import TemporalEngine

PATIENCE = 3.0
"""Seconds that a scrape of the server waits for the engine's figures."""

HELP = {
    "up": "1 if the engine answers.",
    "workers": "Workers that take debates from the engine.",
    "debates_waiting": "Debates that wait for a worker.",
    "debates_under_way": "Debates that are dealt out and have not ended.",
    "debates_failed": "Debates without an answer, as long as the engine remembers them.",
    "experiments_under_way": "Experiments that are dealt out.",
}


class EngineMetrics:
    """Figures of the configured engine."""

    def __init__(self, md: MutualDissent) -> None:
        self._md = md
        self._engine: TemporalEngine | None = None

    async def text(self) -> str:
        """Return all of them in Prometheus text format; empty without an engine."""
        try:
            if options(self._md).engine is None:
                return ""
            async with asyncio.timeout(PATIENCE):
                values = {"up": 1.0, **await self._figures()}
        except (DissentError, TimeoutError):
            self._engine, values = None, {"up": 0.0}
        return "".join(
            f"# HELP dissent_engine_{name} {HELP[name]}\n# TYPE dissent_engine_{name} gauge\n"
            f"dissent_engine_{name} {value:.12g}\n"
            for name, value in values.items()
        )

    async def _figures(self) -> dict[str, float]:
        if self._engine is None:
            self._engine = await connect_engine(options(self._md))
        from mutual_dissent.hosting.temporal.checkup import figures

        return await figures(self._engine)
