"""A conversation: later debates are told the questions and answers of the earlier ones."""

from __future__ import annotations

import pytest

from fakes.ledgers import unread
from fakes.world import Tariff
from mutual_dissent import MutualDissent
from mutual_dissent.briefing import conversation
from mutual_dissent.core.errors import Held, NotFound
from mutual_dissent.prompts.fences import Fence
from mutual_dissent.providers.scripted import Scripted


def line(ask):
    return f"{ask.panelist.seat} on {ask.head.rpartition('# Query')[2].split()[0]}"


@pytest.fixture
async def md(own_home):
    cast = Scripted(dict.fromkeys(("ada", "bob", "cyd"), line))
    async with MutualDissent(
        home=unread(own_home), env={}, provider=cast, prices=Tariff()
    ) as found:
        found.cast = cast
        yield found


async def test_a_follow_up_is_told_what_was_asked_and_answered(md):
    first = await md.debate("Tabs?", panel=["ada", "bob"])
    second = await md.debate("Spaces?", conversation=first.transcript_id[:8])
    third = await md.debate("Both?", conversation=second.transcript_id)
    assert second.brief.conversation == third.brief.conversation == first.transcript_id
    said = [(e.speaker, e.text) for e in third.brief.earlier]
    assert said == [
        part
        for t in (first, second)
        for part in (("user", t.query), ("assistant", t.synthesis.content))
    ]
    assert all("Spaces?" in a.head for a in md.cast.asks[-5:])
    assert md.store.conversation(second.transcript_id) == [
        t.transcript_id for t in (first, second, third)
    ]


async def test_the_users_earlier_questions_are_the_users_and_only_answers_are_quoted(md):
    first = await md.debate("Tabs?", panel=["ada", "bob"])
    second = await md.debate("Spaces?", conversation=first.transcript_id)
    fence = Fence.of(second.brief.nonce, "attached")
    for ask in (a for a in md.cast.asks[5:] if a.role != "analysis"):
        assert [text for _, text in fence.unquote(ask.head)] == [first.synthesis.content]
        assert "the user\nTabs?\n" in ask.head


async def test_mode_and_panel_go_on_unless_something_else_is_said(md):
    first = await md.debate("Tabs?", panel=["ada", "bob", "cyd"], mode="consensus")
    second = await md.debate("Spaces?", conversation=first.transcript_id)
    assert second.brief.mode == "consensus"
    assert [p.seat for p in second.brief.panel] == ["ada", "bob", "cyd"]
    other = await md.debate(
        "Both?", conversation=first.transcript_id, mode="reflection", panel=["ada", "bob"]
    )
    assert other.brief.mode == "reflection"
    assert [p.seat for p in other.brief.panel] == ["ada", "bob"]


async def test_personas_go_on_too(md):
    personas = {"ada": "skeptic"}
    first = await md.debate("Tabs?", panel=["ada", "ada"], personas=personas)
    second = await md.debate("Spaces?", conversation=first.transcript_id)
    assert [(p.seat, p.persona) for p in second.brief.panel] == [
        ("ada", "skeptic"),
        ("ada#2", None),
    ]


async def test_of_a_long_conversation_the_oldest_is_left_out_and_that_is_said(md, monkeypatch):
    monkeypatch.setattr(conversation, "MOST_CHARACTERS", 120)
    name = (await md.debate("Question zero?", panel=["ada", "bob"])).transcript_id
    for word in ("one", "two", "three"):
        last = await md.debate(f"Question {word}? {'x' * 60}", conversation=name)
    told = "".join(e.text for e in last.brief.earlier)
    assert "Question two" in told
    assert "Question zero" not in told
    assert any("not told the first" in n for n in last.brief.notices)
    assert len(told) < 400


async def test_an_answer_that_is_too_long_alone_is_cut_and_that_is_said(md, monkeypatch):
    first = await md.debate("Tabs?" + " or spaces" * 50, panel=["ada", "bob"])
    monkeypatch.setattr(conversation, "MOST_CHARACTERS", 60)
    second = await md.debate("And?", conversation=first.transcript_id)
    assert "[cut here]" in second.brief.earlier[0].text
    assert any("only the beginning" in n for n in second.brief.notices)


async def test_while_the_last_debate_has_no_answer_yet_nobody_goes_on_from_it(md):
    first = await md.debate("Tabs?", panel=["ada", "bob"], synthesize=False)
    with md.store.hold(first.transcript_id), pytest.raises(Held):
        await md.brief("Spaces?", conversation=first.transcript_id)


async def test_who_reads_the_last_debate_afterwards_keeps_nobody_from_going_on(md):
    first = await md.debate("Tabs?", panel=["ada", "bob"])
    with md.store.hold(first.transcript_id):
        assert (await md.brief("Spaces?", conversation=first.transcript_id)).conversation


async def test_a_conversation_outlives_a_deleted_beginning(md):
    first = await md.debate("Tabs?", panel=["ada", "bob"])
    second = await md.debate("Spaces?", conversation=first.transcript_id)
    md.store.delete(first.transcript_id)
    third = await md.brief("Both?", conversation=second.transcript_id)
    assert third.conversation == first.transcript_id
    assert "Tabs?" not in [e.text for e in third.earlier]
    with pytest.raises(NotFound):
        await md.brief("Both?", conversation=first.transcript_id)


async def test_a_follow_up_is_resumed_with_what_it_was_told(md):
    first = await md.debate("Tabs?", panel=["ada", "bob"])
    second = await md.debate("Spaces?", conversation=first.transcript_id, save=True)
    assert md.store.transcript(second.transcript_id).brief.earlier == second.brief.earlier
