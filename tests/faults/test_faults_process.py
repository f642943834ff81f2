"""Clocks that jump, two processes on one debate, readers that leave, imports that do nothing."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone

import pytest

from fakes.command_line import PROGRAM, dissent, started, wait_until
from fakes.ledgers import unread
from fakes.patience import LONG
from mutual_dissent import MutualDissent
from mutual_dissent.core.events import Status
from mutual_dissent.core.transcript import fold
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.stream import collect_transcript
from mutual_dissent.views.terminal import terminal

SUMMER, WINTER = timezone(timedelta(hours=2)), timezone(timedelta(hours=1))
NOON = datetime(2026, 10, 25, 0, 59, 59, tzinfo=UTC)


def jumping(*steps: timedelta):
    """A clock that goes through these steps again and again."""
    at, n = NOON, 0

    def clock() -> datetime:
        nonlocal at, n
        at += steps[n % len(steps)]
        n += 1
        return at

    return clock


def changing_zone():
    """The hour that comes twice, told in local time as a careless clock would."""
    n = 0

    def clock() -> datetime:
        nonlocal n
        n += 1
        zone = SUMMER if n % 2 else WINTER
        return (NOON + timedelta(milliseconds=n)).astimezone(zone)

    return clock


CLOCKS = {
    "a day back": lambda: jumping(timedelta(seconds=1), timedelta(days=-1)),
    "a day on": lambda: jumping(timedelta(days=1), timedelta(milliseconds=1)),
    "to and fro": lambda: jumping(timedelta(days=1), timedelta(days=-2), timedelta(days=1)),
    "standing still": lambda: jumping(timedelta(0)),
    "past 2038": lambda: jumping(timedelta(days=4200), timedelta(seconds=-1)),
    "before 1970": lambda: jumping(timedelta(days=-365 * 10)),
    "summer time": changing_zone,
}


@pytest.mark.parametrize("name", CLOCKS)
async def test_no_clock_disturbs_a_debate_its_record_or_its_figures(tmp_path, name):
    clock = CLOCKS[name]()
    cast = Scripted(dict.fromkeys(("ada", "bob"), lambda _: "fine"), delay=0.01)
    async with MutualDissent(home=tmp_path / "home", provider=cast, clock=clock) as md:
        seen = [e async for e in md.stream("q", panel=["ada", "bob"], synthesizer="ada", rounds=2)]
        seen = [e for e in seen if hasattr(e, "seq") and e.seq]
        assert [e.seq for e in seen] == list(range(1, len(seen) + 1))
        stored = md.store.events(seen[0].brief.transcript_id)
        assert stored == seen, "in the order of their numbers, whatever their times"
        whole = fold(stored)
        assert whole.status is Status.COMPLETED
        assert [r.round_number for r in whole.turns()] == [0, 0, 1, 1, 2, 2]
        latencies = [r.latency_ms for _, r in whole.responses()]
        assert all(0 <= ms < 600_000 for ms in latencies), "the time of day is no part of them"
        assert "-" not in terminal(whole).splitlines()[-1].partition(" in ")[2].partition(" ")[0]
        ids = {whole.transcript_id}
        for _ in range(4):
            ids.add((await md.debate("q", panel=["ada", "bob"], synthesizer="ada")).transcript_id)
        assert len(ids) == 5
        assert {r.transcript_id for r in md.store.list()} == ids
        assert md.examine() == []


@pytest.mark.parametrize("name", CLOCKS)
async def test_a_debate_is_resumed_under_any_clock(tmp_path, name):
    def bob(ask):
        from mutual_dissent.core.response import ErrorKind
        from mutual_dissent.providers.responses import failure

        return failure(ask, ErrorKind.OVERLOADED, "down") if down else "fine"

    down = True
    cast = Scripted({"ada": lambda _: "fine", "bob": bob})
    home = unread(tmp_path / "home")
    async with MutualDissent(home=home, provider=cast, clock=CLOCKS[name]()) as md:
        first = await md.debate("q", panel=["ada", "bob"], synthesizer="ada")
        assert first.status is Status.ERROR
        down, before = False, len(cast.asks)
        done = await collect_transcript(md.resume(first.transcript_id))
        assert done.status is Status.COMPLETED
        assert len(cast.asks) - before == 1 + 2 + 1, "ada's answer is not bought again"


def test_a_second_process_is_told_who_works_on_a_debate(vendor):
    vendor.fake.then("hang", model="x-ai/grok-4.7", times=9)
    with started("ask", "What is it?", stderr=subprocess.DEVNULL) as first:
        wait_until(lambda: len(vendor.arrivals) == 4)
        [row] = json.loads(dissent("list", "-o", "json").stdout)
        for words in (("resume",), ("score", "--ground-truth", "x")):
            result = dissent(*words, row["transcript_id"])
            assert result.exit_code == 1
            assert f"is being worked on by process {first.pid}" in result.stderr
        assert len(vendor.arrivals) == 4
        first.send_signal(signal.SIGINT)
        assert first.wait(LONG) == 130


@pytest.mark.parametrize("form", ["terminal", "json", "markdown"])
def test_a_reader_of_an_answer_who_leaves_costs_nothing_that_was_paid_for(vendor, form):
    shell = f"{' '.join(PROGRAM)} ask q -o {form} | head -c 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, timeout=LONG, check=False)
    assert done.returncode in (0, 141)
    assert b"Traceback" not in done.stderr
    [row] = json.loads(dissent("list", "-o", "json").stdout)
    assert row["status"] == "completed"


def test_an_export_that_does_not_fit_leaves_nothing_behind(vendor, tmp_path):
    vendor.fake.always(text="many words " * 10_000)
    assert dissent("ask", "What is it?").exit_code == 0
    [row] = json.loads(dissent("list", "-o", "json").stdout)
    old = tmp_path / "old.md"
    old.write_text("mine")
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)); "
    for target in (old, tmp_path / "new.md"):
        words = ["export", row["transcript_id"], "--file", str(target), "--force"]
        code = f"{limit}from mutual_dissent.surfaces.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False
        )
        assert done.returncode == 5, done.stderr
        assert "could not be written" in done.stderr
    assert old.read_text() == "mine"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["home", "old.md", "user"]


IMPORTS = """
import importlib, os, pkgutil, sys
seen = []
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
WATCHED = ("socket.", "sqlite3.", "subprocess.", "os.mkdir", "os.rename", "os.remove", "os.system",
           "os.fork", "os.posix_spawn", "shutil.", "tempfile.", "urllib.")
def hook(name, args):
    if name == "open" and (args[2] or 0) & WRITING or name.startswith(WATCHED):
        seen.append((name, str(args)[:80]))
import asyncio, ssl, uuid, ctypes, platform  # what they do is their own affair
sys.addaudithook(hook)
import mutual_dissent
names = [m.name for m in pkgutil.walk_packages(mutual_dissent.__path__, "mutual_dissent.")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
print(len(names), seen)
"""


def test_no_module_of_ours_does_anything_when_it_is_imported():
    done = subprocess.run(
        [sys.executable, "-B", "-c", IMPORTS], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    count, _, seen = done.stdout.strip().partition(" ")
    assert int(count) > 100
    assert seen == "[]"
