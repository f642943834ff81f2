"""A panel whose vendor fails as it is told to, behind one surface."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from fakes.patience import LONG
from fakes.served import served
from fakes.vendor import FakeVendor
from mutual_dissent.app import MutualDissent
from mutual_dissent.hosting.sessions import Sessions
from mutual_dissent.surfaces.http.app import Surface
from mutual_dissent.surfaces.http.backend import HostedBackend

CANARY = "sk-canary-000001"
SEATS = ["openai:m0", "openai:m1", "openai:m2"]


@asynccontextmanager
async def behind(
    vendor: FakeVendor, home: Path, surface: Surface, **limits: Any
) -> AsyncIterator[tuple[HostedBackend, httpx.AsyncClient]]:
    """What is served, and a client of it; the only vendor is that one. `limits` as for `served`."""
    env = {"OPENAI_API_KEY": CANARY, "OPENAI_BASE_URL": vendor.base_url()}
    async with MutualDissent(home=home, env=env) as md:
        hosted = HostedBackend(md=md, sessions=Sessions(md))
        async with (
            served(hosted, [surface], **limits) as url,
            httpx.AsyncClient(base_url=url, timeout=LONG) as client,
        ):
            yield hosted, client
