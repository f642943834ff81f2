"""The user on the panel: asked as any panelist is, unknown to the others, never a failure."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest

from fakes.own_seat import ANSWER, user
from fakes.structured import form_fillers
from mutual_dissent import MutualDissent
from mutual_dissent.core.errors import BadInput, NobodyHere, NotAsked
from mutual_dissent.core.events import Answered, Asked, Status
from mutual_dissent.core.figures.stats import stats
from mutual_dissent.core.panel import Route
from mutual_dissent.hosting.desk import UserDesk
from mutual_dissent.modes import modes
from mutual_dissent.modes.topologies import TOPOLOGIES
from mutual_dissent.providers.prices.table import PriceTable
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.stream import Veil
from mutual_dissent.views.account import account

MODES = [m.name for m in modes(TOPOLOGIES).values() if m.max_panel > 1 and m.with_user]
WORDS = "Tabs or spaces?"


@asynccontextmanager
async def app(home, cast=None, **more):
    cast = cast or form_fillers("ada", "bob", says=lambda ask: "Tabs.", **more)
    async with MutualDissent(home=home, env={}, provider=cast) as md:
        md.human = UserDesk()
        yield md, cast


def says(stands: str, changed: str = "nothing", final: str = "agree"):
    """Panelists that say so of all others, and write that of all of them at the end."""

    def line(ask):
        on = "; ".join(f"{label} {final if ask.role == 'synthesis' else stands}"
                       for label in ask.labels)  # fmt: skip
        change = f"\nCHANGED: {changed}" if ask.round_number > 0 else ""
        return f"Tabs.\n\nBOTTOM LINE: Tabs.\nCONFIDENCE: 80 %\nON THE OTHERS: {on}{change}"

    return Scripted({"ada": line, "bob": line})


@pytest.mark.parametrize("mode", MODES)
async def test_in_every_mode_i_am_asked_in_plain_questions_and_my_answer_has_all_data(
    own_home, mode
):
    async with app(own_home) as (md, cast), user(md.human) as shown:
        t = await md.debate(WORDS, panel=["ada", "me", "bob"], mode=mode, analyst="none", seed=3)
    assert t.status is Status.COMPLETED
    mine = [r for r in t.turns() if r.model_alias == "me"]
    assert len(mine) == len({r.key.removesuffix("/again") for r in shown})
    for said in mine:
        assert said.usable, said.error
        assert said.bottom_line == "Spaces."
        assert said.confidence == 0.7
        assert said.cost_usd == 0.0
        assert "BOTTOM LINE" not in said.text
    assert ANSWER in mine[0].text
    for request in shown:
        asked = "\n".join(f.words for f in request.sheet.fields)
        assert "JSON" not in f"{request.sheet.task}\n{asked}"
        assert "BOTTOM LINE:" not in request.sheet.task
        seen = "\n".join(
            [request.sheet.task, *(f"{s.label} {s.text}" for s in request.sheet.shown)]
        )
        assert "ada" not in seen
        assert "bob" not in seen
        assert request.sheet.label.startswith("Panelist ")
    last = shown[-1].sheet
    if any(f.name.startswith("on ") for f in last.fields):
        assert {v.seat for v in mine[-1].closing.views} <= {"ada", "bob"}
        assert mine[-1].closing.views
    for text in cast.heard_by("ada") + cast.heard_by("bob"):
        assert "human" not in text
        assert "[me" not in text


async def test_in_the_first_round_i_see_nothing_and_later_what_others_said_under_letters(own_home):
    async with app(own_home) as (md, _), user(md.human) as shown:
        await md.debate(WORDS, panel=["ada", "me", "bob"], analyst="none")
    first, second = shown
    assert first.sheet.shown == ()
    assert first.sheet.query == WORDS
    labels = [s.label for s in second.sheet.shown]
    assert labels[0] == "you"
    assert len(labels) == 3
    assert all("Tabs." in s.text for s in second.sheet.shown[1:])
    assert {f.name for f in second.sheet.fields} == {
        "answer", "bottom_line", "confidence", "changed", *(f"on {x}" for x in labels[1:]),
    }  # fmt: skip


async def test_where_panelists_are_named_nobody_learns_that_one_is_a_person(own_home):
    async with app(own_home) as (md, cast), user(md.human):
        await md.debate(WORDS, panel=["ada", "me", "bob"], analyst="none", named=True)
    heard = cast.heard_by("ada")[1]
    assert "[bob |" in heard
    assert "[me |" not in heard
    assert "[Panelist " in heard


async def test_what_i_leave_empty_stays_as_i_said_it_before(own_home):
    async with app(own_home) as (md, _):
        desk = md.human
        debate = asyncio.create_task(md.debate(WORDS, panel=["ada", "me", "bob"], analyst="none"))
        first = await desk.next()
        with pytest.raises(BadInput, match="confidence: write a number from 0 to 100"):
            desk.answer(first.session_id, first.key, {"answer": "Spaces.", "confidence": "very"})
        with pytest.raises(BadInput, match="answer: this needs an answer"):
            desk.answer(first.session_id, first.key, {"confidence": "70"})
        with pytest.raises(BadInput, match="nothing asks for 'colour'"):
            desk.answer(first.session_id, first.key, {"colour": "red"})
        desk.answer(first.session_id, first.key, {"answer": "Spaces.", "confidence": "70"})
        await desk.wait_closed(first)
        second = await desk.next()
        stands = {f.name: "p: the width" for f in second.sheet.fields if f.name.startswith("on ")}
        desk.answer(second.session_id, second.key, {**stands, "changed": "nothing"})
        t = await debate
        with pytest.raises(NotAsked, match="its time is up"):
            desk.answer(second.session_id, second.key, {})
    last = t.latest_of("me")
    assert (last.content, last.bottom_line, last.confidence) == ("Spaces.", "Spaces.", 0.7)
    assert {(v.relation, v.about) for v in last.closing.views} == {("partly", "the width")}


@pytest.mark.parametrize("panel", [["me", "ada"], ["ada", "me", "bob"]])
async def test_if_i_stay_silent_the_debate_goes_on_without_me(own_home, panel):
    async with app(own_home) as (md, _):
        t = await md.debate(WORDS, panel=panel, call_timeout=0.3, analyst="none")
    assert t.status is Status.COMPLETED
    assert t.synthesis.usable
    [mine] = [r for r in t.absent if r.model_alias == "me"]
    assert mine.error == "gave no answer before the time was up"


async def test_i_have_ten_minutes_unless_another_time_is_asked_for(own_home):
    async with app(own_home) as (md, _):
        for more, seconds in (({}, 600), ({"call_timeout": 30.0}, 30)):
            debate = asyncio.create_task(
                md.debate(WORDS, panel=["me", "ada"], analyst="none", **more)
            )
            request = await md.human.next()
            assert seconds - 5 < request.seconds <= seconds
            debate.cancel()
            await asyncio.wait({debate})


async def test_i_can_pass_and_am_asked_again_with_those_who_were_late(own_home):
    async with app(own_home) as (md, _):
        async with user(md.human, passes=True):
            t = await md.debate(WORDS, panel=["ada", "me", "bob"], analyst="none")
        assert t.status is Status.COMPLETED
        assert [r.error for r in t.absent] == ["sat this one out"]
        async with user(md.human) as shown:
            events = [e async for e in md.resume(t.transcript_id, late=True)]
        assert [r.round_number for r in shown] == [0, 1]
        last = [e for e in events if isinstance(e, Answered) and e.seat == "me"]
        assert last[-1].response.bottom_line == "Spaces."


async def test_a_debate_that_ended_before_i_answered_asks_me_again_and_nobody_else(own_home):
    async with app(own_home) as (md, cast):
        brief = await md.brief(WORDS, panel=["ada", "me", "bob"], analyst="none")
        running = md.run(brief)
        said = 0
        async for event in running:
            said += isinstance(event, Answered)
            if said == 2:
                break
        await running.aclose()
        before = len(cast.asks)
        async with user(md.human) as shown:
            events = [e async for e in md.resume(brief.transcript_id)]
        t = md.store.transcript(brief.transcript_id)
        assert t.status is Status.COMPLETED
        assert [r.key for r in shown] == ["0/initial/me", "1/reflection/me"]
        assert [a.key for a in cast.asks[before:]] == [
            "1/reflection/ada", "1/reflection/bob", "-1/synthesis/ada",
        ]  # fmt: skip
        veil = Veil()
        visible = []
        for event in events:
            visible += veil.take(event)
            if isinstance(event, Asked) and event.round_number == 1:
                break
        assert not [e for e in visible if isinstance(e, Answered)]


async def test_i_cost_nothing_and_am_no_call(own_home):
    assert PriceTable({}).cost(Route(vendor="human", model_id="me"), 1000, 1000) == 0.0
    async with app(own_home) as (md, _), user(md.human):
        brief = await md.brief(WORDS, panel=["ada", "me", "bob"], analyst="none")
        quote = md.quote(brief)
        assert quote.calls == 5
        [mine] = [line for line in quote.lines if line.seat == "me"]
        assert (mine.calls, mine.input_tokens, mine.cost_usd) == (0, 0, 0.0)
        t = await md.debate(WORDS, panel=["ada", "me", "bob"], analyst="none")
    assert stats(t).total.calls == 5


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"panel": ["me", "me", "ada"]}, "you sit on a panel once"),
        ({"panel": ["me"]}, "reflection needs a panel of at least 2"),
        ({"panel": ["me"], "mode": "single"}, "needs at least one model beside you"),
        ({"panel": ["me", "ada"], "mode": "review"}, "only models fill in; leave 'me' out"),
        ({"panel": ["me@high", "ada"]}, "'me' is you: write it without @high"),
        ({"panel": ["me*3", "ada"]}, r"who answers once: write it without \*3"),
        ({"panel": ["me", "ada"], "synthesizer": "me"}, "'me' is a panelist and no synthesizer"),
        ({"panel": ["me", "ada"], "analyst": "me"}, "'me' is a panelist and no synthesizer"),
        ({"panel": ["me", "ada"], "ground_truth": "x", "judge": "me"}, "'me' is a panelist and no"),
    ],
)
async def test_what_i_cannot_be_is_refused_before_anybody_is_asked(own_home, options, sentence):
    async with app(own_home) as (md, cast):
        with pytest.raises(BadInput, match=sentence):
            await md.brief(WORDS, **options)
    assert cast.asks == []


async def test_where_nobody_can_ask_me_i_am_refused_with_one_sentence(own_home):
    async with app(own_home) as (md, cast):
        md.human = None
        with pytest.raises(NobodyHere, match="needs a terminal, the page, or an MCP client"):
            await md.brief(WORDS, panel=["me", "ada"])
        assert cast.asks == []


@pytest.mark.parametrize(
    ("stands", "changed", "final", "lines"),
    [
        ("agree", "nothing", "agree",
         ["ada and bob agree with you in part.", "The final answer has your position."]),
        ("disagree: width", "yes: from tabs to spaces, because of Panelist C: width", "disagree",
         ["ada and bob do not agree with you.", "ada and bob changed something because of you.",
          "The final answer does not have your position."]),
    ],
)  # fmt: skip
async def test_under_the_answer_i_read_how_mine_fared(own_home, stands, changed, final, lines):
    cast = says(stands, changed, final)
    async with app(own_home, cast) as (md, _), user(md.human) as shown:
        t = await md.debate(WORDS, panel=["ada", "me", "bob"], seed=1, analyst="none")
        assert shown[0].sheet.label == "Panelist C"
    assert list(account(t).yours) == lines
