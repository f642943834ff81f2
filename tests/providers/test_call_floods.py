"""Nothing that a vendor sends stops the process or fills its memory, whatever it is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fakes.flood import FLOODS, WIRES, Flood

TESTS = Path(__file__).resolve().parents[1]
MOST_BLOCKED = 0.05
"""Seconds of the processor, not of the clock: what others do on the same core does not count."""

TRIES = 3
"""What holds up the loop does so each time; a slow moment of the whole machine does not."""

MOST_HELD = 64
CHILD = """
import asyncio, gc, json, re, sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from fakes.calls import a_router, an_ask, an_endpoint

def held(field):
    return int(re.search(field + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

class Watch:
    '''The most time on the processor that passed in one turn of the loop.'''
    def __init__(self):
        self.loop, self.longest, self.last = asyncio.get_running_loop(), 0.0, time.thread_time()
        self.loop.call_soon(self.look)
    def note(self):
        now = time.thread_time()
        self.longest, self.last = max(self.longest, now - self.last), now
    def look(self):
        self.note()
        self.handle = self.loop.call_soon(self.look)

async def main(url, wire, names):
    endpoint = an_endpoint(url + ("/v1" if wire.startswith("openai") else ""), wire)
    async with a_router(endpoint) as router:
        assert (await router.ask(an_ask(model=f"{wire} hello"), print)).usable
        gc.collect()
        gc.freeze()  # a look at all that was there before is not the reply's doing
        watch = Watch()
        for name in names:
            Path("/proc/self/clear_refs").write_text("5")  # the peak is counted anew
            response, before = None, held("VmRSS")
            watch.longest, watch.last = 0.0, time.thread_time()
            ask = an_ask(model=f"{wire} {name}", timeout=60)
            response = await router.ask(ask, lambda _: None)
            watch.note()
            kept = len(json.dumps(response.tool_calls)), len(response.tool_calls)
            print(json.dumps([name, watch.longest, held("VmHWM") - before, response.finish, *kept,
                              len(response.content), len(response.served_model or "")]))
        watch.handle.cancel()

asyncio.run(main(sys.argv[1], sys.argv[3], json.loads(sys.argv[4])))
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux tells the peak")
@pytest.mark.parametrize("wire", WIRES)
def test_no_reply_stops_the_process_for_long_or_fills_its_memory(wire):
    found = {f[0]: f for f in drowned(wire, list(FLOODS))}
    for _ in range(TRIES - 1):
        if slow := [name for name, blocked, *_ in found.values() if blocked > MOST_BLOCKED]:
            found |= {f[0]: f for f in drowned(wire, slow)}
    for name, blocked, held, _, arguments, calls, text, served in found.values():
        assert blocked <= MOST_BLOCKED, f"{name}: the loop stood still for {blocked * 1000:.0f} ms"
        assert held <= MOST_HELD, f"{name}: {held:.0f} MB more than before"
        assert calls <= 64, name
        assert arguments <= 1_100_000, name
        assert text <= 2_000_000, name
        assert served <= 200, name


def drowned(wire, names):
    """What a process went through that was sent these replies, one after the other."""
    with Flood() as flood:
        done = subprocess.run(
            [sys.executable, "-c", CHILD, flood.url, str(TESTS), wire, json.dumps(names)],
            capture_output=True, text=True, timeout=300,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    assert [name for name, *_ in found] == names
    return found
