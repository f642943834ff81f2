"""The library as a script and a notebook use it."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys

import pytest

from fakes.played import held_again
from mutual_dissent import DissentError, MutualDissent, Transcript
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.views.documents.formats import FORMATS


@pytest.fixture
async def debate(own_home) -> Transcript:
    return await held_again("garden", own_home)


async def test_everything_that_the_json_says_is_an_attribute(debate):
    told = json.loads(FORMATS["json"](debate))
    assert debate.heading == told["heading"]
    assert debate.closed == told["closed"]
    assert debate.closed.reason == told["closed"]["reason"]
    assert debate.fallback_answer is None
    assert len(debate.superseded) == len(told["superseded"])
    assert debate.metadata.decision == told["metadata"]["decision"]
    assert debate.metadata["movement"] == told["metadata"]["movement"]
    assert debate.metadata.value == told["metadata"]["value"]
    with pytest.raises(AttributeError, match="there is no 'nothing'"):
        debate.metadata.nothing  # noqa: B018


async def test_a_transcript_becomes_plain_values_and_comes_back(debate):
    plain = debate.to_dict()
    json.dumps(plain)
    again = Transcript.from_dict(plain)
    assert again.transcript_id == debate.transcript_id
    assert again.heading == debate.heading
    assert again.synthesis.content == debate.synthesis.content
    assert again.to_dict()["rounds"] == plain["rounds"]


@pytest.mark.parametrize("plain", [{}, {"query": 3}, {"x": object()}])
def test_what_is_no_transcript_is_refused_in_a_sentence(plain):
    with pytest.raises(DissentError, match="no transcript"):
        Transcript.from_dict(plain)


async def test_a_notebook_shows_the_answer_and_who_holds_what_and_runs_nothing(debate):
    shown = debate._repr_html_()
    assert "Who holds what" in shown
    assert "do not dig sand into heavy clay" in shown
    assert "<script" not in shown
    assert "<style" not in shown


async def test_hostile_words_do_nothing_in_a_notebook(own_home):
    cast = Scripted({"a": lambda _: "<script>x()</script>", "b": lambda _: "<img onerror=x()>"})
    async with MutualDissent(provider=cast, home=own_home) as md:
        t = await md.debate("<b onclick=x()>?", panel=["a", "b"])
    assert "<script" not in t._repr_html_()
    assert "<img" not in t._repr_html_()
    assert "<b " not in t._repr_html_()


async def test_whoever_wants_no_tokens_gets_all_else_that_happens(own_home):
    cast = Scripted({"a": lambda _: "Yes.", "b": lambda _: "No."})
    async with MutualDissent(provider=cast, home=own_home) as md:
        seen = {True: [], False: []}
        for tokens, found in seen.items():
            async for event in md.stream("Well?", panel=["a", "b"], tokens=tokens):
                found.append(type(event).__name__)
    assert "Token" in seen[True]
    assert seen[False] == [name for name in seen[True] if name != "Token"]


WRONG = [
    {"nonsense": 1},
    {"panle": ["a", "b"]},
    {"panel": 5},
    {"panel": [1, 2]},
    {"rounds": "many"},
    {"rounds": 1.5},
    {"rounds": True},
    {"max_cost": "cheap"},
    {"context": ["a text"]},
    {"score": "some"},
    {"roles": ["a"]},
    {"seed": "7"},
]


@pytest.mark.parametrize("options", WRONG, ids=str)
async def test_a_wrong_argument_is_one_sentence(own_home, options):
    async with MutualDissent(provider=Scripted({}), home=own_home) as md:
        with pytest.raises(DissentError):
            await md.brief("q", **{"panel": ["a", "b"], **options})


@pytest.mark.parametrize("query", [None, 5, b"bytes", ["q"], ""])
async def test_a_query_that_is_no_text_is_one_sentence(own_home, query):
    async with MutualDissent(provider=Scripted({}), home=own_home) as md:
        with pytest.raises(DissentError, match="the query is"):
            await md.brief(query, panel=["a", "b"])


async def test_wrong_arguments_about_stored_debates_are_one_sentence(debate, own_home):
    name = debate.transcript_id
    async with MutualDissent(provider=Scripted({}), home=own_home) as md:
        for work in (
            lambda: md.resume(5),
            lambda: md.resume(name, remark=5),
            lambda: md.resume(name, max_cost="x"),
            lambda: md.go_on(name, rounds="x"),
            lambda: md.go_on(name, colour="red"),
            lambda: md.replay(5),
            lambda: md.replay(name, rounds="x"),
            lambda: md.replay(name, colour="red"),
            lambda: md.score(name, 5),
            lambda: md.analyze(name, analyst=5),
        ):
            with pytest.raises(DissentError):
                async for _ in work():
                    pass
        with pytest.raises(DissentError):
            md.direct(name, "pause", 5)


def test_a_transcript_knows_its_words_without_the_app():
    code = "from mutual_dissent import Transcript; Transcript.from_dict({})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "BadInput: this is no transcript" in done.stderr


def test_every_attribute_is_described():
    for name, member in inspect.getmembers(Transcript):
        if isinstance(member, property):
            assert member.__doc__, name
