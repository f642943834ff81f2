"""A panelist is asked again: whoever read its old answer is asked anew, and nothing is lost."""

from __future__ import annotations

from itertools import count

import pytest

from fakes.ledgers import unread
from fakes.world import Tariff
from mutual_dissent import MutualDissent
from mutual_dissent.core.errors import BadInput, NotFound
from mutual_dissent.core.events import Status
from mutual_dissent.core.transcript import fold
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.stream import collect_transcript

SEATS = ("ada", "bob", "cyd")
WHOLE = 3 * 2 + 1


class Counting(Scripted):
    """Nobody says the same twice."""

    def __init__(self) -> None:
        number = count(1)
        super().__init__(dict.fromkeys(SEATS, lambda ask: f"{ask.key}, answer {next(number)}"))


def app(home, provider):
    return MutualDissent(home=unread(home), env={}, provider=provider, prices=Tariff())


async def debated(md):
    return await md.debate("q", panel=SEATS, synthesizer="ada", rounds=1)


async def test_whoever_read_the_old_answer_is_asked_anew_and_nobody_else(own_home):
    async with app(own_home, cast := Counting()) as md:
        first = await debated(md)
        after = await collect_transcript(md.ask_again(first.transcript_id, "0/initial/bob"))
        asked = [a.key for a in cast.asks[WHOLE:]]
    assert asked[0] == "0/initial/bob"
    assert sorted(asked[1:4]) == [f"1/reflection/{s}" for s in SEATS]
    assert asked[4:] == ["-1/synthesis/ada"]
    assert "answer 8" in after.answered["0/initial/bob"].content
    assert all("answer 8" in a.text for a in cast.asks[WHOLE + 1 :] if a.role == "reflection")
    assert after.status is Status.COMPLETED
    assert after.answered["0/initial/ada"] == first.answered["0/initial/ada"]
    assert [len(r.responses) for r in after.rounds] == [3, 3]


async def test_a_turn_of_the_last_round_costs_itself_and_the_synthesis(own_home):
    async with app(own_home, cast := Counting()) as md:
        first = await debated(md)
        await collect_transcript(md.ask_again(first.transcript_id, "1/reflection/cyd"))
    assert [a.key for a in cast.asks[WHOLE:]] == ["1/reflection/cyd", "-1/synthesis/ada"]


async def test_what_was_said_before_is_kept_and_counted(own_home):
    async with app(own_home, Counting()) as md:
        first = await debated(md)
        after = await collect_transcript(md.ask_again(first.transcript_id, "0/initial/bob"))
        stored = fold(md.store.events(first.transcript_id))
    kept = {r.content for _, r in stored.replaced}
    assert first.answered["0/initial/bob"].content in kept
    assert {r.content for r in first.rounds[1].responses} <= kept
    assert first.synthesis.content in kept
    assert stored.metadata["stats"] == after.metadata["stats"]
    calls = [m["calls"] for m in stored.metadata["stats"]["per_model"].values()]
    assert sum(calls) == WHOLE + 5


async def test_a_second_process_goes_on_from_there_after_an_interruption(own_home):
    async with app(own_home, Counting()) as md:
        name = (await debated(md)).transcript_id
        events = md.ask_again(name, "0/initial/bob")
        async for event in events:
            if event.kind == "answered" and "answer 8" in event.response.content:
                break
        await events.aclose()
    async with app(own_home, cast := Counting()) as md:
        after = await collect_transcript(md.resume(name))
    assert "0/initial/bob" not in [a.key for a in cast.asks]
    assert "-1/synthesis/ada" in [a.key for a in cast.asks]
    assert after.status is Status.COMPLETED
    assert "answer 8" in after.answered["0/initial/bob"].content


async def test_only_a_turn_of_a_finished_debate_is_taken_again(own_home):
    async with app(own_home, cast := Counting()) as md:
        name = (await debated(md)).transcript_id
        with pytest.raises(NotFound, match="no answer of the key"):
            await collect_transcript(md.ask_again(name, "7/initial/bob"))
        with pytest.raises(BadInput, match="only a panelist's turn"):
            await collect_transcript(md.ask_again(name, "-1/synthesis/ada"))
    assert len(cast.asks) == WHOLE
