"""schemathesis tries every operation of the OpenAPI document: no failure, by any of its checks."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, settings

from fakes.debates import DEBATE_ID, debate
from fakes.patience import LONG
from fakes.rest import PANEL, rest

STORED = Path(__file__).resolve().parents[2] / "docs" / "openapi.json"
SEMANTIC = {
    "POST /api/chat",
    "POST /api/quote",
    "GET /api/panel",
    "GET /api/sessions",
    "GET /api/stats",
    "GET /api/sessions/{session_id}/export",
    "POST /api/sessions/{session_id}/continue",
    "POST /api/sessions/{session_id}/synthesize",
    "POST /api/sessions/{session_id}/decide",
}
"""Where a request in due form may name what does not exist, or what does not fit the session or
the record."""

REFUSED = {"positive_data_acceptance": {"expected-statuses": ["2xx", 404, 409, 422]}}
SHORTER = {"POST /api/quote": {"phases": {"coverage": {"enabled": False}}}}
"""It takes the very body of /api/chat, with which every limit of every field is tried."""

CONFIG = schemathesis.Config.from_dict(
    {
        "operations": [
            {"include-name": n, "checks": REFUSED, **SHORTER.get(n, {})} for n in sorted(SEMANTIC)
        ],
    }
)


class InThread:
    """The API in a thread of its own."""

    def __init__(self, home) -> None:
        self._home = home
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._run(),))
        self._ready, self._done = threading.Event(), asyncio.Event()
        self.url, self.store = "", None

    async def _run(self) -> None:
        async with rest(self._home) as api:
            self.url, self.store = api.url, api.hosted.md.store
            self._ready.set()
            await self._done.wait()

    def __enter__(self):
        self._thread.start()
        assert self._ready.wait(LONG)
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._done.set)
        self._thread.join(LONG)
        self._loop.close()


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with InThread(tmp_path_factory.mktemp("api") / "home") as found:
        yield found


@pytest.fixture
def api(running):
    """The API, with a debate that is over and has the id that the requests name."""
    if DEBATE_ID not in running.store.ids():
        running.store.save(debate({seat: [f"{seat} says so."] * 2 for seat in PANEL}))
    return running


@schemathesis.openapi.from_path(STORED, config=CONFIG).parametrize()
@settings(
    max_examples=3,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
def test_every_operation_does_what_the_document_says(case, api):
    if case.meta.generation.mode.is_positive and "session_id" in case.path_parameters:
        case.path_parameters["session_id"] = DEBATE_ID
    case.call_and_validate(base_url=api.url, timeout=LONG)


def test_the_debate_that_is_tried_is_the_one_that_the_document_shows():
    assert DEBATE_ID in STORED.read_text("utf-8")
