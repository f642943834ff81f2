"""Programs that nobody here wrote, against a panel behind an OpenAI-compatible address."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fakes.litellm_client import run_script as run_litellm
from fakes.node_tools import run_script
from fakes.served import served
from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.hosting.sessions import Sessions
from mutual_dissent.providers.responses import blank
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.openai import openai as surface

pytestmark = pytest.mark.outside

ITS_OWN_FAULT = "unknown SSE event type: response.reasoning_summary_text"
"""Events that its own copy of the specification has, and OpenAI's SDK, but not its table."""


@pytest.fixture
def cast():
    return Scripted(dict.fromkeys(("ada", "bob", "claude"), says))


def says(ask):
    """A greeting, or a call of the first tool that there is."""
    if not ask.tools:
        return "Hello to you, Alice."
    needed = ask.tools[0].parameters["required"]
    call = {"id": "c", "name": ask.tools[0].name, "arguments": dict.fromkeys(needed, "Paris")}
    return replace(blank(ask), tool_calls=(call,))


@pytest.fixture
async def url(tmp_path, cast):
    config = '[defaults]\npanel = ["ada", "bob"]\nrounds = 1\n[presets.o3]\nrounds = 1\n'
    (tmp_path / "config.toml").write_text(config)
    (tmp_path / "config.toml").chmod(0o600)
    async with MutualDissent(home=tmp_path, env={}, provider=cast, prices=Tariff()) as md:
        hosted = HostedBackend(md=md, sessions=Sessions(md))
        async with served(hosted, [surface]) as address:
            yield address


async def ran(*command: str, **env: str) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *command,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        stdin=asyncio.subprocess.DEVNULL,
        env={**os.environ, **env},
    )
    out, _ = await asyncio.wait_for(process.communicate(), 180)
    return process.returncode, out.decode()


def program(name: str) -> str:
    return str(Path(sys.executable).parent / name)


@pytest.mark.parametrize("form", ["openai-chat", "open-responses"])
async def test_the_compliance_suite_finds_nothing_wrong_with_what_we_offer(url, form):
    code, out = await ran(
        # It looks at reasoning only of models whose name has "o3" or the like in it.
        program("llm-comply"), "-u", f"{url}/v1", "-k", "none", "-m", "dissent/o3",
        "--format", form, "--json", "--ignore", ITS_OWN_FAULT,
    )  # fmt: skip
    results = json.loads(out[out.index("{") if "{" in out else 0 :])
    found = {r["id"]: r for r in results["results"]}
    wrong = {i: r for i, r in found.items() if r["status"] != "passed"}
    assert len(found) == {"openai-chat": 9, "open-responses": 13}[form]
    assert not wrong, wrong
    assert code in (0, 1)


@pytest.mark.parametrize("flags", [[], ["--no-stream"]])
async def test_the_llm_command_talks_to_a_panel(url, tmp_path, flags):
    user = tmp_path / "llm"
    user.mkdir()
    (user / "extra-openai-models.yaml").write_text(
        f"- model_id: panel\n  model_name: dissent/default\n  api_base: {url}/v1\n"
        "  api_key_name: none\n"
    )
    code, out = await ran(
        program("llm"), "-m", "panel", *flags, "Tabs or spaces?",
        LLM_USER_PATH=str(user), LLM_LOAD_PLUGINS="", OPENAI_API_KEY="none",
    )  # fmt: skip
    assert code == 0, out
    assert "Hello to you, Alice." in out


VERCEL = """
import { generateText, streamText } from "ai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
const panel = createOpenAICompatible({ name: "panel", baseURL: process.env.URL, apiKey: "none" });
const asked = { model: panel("dissent/default"), instructions: "Be brief.", prompt: "Tabs?" };
const whole = await generateText(asked);
const stream = streamText({ ...asked, includeRawChunks: false });
let text = "";
for await (const piece of stream.textStream) text += piece;
console.log(JSON.stringify({
  whole: whole.text, reasoning: whole.reasoningText, tokens: whole.usage.totalTokens,
  text, finish: await stream.finishReason,
}));
"""


async def test_the_vercel_ai_sdk_talks_to_a_panel(url):
    done = await asyncio.to_thread(run_script, VERCEL, "", URL=f"{url}/v1")
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout)
    assert said["whole"].startswith("Hello to you, Alice.")
    assert said["text"].startswith("Hello to you, Alice.")
    assert "bob" in said["reasoning"]
    assert said["tokens"] > 0
    assert said["finish"] == "stop"


LITELLM = """
import json, os
import litellm
asked = {"model": "openai/dissent/default", "api_base": os.environ["URL"], "api_key": "none"}
talk = [{"role": "user", "content": "Tabs or spaces?"}]
told = [{"role": "system", "content": "Be brief, Alice."}, *talk]
whole = litellm.completion(messages=talk, **asked)
pieces = list(litellm.completion(messages=talk, stream=True,
                                 stream_options={"include_usage": True}, **asked))
heard = litellm.completion(messages=told, **asked)
rebuilt = litellm.stream_chunk_builder(pieces)
try:
    litellm.completion(messages=talk, **{**asked, "model": "openai/dissent/nothing"})
except litellm.NotFoundError as e:
    refused = str(e)
message = whole.choices[0].message
print(json.dumps({
    "whole": message.content, "reasoning": message.reasoning_content,
    "tokens": whole.usage.total_tokens, "finish": whole.choices[0].finish_reason,
    "text": "".join(p.choices[0].delta.content or "" for p in pieces if p.choices),
    "thought": "".join(getattr(p.choices[0].delta, "reasoning_content", "") or "" for p in pieces),
    "end": [r for p in pieces if (r := p.choices[0].finish_reason)],
    "rebuilt": rebuilt.choices[0].message.content, "used": rebuilt.usage.total_tokens,
    "heard": heard.choices[0].message.content, "refused": refused,
}))
"""


async def test_litellm_talks_to_a_panel(url, cast):
    done = await asyncio.to_thread(run_litellm, LITELLM, URL=f"{url}/v1")
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.splitlines()[-1])
    for part in ("whole", "text", "rebuilt", "heard"):
        assert said[part].startswith("Hello to you, Alice."), part
    for part in ("reasoning", "thought"):
        assert "bob" in said[part], part
    assert (said["finish"], said["end"]) == ("stop", ["stop"])
    assert said["tokens"] > 0
    assert said["used"] > 0
    assert "dissent/nothing" in said["refused"]
    instructed = [
        a for a in cast.asks if "instructions for your answer\nBe brief, Alice." in a.head
    ]
    assert instructed
    assert len(instructed) < len(cast.asks)
