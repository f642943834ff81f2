"""The user on the panel, at a terminal, over REST, and through MCP clients that ask their user."""

from __future__ import annotations

import asyncio
import os
import re
import select
import struct
import sys
import time
from pathlib import Path
from subprocess import Popen

import pytest
from mcp_types import ElicitResult

from fakes.command_line import dissent
from fakes.own_seat import ANSWER, filled_in
from fakes.patience import LONG
from fakes.rest import CHAT, rest
from fakes.roundtable import ERAS, PANEL, Panel, differently, roundtable

pty = pytest.importorskip("pty", reason="SKIPPED: this system has no pseudo-terminals")
fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")

SEATED = ["ada", "me", "bob"]
SIT = """
import sys
from fakes.structured import form_fillers
from mutual_dissent import MutualDissent
from mutual_dissent.hosting.desk import UserDesk
from mutual_dissent.surfaces.cli.output import ResultOutput, show_debate
from mutual_dissent.surfaces.process.signals import Interruption, run

cast = form_fillers("ada", "bob", says=lambda ask: f"Tabs of {ask.panelist.seat}.")
md = MutualDissent(provider=cast)
md.human = UserDesk()
showing = ResultOutput.from_options(md, output=None, file=None, force=False, verbose=False)
more = {"call_timeout": float(sys.argv[1])} if sys.argv[1:] else {}
more |= {"grace": float(sys.argv[2])} if sys.argv[2:] else {}
brief = run(md.brief("Tabs or spaces?", panel=["ada", "me", "bob"], analyst="none", seed=1, **more))
course = Interruption()
sys.exit(run(show_debate(md, md.run(brief), showing, course), course))
"""


def at_terminal(home: Path, typed: list[str], *words: str, **env: str) -> tuple[str, list[str]]:
    """Everything that a debate wrote, and what stood there at each prompt."""
    written, prompts = drawn(home, typed, *words, **env)
    return plain(written), prompts


def drawn(
    home: Path, typed: list[str], *words: str, rows: int = 0, **env: str
) -> tuple[str, list[str]]:
    """The same with all codes of the terminal, which may say how high it is."""
    ours, theirs = pty.openpty()
    if rows:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 100, 0, 0))
    known = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")}
    paths = (str(Path(__file__).resolve().parents[1]), os.environ.get("PYTHONPATH", ""))
    known |= {"PYTHONPATH": ":".join(filter(None, paths)), "TERM": "xterm-256color"}
    known |= {"MUTUAL_DISSENT_HOME": str(home), **env}
    raw, written, prompts, seen, until = b"", "", [], 0, time.monotonic() + LONG
    with Popen(
        [sys.executable, "-c", SIT, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=known
    ) as p:
        os.close(theirs)
        while time.monotonic() < until:
            if select.select([ours], [], [], 0.05)[0]:
                try:
                    data = os.read(ours, 65_536)
                except OSError:  # how Linux says that the other side is closed
                    break
                raw += data
                written = raw.decode(errors="ignore")  # the last character may come in parts
            elif typed and plain(written).endswith("> ") and len(plain(written)) > seen:
                prompts.append(plain(written))
                seen = len(prompts[-1])  # what is typed is echoed a little later
                os.write(ours, f"{typed.pop(0)}\n".encode())
    os.close(ours)
    assert p.returncode == 0, written
    return written, prompts


def plain(text: str) -> str:
    text = re.sub(r"\x1b7.*?\x1b8", "", text)  # what is written elsewhere, and the cursor put back
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text).replace("\r", "")


def test_at_a_terminal_i_answer_blind_and_see_how_it_fared(own_home):
    typed = ["Spaces, since editors differ.", "", "70", "", "", "disagree", "p: width", "nothing"]
    written, prompts = at_terminal(own_home, typed)
    assert not typed
    assert "your turn: initial answers, as Panelist C" in prompts[0]
    assert "You have 10 min." in prompts[0]
    assert not [p for p in prompts[:3] if "Tabs of" in p]
    later = prompts[-1]
    assert "Panelist A" in later
    assert "Tabs of" in later
    assert "ada" not in later.replace("Tabs of ada", "")
    shown = written.rpartition("Tabs or spaces?")[2]
    assert "ada and bob agree with you in part." in shown
    assert "dissent show" in shown


def test_at_a_terminal_i_can_sit_a_round_out_or_write_in_my_editor(own_home, tmp_path):
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\necho 'Spaces, written in an editor.' > \"$1\"\n")
    editor.chmod(0o755)
    written, prompts = at_terminal(own_home, ["/edit", "101", "70", "/skip"], EDITOR=str(editor))
    assert "write a number from 0 to 100" in prompts[2]
    assert "Spaces, written in an editor." in prompts[-1]
    assert "You sit this one out." in written
    assert "me (round 1, not waited for): sat this one out" in written


def test_at_a_terminal_the_debate_goes_on_when_my_time_is_up(own_home):
    written, _ = at_terminal(own_home, ["Spaces"], "1")
    assert "The time is up" in written
    assert "me (initial answers, not waited for): gave no answer" in written


def test_at_a_terminal_a_clock_runs_and_grace_is_said_before_and_when_it_begins(own_home):
    written, prompts = drawn(own_home, ["Spaces"], "600", "2", rows=40)
    assert "You have 10 min, but only 2 s once enough others have answered." in prompts[0]
    said = r"Enough others have answered: you have [12] s left.\n\nYour answer, .*\n> "
    assert re.search(said, plain(written))
    assert "you are not waited for any longer. You sit this one out." in plain(written)
    clock = re.findall(r"\x1b\[40;1H\x1b\[2K(\d+:\d\d) left for your answer", written)
    assert {"10:00", "0:01"} <= set(clock)
    assert written.rfind("\x1b[r") > written.rfind("left for your answer")


def test_without_a_terminal_i_am_refused_before_anybody_is_asked(monkeypatch):
    result = dissent("ask", "Tabs or spaces?", "--panel", "me,ollama:ada")
    assert result.exit_code == 2
    assert "you cannot be asked here; a panel with 'me' needs a terminal" in result.output


def test_a_quote_says_that_i_cost_nothing():
    result = dissent("ask", "Tabs or spaces?", "--panel", "me,ollama:ada", "--dry-run")
    assert result.exit_code == 0, result.output
    assert re.search(r"^me +- +- +- +no cost +you$", result.stdout, re.MULTILINE)


async def test_over_rest_i_read_what_i_am_asked_and_hand_my_answer_in(own_home):
    async with rest(own_home) as api:
        begun = await api.post("/api/chat", {**CHAT, "panel": SEATED, "mode": "reflection"}, 202)
        name = begun["sessionId"]
        here = f"/api/sessions/{name}"
        for _ in range(2):
            while (turn := await api.get(f"{here}/turn"))["request"] is None:
                await asyncio.sleep(0.01)
            request = turn["request"]
            assert turn["seat"] == "me"
            assert request["seconds"] > 500
            seen = await api.get(here)
            texts = [r["content"] for round_ in seen["rounds"] for r in round_["responses"]]
            assert not [t for t in texts if "on initial" in t]
            wrong = {"key": request["key"], "fields": {"answer": "x", "confidence": "much"}}
            said = await api.post(f"{here}/answer", wrong, 422)
            assert "confidence: write a number" in said["error"]["message"]
            body = {"key": request["key"], "fields": filled_in(request)}
            await api.post(f"{here}/answer", body, 202)
            while (await api.get(f"{here}/turn"))["request"] == request:
                await asyncio.sleep(0.01)
        late = await api.post(f"{here}/answer", {"key": request["key"], "skip": True}, 409)
        assert "its time is up" in late["error"]["message"]
        await api.hosted.sessions.wait(name, LONG)
        t = await api.get(here)
        assert t["status"] == "completed"
        mine = [
            r for round_ in t["rounds"] for r in round_["responses"] if r["model_alias"] == "me"
        ]
        assert [r["content"] for r in mine] == [ANSWER, ANSWER]
        account = await api.get(f"{here}/account")
        assert account["account"]["yours"]


async def test_the_events_of_others_come_after_my_own_answer_and_in_order(own_home):
    async with rest(own_home) as api:
        begun = await api.post("/api/chat", {**CHAT, "panel": SEATED, "mode": "reflection"}, 202)
        name, sessions = begun["sessionId"], api.hosted.sessions
        seen: list[str] = []
        numbers: list[int] = []

        async def watch() -> None:
            async for batch in sessions.follow(name):
                seen.extend(f"{e.kind} {getattr(e, 'seat', '')}".strip() for e in batch.events)
                numbers.extend(e.seq for e in batch.events)
                assert not batch.pieces or "closed" in seen or "round_started" in seen

        watching = asyncio.create_task(watch())
        for _ in range(2):
            request = await sessions.desk.next(name)
            await asyncio.sleep(0.1)
            assert not [e for e in seen if e in ("answered ada", "answered bob")]
            sessions.desk.answer(name, request.key, filled_in(request))
            await sessions.desk.wait_closed(request)
        await watching
        assert numbers == sorted(numbers)
        assert seen.count("answered ada") == 3


@pytest.mark.parametrize("era", ERAS)
async def test_an_mcp_client_that_asks_its_user_seats_it(tmp_path, era):
    asked = []

    async def elicit(_context, params):
        asked.append(params)
        fields = [
            {"name": n, "kind": "choice" if "enum" in p else "line", "choices": p.get("enum", ()),
             "words": p["title"]}
            for n, p in params.requested_schema["properties"].items()
        ]  # fmt: skip
        content = {
            k: v.partition(":")[0] for k, v in filled_in({"sheet": {"fields": fields}}).items()
        }
        return ElicitResult(action="accept", content={**content, "confidence": 70.0})

    async with (
        roundtable(tmp_path, Panel(says=differently)) as table,
        table.client(era, elicitation_callback=elicit) as ask,
    ):
        said = await ask.start(agents=[*PANEL, "me"], mode="reflection", wait=300)
        assert said["status"] == "completed"
        assert len(asked) == 2
        assert "You sit on this panel as Panelist" in asked[0].message
        assert "Tabs are better." not in asked[0].message
        assert "Tabs are better." in asked[1].message
        [mine] = [a for a in said["agentResponses"] if a["agentId"] == "me"]
        assert mine["position"] == "Spaces."
        assert len(table.hosted.md.store.list()) == 1


@pytest.mark.parametrize("era", ERAS)
async def test_a_user_who_declines_in_an_mcp_client_sits_out(tmp_path, era):
    async def elicit(_context, _params):
        return ElicitResult(action="decline")

    async with (
        roundtable(tmp_path, Panel(says=differently)) as table,
        table.client(era, elicitation_callback=elicit) as ask,
    ):
        said = await ask.start(agents=[*PANEL, "me"], mode="reflection", wait=300)
        assert said["status"] == "completed"
        assert "me" not in [a["agentId"] for a in said["agentResponses"]]


@pytest.mark.parametrize("era", ERAS)
async def test_an_mcp_client_that_cannot_ask_is_told_so(tmp_path, era):
    async with roundtable(tmp_path) as table, table.client(era) as ask:
        sentence = await ask.refused("start_roundtable", topic="Tabs?", agents=[*PANEL, "me"])
        assert "needs a terminal, the page, or an MCP client that asks its user" in sentence
        assert table.hosted.md.store.list() == []
