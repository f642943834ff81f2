"""Earlier debates on the matter are named before a new one, and nothing else is."""

from __future__ import annotations

import asyncio
import json

import pytest

from fakes.command_line import dissent
from fakes.rest import CHAT, PANEL, rest
from mutual_dissent.app import CROWD
from mutual_dissent.text.likeness import most_like

BEFORE = "Should a small startup write its backend in Rust or in Go?"
AGAIN = "Rust or Go for the backend of our startup?"
OTHER = "How long does bread dough have to rest before it is baked?"
SAID = "you asked something like this on "


def test_who_asks_again_is_told_of_the_earlier_debate_before_anything_is_spent(vendor):
    told = json.loads(dissent("ask", BEFORE, "--output", "json").stdout)
    name = told["transcript_id"][:8]
    calls = len(vendor.arrivals)
    shown = dissent("ask", AGAIN, "--dry-run").stderr
    assert len(vendor.arrivals) == calls
    for words in (SAID, BEFORE, f"dissent show {name}", f"--conversation {name}"):
        assert words in shown
    for words in (
        ("ask", OTHER, "--dry-run"),
        ("ask", AGAIN, "--dry-run", "--quiet"),
        ("ask", AGAIN, "--dry-run", "--conversation", name),
    ):
        assert SAID not in dissent(*words).stderr
    for more in ((), ("--quiet",)):
        shown = dissent("ask", BEFORE, "--recall", "auto", "--dry-run", *more).stderr
        assert "the panel is told what you asked on " in shown
        assert "set recall to show to leave it out" in shown
    assert len(vendor.arrivals) == calls
    assert SAID not in dissent("ask", AGAIN, "--dry-run", "--recall", "off").stderr
    assert dissent("config", "set", "defaults.recall", "off").exit_code == 0
    assert SAID not in dissent("ask", AGAIN, "--dry-run").stderr


async def test_hundreds_who_ask_at_once_do_not_wait_for_what_was_asked_before(own_home):
    async with rest(own_home) as api:
        name, md = (await api.chat(message=BEFORE))["sessionId"], api.hosted.md
        told = await asyncio.gather(*(md.brief(AGAIN, panel=PANEL) for _ in range(60)))
        # Who is done makes room for another, so that it may be a few more than fit at once.
        assert 0 < sum(bool(brief.similar) for brief in told) <= 3 * CROWD
        [found] = (await md.brief(AGAIN, panel=PANEL)).similar  # nobody asks beside this one
        assert found.transcript_id == name


async def test_a_quote_names_earlier_debates_on_the_matter_of_the_same_owner(own_home):
    async with rest(own_home) as api:
        name = (await api.chat(message=BEFORE))["sessionId"]
        [found] = (await api.post("/api/quote", {**CHAT, "message": AGAIN}))["similar"]
        assert (found["sessionId"], found["query"]) == (name, BEFORE)
        assert found["heading"] == (await api.get("/api/sessions"))["items"][0]["heading"][:200]
        assert (await api.post("/api/quote", {**CHAT, "message": OTHER}))["similar"] == []
        wanted = {**CHAT, "message": BEFORE, "recall": "auto"}
        quoted = await api.post("/api/quote", wanted)
        [told] = quoted["similar"]
        assert (told["sessionId"], told["attached"]) == (name, True)
        assert [text["name"] for text in quoted["attached"]] == [f"debate {name[:8]}"]
        again = (await api.chat(**wanted))["sessionId"]
        [line] = (await api.get(f"/api/sessions/{again}/account"))["account"]["earlier"]
        assert name[:8] in line
        md = api.hosted.md
        assert [d.transcript_id for d in (await md.brief(AGAIN, panel=PANEL)).similar] == [
            again,
            name,
        ]
        assert (await md.brief(AGAIN, panel=PANEL, owner="somebody else")).similar == ()


@pytest.mark.parametrize(
    ("asked", "earlier"),
    [
        ("Which year was the town of Brunnthal in Bavaria founded?",
         "Which year was the town of Aying in Bavaria founded?"),
        ("Find the least value of $x^2 + 3x$ for real numbers $x$.",
         "Find the least value of $y^4 - y$ for real numbers $y$."),
        ("What should we do?", "What should we do about the budget?"),
        ("Is it good to run a marathon?", "Is it good to run a server at home?"),
    ],
)  # fmt: skip
def test_the_same_phrase_about_something_else_is_no_earlier_debate(asked, earlier):
    assert most_like(asked, [earlier]) == []


def test_the_most_alike_question_comes_first():
    earlier = [OTHER, "Is Go or Rust the better language for students?", BEFORE]
    assert most_like(AGAIN, earlier)[0].place == 2
