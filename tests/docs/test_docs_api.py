"""Every curl line of the API's page is a request that the API takes, and gets an answer."""

from __future__ import annotations

import argparse
import json
import re
import shlex
from base64 import b64decode
from dataclasses import dataclass
from pathlib import Path

import pytest

from fakes.debates import DEBATE_ID, debate
from fakes.patience import LONG
from fakes.rest import rest
from mutual_dissent.briefing.inputs.attachments import contents_of

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "api.md").read_text("utf-8")
HOST = "http://127.0.0.1:8080"
SEATS = ["claude", "gpt", "gemini"]
NOT_NOW = ("/pause", "/hurry", "/stop", "/tell", "/continue", "/again", "/decide",
           "/answer", "/panel")  # fmt: skip
"""What does not fit a debate that is over or has no ballots, or a record without outcomes."""


@dataclass(frozen=True)
class Line:
    """A request, as curl would send it."""

    method: str
    path: str
    headers: dict[str, str]
    body: str | None


def lines() -> list[Line]:
    text = "\n".join(re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)).replace("\\\n", " ")
    words = shlex.split(text.replace("$ID", DEBATE_ID), comments=True)
    starts = [i for i, word in enumerate(words) if word == "curl"]
    assert f"ID={DEBATE_ID}" in words
    pieces = [words[a + 1 : b] for a, b in zip(starts, [*starts[1:], len(words)], strict=True)]
    return [read([w for w in piece if not w.startswith("ID=")]) for piece in pieces]


def read(words: list[str]) -> Line:
    curl = argparse.ArgumentParser(exit_on_error=False)
    curl.add_argument("url")
    curl.add_argument("-H", action="append", default=[])
    curl.add_argument("-d")
    curl.add_argument("-X")
    for flag in ("-N", "-O", "-J"):
        curl.add_argument(flag, action="store_true")
    found = curl.parse_args(words)
    assert found.url.startswith(HOST)
    headers = dict(h.split(": ", 1) for h in found.H)
    method = found.X or ("POST" if found.d else "GET")
    return Line(method, found.url.removeprefix(HOST), headers, found.d)


def test_there_are_lines_for_most_of_what_the_document_describes():
    described = json.loads((ROOT / "docs" / "openapi.json").read_text("utf-8"))["paths"]
    shapes = {p: re.compile(re.sub(r"\\{\w+\\}", ".+", re.escape(p))) for p in described}
    shown = {
        path
        for path, shape in shapes.items()
        if any(shape.fullmatch(line.path.partition("?")[0]) for line in lines())
    }
    assert shown == set(described)


async def test_every_line_gets_an_answer_when_they_are_sent_one_after_the_other(own_home):
    async with rest(own_home, seats=[*SEATS, "local:smollm2"]) as api:
        (dot,) = contents_of("dot.png", b64decode(re.search(r'"data": "(\S+?)"', PAGE)[1]))
        kept = {dot.picture.sha256: (dot.picture.media_type, dot.picture.raw)}
        said = {seat: ["It is so."] * 2 for seat in SEATS}
        api.hosted.md.store.save(debate(said, context=(dot,)))
        api.hosted.md.store.keep_pictures(DEBATE_ID, kept)
        for line in lines():
            answer = await api.client.request(
                line.method, line.path, headers=line.headers, content=line.body
            )
            refusable = answer.status_code in (409, 422) and line.path.endswith(NOT_NOW)
            assert answer.is_success or refusable, f"{line}: {answer.text}"
            if line.path.endswith("/chat") and "Prefer" in line.headers:
                assert answer.json()["answer"]
            await settled(api)


async def settled(api) -> None:
    """A reader of the page would wait for one thing before the next."""
    for name in api.hosted.sessions.live:
        await api.hosted.sessions.wait(name, LONG)


@pytest.mark.parametrize("shown", re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))
def test_what_is_shown_is_json(shown):
    assert json.loads(shown)
