"""Judges read in both orders, do not know the answer, and are nobody's relatives."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest

from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.experiments.design.file import parse_experiment
from mutual_dissent.experiments.jury.judgement import Judgement, combine_picks
from mutual_dissent.experiments.jury.schedule import Preference, count_judgements, preferences
from mutual_dissent.experiments.results.findings import findings
from mutual_dissent.experiments.results.reliability import verdicts
from mutual_dissent.experiments.results.results import results
from mutual_dissent.experiments.run.run import Run
from mutual_dissent.prompts.library import Library
from mutual_dissent.providers.scripted import Scripted

BEST_OF = """
name = "best"
judge = "acme/judy"
[[query]]
text = "2 + 2?"
answer = "4"
[baselines]
panel = ["acme/ada"]
single = false
vote = false
best-of = true
matched = "samples"
samples = 3
[[condition]]
name = "panel"
panel = ["acme/ada", "zeta/bob"]
"""

PAIRS = """
name = "pairs"
[judging]
judges = ["judges/judy"]
[[query]]
text = "Tell me of the sea."
[[query]]
text = "Tell me of the land."
[[condition]]
name = "panel"
panel = ["acme/ada", "zeta/bob"]
[baselines]
panel = ["acme/ada"]
vote = false
"""


def picks(choose):
    """A judge that reads the answers and picks the letter that `choose` gives."""

    def judge(ask):
        shown = re.findall(r"\[Answer ([A-Z]) \| \w+\]\n(.*?)\n\[end", ask.text, re.DOTALL)
        return f"I compared them.\n\nAnswer: {choose(shown)}" if shown else "A poem of the sea."

    return judge


def the_four(shown):
    return next((x for x, text in shown if "4" in text), shown[0][0])


def the_first(shown):
    return shown[0][0]


async def held(tmp_path, text, cast):
    experiment = parse_experiment(text, "x.toml", Path())
    md = MutualDissent(home=tmp_path / "h", env={}, provider=cast, prices=Tariff())
    done = await Run(md, experiment).to_the_end()
    assert (done.failed, done.left) == (0, 0), done.problems
    return md, experiment


def cast_of(judge, ada=("It is 5.\n\nAnswer: 5", "It is 4.\n\nAnswer: 4", "Answer: 6")):
    return Scripted(
        {
            "acme/ada": in_turn(ada),
            "zeta/bob": picks(judge),
            "acme/judy": picks(judge),
            "judges/judy": picks(judge),
        }
    )


def in_turn(lines):
    turns = cycle(lines)
    return lambda _: next(turns)


async def test_the_best_is_picked_by_a_judge_of_another_vendor_who_does_not_know_the_answer(
    tmp_path,
):
    cast = cast_of(the_four)
    md, experiment = await held(tmp_path, BEST_OF, cast)
    readings = [a for a in cast.asks if "letter of the best one" in a.text]
    assert {a.panelist.seat for a in readings} == {"zeta/bob"}, "judy is of ada's vendor"
    assert len(readings) == 2
    found = next(r for r in results(md, experiment) if r.way == "best-of")
    assert (found.answer, found.right, found.tied) == ("4", True, False)
    assert found.took.calls == 3 + 2
    orders = [re.findall(r"\[Answer [A-Z] \| \w+\]\n(.*?)\n", a.text) for a in readings]
    assert orders[0] == orders[1][::-1]
    await md.aclose()


@pytest.mark.parametrize(
    ("words", "picked"),
    [
        ("B is best. A close second is well written.", "B"),
        ("B is best. I think that this is clear.", "B"),
        ("B is good. A is better.", "A"),
        ("Answer: A\n\nB is longer.", "A"),
        ("Both are good.", None),
    ],
)
def test_a_judge_who_states_no_answer_is_read_by_the_last_letter_that_is_no_word(words, picked):
    experiment = parse_experiment(PAIRS, "x.toml", Path())
    judgement = Judgement(
        experiment=experiment, about="x", query=experiment.queries[0], repeat=0, judge="judy",
        answers=("one", "two"), turn=0, library=Library(),
    )  # fmt: skip
    letters = dict(zip("AB", judgement.order, strict=True))
    assert judgement.read_pick(words) == (letters[picked] if picked else None)


async def test_a_judge_that_always_takes_the_first_is_a_tie_and_the_seed_decides(tmp_path):
    md, experiment = await held(tmp_path, BEST_OF, cast_of(the_first))
    found = [r for r in results(md, experiment) if r.way == "best-of"]
    assert [r.tied for r in found] == [True]
    assert findings(found).ties == (1, 1)
    again = [r for r in results(md, experiment) if r.way == "best-of"]
    assert again == found
    await md.aclose()


async def test_judgements_are_never_bought_twice(tmp_path):
    cast = cast_of(the_four)
    md, experiment = await held(tmp_path, BEST_OF, cast)
    asked = len(cast.asks)
    done = await Run(md, experiment).to_the_end()
    assert (done.done, done.left, len(cast.asks)) == (0, 0, asked)
    assert done.before == experiment.size + count_judgements(experiment)
    await md.aclose()


async def test_free_answers_are_compared_in_both_orders_and_bias_is_seen(tmp_path):
    md, experiment = await held(tmp_path, PAIRS, cast_of(the_first, ada=("Sea.",) * 3))
    said = list(preferences(md, experiment))
    assert len(said) == 2
    assert all(p.score == 0.5 and p.places == ("first", "first") for p in said)
    found = verdicts(said)
    assert found.bias["judges/judy"].consistent.value == 0
    assert found.bias["judges/judy"].first.value == 1
    await md.aclose()


def preference(judge, verdict, own=None, query="q", **more):
    return Preference(
        first="a", second="b", query=query, repeat=0, judge=judge, verdicts=(verdict, verdict),
        places=("first", "second"), impartial=own is None, own=own, **more,
    )  # fmt: skip


def test_a_judge_that_favours_its_own_vendor_is_found_out_and_not_heard():
    said = [preference("kin", "a", own="a", query=str(i)) for i in range(20)]
    said += [preference("other", "b", query=str(i)) for i in range(20)]
    found = verdicts(said)
    assert found.own["kin"].value == 1.0
    (pair,) = found.preferred
    assert (pair.share.value, pair.queries) == (0.0, 20)


def test_two_picks_that_differ_are_a_tie_unless_they_say_the_same():
    assert combine_picks((0, 1), ["4", "4", "5"], "s").tied is False
    assert combine_picks((0, 2), ["4", "4", "5"], "s").tied is True
    assert combine_picks((None, 2), ["4", "4", "5"], "s") == replace(
        combine_picks((2, 2), ["4", "4", "5"], "s"), tied=False
    )
    assert combine_picks((None, None), ["4", "5"], "s").tied is True
