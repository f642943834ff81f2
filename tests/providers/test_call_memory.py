"""A huge answer does not fill the memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
CHILD = """
import asyncio, resource, sys
sys.path.insert(0, sys.argv[2])
from fakes.calls import a_router, an_ask, an_endpoint

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

async def main():
    async with a_router(an_endpoint(sys.argv[1] + "/v1")) as router:
        assert (await router.ask(an_ask(), lambda _: None)).usable
        before = peak()
        for _ in range(3):
            response = await router.ask(an_ask(timeout=30), lambda _: None)
        print(peak() - before, response.finish, response.error_kind)

asyncio.run(main())
"""


@pytest.mark.parametrize("fault", ["big", "gzip_bomb"])
@pytest.mark.parametrize("whole", [False, True])
def test_a_huge_answer_costs_at_most_64_megabytes(tmp_path, fault, whole):
    script = tmp_path / "script.json"
    turn = {"fault": fault, "whole": whole}
    script.write_text(json.dumps({"always": turn, "calls": [{}]}))
    command = [sys.executable, str(TESTS / "fakes" / "vendor.py"), "--script", str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as vendor:
        try:
            url = vendor.stdout.readline().strip()
            done = subprocess.run(
                [sys.executable, "-c", CHILD, url, str(TESTS)],
                capture_output=True, text=True, check=True, timeout=60,
            )  # fmt: skip
        finally:
            vendor.terminate()
    grown, finish, kind = done.stdout.split()
    assert float(grown) <= 64
    assert (finish, kind) == (
        ("truncated", "None") if fault == "big" else ("failed", "bad_response")
    )
