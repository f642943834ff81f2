"""Agent programs that speak the Agent Client Protocol, as panelists: asked, and allowed nothing."""

from __future__ import annotations

import asyncio
import json

import pytest

from fakes.calls import CANARY, an_ask
from fakes.patience import LONG, not_for_ever
from fakes.program import Witness, install
from mutual_dissent.core.errors import UserError
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.providers.agents.provider import Programs
from mutual_dissent.providers.agents.table import PROGRAMS, Program, ProgramOptions

AGENT = """
import json
def send(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\\n"); sys.stdout.flush()
def hear():
    line = sys.stdin.readline()
    if not line: os._exit(0)
    return json.loads(line)
def says(text, kind="agent_message_chunk"):
    content = {"type": "text", "text": text}
    send(method="session/update", params={"sessionId": "s", "update": {
        "sessionUpdate": kind, "content": content}})
def request(method, **params):
    send(id="mine", method=method, params=params)
    return hear()
hello = hear()
send(id=hello["id"], result={"protocolVersion": 1, "agentCapabilities": {}})
new = hear()
send(id=new["id"], result={"sessionId": "s"})
asked = hear()
def ends(reason="end_turn", **more):
    send(id=asked["id"], result={"stopReason": reason, **more})
"""
"""An agent up to the moment when it is asked."""


def agents(folder, body, *, opening=AGENT, env=(), **options):
    path = install(folder / "bin", "agent", f"{opening}\n{body}")
    known = {**PROGRAMS, "it": Program(name="it", command=("agent", "--acp"), output="acp")}
    return Programs(
        ProgramOptions(known=known, path=path, **options), {"PATH": path, **dict(env)}, 1_000
    )


async def answer(folder, body, *, timeout=60.0, **more):
    pieces = []
    async with not_for_ever():
        ask = an_ask(vendor="acp", model="it", timeout=timeout)
        response = await agents(folder, body, **more).ask(ask, pieces.append)
    return response, pieces


async def test_an_agent_is_asked_and_its_words_stream_in(tmp_path):
    body = """
says("thinking", "agent_thought_chunk")
says("Ta"); says("bs.")
ends(usage={"inputTokens": 11, "outputTokens": 3, "totalTokens": 14})
"""
    response, pieces = await answer(tmp_path, body)
    assert (response.content, response.finish, response.error) == ("Tabs.", Finish.COMPLETE, None)
    assert pieces == ["Ta", "bs."]
    assert (response.input_tokens, response.output_tokens) == (11, 3)


async def test_it_is_offered_nothing_and_told_everything_in_the_prompt(tmp_path):
    body = """
says(json.dumps([hello["params"], new["params"], asked["params"], os.listdir("."), os.getcwd(),
    [v for v in os.environ.values()]])); ends()
"""
    env = {"OPENROUTER_API_KEY": CANARY}
    response, _ = await answer(tmp_path, body, env=env)
    hello, new, asked, files, cwd, values = json.loads(response.content)
    assert hello["protocolVersion"] == 1
    assert hello["clientCapabilities"] == {
        "fs": {"readTextFile": False, "writeTextFile": False},
        "terminal": False,
    }
    assert new == {"cwd": cwd, "mcpServers": []}
    assert asked["prompt"] == [
        {"type": "text", "text": "You sit on a panel.\n\nTabs or spaces?\nAnswer."}
    ]
    assert files == []
    assert CANARY not in values


async def test_whatever_it_asks_permission_for_is_refused(tmp_path):
    body = """
choices = [{"optionId": "yes", "kind": "allow_always", "name": "Yes"},
           {"optionId": "no", "kind": "reject_once", "name": "No"}]
told = [request("session/request_permission", sessionId="s", options=choices),
        request("session/request_permission", sessionId="s", options=choices[:1]),
        request("fs/read_text_file", path="/etc/passwd"), request("terminal/create", command="sh")]
says(json.dumps([t.get("result", t.get("error")) for t in told])); ends()
"""
    response, _ = await answer(tmp_path, body)
    refusal = {"code": -32601, "message": "this is not offered"}
    assert json.loads(response.content) == [
        {"outcome": {"outcome": "selected", "optionId": "no"}},
        {"outcome": {"outcome": "cancelled"}},
        refusal,
        refusal,
    ]


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ("ends('refusal')", ErrorKind.REFUSED, ""),
        ("says('Half'); ends('cancelled')", ErrorKind.BAD_RESPONSE, "cancelled"),
        ("ends()", ErrorKind.BAD_RESPONSE, "empty"),
        (
            "send(id=3, error={'code': -32000, 'message': 'Authentication required'})",
            ErrorKind.AUTH,
            "not logged in",
        ),
        ("send(id=3, error={'code': -32603, 'message': 'HTTP 429'})", ErrorKind.RATE_LIMIT, "429"),
        ("send(id=3, error=7)", ErrorKind.BAD_RESPONSE, "without a word"),
        ("os.write(2, b'it broke'); os._exit(3)", ErrorKind.BAD_RESPONSE, "it broke"),
        ("os._exit(0)", ErrorKind.BAD_RESPONSE, "no answer"),
        (
            "print('not a message', flush=True); os._exit(0)",
            ErrorKind.BAD_RESPONSE,
            "not a message",
        ),
        (
            "while True: send(id=1, method='fs/read_text_file', params={})",
            ErrorKind.BAD_RESPONSE,
            "1000 requests",
        ),
    ],
)
async def test_an_agent_that_gives_no_answer_is_a_failure_that_says_why(
    tmp_path, body, kind, words
):
    response, _ = await answer(tmp_path, body)
    assert not response.usable
    assert response.error_kind is kind
    assert words in response.error
    assert response.error.startswith("acp:it ")


async def test_an_agent_of_another_version_is_not_asked(tmp_path):
    other = AGENT.replace('"protocolVersion": 1', '"protocolVersion": 2')
    response, _ = await answer(tmp_path, "says('x')", opening=other)
    assert "another version" in response.error


async def test_an_endless_answer_is_cut(tmp_path):
    response, _ = await answer(tmp_path, "while True: says('word ' * 50)")
    assert response.finish is Finish.TRUNCATED
    assert len(response.content) <= 1_000


@pytest.mark.parametrize("end", ["ends()", ""], ids=["answered", "given up"])
async def test_it_is_gone_with_its_children_whatever_becomes_of_it(tmp_path, end):
    child = "if os.fork() == 0:\n    import time\n    while True: time.sleep(600)\n"
    witness = Witness(tmp_path)
    try:
        body = f"{witness.code}{child}says('Tabs.')\n{end}\nhear()"
        call = asyncio.create_task(answer(tmp_path, body))
        await witness.at_work()
        if end:
            assert (await call)[0].content == "Tabs."
        else:
            call.cancel()
            await asyncio.wait([call], timeout=LONG)
        await witness.gone()
    finally:
        witness.close()


def test_agents_and_other_programs_are_seated_under_their_own_names():
    known = {"it": Program(name="it", command=("agent",), output="acp"), **PROGRAMS}
    options = ProgramOptions(known=known, path="")
    for name, vendor, told in (
        ("it", "cli", "write acp:it"),
        ("claude", "acp", "write cli:claude"),
        ("them", "acp", "'them'"),
        ("it/large", "acp", "takes no model"),
    ):
        with pytest.raises(UserError, match=told):
            options.find(name, vendor)
    with pytest.raises(UserError, match=r"programs\.NAME"):
        ProgramOptions().find("it", "acp")
