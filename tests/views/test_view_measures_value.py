"""What deliberation was worth is told for each debate, and over many."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from fakes.closing import closed
from fakes.debates import Fault, Said, panelist
from fakes.measured import deliberated, voted
from mutual_dissent.core.response import ErrorKind
from mutual_dissent.views.documents.formats import FORMATS
from mutual_dissent.views.findings import worth
from mutual_dissent.views.markdown import to_markdown
from mutual_dissent.views.terminal import terminal
from mutual_dissent.views.track_record import look, models, outcomes

QUERY = "Is AI dangerous?"
YES, NO = closed("Yes."), closed("No.")
MARKS = {"explanation": "", "judge": "gemini", "judge_is_synthesizer": False}


def scored(best: int, final: int) -> dict[str, dict]:
    marks = {"0/initial/claude": best, "0/initial/gpt": 1, "-1/synthesis/claude": final}
    return {key: {"accuracy": m, "completeness": m, **MARKS} for key, m in marks.items()}


def agreed(final: str = YES, **more):
    said = {"claude": [YES], "gpt": [YES], "grok": [NO]}
    return deliberated(said, synthesis=final, query=QUERY, **more)


def test_the_cheaper_ways_are_told_with_their_cost():
    text = " ".join(terminal(agreed(), verbose=True).split())
    assert "best single answer" not in text  # nothing told beforehand who that would be
    returned = "what claude and gpt held at first (2 of 3)"
    assert f"plain vote (3 calls, $0.0093): {returned}; the same outcome as the debate's" in text
    spoke = "the first answer of claude, of the largest group"
    assert f"stop after the initial answers (3 calls, $0.0093): {spoke}" in text
    assert "what deliberating was worth" not in terminal(agreed())
    assert "| plain vote | what claude and gpt held at first (2 of 3) |" in to_markdown(agreed())


def test_another_outcome_than_the_votes_is_said():
    assert worth(agreed(NO)).changed is True
    assert worth(agreed(YES)).changed is False
    assert "another outcome" in to_markdown(agreed(NO))


def test_the_json_has_it_under_metadata():
    value = json.loads(FORMATS["json"](agreed(NO)))["metadata"]["value"]
    assert value["changed"] is True
    assert {a["name"] for a in value["alternatives"]} == {
        "best_single",
        "plain_vote",
        "stop_after_round_0",
        "two_first",
    }
    two = next(a for a in value["alternatives"] if a["name"] == "two_first")
    assert (two["spent"]["calls"], two["basis"]) == (2, "the first two agree")
    assert value["spent"]["calls"] == 4


def test_answers_that_nobody_could_compare_make_no_claim():
    said = {"a": ["Waiting has its price, as all has."], "b": ["Think of the time that you have."]}
    t = deliberated(said, query="What shall I do?", synthesis="Do what you can live with.")
    assert worth(t).changed is None
    assert "not measured" in to_markdown(t)


def test_a_debate_without_an_answer_has_no_value():
    t = agreed(Fault())
    assert worth(t) is None
    assert "## Value" not in to_markdown(t)
    assert "value" not in json.loads(FORMATS["json"](t))["metadata"]


def test_a_vote_names_the_best_single_answer():
    t = voted({"ada": (("bob",), ("cyd",)), "bob": (("cyd",),), "cyd": (("bob",), ("ada",))})
    best = worth(t).alternatives[0]
    assert (best.seats, best.basis) == (("bob",), "best by ballot")


@pytest.mark.parametrize(("final", "improved", "degraded"), [(5, 1, 0), (3, 0, 0), (2, 0, 1)])
def test_with_a_known_answer_it_is_told_whether_it_helped(final, improved, degraded):
    (mode,) = outcomes([look(agreed(scores=scored(3, final)))], lambda x: x.mode)
    assert (mode.scored, mode.improved, mode.degraded) == (1, improved, degraded)
    assert mode.mean_gain == final - 3


def test_debates_add_up_by_mode_and_preset():
    many = [
        agreed(mode="delphi", preset="quick"),
        agreed(NO, mode="delphi"),
        agreed(Fault(), mode="delphi"),
        agreed(mode="reflection"),
    ]
    looks = [look(t) for t in many]
    delphi, reflection = outcomes(looks, lambda x: x.mode)
    assert (delphi.name, delphi.debates, delphi.completed) == ("delphi", 3, 2)
    assert (delphi.changed, delphi.same, delphi.unclear) == (1, 1, 0)
    assert reflection.debates == 1
    assert [(p.name, p.debates) for p in outcomes(looks, lambda x: x.preset)] == [("quick", 1)]
    assert delphi.cost_usd == pytest.approx(0.0031 * 11)


def test_a_model_is_told_with_its_failures_flips_and_speed():
    said = {
        "claude": [YES, YES],
        "gpt": [NO, Said(YES, {"latency_ms": 900})],
        "grok": [Fault(ErrorKind.TIMEOUT)],
    }
    by_id = {m.model_id: m for m in models([look(deliberated(said, query=QUERY))])}
    gpt, grok, claude = (by_id[f"lab/{n}-1"] for n in ("gpt", "grok", "claude"))
    assert (gpt.calls, gpt.flips, gpt.latency_ms, gpt.failed) == (2, 1, 1500, 0)
    assert (grok.calls, grok.failed, grok.latency_ms, grok.cost_usd) == (1, 1, None, None)
    assert (claude.calls, claude.flips) == (3, 0)
    assert claude.aliases == ("claude",)


def test_one_model_at_two_seats_is_one_line_and_no_evidence():
    twins = [panelist("claude", "lab/x"), panelist("claude#2", "lab/x")]
    seen = look(deliberated({"claude": [YES], "claude#2": [YES]}, panel=twins))
    assert seen.one_model
    (only,) = models([seen])
    assert (only.model_id, only.debates, only.calls) == ("lab/x", 1, 3)


def test_what_was_reused_is_not_counted_again():
    t = agreed()
    lent = replace(t, reused=frozenset({"0/initial/gpt"}))
    assert look(lent).calls == look(t).calls - 1
