"""After every round: how far the panel agrees, who says so, and when to stop."""

from __future__ import annotations

import json

from fakes.world import START, Tariff, a_brief, run, seat
from mutual_dissent import MutualDissent
from mutual_dissent.analysis.outcome import outcome_of
from mutual_dissent.core.events import Opened, RoundEnded
from mutual_dissent.core.stopping import ExitCriteria
from mutual_dissent.core.transcript import fold, opening
from mutual_dissent.engine.quote import quote
from mutual_dissent.engine.weigh import consensus_of
from mutual_dissent.modes import modes
from mutual_dissent.modes.topologies import TOPOLOGIES
from mutual_dissent.prompts.library import Library
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.store.files import read_transcript
from mutual_dissent.views.measures import worth
from mutual_dissent.views.worth import summed_up

CAST = {
    "ada": ["Tabs are better.", "Tabs are better.", "Use tabs."],
    "bob": ["Tabs are not better.", "Tabs are not better."],
    "cyd": ["Tabs are better.", "Tabs are better."],
}


def found_in(events):
    return [e.measures for e in events if isinstance(e, RoundEnded) and "consensus" in e.measures]


async def test_a_negated_statement_is_disagreement_and_the_groups_are_named():
    transcript, events, _ = await run(a_brief(), Scripted(CAST))
    first = found_in(events)[0]
    assert first["agreement"] < 0.5
    groups = sorted(sorted(c["members"]) for c in first["consensus"]["clusters"])
    assert groups == [["ada", "cyd"], ["bob"]]
    assert consensus_of(transcript)[0].conflicts


async def test_the_analyst_is_asked_after_each_round_and_its_word_counts():
    heard = {}

    def analyst(ask):
        heard[ask.key] = ask
        by_seat = {seat: label for label, seat in ask.labels.items()}
        return json.dumps({
            "agreement_level": 0.25,
            "clusters": [{"theme": "for", "members": [by_seat["ada"], by_seat["cyd"]],
                          "summary": "tabs"},
                         {"theme": "against", "members": [by_seat["bob"]], "summary": "spaces"}],
            "common_ground": ["indentation matters"], "disagreement_points": ["which one"],
            "partial": [], "conditional": [], "uncertain": [],
            "conflicts": [{"issue": "tabs", "positions": [
                {"label": by_seat["ada"], "stance": "for"},
                {"label": by_seat["bob"], "stance": "against"}]}],
            "reasoning": "One says the opposite.",
        })  # fmt: skip

    brief = a_brief(analyzer="model", analyst=seat("eve"))
    transcript, events, _ = await run(brief, Scripted({**CAST, "eve": analyst}))
    assert sorted(heard) == ["0/analysis/eve", "1/analysis/eve"]
    assert [m["measure"] for m in found_in(events)] == ["model", "model"]
    found = consensus_of(transcript)[0]
    assert found.agreement_level == 0.25
    assert found.clusters[0].members == ("ada", "cyd")
    assert {h.seat for h in found.conflicts[0].positions} == {"ada", "bob"}
    assert not any("ada" in a.text for a in heard.values())


async def test_an_analyst_that_cannot_be_read_is_replaced_and_that_is_said():
    brief = a_brief(analyzer="model", analyst=seat("eve"))
    transcript, events, _ = await run(brief, Scripted({**CAST, "eve": lambda _: "they agree"}))
    assert [m["measure"] for m in found_in(events)] == ["rules", "rules"]
    said = "the analyst eve could not be used; agreement is measured by rules"
    assert {n.text for n in transcript.notes if n.code == "analyzer"} == {said}


async def test_who_measures_in_the_place_of_an_analyst_is_named(own_home):
    cast = Scripted({**CAST, "eve": lambda _: "they agree", "zoe": lambda _: "yes"})
    async with MutualDissent(home=own_home, provider=cast) as md:
        options = {"panel": ["ada", "bob", "cyd"], "synthesizer": "ada"}
        done = await md.debate("q", **options, analyzer="model", analyst="eve")
    assert done.rounds[0].measures["measure"] == "semantic"
    said = "the analyst eve could not be used; agreement is measured by the agreement model"
    assert {n.text for n in done.notes if n.code == "analyzer"} == {said}


async def test_a_resumed_debate_does_not_ask_the_analyst_again():
    brief = a_brief(analyzer="model", analyst=seat("eve"))
    words = json.dumps({"agreement_level": 0.5})
    _, events, _ = await run(brief, Scripted({**CAST, "eve": lambda _: words}))
    silent = Scripted({})
    again, _, _ = await run(brief, silent, events=events[:-1])
    assert silent.asks == []
    assert again.synthesis.content == "Use tabs."


async def test_killed_before_its_round_is_measured_the_analysts_word_means_the_same():
    def analyst(ask):
        return json.dumps({
            "agreement_level": 0.5,
            "clusters": [{"theme": "all", "members": sorted(ask.labels), "summary": "one group"}],
        })  # fmt: skip

    brief = a_brief(analyzer="model", analyst=seat("eve"))
    _, events, _ = await run(brief, Scripted({**CAST, "eve": analyst}))
    last = next(i for i, e in enumerate(events) if isinstance(e, RoundEnded))
    assert "analysis" in events[last - 1].key
    _, again, _ = await run(brief, Scripted({**CAST, "eve": analyst}), events=events[:last])
    assert found_in(again)[0] == found_in(events)[0]
    assert len(found_in(again)[0]["consensus"]["clusters"]) == 1


async def test_a_debate_stops_once_the_panel_agrees_if_that_was_asked_for():
    same = Scripted(dict.fromkeys(CAST, lambda _: "Canberra is the capital."))
    brief = a_brief(rounds=3, exits=ExitCriteria(consensus=0.9))
    transcript, _, _ = await run(brief, same)
    assert [r.round_number for r in transcript.rounds] == [0]
    assert transcript.rounds[0].measures["exit"]["reason"] == "consensus"


async def test_a_debate_stops_once_nobody_moves_any_more():
    stubborn = Scripted({s: (lambda _, s=s: CAST[s][0]) for s in CAST})
    brief = a_brief(rounds=3, exits=ExitCriteria(consensus=None, convergence=1))
    transcript, _, _ = await run(brief, stubborn)
    assert transcript.rounds[-1].round_number < 3
    assert transcript.rounds[-1].measures["exit"]["reason"] == "convergence"


async def test_without_exits_every_round_is_held_and_the_last_one_says_so():
    same = Scripted(dict.fromkeys(CAST, lambda _: "Canberra is the capital."))
    transcript, _, _ = await run(a_brief(rounds=2), same)
    assert len(transcript.rounds) == 3
    assert [r.measures.get("exit", {}).get("reason") for r in transcript.rounds] == [
        None,
        None,
        "max_rounds",
    ]


def test_a_quote_counts_the_analyst():
    brief = a_brief("ada", "bob", "cyd", "dee", analyzer="model", analyst=seat("eve"))
    opened = opening(Opened(seq=1, at=START, brief=brief))
    assert quote(opened, modes(TOPOLOGIES)["reflection"], Library(), Tariff()).calls == 11


async def test_the_embedded_model_is_never_asked_to_fill_in_a_form():
    from dataclasses import replace

    from mutual_dissent.core.panel import Route

    small = Route(vendor="local", model_id="smollm2")
    panel = tuple(replace(seat(s), route=small) for s in ("ada", "bob", "cyd"))
    brief = a_brief(mode="delphi", rounds=2, panel=panel, synthesizer=panel[0])
    cast = Scripted(dict.fromkeys(CAST, lambda _: "I think so."))
    transcript, _, _ = await run(brief, cast)
    assert transcript.synthesis is not None
    assert all(a.schema is None and "JSON" not in a.text for a in cast.asks)
    assert len(cast.asks) <= 7


async def test_meaning_counts_where_it_is_asked_for(own_home):
    cast = Scripted({
        "ada": lambda _: "AI is dangerous.",
        "bob": lambda _: "AI is not dangerous.",
        "cyd": lambda _: "Artificial intelligence poses a danger.",
    })  # fmt: skip
    async with MutualDissent(home=own_home, env={}, provider=cast, prices=Tariff()) as md:
        transcript = await md.debate("Is it?", panel=list(CAST), analyzer="semantic", save=False)
    found = consensus_of(transcript)[0]
    assert found.analyzer == "semantic"
    assert {frozenset(c.members) for c in found.clusters} == {
        frozenset({"ada", "cyd"}),
        frozenset({"bob"}),
    }


async def test_a_missing_agreement_model_is_said_and_the_rules_measure_instead():
    transcript, events, _ = await run(a_brief(analyzer="semantic"), Scripted(CAST))
    assert [m["measure"] for m in found_in(events)] == ["rules", "rules"]
    assert any("agreement model" in n.text for n in transcript.notes)


async def test_what_came_of_the_first_answers_is_judged_by_meaning_where_rounds_are(own_home):
    """The rules cannot tell these apart; whoever reads meaning can."""
    said = {
        "ada": ["Go by train.", "Go by train.", "Take the railway."],
        "bob": ["Go by train.", "Go by train."],
    }
    judged = {}
    for analyzer in ("semantic", "rules"):
        async with MutualDissent(home=own_home, provider=Scripted(dict(said))) as md:
            options = {"panel": ["ada", "bob"], "synthesizer": "ada", "analyzer": analyzer}
            done = await md.debate("How?", **options)
            stored = md.store.transcript(done.transcript_id)
        assert worth(stored) == worth(done)
        judged[analyzer] = worth(done)
    assert {k: v.analyzer for k, v in judged.items()} == {"semantic": "semantic", "rules": "rules"}
    assert judged["rules"].changed is None
    assert judged["semantic"].changed is False
    assert "Judged by the semantic model." in summed_up(judged["semantic"])


async def test_a_written_file_keeps_how_the_outcome_was_judged(own_home, tmp_path):
    cast = Scripted(dict.fromkeys(("ada", "bob"), lambda _: "Go by train."))
    async with MutualDissent(home=own_home, provider=cast) as md:
        options = {"panel": ["ada", "bob"], "synthesizer": "ada", "analyzer": "semantic"}
        done = await md.debate("How?", **options)
        assert md.examine() == []
    [path] = (own_home / "transcripts").glob("*.json")
    read = fold(read_transcript(path).events)
    assert outcome_of(read) == outcome_of(done) is not None
