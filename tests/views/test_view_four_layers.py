"""Promises of the four-layer answer: the protocol's names, and nothing that acts on a terminal."""

from __future__ import annotations

import json

from fakes.debates import Fault, Said
from fakes.readers import debated, held
from mutual_dissent.analysis.consensus import consensus
from mutual_dissent.analysis.movement import movement
from mutual_dissent.core.response import Citation
from mutual_dissent.core.stopping import Exit
from mutual_dissent.views.four_layers import consensus_to_json, four_layers

CITED = {
    "citations": (Citation(url="https://example.org/a"), Citation(url="https://example.org/b"))
}
SEARCHED = {"tool_calls": ({"name": "web_search"}, {"name": "web_search"}, {"name": "fact_check"})}


def layers(t, **more):
    found = consensus(t.last_round.responses if t.last_round else ())
    return four_layers(t, found, movement(t), **more)


def a_debate():
    return debated(
        {
            "ann": [
                held("Use queues.", confidence=0.5),
                held(
                    "Queues are fast.", confidence=0.75, key_points=("a", "b"), **CITED, **SEARCHED
                ),
            ],
            "bob": ["Queues are slow.", "Queues are slow."],
        },
        query="Should we use queues?",
    )


def test_it_has_the_shape_of_the_protocol():
    shown = layers(a_debate(), exit_=Exit(reason="max_rounds", details="all rounds were held"))
    assert list(shown) == [
        "sessionId", "topic", "roundNumber", "decision", "agentResponses", "evidence", "metadata",
    ]  # fmt: skip
    assert (shown["topic"], shown["roundNumber"]) == ("Should we use queues?", 1)
    assert shown["decision"]["consensusLevel"] == "low"
    assert shown["decision"]["agreementScore"] == 0.0
    assert shown["decision"]["actionRecommendation"]["type"] == "query_detail"
    assert shown["evidence"]["totalCitations"] == 2
    assert shown["evidence"]["conflicts"] == [
        {
            "issue": "Queues fast",
            "positions": [
                {"agentId": "ann", "stance": "Queues are fast."},
                {"agentId": "bob", "stance": "Queues are slow."},
            ],
        }
    ]
    assert shown["evidence"]["groupthinkWarning"]["detected"] is False
    details = shown["metadata"]["detailReference"]
    assert details["tool"] == "get_round_details"
    assert details["params"] == {"sessionId": shown["sessionId"], "roundNumber": 1}
    assert shown["metadata"]["verificationHints"][0]["suggestedTool"] == "get_response_detail"
    assert shown["metadata"]["hasMoreDetails"] is True
    assert shown["metadata"]["exitReason"] == "max_rounds"


def test_each_agent_is_summed_up():
    ann, bob = layers(a_debate())["agentResponses"]
    assert (ann["agentId"], ann["agentName"], ann["position"]) == (
        "ann", "lab/ann-1", "Queues are fast.",
    )  # fmt: skip
    assert ann["keyPoints"] == ["a", "b"]
    assert ann["confidence"] == 0.75
    assert ann["confidenceChange"]["delta"] == 0.25
    assert ann["confidenceChange"]["previousRound"] == 0
    assert ann["evidenceUsed"] == {
        "webSearches": 3, "citations": 2, "toolCalls": ["fact_check", "web_search"],
    }  # fmt: skip
    assert bob["confidence"] is None
    assert "confidenceChange" not in bob
    assert bob["keyPoints"] == ["Queues are slow."]


def test_an_earlier_round_can_be_shown():
    t = a_debate()
    shown = four_layers(t, consensus(t.rounds[0].responses), movement(t), round_number=0)
    assert shown["roundNumber"] == 0
    assert "groupthinkWarning" not in shown["evidence"]
    assert "confidenceChange" not in shown["agentResponses"][0]


def test_a_debate_without_answers_has_layers_too():
    shown = layers(debated({"ann": [Fault()], "bob": [Fault()]}, synthesis=None))
    assert shown["agentResponses"] == []
    assert shown["metadata"]["hasMoreDetails"] is False
    assert shown["decision"]["actionRecommendation"]["type"] == "query_detail"


def test_nothing_in_it_acts_on_a_terminal():
    bad = "Queues \x1b[2Jare \u202efast."
    t = debated({"ann": [Said(bad, {"tool_calls": ({"name": bad},)})], "bob": [bad]}, query=bad)
    text = json.dumps(layers(t), ensure_ascii=False)
    assert "\x1b" not in text
    assert "\\u001b" not in text
    assert "\u202e" not in text


def test_a_consensus_has_the_names_of_the_protocol():
    t = a_debate()
    shown = consensus_to_json(consensus(t.rounds[1].responses))
    assert list(shown) == [
        "agreementLevel", "clusters", "commonGround", "disagreementPoints", "nuances", "reasoning",
        "analyzer",
    ]  # fmt: skip
    assert shown["clusters"][0]["agentIds"] == ["ann"]
    assert list(shown["nuances"]) == ["partialAgreements", "conditionalPositions", "uncertainties"]
