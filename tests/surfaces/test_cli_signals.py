"""Interrupted in any way: what was paid for is kept, and the way on is said."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
from pathlib import Path

import pytest

from fakes.command_line import PROGRAM, Terminal, dissent, program, started, wait_until
from fakes.patience import LONG
from mutual_dissent.surfaces.process.signals import PATIENCE, Echoes, Interruption, run

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there are no such signals")
WAY_ON = re.compile(r"interrupted; go on with: dissent resume ([0-9a-f]{8})")


@pytest.fixture
def slow_grok(vendor):
    """Everybody answers at once but grok, who never does."""
    vendor.fake.then("hang", model="x-ai/grok-4.7", times=9)
    return vendor


def three_have_answered(vendor) -> bool:
    listed = dissent("list", "-o", "json")
    return any(row["calls"] == 3 for row in json.loads(listed.stdout or "[]"))


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_it_and_no_answer_is_bought_again(slow_grok, number, code):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with started("ask", "What is it?", **pipes) as process:
        wait_until(lambda: three_have_answered(slow_grok))
        process.send_signal(number)
        out, err = process.communicate(timeout=LONG)
    assert process.returncode == code
    assert out == b""
    assert b"Traceback" not in err
    (name,) = WAY_ON.findall(err.decode())
    (row,) = json.loads(dissent("list", "--output", "json").stdout)
    assert (row["status"], row["transcript_id"][:8]) == ("interrupted", name)
    assert dissent("doctor").stdout == "Nothing is wrong.\n"

    slow_grok.reset()
    resumed = dissent("resume", name, "--output", "json")
    assert resumed.exit_code == 0, resumed.stderr
    assert json.loads(resumed.stdout)["status"] == "completed"
    assert [a.model for a in slow_grok.arrivals].count("openai/gpt-6.1-sol") == 1, "round 1 alone"
    assert len(slow_grok.arrivals) == 1 + 4 + 1 + 1, "who reads it included"


def test_after_sudden_death_no_answer_is_bought_again(slow_grok):
    with started("ask", "What is it?", stderr=subprocess.DEVNULL) as process:
        wait_until(lambda: three_have_answered(slow_grok))
        process.kill()
    (row,) = json.loads(dissent("list", "-o", "json").stdout)
    assert row["status"] == "interrupted"
    slow_grok.reset()
    resumed = dissent("resume", row["transcript_id"][:8], "-o", "json")
    assert resumed.exit_code == 0, resumed.stderr
    assert len(slow_grok.arrivals) == 1 + 4 + 1 + 1, "who reads it included"


def busy(ending: str, patience: float) -> subprocess.Popen[bytes]:
    """A debate of id 01234567 that takes its time to end."""
    code = (
        "import asyncio, time\n"
        "from mutual_dissent.surfaces.process import signals\n"
        "from mutual_dissent.surfaces.process.signals import Interruption, run\n"
        f"signals.PATIENCE = {patience}\n"
        "async def busy():\n"
        "    try:\n"
        "        print('ready', flush=True)\n"
        "        await asyncio.sleep(60)\n"
        "    finally:\n"
        "        print('ending', flush=True)\n"
        f"        {ending}\n"
        "run(busy(), Interruption('0123456789abcdef'))\n"
    )
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([PROGRAM[0], "-c", code], **pipes)


def test_a_second_signal_ends_it_at_once(vendor):
    with busy("await asyncio.sleep(3600)", patience=3600) as process:
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == b"ending\n"
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LONG)
    assert process.returncode == 143, "the second signal, not the first"


def test_the_same_signal_twice_in_a_moment_is_one():
    """As `timeout` sends it: to the program, and to its group."""
    echoes = Echoes()
    assert not echoes.has(signal.SIGTERM, 10.0)
    assert echoes.has(signal.SIGTERM, 10.01)
    assert not echoes.has(signal.SIGINT, 10.02)
    assert not echoes.has(signal.SIGINT, 11.0)
    assert echoes.has(signal.SIGINT, 11.2)
    assert not echoes.has(signal.SIGINT, 11.4), "who keeps pressing is heard"


def test_work_that_winds_up_does_so_where_the_loop_hears_no_signals(monkeypatch):
    """As on Windows, where only the interpreter hears Ctrl-C."""

    class Winding(Interruption):
        def winds_up(self):
            told.set()
            return True

    async def work():
        signal.raise_signal(signal.SIGINT)
        await told.wait()
        return "ended by itself"

    def deaf(*_):
        raise NotImplementedError

    told, before = asyncio.Event(), signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(asyncio.SelectorEventLoop, "add_signal_handler", deaf)
    assert run(work(), Winding()) == "ended by itself"
    assert signal.getsignal(signal.SIGTERM) is before
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_cannot_be_closed_in_time_is_left(vendor):
    """A library that blocks everything does not keep the user waiting."""
    with busy("time.sleep(3600)", patience=PATIENCE) as process:
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=LONG)
    assert PATIENCE < 2
    assert process.returncode == 130
    assert WAY_ON.findall(err.decode()) == ["01234567"]


def test_without_saving_there_is_no_way_on_to_be_said(slow_grok):
    with started("ask", "What is it?", "--no-save", stderr=subprocess.PIPE) as process:
        wait_until(lambda: len(slow_grok.arrivals) == 4)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=LONG)
    assert process.returncode == 130
    assert err.decode().splitlines()[-1] == "interrupted; nothing was saved"


def test_ctrl_c_on_a_terminal_leaves_it_usable(slow_grok):
    terminal = Terminal(*PROGRAM, "ask", "What is it?")
    terminal.until(b"claude")
    wait_until(lambda: (terminal.read(), len(slow_grok.arrivals) == 4)[1])
    terminal.type(b"\x03")
    assert terminal.ended() == 130
    assert terminal.drawn.rfind(b"\x1b[?25h") > terminal.drawn.rfind(b"\x1b[?25l"), "no cursor"
    assert b"Traceback" not in terminal.drawn
    assert WAY_ON.search(terminal.drawn.decode("utf-8", "replace"))


def test_a_reader_that_has_seen_enough_is_no_error(vendor):
    for _ in range(3):
        assert dissent("ask", "What is it?", "-o", "json").exit_code == 0
    for words in (("list", "--output", "json"), ("list",), ("models", "a", "--limit", "9999")):
        shell = f"{' '.join(PROGRAM)} {' '.join(words)} | head -n 1; exit ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", shell], capture_output=True, timeout=LONG, check=False)
        assert done.stderr == b""
        assert done.stdout.count(b"\n") == 1
        assert done.returncode in (0, 141)


def test_an_output_that_cannot_be_written_is_said(vendor):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*PROGRAM, "modes"], stdout=full, stderr=subprocess.PIPE, timeout=LONG, check=False
        )
    assert done.returncode == 1
    assert done.stderr.decode() == (
        "dissent: the output could not be written: No space left on device\n"
    )


def test_closed_streams_are_no_error(vendor):
    done = program("modes")
    assert done.returncode == 0
    shell = f"{' '.join(PROGRAM)} modes >&- 2>&-"
    assert subprocess.run(["bash", "-c", shell], timeout=LONG, check=False).returncode == 0
