"""An earlier debate is attached only if wanted, and what the answer does to it is never guessed."""

from __future__ import annotations

import pytest

from fakes.ledgers import reply
from fakes.roundtable import Panel, roundtable
from fakes.world import Tariff
from mutual_dissent import MutualDissent
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.views.account import account
from mutual_dissent.views.documents.adr import to_adr

QUERY = "Should our backend be written in Rust or in Go?"
LIKE = "Rust or Go for the backend of our startup?"
PANEL = ["ada", "bob"]


class Debates:
    """Debates of a panel whose answers are set, read by an analyst whose words are set."""

    def __init__(self, md: MutualDissent, said: dict[str, str]) -> None:
        self.md, self.said = md, said

    async def hold(self, answer: str, query: str = QUERY, earlier: object = None, **options):
        told = {} if earlier is None else {"earlier": earlier}
        position = {"statement": answer, "holders": ["A", "B"]}
        self.said["answer"] = answer
        self.said["ledger"] = reply(positions=[position], **told)
        return await self.md.debate(query, **{"panel": PANEL, "analyst": "none", **options})


@pytest.fixture
async def debates(own_home):
    said: dict[str, str] = {}
    cast = Scripted(
        {
            **dict.fromkeys(PANEL, lambda _: f"Well.\n\nBOTTOM LINE: {said['answer']}"),
            "eve": lambda _: said["ledger"],
        }
    )
    async with MutualDissent(home=own_home, env={}, provider=cast, prices=Tariff()) as md:
        md.cast = cast
        yield Debates(md, said)


@pytest.mark.parametrize(
    ("relation", "word"),
    [("contradicts", "Contradicts"), ("replaces", "Supersedes"), ("confirms", "Confirms")],
)
async def test_the_analyst_says_what_the_answer_does_to_an_attached_one(debates, relation, word):
    first = await debates.hold("Use Go.")
    said = {"relation": relation, "before": "Use Go.", "now": "Use Rust.", "reason": "Speed."}
    again = await debates.hold(
        "Use Rust.", LIKE, said, conversation=first.transcript_id, analyst="eve"
    )
    name = f"debate {first.transcript_id[:8]} of "
    [line] = account(again).earlier
    assert line.startswith(f"{word} {name}")
    assert 'then "Use Go", now "Use Rust" (Speed; read by eve)' in line
    assert (f"{word} {name}" in account(again).headline) is (relation != "confirms")
    assert f"{word} {name}" in to_adr(again).partition("## Date")[0]


@pytest.mark.parametrize(
    ("before", "now"), [("Use Java.", "Use Rust."), ("Use Go.", "Use Java."), ("", "")]
)
async def test_a_contradiction_without_a_quote_from_each_answer_is_not_claimed(
    debates, before, now
):
    first = await debates.hold("Use Go.")
    said = {"relation": "contradicts", "before": before, "now": now, "reason": ""}
    again = await debates.hold(
        "Use Rust.", LIKE, said, conversation=first.transcript_id, analyst="eve"
    )
    [line] = account(again).earlier
    assert line.startswith("Not compared with debate ")
    assert line.endswith("whose answer was: Use Go")
    assert "ontradicts" not in account(again).headline + to_adr(again)


async def test_without_an_analyst_closed_answers_to_the_same_question_are_compared_by_value(
    debates,
):
    asked = "Should we ship on Friday?"
    first = await debates.hold("No.", asked)
    attach = {"conversation": first.transcript_id}
    [other] = account(await debates.hold("Yes.", asked, **attach)).earlier
    assert other.startswith("Contradicts debate ")
    assert other.endswith('then "No", now "Yes" (compared by value)')
    [same] = account(await debates.hold("Yes.", asked, **attach)).earlier
    assert same.startswith("Confirms debate ")
    [unlike] = account(
        await debates.hold("Yes.", "Should we not ship on Friday?", **attach)
    ).earlier
    assert unlike.startswith("Not compared with ")
    further = await debates.hold("Yes.", "And what about the database?", **attach)
    assert account(further).earlier is None


async def test_one_that_is_only_named_is_said_to_be_there_and_compared_with_nothing(debates):
    first = await debates.hold("Use Go.")
    told = await debates.hold("Use Rust.", LIKE)
    [line] = account(told).earlier
    assert line.startswith(f"An earlier debate on this: {first.transcript_id[:8]} of ")
    assert "Use Go" in line
    assert line in to_adr(told)
    assert not any("Use Go" in a.head + a.tail for a in debates.md.cast.asks[5:])
    none = await debates.hold("Use Rust.", LIKE, recall="off")
    assert (account(none).earlier, none.brief.similar) == (None, ())


async def test_auto_attaches_the_nearest_only_where_it_is_surely_on_the_matter(debates):
    first = await debates.hold("Use Go.")
    sure = QUERY.replace("Should our", "Should the")
    brief = await debates.md.brief(sure, panel=PANEL, recall="auto")
    [past] = brief.similar
    assert (past.attached, past.bottom_line) == (True, "Use Go.")
    assert brief.conversation is None
    assert any(first.transcript_id[:8] in notice for notice in brief.notices)
    told = await debates.hold("Use Go.", sure, recall="auto")
    assert all(
        "may be wrong or out of date\n[said before" in a.head for a in debates.md.cast.asks[5:]
    )
    assert told.brief.told_answer == first.synthesis.text
    loose = await debates.md.brief(LIKE, panel=PANEL, recall="auto")
    assert loose.similar
    assert (loose.attached, loose.earlier) == (None, ())


async def test_a_roundtable_names_earlier_ones_and_takes_recall(tmp_path):
    async with roundtable(tmp_path, Panel()) as table, table.client("legacy") as ask:
        first = await ask.start(topic=QUERY)
        assert "earlier" not in first
        line = (await ask.start(topic=LIKE))["earlier"]
        assert line.startswith(f"An earlier debate on this: {first['sessionId'][:8]} of ")
        told = (await ask.start(topic=QUERY, recall="auto"))["earlier"]
        assert told.startswith("The panel is told debate ")
        assert "earlier" not in await ask.start(topic=LIKE, recall="off")
