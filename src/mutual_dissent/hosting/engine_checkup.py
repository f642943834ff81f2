"""The doctor's findings about the configured engine, if there is one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from mutual_dissent.app import MutualDissent
from mutual_dissent.config.file import read_document
from mutual_dissent.core.errors import BadConfig, DissentError
from mutual_dissent.hosting.engines import check_shared, connect_engine, options
from mutual_dissent.store.diagnosis import Finding

PATIENCE = 30.0
ABANDONED = "abandoned"
SUBJECT = "configuration"


async def with_engine(md: MutualDissent, found: Sequence[Finding]) -> list[Finding]:
    """Return the findings so far, and those about the engine.

    Debates that the engine has in hand are not abandoned: a worker will go on with them.
    """
    try:
        read_document(md.home.config)
    except BadConfig:  # of such a file only the record is known, which was checked already
        return list(found)
    subject = SUBJECT
    try:
        chosen = options(md)
        if chosen.engine is None:
            return list(found)
        subject = str(chosen.engine)
        check_shared(md, chosen)
        async with asyncio.timeout(PATIENCE):
            engine = await connect_engine(chosen)
            from mutual_dissent.hosting.temporal.checkup import Visit

            visit = Visit(engine)
            lost = [f.subject for f in found if f.kind == ABANDONED]
            held = await visit.under_way(lost)
            kept = [f for f in found if f.kind != ABANDONED or f.subject not in held]
            return [*kept, *await visit.findings()]
    except TimeoutError:
        text = "it does not answer in time; see that it has room, or try again"
        return [*found, Finding(kind="engine", subject=subject, text=text)]
    except DissentError as e:
        return [*found, Finding(kind="engine", subject=subject, text=str(e))]
