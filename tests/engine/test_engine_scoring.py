"""A judge compares the debate with a known answer."""

from __future__ import annotations

import pytest

from fakes.world import a_brief, run, seat
from mutual_dissent.analysis.scores.grades import SCORE, score
from mutual_dissent.core.brief import STANDARD_RUBRIC, Rubric
from mutual_dissent.core.events import Status
from mutual_dissent.core.response import ErrorKind
from mutual_dissent.providers.responses import blank, failure
from mutual_dissent.providers.scripted import Scripted

GOOD = "ACCURACY: 5\nCOMPLETENESS: 4\nEXPLANATION: Right, but brief."
CAST = {
    "ada": ["tabs", "tabs", "Use tabs."],
    "bob": ["spaces", "tabs now"],
    "cyd": ["either", "either"],
}


def judged(**more):
    return a_brief(judge=seat("eve"), ground_truth="tabs", **more)


async def test_the_synthesis_is_scored_against_the_known_answer():
    transcript, _, _ = await run(judged(), cast := Scripted({**CAST, "eve": [GOOD]}))
    found = transcript.synthesis.analysis[SCORE]
    assert (found["accuracy"], found["completeness"]) == (5, 4)
    assert found["explanation"] == "Right, but brief."
    assert found["judge"] == "eve"
    assert found["judge_is_synthesizer"] is False
    assert found["raw"] == GOOD
    assert transcript.status is Status.COMPLETED
    asked = cast.heard_by("eve")[0]
    assert "Use tabs." in asked
    assert "tabs" in asked


async def test_every_answer_is_scored_if_asked_for():
    brief = judged(score="all")
    transcript, _, _ = await run(brief, Scripted({**CAST, "eve": lambda _: GOOD}))
    assert all(r.analysis[SCORE]["accuracy"] == 5 for r in transcript.turns())
    assert len(transcript.scores) == 7


async def test_a_judge_that_is_the_synthesizer_is_named_as_such():
    brief = a_brief(judge=seat("ada"), ground_truth="tabs")
    cast = Scripted({**CAST, "ada": [*CAST["ada"], GOOD]})
    transcript, _, _ = await run(brief, cast)
    assert transcript.synthesis.analysis[SCORE]["judge_is_synthesizer"] is True


async def test_a_judge_that_fails_leaves_the_answer_and_an_empty_score():
    cast = {**CAST, "eve": lambda ask: failure(ask, ErrorKind.AUTH, "no key")}
    transcript, _, _ = await run(judged(), Scripted(cast))
    assert transcript.status is Status.COMPLETED
    assert transcript.synthesis.analysis[SCORE]["accuracy"] is None


async def test_a_resumed_debate_is_scored_once():
    brief = judged()
    whole, events, _ = await run(brief, Scripted({**CAST, "eve": [GOOD]}))
    silent = Scripted({})
    again, _, _ = await run(brief, silent, events=events[:-1])
    assert silent.asks == []
    assert again.scores == whole.scores


@pytest.mark.parametrize(
    ("reply", "accuracy", "completeness"),
    [
        (GOOD, 5, 4),
        ("**ACCURACY:** 3\n**COMPLETENESS:** 2", 3, 2),
        ("- Accuracy: 4/5\n- Completeness: 1 out of 5", 4, 1),
        ("accuracy = 2\ncompleteness = 5.0", 2, 5),
        ("ACCURACY: 7\nCOMPLETENESS: 0", None, None),
        ("ACCURACY: 45\nCOMPLETENESS: 3.5", None, None),
        ("It is very accurate.", None, None),
        ("ACCURACY: 4.\nCOMPLETENESS: 5. Good", 4, 5),
        ("ACCURACY: 4,5\nCOMPLETENESS: 4.5.", None, None),
        ("ACCURACY: 1\nACCURACY: 5\nCOMPLETENESS: 3", 5, 3),
        ('{"accuracy": 5, "completeness": 4, "explanation": "Right."}', 5, 4),
        ('Here it is:\n```json\n{\n  "Accuracy": 3,\n  "completeness": "2/5"\n}\n```', 3, 2),
        ('{"scores": {"accuracy": 4.0, "completeness": 1}, "explanation": "x"}', 4, 1),
        ('{"accuracy": true, "completeness": 9}', None, None),
        ('{"accuracy": 5, "completeness"', None, None),
        ('It says {"accuracy": 5}.\nACCURACY: 2\nCOMPLETENESS: 1', 2, 1),
        ("{" * 50_000, None, None),
        ("", None, None),
    ],
)
def test_a_score_is_what_the_judge_wrote_or_nothing(reply, accuracy, completeness):
    found = score(_reply(reply), STANDARD_RUBRIC, judge_is_synthesizer=False)
    assert (found["accuracy"], found["completeness"]) == (accuracy, completeness)


def test_the_explanation_of_a_judge_that_answers_in_json_is_kept():
    reply = '```\n{"accuracy": 5, "completeness": 4, "explanation": "Right, but brief."}\n```'
    found = score(_reply(reply), STANDARD_RUBRIC, judge_is_synthesizer=False)
    assert found["explanation"] == "Right, but brief."
    assert found["raw"] == reply


def test_a_rubric_of_ones_own_replaces_the_dimensions():
    rubric = Rubric(name="tone", dimensions={"Kindness": "how kind", "brevity": "how short"})
    found = score(_reply("KINDNESS: 4\nBREVITY: 2"), rubric, judge_is_synthesizer=False)
    assert (found["Kindness"], found["brevity"]) == (4, 2)
    assert "accuracy" not in found


def _reply(text):
    from dataclasses import replace

    from mutual_dissent.core.response import Ask

    ask = Ask(key="k", panelist=seat("eve"), round_number=-1, role="judge", prompt="common/judge",
              system="", head="", tail="")  # fmt: skip
    return replace(blank(ask), content=text)


async def test_a_judge_without_credits_does_not_undo_the_answer():
    cast = {**CAST, "eve": lambda ask: failure(ask, ErrorKind.CREDITS, "top up")}
    transcript, _, _ = await run(judged(), Scripted(cast))
    assert transcript.status is Status.COMPLETED
    assert transcript.synthesis.content == "Use tabs."
    assert any(n.code == "not_scored" for n in transcript.notes)
