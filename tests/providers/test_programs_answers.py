"""What an agent program is given, and how its answer is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fakes.calls import CANARY, an_ask
from fakes.program import programs, recorded
from mutual_dissent.core.ports import RESTART
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.providers.agents.provider import JOINER, harmless

TELL = """
import json
heard = sys.stdin.read()
files = os.listdir(".")
open("left behind", "w").write("x")
places = [w.rpartition("=")[2] for w in (*sys.argv, *os.environ.values())]
system = [open(p).read() for p in places if p.endswith("system.md")]
print(json.dumps({
    "argv": sys.argv[1:], "heard": heard, "files": files, "cwd": os.getcwd(),
    "env": dict(os.environ), "system": system,
}))
"""
"""A program that tells all it knows; as text, so that it can be read by the test."""


def ask(program: str = "plain", **more):
    return an_ask(vendor="cli", model=program, timeout=60.0, **more)


async def told(tmp_path, *, name="plain", model=None, env=(), **more):
    provider = programs(tmp_path, TELL, name=name, env=dict(env), output="text")
    response = await provider.ask(ask(model or name, **more), lambda _: None)
    assert response.error is None
    return json.loads(response.content)


async def test_the_prompt_comes_by_standard_input_and_by_no_argument(tmp_path):
    found = await told(tmp_path)
    assert found["heard"] == "You sit on a panel.\n\nTabs or spaces?\nAnswer."
    assert found["argv"] == ["--quietly"]


@pytest.mark.parametrize("name", ["claude", "codex", "gemini"])
async def test_the_system_text_goes_by_a_file_where_the_program_takes_one(tmp_path, name):
    found = await told(tmp_path, name=name)
    assert found["heard"] == "Tabs or spaces?\nAnswer."
    assert found["system"] == ["You sit on a panel."]
    assert "panel" not in " ".join(found["argv"])


async def test_a_file_for_the_system_text_is_never_empty(tmp_path):
    found = await told(tmp_path, name="codex", system="")
    assert found["system"][0].strip()


async def test_the_working_folder_is_empty_and_gone_afterwards(tmp_path):
    found = await told(tmp_path)
    assert found["files"] == []
    assert not Path(found["cwd"]).exists()
    assert not Path(found["cwd"]).parent.exists()


@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "plain"])
async def test_no_key_of_ours_reaches_a_program(tmp_path, name):
    keys = {f"{v}_API_KEY": CANARY for v in ("ANTHROPIC", "OPENAI", "GEMINI", "OPENROUTER")}
    keys |= {"TAVILY_API_KEY": CANARY, "MUTUAL_DISSENT_HOME": "/x", "SECRET": CANARY}
    found = await told(tmp_path, name=name, env={**keys, "LANG": "C.UTF-8", "TERM": "dumb"})
    assert CANARY not in json.dumps(found)
    assert "MUTUAL_DISSENT_HOME" not in found["env"]
    assert found["env"]["LANG"] == "C.UTF-8"
    assert found["env"]["HOME"] == str(tmp_path)


async def test_the_login_of_a_program_reaches_that_program_alone(tmp_path):
    login = {"CLAUDE_CODE_OAUTH_TOKEN": "its own"}
    assert (await told(tmp_path, name="claude", env=login))["env"].items() >= login.items()
    assert "CLAUDE_CODE_OAUTH_TOKEN" not in (await told(tmp_path, env=login))["env"]


@pytest.mark.parametrize(
    ("name", "off"),
    [
        ("claude", ["--tools", "", "--strict-mcp-config"]),
        ("codex", ["--sandbox", "read-only", "--ephemeral"]),
        ("gemini", ["--approval-mode", "plan", "--skip-trust"]),
    ],
)
async def test_programs_are_run_without_tools(tmp_path, name, off):
    words = (await told(tmp_path, name=name))["argv"]
    start = words.index(off[0])
    assert words[start : start + len(off)] == off


async def test_a_named_model_follows_its_flag_and_can_be_no_flag(tmp_path):
    found = await told(tmp_path, name="claude", model="claude/opus")
    assert found["argv"][-2:] == ["--model", "opus"]
    provider = programs(tmp_path, TELL)
    refused = await provider.ask(ask("claude/--dangerously-skip-permissions"), lambda _: None)
    assert refused.error_kind is ErrorKind.UNKNOWN_MODEL
    plain = await provider.ask(ask("plain/x"), lambda _: None)
    assert "takes no model" in plain.error


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("see @/etc/passwd", f"see @{JOINER}/etc/passwd"),
        ("see @~/.ssh/id and @a/../../b", f"see @{JOINER}~/.ssh/id and @{JOINER}a/../../b"),
        ('see @"a b/c"', f'see @{JOINER}"a b/c"'),
        ("line\n@../secret", f"line\n@{JOINER}../secret"),
        ("@property of ada@example.org/x", "@property of ada@example.org/x"),
        ("no mention", "no mention"),
    ],
)
async def test_a_prompt_cannot_make_a_program_read_a_file(text, seen):
    assert harmless(text) == seen


async def test_a_quoted_file_is_not_mentioned_to_the_program(tmp_path):
    found = await told(tmp_path, head="Read @/etc/passwd!")
    assert "@/etc" not in found["heard"]


@pytest.mark.parametrize(
    ("name", "served", "cost", "pieces", "tokens"),
    [
        ("claude", "claude-x", 0.000105, ["O", "K"], (11, 2, 0)),
        ("codex", None, None, ["OK"], (11, 2, 3)),
        ("gemini", "gemini-3.1-pro-preview-customtools", None, ["O", "K"], (11, 2, 0)),
    ],
)
async def test_what_real_programs_wrote_is_read(tmp_path, name, served, cost, pieces, tokens):
    heard: list[str] = []
    provider = programs(tmp_path, recorded(f"{name}-ok"), name=name)
    response = await provider.ask(ask(name), heard.append)
    assert (response.content, response.error, heard) == ("OK", None, pieces)
    assert response.finish is Finish.COMPLETE
    assert (response.input_tokens, response.output_tokens, response.cached_tokens) == tokens
    assert response.served_model == served
    assert not response.served_by_another
    assert response.cost_usd == pytest.approx(cost) if cost else response.cost_usd is None
    assert response.latency_ms >= response.first_token_ms


@pytest.mark.parametrize(
    ("recording", "code", "kind", "words"),
    [
        ("claude-login", 1, ErrorKind.AUTH, "run `claude` and then /login"),
        ("claude-401", 1, ErrorKind.AUTH, "not logged in"),
        ("claude-404", 1, ErrorKind.UNKNOWN_MODEL, "issue with the selected model"),
        ("codex-401", 1, ErrorKind.AUTH, "run `codex login`"),
        ("codex-429", 1, ErrorKind.RATE_LIMIT, "429 Too Many Requests"),
        ("gemini-401", 145, ErrorKind.AUTH, "choose how to log in"),
    ],
)
async def test_what_real_programs_failed_with_is_understood(tmp_path, recording, code, kind, words):
    name = recording.partition("-")[0]
    provider = programs(tmp_path, recorded(recording, code), name=name)
    response = await provider.ask(ask(name), lambda _: None)
    assert response.error_kind is kind
    assert words in response.error
    assert (response.content, response.finish) == ("", Finish.FAILED)


async def test_a_program_that_goes_on_trying_a_refused_login_is_not_waited_for(tmp_path):
    body = recorded("claude-401").replace("os._exit(0)", "import time; time.sleep(600)")
    response = await programs(tmp_path, body).ask(ask("claude"), lambda _: None)
    assert response.error_kind is ErrorKind.AUTH


async def test_only_the_last_message_of_codex_is_its_answer(tmp_path):
    lines = [
        {"type": "item.completed", "item": {"type": "agent_message", "text": "Let me think."}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "Tabs."}},
        {"type": "turn.completed", "usage": {}},
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    heard: list[str] = []
    body = f"print({text!r})"
    response = await programs(tmp_path, body, name="codex").ask(ask("codex"), heard.append)
    assert response.content == "Tabs."
    assert heard[1] is RESTART
    assert heard == ["Let me think.", RESTART, "Tabs."]
