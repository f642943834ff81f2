"""Promises of the four-layer answer: the protocol's names, and nothing that acts on a terminal."""

from __future__ import annotations

import json

from fakes.closing import a_split, closed
from fakes.debates import Fault, Said, debate, transcript
from fakes.readers import debated
from mutual_dissent.core.codec.camel import camel
from mutual_dissent.core.response import Citation
from mutual_dissent.core.transcript import fold
from mutual_dissent.views.four_layers import four_layers
from mutual_dissent.views.heading import heading

CITED = {
    "citations": (Citation(url="https://example.org/a"), Citation(url="https://example.org/b"))
}
SEARCHED = {"tool_calls": ({"name": "web_search"}, {"name": "web_search"}, {"name": "fact_check"})}


def layers(t, round_number=None):
    return camel(four_layers(t, round_number))


def a_debate():
    return debated(
        {
            "ann": [
                f"{closed('Yes, use queues.')}\nCONFIDENCE: 50 %",
                Said(
                    f"{closed('Yes, they are fast.', 'bob disagree: how fast they are', 'nothing')}"
                    "\nCONFIDENCE: 75 %",
                    {"key_points": ("a", "b"), **CITED, **SEARCHED},
                ),
            ],
            "bob": [
                closed("No, they are slow."),
                closed("No, they are slow.", "ann disagree: how fast they are", "nothing"),
            ],
        },
        query="Should we use queues?",
    )


def test_it_has_the_shape_of_the_protocol():
    shown = layers(a_debate())
    assert list(shown) == [
        "sessionId", "topic", "roundNumber", "decision", "agentResponses", "evidence", "metadata",
        "heading", "ledger", "failedAgents", "neededFromUser", "notes", "tally",
    ]  # fmt: skip
    assert (shown["topic"], shown["roundNumber"]) == ("Should we use queues?", 1)
    assert shown["decision"]["consensusLevel"] == "low"
    assert shown["decision"]["agreementScore"] == 0.0
    assert shown["decision"]["actionRecommendation"]["type"] == "verify"
    assert shown["evidence"]["totalCitations"] == 2
    assert shown["evidence"]["conflicts"] == [
        {
            "issue": "how fast they are",
            "positions": [
                {"agentId": "ann", "stance": "Yes, they are fast."},
                {"agentId": "bob", "stance": "No, they are slow."},
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
        "ann", "lab/ann-1", "Yes, they are fast.",
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
    assert bob["keyPoints"] == ["No, they are slow."]


def test_an_earlier_round_can_be_shown():
    t = a_debate()
    shown = layers(t, 0)
    assert shown["roundNumber"] == 0
    assert "groupthinkWarning" not in shown["evidence"]
    assert "confidenceChange" not in shown["agentResponses"][0]


def test_a_debate_without_answers_has_layers_too():
    shown = layers(debated({"ann": [Fault()], "bob": [Fault()]}, synthesis=None))
    assert shown["agentResponses"] == []
    assert [a["agentId"] for a in shown["failedAgents"]] == ["ann", "bob"]
    assert shown["decision"]["actionRecommendation"]["type"] == "query_detail"


def test_nothing_in_it_acts_on_a_terminal():
    bad = "Queues \x1b[2Jare \u202efast."
    t = debated({"ann": [Said(bad, {"tool_calls": ({"name": bad},)})], "bob": [bad]}, query=bad)
    text = json.dumps(layers(t), ensure_ascii=False)
    assert "\x1b" not in text
    assert "\\u001b" not in text
    assert "\u202e" not in text


# -- as the record tells them


def test_what_was_not_measured_is_unknown_and_null():
    t = transcript(
        {"ann": ["Light drives it."], "bob": ["Minerals come from the soil."]},
        query="How do plants grow?",
    )
    made = layers(t)["decision"]
    assert (made["consensusLevel"], made["agreementScore"]) == ("unknown", None)
    assert made["actionRecommendation"]["type"] == "query_detail"


def test_before_the_first_round_has_ended_there_is_no_decision():
    begun = fold(debate({"ann": ["Yes."], "bob": ["No."]})[:3])
    shown = layers(begun)
    assert shown["decision"] is None
    assert shown["agentResponses"] == []


def test_conflicts_and_summary_are_those_of_the_ledger():
    t = a_split("the horizon")
    evidence = layers(t)["evidence"]
    (conflict,) = evidence["conflicts"]
    assert conflict["issue"] == "the horizon"
    assert {"agentId": "p4", "stance": "Rust, if one person knows it."} in conflict["positions"]
    assert evidence["consensusSummary"] == heading(t)


def test_a_review_counts_as_a_round_only_where_it_says_who_agrees():
    reviewed = layers(a_split())
    assert reviewed["roundNumber"] == 1
    assert [a["agentId"] for a in reviewed["agentResponses"]] == ["claude", "gpt", "grok", "p4"]
