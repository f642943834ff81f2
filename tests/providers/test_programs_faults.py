"""Whatever an agent program does, the call ends, says what happened, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import textwrap

import pytest

from fakes.calls import an_ask
from fakes.patience import LONG, not_for_ever
from fakes.program import Witness, install, programs
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.providers.agents import output, supervisor
from mutual_dissent.providers.agents import process as running

HANG = "import time\nwhile True: time.sleep(600)"
DEAF = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
DAEMON = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        import time
        while True: time.sleep(600)
    os._exit(0)
"""


@pytest.fixture
def witness(tmp_path):
    seen = Witness(tmp_path)
    yield seen
    seen.close()


def ask(program: str = "plain", timeout: float = 60.0):
    return an_ask(vendor="cli", model=program, timeout=timeout)


def much_later(seconds: float) -> None:
    """Let so much time pass at once, as far as the loop can tell."""
    loop = asyncio.get_running_loop()
    now = loop.time
    loop.time = lambda: now() + seconds


async def answer(tmp_path, body, *, timeout=60.0, name="plain", **more):
    provider = programs(tmp_path, body, name=name, **more)
    async with not_for_ever():
        return await provider.ask(ask(name, timeout), lambda _: None)


@pytest.mark.parametrize("deaf", ["", DEAF], ids=["polite", "ignores SIGTERM"])
async def test_a_program_that_hangs_is_ended_at_its_deadline(tmp_path, witness, deaf):
    body = f"{deaf}{witness.code}print('Tabs, bec', flush=True)\n{HANG}"
    provider, said = programs(tmp_path, body, name="plain"), asyncio.Event()
    async with not_for_ever(10 * LONG):
        call = asyncio.create_task(provider.ask(ask(timeout=300.0), lambda _: said.set()))
        await said.wait()
        much_later(300.0)
        response = await call
    assert response.error_kind is ErrorKind.TIMEOUT
    assert "300 s" in response.error
    assert (response.content.strip(), response.finish) == ("Tabs, bec", Finish.INCOMPLETE)
    assert not response.usable
    await witness.at_work()
    await witness.gone()


@pytest.mark.parametrize("deaf", ["", DEAF], ids=["polite", "ignores SIGTERM"])
async def test_a_cancelled_call_ends_the_program_and_its_children(tmp_path, witness, deaf):
    body = f"{deaf}{DAEMON}{witness.code}{DAEMON}{HANG}"
    call = asyncio.create_task(answer(tmp_path, body))
    await witness.at_work()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await witness.gone()
    assert running.PATIENCE + 0.1 < 2
    assert supervisor.GRACE < running.PATIENCE


async def test_children_left_behind_end_with_the_program(tmp_path, witness):
    body = f"{witness.code}{DAEMON}print('Tabs.')"
    response = await answer(tmp_path, body)
    assert (response.content.strip(), response.error) == ("Tabs.", None)
    await witness.at_work()
    await witness.gone()


async def test_killed_ourselves_we_leave_no_program_and_no_folder(tmp_path, witness):
    (tmp_path / "tmp").mkdir()
    path = install(tmp_path / "bin", "claude", f"{witness.code}{DEAF}{DAEMON}{HANG}")
    ours = textwrap.dedent(f"""
        import asyncio
        from mutual_dissent.core.panel import Panelist, Route
        from mutual_dissent.core.response import Ask
        from mutual_dissent.providers.agents.table import ProgramOptions
        from mutual_dissent.providers.agents.provider import Programs
        route = Route(vendor="cli", model_id="claude")
        ask = Ask(key="k", panelist=Panelist(seat="a", route=route), round_number=0, role="r",
                  prompt="", system="", head="", tail="?", timeout=600)
        made = Programs(ProgramOptions(path={path!r}), {{"PATH": {path!r}}})
        asyncio.run(made.ask(ask, print))
    """)
    process = subprocess.Popen(
        [sys.executable, "-c", ours], env={"TMPDIR": str(tmp_path / "tmp"), "PATH": path}
    )
    await witness.at_work()
    assert len(list((tmp_path / "tmp").iterdir())) == 1
    process.send_signal(signal.SIGKILL)
    process.wait()
    await witness.gone()
    async with not_for_ever():
        while list((tmp_path / "tmp").iterdir()):
            await asyncio.sleep(0.01)


async def test_text_beyond_the_limit_is_cut_and_marked(tmp_path, witness):
    body = f"{witness.code}while True: sys.stdout.write('tabs ' * 1000)"
    response = await answer(tmp_path, body, most_text=100_000)
    assert response.finish is Finish.TRUNCATED
    assert len(response.content) == 100_000
    await witness.at_work()
    await witness.gone()


async def test_events_without_end_are_not_heard_out(tmp_path, witness, monkeypatch):
    monkeypatch.setattr(output, "MOST_RAW", 3_000_000)
    body = f"""{witness.code}
while True: sys.stdout.write('{{"type": "noise"}}\\n' * 1000)"""
    response = await answer(tmp_path, body, name="claude")
    assert response.error_kind is ErrorKind.BAD_RESPONSE
    assert "wrote more than 3 MB" in response.error
    await witness.at_work()
    await witness.gone()


async def test_a_line_without_end_is_not_heard_out(tmp_path, monkeypatch):
    monkeypatch.setattr(output, "MOST_LINE", 1_000_000)
    response = await answer(tmp_path, "while True: sys.stdout.write('{' * 65536)", name="claude")
    assert "wrote a line of more than 1 MB" in response.error


async def test_errors_without_end_are_not_heard_out(tmp_path, witness, monkeypatch):
    monkeypatch.setattr(running, "MOST_ERRORS", 1_000_000)
    body = f"{witness.code}while True: sys.stderr.write('trouble ' * 1000)"
    response = await answer(tmp_path, body)
    assert response.error_kind is ErrorKind.BAD_RESPONSE
    assert "of errors" in response.error
    await witness.at_work()
    await witness.gone()


async def test_many_errors_beside_an_answer_do_no_harm(tmp_path):
    response = await answer(tmp_path, "sys.stderr.write('warning\\n' * 100_000)\nprint('Tabs.')")
    assert (response.content.strip(), response.error) == ("Tabs.", None)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("os.write(1, bytes(range(256)) * 40)", "wrote no answer that can be read"),
        ("print('<html>busy</html>')", "<html>busy</html>"),
        ("print('[1, 2]'); print('{\"type\": 5}'); print('null')", "[1, 2]"),
        ('print(\'{"type": "result", "result": [], "usage": "x"}\')', "gave no answer"),
        ("print('{' * 100_000)", "wrote no answer that can be read"),
        ("", "wrote no answer that can be read"),
    ],
)
async def test_garbage_is_no_answer(tmp_path, body, words):
    response = await answer(tmp_path, body, name="claude")
    assert response.error_kind is ErrorKind.BAD_RESPONSE
    assert words in response.error
    assert response.error.isprintable()
    assert not response.usable


async def test_nothing_written_is_an_empty_answer(tmp_path):
    response = await answer(tmp_path, "sys.stdin.read()")
    assert (response.finish, response.error_kind) == (Finish.EMPTY, ErrorKind.BAD_RESPONSE)


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ("sys.exit('out of luck')", ErrorKind.BAD_RESPONSE, "ended with exit code 1: out of luck"),
        ("print('Tabs'); sys.exit(3)", ErrorKind.BAD_RESPONSE, "ended with exit code 3"),
        ("os.kill(os.getpid(), 9)", ErrorKind.BAD_RESPONSE, "ended with exit code 137"),
        ("sys.exit('Error: not logged in')", ErrorKind.AUTH, "is not logged in"),
        ("sys.exit('You hit your usage limit')", ErrorKind.RATE_LIMIT, "usage limit"),
        ("sys.exit('HTTP 529 from upstream')", ErrorKind.OVERLOADED, "529"),
        ("sys.exit('getaddrinfo ENOTFOUND api')", ErrorKind.CONNECTION, "ENOTFOUND"),
        ("sys.exit('TypeError: fetch failed')", ErrorKind.CONNECTION, "fetch failed"),
    ],
)
async def test_an_exit_code_is_a_failure_with_the_programs_own_words(tmp_path, body, kind, words):
    response = await answer(tmp_path, body)
    assert response.error_kind is kind
    assert words in response.error
    assert not response.usable


async def test_a_program_that_does_not_listen_may_still_answer(tmp_path):
    provider = programs(tmp_path, "os.close(0)\nprint('Tabs.')", name="plain")
    big = an_ask(vendor="cli", model="plain", timeout=60.0, head="x" * 3_000_000)
    async with not_for_ever():
        response = await provider.ask(big, lambda _: None)
    assert (response.content.strip(), response.error) == ("Tabs.", None)


async def test_a_program_that_is_not_there_says_what_to_install(tmp_path):
    response = await programs(tmp_path, "", name="other").ask(ask("gemini"), lambda _: None)
    assert response.error_kind is ErrorKind.CONNECTION
    assert "npm install -g @google/gemini-cli" in response.error


async def test_a_program_that_cannot_be_run_is_a_failure(tmp_path):
    provider = programs(tmp_path, "", name="plain")
    (tmp_path / "bin" / "plain").write_text("#!/nonexistent/interpreter\n")
    response = await provider.ask(ask(), lambda _: None)
    assert "cannot be run: No such file" in response.error


async def test_no_more_programs_run_at_once_than_allowed(tmp_path):
    log = tmp_path / "log"
    body = f"""
log = os.open({str(log)!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
os.write(log, b"in ")
print(sys.stdin.read()[:4])
os.write(log, b"out ")
"""
    provider = programs(tmp_path, body, name="plain", concurrency=1)
    async with not_for_ever():
        answers = await asyncio.gather(*(provider.ask(ask(), lambda _: None) for _ in range(4)))
    assert all(a.usable for a in answers)
    assert log.read_text().split() == ["in", "out"] * 4
