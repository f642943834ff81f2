"""The agreement model on claims and answers, through its public surface."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fakes.patience import in_proportion
from mutual_dissent.semantics import CONFIDENT, Semantics

pytest.importorskip("numpy")
TUNING = Path(__file__).parents[2] / "training" / "tuning.jsonl"
GOLD = {"agree": "agree", "disagree": "disagree", "partial": "neither", "unrelated": "neither"}
RELATIONS = {"agree", "disagree", "partial", "unrelated", "uncertain"}


@pytest.fixture(scope="module")
def model() -> Semantics:
    return Semantics.load()


@pytest.fixture(scope="module")
def tuned(model):
    rows = [json.loads(line) for line in TUNING.read_text("utf-8").splitlines()]
    return rows, model.compare_all([(r["a"], r["b"]) for r in rows])


def three_way(relation: str) -> str:
    return relation if relation in ("agree", "disagree") else "neither"


def test_dangerous_and_not_dangerous_disagree(model):
    assert model.compare([("AI is dangerous.", "AI is not dangerous.")])[0].relation == "disagree"


def test_developers_and_software_engineers_agree(model):
    pair = ("Developers should write tests.", "Software engineers ought to write tests.")
    assert model.compare([pair])[0].relation == "agree"


def test_the_tuning_pairs_are_mostly_right_and_seldom_the_wrong_way_round(tuned):
    rows, verdicts = tuned
    said = [(three_way(v.relation), GOLD[r["label"]]) for r, v in zip(rows, verdicts, strict=True)]
    assert sum(s == g for s, g in said) / len(said) >= 0.78
    assert sum({s, g} == {"agree", "disagree"} for s, g in said) / len(said) <= 0.06


def test_confident_verdicts_are_right_nine_times_in_ten(tuned):
    rows, verdicts = tuned
    sure = [
        three_way(v.relation) == GOLD[r["label"]]
        for r, v in zip(rows, verdicts, strict=True)
        if v.confidence >= CONFIDENT
    ]
    assert len(sure) >= 60
    assert sum(sure) / len(sure) >= 0.9


def test_exchanging_the_two_sides_changes_nothing(model):
    rows = [json.loads(line) for line in TUNING.read_text("utf-8").splitlines()][::9]
    ahead = model.compare_all([(r["a"], r["b"]) for r in rows])
    back = model.compare_all([(r["b"], r["a"]) for r in rows])
    assert [v.relation for v in ahead] == [v.relation for v in back]
    assert all(abs(x.confidence - y.confidence) < 1e-3 for x, y in zip(ahead, back, strict=True))


def test_the_same_question_gets_the_same_verdict_alone_or_in_company(model):
    pairs = [("Tea is hot.", "Tea is cold."), ("Use Go.", "Use Rust."), ("a " * 50, "b " * 30)]
    together = model.compare(pairs)
    for pair, verdict in zip(pairs, together, strict=True):
        alone = model.compare([pair])[0]
        assert alone.relation == verdict.relation
        assert abs(alone.confidence - verdict.confidence) < 1e-3


def test_threads_may_share_the_model(model):
    pair = ("The tower is 300 metres high.", "The tower is 180 metres high.")
    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(lambda _: model.compare([pair])[0], range(8)))
    assert len(found) == 1
    assert found.pop().relation == "disagree"


def test_a_refusal_is_compared_with_nothing(model):
    verdict = model.compare_answers(
        "I'm sorry, but I can't help with that.", "Use a torque wrench."
    )
    assert verdict.relation == "unrelated"
    assert "declines" in verdict.reason


HOSTILE = {
    "empty": "",
    "blank": "   \n",
    "emoji": "😀" * 50,
    "japanese": "今日は雨です。",
    "control": "\x00\ufffd",
    "words": "word " * 40_000,
    "one word": "x" * 200_000,
    "brackets": "((((" * 50_000,
    "numbers": "1 2 3 4 5 and a half " * 9_000,
    "yes": "Yes. " * 40_000,
    "lines": "a\n" * 100_000,
    "fences": "```\n" * 50_000,
    "stops": "." * 200_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_never_raises_and_takes_bounded_time(model, text):
    with in_proportion(90):
        for other in ("Tea is better than coffee.", text):
            for verdict in (model.compare([(text, other)])[0], model.compare_answers(other, text)):
                assert verdict.relation in RELATIONS
                assert 0 <= verdict.confidence <= 1


def test_importing_the_package_loads_no_numpy():
    code = "import sys, mutual_dissent.semantics; sys.exit('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ}, check=False)
    assert done.returncode == 0


def test_the_weights_stay_small_enough_to_ship():
    weights = Path(sys.modules["mutual_dissent.semantics"].__file__).parent / "weights"
    assert sum(f.stat().st_size for f in weights.iterdir()) <= 25_000_000
