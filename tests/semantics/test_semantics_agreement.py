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

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy loads, as the model does
pytest.importorskip("numpy")
ROOT = Path(__file__).parents[2]
TUNING = ROOT / "training" / "tuning.jsonl"
HELD_OUT = sorted((ROOT / "bench").glob("agreement-held-out*.jsonl"))  # nothing is fitted on them
GOLD = {"agree": "agree", "disagree": "disagree", "partial": "neither", "unrelated": "neither"}
RELATIONS = {"agree", "disagree", "partial", "unrelated", "uncertain"}


@pytest.fixture(scope="module")
def model() -> Semantics:
    return Semantics.load()


@pytest.fixture(scope="module")
def judged(model):
    rows = [json.loads(r) for path in HELD_OUT for r in path.read_text("utf-8").splitlines()]
    return rows, model.compare_all([(r["a"], r["b"]) for r in rows])


def three_way(relation: str) -> str:
    return relation if relation in ("agree", "disagree") else "neither"


def test_dangerous_and_not_dangerous_disagree(model):
    assert model.compare([("AI is dangerous.", "AI is not dangerous.")])[0].relation == "disagree"


def test_developers_and_software_engineers_agree(model):
    pair = ("Developers should write tests.", "Software engineers ought to write tests.")
    assert model.compare([pair])[0].relation == "agree"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Yes.", "No."),
        ("Yes, it is safe.", "No, it is risky."),
        ("Use PostgreSQL.", "Use MySQL."),
        ("The answer is 42.", "The answer is 17."),
        ("It takes 90 minutes.", "It takes two hours."),
        ("Alice lent Bob the car.", "Bob lent Alice the car."),
    ],
)
def test_plain_opposites_are_not_left_open(model, one, other):
    assert model.compare_all([(one, other)])[0].relation == "disagree"


def test_pairs_that_it_was_not_made_on_are_mostly_right_and_seldom_the_wrong_way_round(judged):
    rows, verdicts = judged
    said = [(three_way(v.relation), GOLD[r["label"]]) for r, v in zip(rows, verdicts, strict=True)]
    assert sum(s == g for s, g in said) / len(said) >= 0.75
    assert sum({s, g} == {"agree", "disagree"} for s, g in said) / len(said) <= 0.04


def test_confident_verdicts_are_right_nine_times_in_ten(judged):
    rows, verdicts = judged
    sure = [
        three_way(v.relation) == GOLD[r["label"]]
        for r, v in zip(rows, verdicts, strict=True)
        if v.confidence >= CONFIDENT
    ]
    assert len(sure) >= 40
    assert sum(sure) / len(sure) >= 0.9


def test_whether_a_text_ends_with_a_full_stop_changes_nothing(model):
    plain = ("Cats sleep more than dogs", "Dogs sleep less than cats")
    stopped = (f"{plain[0]}.", f"{plain[1]}.")
    assert model.compare([plain]) == model.compare([stopped])


def test_a_pair_of_many_is_judged_as_it_is_alone(model):
    long = "We should keep the old school. " + "It is dear to the village and in good repair. " * 6
    pairs = [(long, f"Answer {i}: close the school, since it costs too much.") for i in range(40)]
    alone = model.compare_all([pairs[7]])[0]
    assert model.compare_all(pairs)[7].relation == alone.relation


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
    refusal = ("I'm sorry, but I can't help with that.", "Use a torque wrench.")
    [verdict] = model.compare_all([refusal])
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
            for verdict in (model.compare([(text, other)])[0], *model.compare_all([(other, text)])):
                assert verdict.relation in RELATIONS
                assert 0 <= verdict.confidence <= 1


def test_importing_the_package_loads_no_numpy():
    code = "import sys, mutual_dissent.semantics; sys.exit('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ}, check=False)
    assert done.returncode == 0


def test_the_weights_stay_small_enough_to_ship():
    weights = Path(sys.modules["mutual_dissent.semantics"].__file__).parent / "weights"
    assert sum(f.stat().st_size for f in weights.iterdir()) <= 25_000_000
