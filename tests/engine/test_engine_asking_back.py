"""Questions on the way, from the library: to a panelist, and to whoever called."""

from __future__ import annotations

import json

import pytest

from fakes.ledgers import unread
from fakes.world import Tariff
from mutual_dissent import MutualDissent
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.events import Status
from mutual_dissent.core.response import ErrorKind
from mutual_dissent.core.sight import follow_up
from mutual_dissent.providers.responses import failure
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.stream import collect_transcript
from mutual_dissent.views.terminal import terminal

SEATS = ("ada", "bob", "cyd")


class Curious(Scripted):
    """Ada asks bob something before she writes; bob asks the user at first."""

    def __init__(self) -> None:
        super().__init__(dict.fromkeys((*SEATS, "zoe"), self.line))
        self.question = "How so?"
        self.broke = False

    def line(self, ask):
        if ask.role == "inquiry":
            label = next((x for x, seat in ask.labels.items() if seat == "bob"), "")
            return json.dumps({"panelist": label, "question": self.question})
        if ask.role == "reflection" and self.broke:
            return failure(ask, ErrorKind.CREDITS, "pay first")
        if ask.role == "initial" and ask.panelist.seat == "bob":
            return "Spaces.\nNEEDED FROM THE USER: the budget"
        return f"{ask.panelist.seat} on {ask.key}"


@pytest.fixture
def md(own_home):
    return MutualDissent(home=unread(own_home), env={}, provider=Curious(), prices=Tariff())


async def held(md, **more):
    brief = await md.brief("q", panel=SEATS, synthesizer="ada", **more)
    return await collect_transcript(md.run(brief))


def roles(md):
    return [a.role for a in md.provider.asks]


async def test_a_follow_up_is_two_calls_more_and_counts_in_figures(md):
    transcript = await held(md, follow_up=True)
    assert len(md.provider.asks) == 9  # 3 + 3 + 2 + 1
    assert follow_up(transcript).reply.content.startswith("bob on -1/follow_up")
    calls = [s["calls"] for s in transcript.metadata["stats"]["per_model"].values()]
    assert sum(calls) == 9


async def test_what_was_asked_is_read_back_from_the_record(md):
    transcript = await held(md, follow_up=True)
    stored = md.store.transcript(transcript.transcript_id)
    assert follow_up(stored) == follow_up(transcript)
    assert "ada asked bob before it wrote: How so?" in terminal(stored)


async def test_a_continued_debate_asks_anew_and_the_old_reply_is_stale(md):
    transcript = await held(md, follow_up=True)
    md.provider.question = ""
    again = await collect_transcript(md.go_on(transcript.transcript_id))
    assert again.status is Status.COMPLETED
    assert roles(md).count("inquiry") == 2
    assert follow_up(again) is None
    assert "reply to the follow-up" not in terminal(again, verbose=True)
    assert "-1/follow_up/bob" in dict(again.responses())


async def test_another_synthesizer_asks_for_itself(md):
    transcript = await held(md, follow_up=True)
    again = await collect_transcript(md.replay(transcript.transcript_id, synthesizer="zoe"))
    assert follow_up(again).asker == "zoe"
    assert roles(md)[-3:] == ["inquiry", "follow_up", "synthesis"]


async def test_a_budget_that_does_not_reach_to_the_question_stops_before_it(md):
    transcript = await held(md, follow_up=True, max_cost=1e-6)
    assert (transcript.status, transcript.closed_reason) == (Status.STOPPED, "budget")


async def test_a_model_alone_has_nobody_to_ask(md):
    with pytest.raises(BadInput, match="leave out follow_up"):
        await md.brief("q", panel=["ada"], mode="single", follow_up=True)


async def test_what_was_asked_of_the_caller_is_answered_before_further_rounds(md):
    transcript = await held(md)
    assert [r.text for r in transcript.open_requests] == ["the budget"]
    again = await collect_transcript(md.go_on(transcript.transcript_id, remark="5,000 a year"))
    assert again.open_requests == ()
    assert all("The user adds: 5,000 a year" in a.tail for a in md.provider.asks[-4:])
    assert md.store.transcript(transcript.transcript_id).open_requests == ()


async def test_a_debate_that_stopped_is_told_before_it_goes_on(md):
    md.provider.broke = True
    transcript = await held(md)
    assert transcript.status is Status.STOPPED
    assert f"dissent resume {transcript.transcript_id[:8]} --remark" in terminal(transcript)
    md.provider.broke = False
    again = await collect_transcript(md.resume(transcript.transcript_id, remark="5,000 a year"))
    assert (again.status, again.remarks) == (Status.COMPLETED, ("5,000 a year",))
    assert "5,000 a year" in md.provider.asks[-1].tail


async def test_nothing_is_told_to_a_debate_that_is_over(md):
    transcript = await held(md)
    with pytest.raises(BadInput, match="dissent continue"):
        await collect_transcript(md.resume(transcript.transcript_id, remark="too late"))
