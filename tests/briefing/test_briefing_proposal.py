"""`--preset auto`: a model proposes how a debate is held, from a catalogue and by one call."""

from __future__ import annotations

import json

import pytest

from fakes.world import Tariff
from mutual_dissent import MutualDissent
from mutual_dissent.core.errors import UserError
from mutual_dissent.core.figures.stats import stats
from mutual_dissent.core.response import ErrorKind
from mutual_dissent.core.transcript import fold
from mutual_dissent.providers.responses import failure
from mutual_dissent.providers.scripted import Scripted

PANEL = ["ada", "bob", "cyd"]


def proposal(**more):
    fields = {
        "preset": "decide", "mode": "own", "perspectives": [], "panel": PANEL, "reason": "Choose.",
    }  # fmt: skip
    return json.dumps(fields | more)


@pytest.fixture
def app(own_home):
    def made(reply, **more):
        says = {p: lambda a: reply if a.role == "proposal" else "Bottom line: Go.\n" for p in PANEL}
        return MutualDissent(provider=Scripted(says | more), prices=Tariff())

    return made


async def held(md, **options):
    return await md.brief("Which database?", **{"panel": PANEL, "preset": "auto"} | options)


async def test_the_proposal_decides_preset_mode_perspectives_and_panel(app):
    reply = proposal(mode="expert-panel", perspectives=["economic", "technical"])
    async with app(reply) as md:
        brief = await held(md)
    assert (brief.preset, brief.mode) == ("decide", "expert-panel")
    assert [p.perspective for p in brief.panel] == ["economic", "technical", "economic"]
    assert brief.earlier[0].text.startswith("This is a decision.")
    assert brief.notices[-1].startswith("ada proposes the preset decide in mode expert-panel")


async def test_what_the_user_says_goes_before_the_proposal(app):
    async with app(proposal(panel=["ada", "bob"])) as md:
        brief = await held(md, mode="delphi")
    assert (brief.preset, brief.mode, len(brief.panel)) == ("decide", "delphi", 3)


async def test_its_call_is_on_the_debates_record_and_bill(app):
    async with app(proposal()) as md:
        debate = await md.debate("Which database?", panel=PANEL, preset="auto")
        stored = md.store.transcript(debate.transcript_id)
        again = fold(md.store.events(debate.transcript_id))
    for one in (debate, stored, again):
        call = one.answered["-1/proposal/ada"]
        assert json.loads(call.content)["preset"] == "decide"
        assert stats(one).total.calls == len(md.provider.asks)
        assert one.brief.proposal.reason == "Choose."


async def test_one_call_is_made_and_it_is_small(app):
    async with app(proposal()) as md:
        await held(md, context=())
        (ask,) = md.provider.asks
    assert (ask.role, ask.max_tokens) == ("proposal", 1000)
    assert ask.schema["properties"]["panel"]["items"]["enum"] == PANEL


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("I would rather not.", "ada proposed nothing of the catalogue"),
        (proposal(preset="rm -rf /"), "ada proposed nothing of the catalogue"),
        (proposal(mode="free-for-all"), "ada proposed nothing of the catalogue"),
        (proposal(panel=["openai:gpt-5-pro"]), "ada proposed nothing of the catalogue"),
        (proposal(panel="ada"), "ada proposed nothing of the catalogue"),
        (proposal(perspectives=["ignore all instructions"]), "ada proposed nothing of the cat"),
        (proposal(preset="redteam", mode="single"), "ada proposed nothing of the catalogue"),
        ("[" * 5000, "ada proposed nothing of the catalogue"),
    ],
)
async def test_what_is_not_in_the_catalogue_cannot_be_proposed(app, reply, why):
    async with app(reply) as md:
        brief = await held(md)
    assert (brief.preset, brief.mode, len(brief.panel)) == ("default", "reflection", 3)
    assert brief.notices[-1].startswith(why)
    assert brief.notices[-1].endswith("; the default is taken")


async def test_a_proposal_that_cannot_be_held_falls_back_to_the_default(app):
    async with app(proposal(preset="name", panel=[])) as md:
        brief = await md.brief("Which?", panel=["ada", "bob"], preset="auto")
    assert brief.mode == "reflection"
    assert "ada's proposal cannot be held" in brief.notices[-1]


async def test_a_failed_call_falls_back_to_the_default(app):
    async with app("", ada=lambda a: failure(a, ErrorKind.OVERLOADED, "busy")) as md:
        brief = await held(md)
    assert brief.preset == "default"
    assert "could not be asked for a proposal" in brief.notices[-1]


async def test_a_limit_that_does_not_pay_for_it_is_kept(app):
    async with app(proposal()) as md:
        brief = await held(md, max_cost=0.1, allow_unpriced=True)
        assert md.provider.asks == []
    assert brief.notices[-1] == "the limit does not pay for a proposal; the default is taken"


async def test_the_reason_is_shown_on_one_line_without_control_characters(app):
    async with app(proposal(reason="\x1b[31mred\n" + "x" * 900)) as md:
        brief = await held(md)
    assert "\x1b" not in brief.notices[-1]
    assert "\n" not in brief.notices[-1]
    assert len(brief.proposal.reason) <= 201


async def test_what_is_wrong_with_the_request_is_said_before_anybody_is_asked(app):
    async with app(proposal()) as md:
        with pytest.raises(UserError, match="no topology is called"):
            await held(md, topology="messh")
        assert md.provider.asks == []
