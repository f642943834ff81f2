"""Make the sample debate of `dissent demo` from a debate that was played by hand.

Run it when the shape of events changes: `.venv/bin/python scripts/sample.py`. The texts are those
of tests/fixtures/played; who speaks has a first name, since no real model said these words. Times
and costs are made up, of the usual size.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mutual_dissent import MutualDissent
from mutual_dissent.core.events import Answered, Event, Opened, event_to_plain
from mutual_dissent.core.response import Ask, Response
from mutual_dissent.providers.scripted import Scripted

ROOT = Path(__file__).parents[1]
PLAYED = ROOT / "tests" / "fixtures" / "played" / "garden.json"
TARGET = ROOT / "src" / "mutual_dissent" / "surfaces" / "facts" / "sample.json"
CAST = ("ada", "ben", "cleo", "dan")
PACE = {"ada": 2.6, "ben": 3.5, "cleo": 2.2, "dan": 3.0}
"""Milliseconds a character."""
BEGIN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


async def held(script: dict[str, Any]) -> list[Event]:
    """The events of the debate."""
    seats = dict(zip(CAST, script["panel"], strict=True))

    def says(ask: Ask) -> str:
        return str(script["replies"][f"{ask.key.rpartition('/')[0]}/{seats[ask.panelist.seat]}"])

    with tempfile.TemporaryDirectory() as home:
        async with MutualDissent(
            provider=Scripted(dict.fromkeys(CAST, says)), home=home, clock=lambda: BEGIN
        ) as md:
            brief = await md.brief(
                script["query"],
                panel=CAST,
                synthesizer=CAST[0],
                analyst=CAST[0],
                mode=script["mode"],
                rounds=script["rounds"],
                seed=script["seed"],
            )
            brief = replace(brief, transcript_id="5a3b1e00-0000-4000-8000-000000000000", nonce="0")
            return [e async for e in md.run(brief, save=False) if isinstance(e, Event)]


def timed(events: list[Event]) -> list[Event]:
    """The events in the order and at the times at which they would have happened."""
    now, found, waiting = BEGIN, [], []
    for event in events:
        if isinstance(event, Opened):
            event = replace(event, settings={}, prompts={}, version="")  # noqa: PLW2901
        if isinstance(event, Answered):
            response = taking_time(event.response)
            at = now + timedelta(milliseconds=response.latency_ms or 0)
            waiting.append(replace(event, at=at, response=replace(response, timestamp=at)))
            continue
        found += sorted(waiting, key=lambda e: e.at)
        now = max((e.at for e in waiting), default=now)
        waiting = []
        found.append(replace(event, at=now))
    return [replace(e, seq=n) for n, e in enumerate(found, 1)]


def taking_time(r: Response) -> Response:
    """A response with the time, the tokens and the price of its length."""
    took = 1500 + int(len(r.content) * PACE[r.model_alias])
    tokens = int(len(r.content) / 3.9) + 40
    price = round((r.input_tokens or 0) * 2e-6 + tokens * 1e-5, 6)
    return replace(
        r,
        latency_ms=took,
        first_token_ms=900,
        output_tokens=tokens,
        token_count=(r.input_tokens or 0) + tokens,
        cost_usd=price,
    )


def main() -> None:
    """Write the file."""
    events = timed(asyncio.run(held(json.loads(PLAYED.read_text("utf-8")))))
    plain = [event_to_plain(e) for e in events]
    TARGET.write_text(json.dumps(plain, ensure_ascii=False, indent=1, default=str) + "\n", "utf-8")


if __name__ == "__main__":
    main()
