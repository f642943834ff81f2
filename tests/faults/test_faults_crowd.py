"""Many debates at once in a process that may open few files and take little memory."""

from __future__ import annotations

import subprocess
import sys

import pytest

from fakes.vendor import FakeVendor

CROWD = """
import asyncio, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
from mutual_dissent import MutualDissent
home, url = sys.argv[1:]
env = {"HOME": home, "OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": url}
seats = [f"openai:m{i}" for i in range(4)]
async def main():
    async with MutualDissent(home=home, env=env) as md:
        all_ = await asyncio.gather(*(md.debate("q", panel=seats, synthesizer=seats[0])
                                      for _ in range(100)))
    print(sum(t.synthesis is not None for t in all_), sum(len(t.absent) for t in all_))
    peak = next(l for l in open("/proc/self/status") if l.startswith("VmHWM"))
    print(int(peak.split()[1]) // 1024)
asyncio.run(main())
"""


@pytest.mark.slow
async def test_a_hundred_debates_queue_rather_than_fail(tmp_path):
    async with FakeVendor(whole=True) as vendor:
        import asyncio

        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", CROWD, str(tmp_path), vendor.base_url("openai-chat"),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        out, err = await process.communicate()
    assert process.returncode == 0, err.decode()[-2000:]
    done, memory = out.decode().splitlines()
    assert done == "100 0"
    assert int(memory) < 300
