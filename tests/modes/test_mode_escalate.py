"""Two are asked, the others only where those differ; an answer may be chosen instead of written."""

from __future__ import annotations

import pytest

from fakes.structured import filled
from fakes.world import Tariff, a_brief, run
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import OverBudget
from mutual_dissent.core.events import Answered, RoundEnded, Status
from mutual_dissent.core.response import ErrorKind
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.providers.responses import failure
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.views.account import account
from mutual_dissent.views.heading import heading

QUERY = "How many bridges cross the river in the old town?"
OPEN = "Shall the town close the old bridge to cars?"


def says(*numbers):
    """A panelist that gives these numbers, round by round; whoever writes the answer adds them."""

    def speak(ask):
        if ask.role == "synthesis":
            return "Opinions differ on the number.\nBOTTOM LINE: none"
        number = numbers[min(ask.round_number, len(numbers) - 1)]
        return f"I counted them on the map.\nBOTTOM LINE: {number}\nCONFIDENCE: 80 %"

    return speak


def refuses(ask):
    return "I cannot help with that.\nBOTTOM LINE: none"


def fails(ask):
    return failure(ask, ErrorKind.OVERLOADED, "gone")


def cast_of(**numbers):
    return Scripted({s: n if callable(n) else says(*n) for s, n in numbers.items()})


def brief_of(*seats, **more):
    return a_brief(*seats, **{"mode": "escalate", "rounds": 0, "query": QUERY, **more})


def app(tmp_path, script):
    return MutualDissent(home=tmp_path, env={}, provider=script, prices=Tariff())


def asked(script):
    return [a.key for a in script.asks]


# -- whom it asks


async def test_two_that_agree_on_a_number_are_two_calls_and_no_synthesis():
    script = cast_of(ada=[7], bob=[7], cyd=[9], dee=[9])
    done, _, _ = await run(brief_of("ada", "bob", "cyd", "dee"), script)
    assert asked(script) == ["0/initial/ada", "0/initial/bob"]
    assert done.status is Status.COMPLETED
    assert done.synthesis.content == "I counted them on the map."
    assert "All 2: 7." in heading(done)
    assert "cyd and dee were not asked: the first two agree." in heading(done)
    assert "The answer is ada's, word for word: 2 of 2 hold it." in heading(done)
    assert "2 calls" in account(done).cost


async def test_where_the_two_differ_the_others_are_asked_blind_and_two_thirds_settle_it():
    script = cast_of(ada=[7], bob=[8], cyd=[7])
    done, _, _ = await run(brief_of("ada", "bob", "cyd"), script)
    assert asked(script) == ["0/initial/ada", "0/initial/bob", "0/initial/cyd"]
    assert not any(a.labels for a in script.asks), "nobody has read anybody"
    assert done.synthesis.chosen.reason == "2 of 3 hold it"
    assert done.synthesis.bottom_line == "7"


async def test_without_two_thirds_there_is_one_round_about_the_difference_alone():
    script = cast_of(ada=[7, 7], bob=[8, 7], cyd=[7, 7], dee=[9, 9], eve=refuses)
    done, _, _ = await run(brief_of("ada", "bob", "cyd", "dee", "eve"), script)
    round_ = [a for a in script.asks if a.round_number == 1]
    assert [a.panelist.seat for a in round_] == ["ada", "bob", "cyd", "dee"], "not who refused"
    readers = {a.panelist.seat: set(a.labels.values()) for a in round_}
    assert readers["ada"] == readers["cyd"] == {"bob", "dee"}, "nobody reads its own side"
    assert readers["bob"] == {"ada", "cyd", "dee"}
    assert all("name it and quote the words that are wrong" in a.tail for a in round_)
    assert all("Pass over whoever comes to the same answer" in a.tail for a in round_)
    assert len(script.asks) == 9
    assert heading(done).startswith("3 of 5: 7. dee: 9. eve took no position. (compared by value)")
    assert heading(done).endswith("word for word: 3 of the 4 who take a position hold it.")


async def test_what_stays_split_is_synthesized():
    script = cast_of(ada=[7], bob=[8])
    done, _, _ = await run(brief_of("ada", "bob"), script)
    assert asked(script)[-1] == "-1/synthesis/ada"
    assert len(script.asks) == 5
    assert done.synthesis.chosen is None


async def test_agreement_that_was_not_measured_is_none():
    """A panel that nobody can compare is asked in full, and has its round."""
    words = {"ada": "Man soll sie sperren.", "bob": "Ja, ohne Autos.", "cyd": "Besser nicht."}
    script = Scripted({s: lambda ask, w=w: f"{w}\nBOTTOM LINE: {w}" for s, w in words.items()})
    await run(brief_of("ada", "bob", "cyd", query=OPEN), script)
    assert len(script.asks) == 3 + 3 + 1


async def test_a_figure_that_both_also_give_as_an_estimate_is_a_closed_answer():
    lines = {"ada": "It takes 135 minutes.\nESTIMATE: 135 minutes [135 to 135]",
             "bob": "135 minutes\nESTIMATE: 135 min"}  # fmt: skip
    script = Scripted({s: lambda ask, w=w: f"So.\nBOTTOM LINE: {w}" for s, w in lines.items()})
    done, _, _ = await run(brief_of("ada", "bob", query="How many minutes?"), script)
    assert len(script.asks) == 2
    assert done.synthesis.chosen


async def test_differences_of_rounding_are_one_answer_and_who_was_outvoted_is_named():
    figures = {"ada": "134.7", "bob": "130.9", "cyd": "135", "dee": "134.68"}
    lines = {s: f"So.\nBOTTOM LINE: About {n} km/h.\nESTIMATE: {n} km/h [{n} to {n}]"
             for s, n in figures.items()}  # fmt: skip
    script = Scripted({s: lambda ask, said=said: said for s, said in lines.items()})
    done, _, _ = await run(brief_of(*figures, query="What is its speed in km/h?"), script)
    assert len(script.asks) == 4
    assert done.synthesis.model_alias == "cyd"
    assert heading(done) == (
        "3 of 4: 135 km/h. bob: About 130.9 km/h. (compared by their figures) "
        "bob was not shown the other answers, nor asked again. "
        "The answer is cyd's, word for word: 3 of 4 hold it."
    )


async def test_exact_figures_that_are_near_each_other_are_two_answers():
    """Of 77,482 and 77,414 one is wrong, though they are estimates within a thousandth."""
    figures = {"ada": "77,414 square kilometers", "bob": "77,482 square kilometers",
               "cyd": "77,482.49 sq km"}  # fmt: skip
    lines = {s: f"So.\nBOTTOM LINE: {n}\nESTIMATE: {n}" for s, n in figures.items()}
    script = Scripted({s: lambda ask, said=said: said for s, said in lines.items()})
    done, _, _ = await run(brief_of(*figures, query="How large are its forests?"), script)
    assert len(script.asks) == 3
    assert heading(done).startswith("2 of 3: 77,482")
    assert "ada: 77,414 square kilometers." in heading(done)


async def test_where_the_panel_stays_split_the_heading_says_whose_side_the_answer_takes():
    lines = {"ada": "Yes, for a year.", "bob": "No.", "cyd": "No.", "dee": "Yes, for a month."}
    views = {"ada": "bob disagree; cyd disagree; dee partly: how long",
             "bob": "ada disagree; cyd agree; dee disagree",
             "cyd": "ada disagree; bob agree; dee disagree",
             "dee": "ada partly: how long; bob disagree; cyd disagree"}  # fmt: skip

    def speak(ask):
        seat = ask.panelist.seat
        if ask.round_number == 0:
            return f"So.\nBOTTOM LINE: {lines[seat]}"
        said = "ada agree; bob disagree; cyd disagree; dee partly: how long"
        said = said if ask.role == "synthesis" else views[seat]
        for label, who in ask.labels.items():
            said = said.replace(who, label)
        line = "Close it for a year, then look." if ask.role == "synthesis" else lines[seat]
        return f"So.\nBOTTOM LINE: {line}\nON THE OTHERS: {said}\nCHANGED: nothing"

    done, _, _ = await run(brief_of(*lines, query=OPEN), Scripted(dict.fromkeys(lines, speak)))
    assert heading(done) == (
        "No majority: bob and cyd: No; ada: Yes, for a year; "
        "dee (in part with ada): Yes, for a month. "
        "(said by the panel itself and compared by value) "
        "The answer takes the side of ada (who wrote it), and in part of dee: "
        "Close it for a year, then look."
    )


async def test_two_that_agree_on_an_open_question_are_synthesized():
    words = {"ada": "75 people [50 to 100]", "bob": "80 people [60 to 110]"}
    lines = {s: f"About {w}.\nBOTTOM LINE: Some.\nESTIMATE: {w}" for s, w in words.items()}
    script = Scripted({s: lambda ask, said=said: said for s, said in lines.items()})
    done, _, _ = await run(brief_of("ada", "bob", query="How many live there?"), script)
    assert done.rounds[0].measures.consensus.pairs[0].relation == "agree"
    assert asked(script) == ["0/initial/ada", "0/initial/bob", "-1/synthesis/ada"]


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [(refuses, "all 3 who take a position hold it"), (fails, "3 of 3 hold it")],
)
async def test_one_of_the_first_two_that_says_nothing_does_not_end_it(trouble, reason):
    script = cast_of(ada=trouble, bob=[7], cyd=[7], dee=[7])
    done, _, _ = await run(brief_of("ada", "bob", "cyd", "dee"), script)
    assert done.status is Status.COMPLETED
    assert done.synthesis.chosen.reason == reason
    assert len(script.asks) == 4


async def test_a_quorum_counts_all_who_were_asked():
    script = cast_of(ada=fails, bob=[7], cyd=fails)
    done, _, _ = await run(brief_of("ada", "bob", "cyd"), script)
    assert (done.status, done.closed_reason) == (Status.ERROR, "quorum")
    assert "1 of 3 panelists answered, 2 are needed" in done.closed_text


@pytest.mark.parametrize(
    "numbers",
    [
        {"ada": [7], "bob": [7], "cyd": [9]},
        {"ada": [7], "bob": [8], "cyd": [7]},
        {"ada": [7, 7], "bob": [8, 7], "cyd": [9, 9], "dee": [7, 7]},
        {"ada": [7], "bob": [8], "cyd": [9]},
    ],
)
async def test_killed_at_any_moment_it_asks_nothing_twice_and_ends_alike(numbers):
    brief = brief_of(*numbers)
    whole, events, _ = await run(brief, first := cast_of(**numbers))
    for k in range(1, len(events)):
        bought = {e.key for e in events[:k] if isinstance(e, Answered) and not e.response.chosen}
        resumed, after, _ = await run(brief, again := cast_of(**numbers), events=events[:k])
        assert sorted([*bought, *asked(again)]) == sorted(asked(first)), f"killed after event {k}"
        assert resumed.synthesis.text == whole.synthesis.text
        chosen = [e for e in after if isinstance(e, Answered) and e.response.chosen]
        assert len(chosen) == bool(whole.synthesis.chosen), f"killed after event {k}"
        ends = [(e.round_number, e.role, e.part) for e in after if isinstance(e, RoundEnded)]
        assert len(ends) == len(set(ends)), f"killed after event {k}"


# -- what it costs


async def test_it_is_quoted_from_the_least_to_the_most(tmp_path):
    async with app(tmp_path, cast_of()) as md:
        brief = await md.brief(QUERY, mode="escalate", panel=list("abcde"), analyst="none")
        quote = md.quote(brief)
        assert (quote.least.calls, quote.calls) == (2, 11)
        assert 0 < quote.least.cost_usd < quote.cost_usd


async def test_a_budget_below_the_least_is_refused_and_one_between_is_taken(tmp_path):
    script = cast_of(ada=[7], bob=[8], cyd=[9])
    async with app(tmp_path, script) as md:
        options = {"mode": "escalate", "panel": ["ada", "bob", "cyd"], "analyst": "none"}
        quote = md.quote(await md.brief(QUERY, **options))
        with pytest.raises(OverBudget, match="takes at least"):
            await md.debate(QUERY, **options, max_cost=quote.least.cost_usd / 2)
        assert script.asks == []
        between = (quote.least.cost_usd + quote.cost_usd) / 2
        done = await md.debate(QUERY, **options, max_cost=between)
        assert done.status is Status.COMPLETED
        assert done.synthesis is not None


# -- an answer that is chosen or amended


async def test_what_was_chosen_is_kept_and_counted_once(tmp_path):
    async with app(tmp_path, cast_of(ada=[7], bob=[7])) as md:
        options = {"mode": "escalate", "panel": ["ada", "bob"], "analyst": "none"}
        done = await md.debate(QUERY, **options)
        assert "for 2 calls" in account(done).cost
        assert md.store.list()[0].calls == 2
        read = Transcript.from_dict(done.to_dict())
        assert read.synthesis == done.synthesis
        assert read.heading == done.heading
        assert done.synthesis.chosen.about == "0/initial/ada"


async def test_the_leading_answer_is_selected_without_a_further_call():
    brief = a_brief("ada", "bob", "cyd", query=QUERY, answer="select")
    done, _, _ = await run(brief, script := cast_of(ada=[8], bob=[7], cyd=[7]))
    assert len(script.asks) == 6
    assert done.synthesis.model_alias in ("bob", "cyd")
    assert "word for word: 2 of 3 hold it" in heading(done)


async def test_the_winner_of_the_ballots_is_selected():
    def votes(ask):
        return filled(ask, lambda a: f"the answer of {a.panelist.seat}")

    brief = a_brief("ada", "bob", "cyd", mode="ranking", rounds=0, answer="select")
    done, _, _ = await run(brief, script := Scripted(dict.fromkeys(("ada", "bob", "cyd"), votes)))
    winners = done.rounds[-1].measures.tally.winners
    assert len(script.asks) == 6
    assert (done.synthesis.model_alias,) == winners
    assert done.synthesis.content == f"the answer of {winners[0]}"


async def test_where_nothing_leads_it_is_synthesized_and_the_heading_says_why():
    brief = a_brief("ada", "bob", query=QUERY, answer="select")
    done, _, _ = await run(brief, script := cast_of(ada=[8], bob=[7]))
    assert len(script.asks) == 5
    said = "Synthesized, since nothing could be selected: no two panelists hold the same."
    assert said in heading(done)


async def test_the_synthesizer_may_only_amend_what_leads():
    brief = a_brief("ada", "bob", "cyd", query=QUERY, answer="amend")
    done, _, _ = await run(brief, script := cast_of(ada=[8], bob=[7], cyd=[7]))
    last = script.asks[-1]
    assert (last.role, last.prompt) == ("synthesis", "common/amend")
    assert "word for word" in last.tail
    assert "\n[response | " in last.tail
    assert done.synthesis.chosen is None
    assert "Amended from the answer of bob." in heading(done)


async def test_another_writer_writes_what_had_been_chosen(tmp_path):
    script = cast_of(ada=[7], bob=[7], zed=lambda ask: "Seven.\nBOTTOM LINE: 7")
    async with app(tmp_path, script) as md:
        options = {"mode": "escalate", "panel": ["ada", "bob"], "analyst": "none"}
        done = await md.debate(QUERY, **options)
        async for _ in md.synthesize(done.transcript_id, synthesizer="zed"):
            pass
        after = md.store.transcript(done.transcript_id)
        assert (after.synthesis.content, after.synthesis.chosen) == ("Seven.", None)


async def test_a_replay_by_another_writer_writes_what_had_been_chosen(tmp_path):
    script = cast_of(ada=[7], bob=[7], zed=lambda ask: "Seven.\nBOTTOM LINE: 7")
    async with app(tmp_path, script) as md:
        options = {"mode": "escalate", "panel": ["ada", "bob"], "analyst": "none"}
        done = await md.debate(QUERY, **options)
        async for _ in md.replay(done.transcript_id, synthesizer="zed"):
            pass
        newest = md.store.transcript(md.store.list()[0].transcript_id)
        assert (newest.synthesis.content, newest.synthesis.chosen) == ("Seven.", None)
        assert len(script.asks) == 3
