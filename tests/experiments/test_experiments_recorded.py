"""`dissent bench recorded`: votes with and without weights, the best three, and reviewers."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

from fakes.command_line import dissent
from mutual_dissent.experiments.recordings.reviews import by_company, worth_of_panels
from mutual_dissent.experiments.recordings.rules import Reviewed, ReviewFinding, read_recorded
from mutual_dissent.experiments.recordings.votes import (
    BEST,
    TRIO,
    TWO_FIRST,
    VOTE,
    WEIGHTED,
    chosen_trios,
    ways,
)
from mutual_dissent.experiments.report.recorded import recorded_report

PANELS = Path(__file__).resolve().parents[2] / "scripts" / "evidence_panels.py"


@pytest.fixture(scope="module")
def panels_():
    """How the figures of docs/evidence.md are counted."""
    spec = importlib.util.spec_from_file_location("evidence_panels", PANELS)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def recorded(tmp_path, rows, name="answers.jsonl"):
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def lines(count, answer):
    """Questions to which the right answer is 1 and each model says what `answer` returns."""
    return [{"question": f"q{i}", "truth": "1", "answers": answer(i)} for i in range(count)]


def strong_and_four_weak(i):
    """One model is right in nine of ten; four weak ones share an error in every second question."""
    weak = "2" if i % 2 else "1"
    strong = "3" if i % 10 == 7 else "1"
    return {"strong": strong, **{f"weak{n}": weak for n in range(4)}}


def of(path):
    return {w.name: w for w in ways(read_recorded(path))}


def test_weights_win_back_what_a_plain_vote_of_an_uneven_panel_loses(tmp_path):
    found = of(recorded(tmp_path, lines(100, strong_and_four_weak)))
    assert found[BEST].rule.right == pytest.approx(0.9)
    assert found[VOTE].rule.right == pytest.approx(0.5)
    assert found[WEIGHTED].rule.right == pytest.approx(0.9)


def test_what_is_learnt_is_not_learnt_from_the_question_it_decides(tmp_path):
    """On every question another model is right: nothing that is learnt can be worth anything."""
    rows = lines(25, lambda i: {f"m{n}": "1" if i % 5 == n else f"x{n}" for n in range(5)})
    found = of(recorded(tmp_path, rows))
    assert found[BEST].rule.right == 0.0
    assert found[WEIGHTED].rule.right == 0.0
    assert found[TRIO].rule.right == 0.0


def test_the_best_three_are_those_whose_errors_differ(tmp_path):
    def answer(i):
        alike = "2" if i % 7 == 0 else "1"
        other = {n: "3" if i % 11 == n else "1" for n in (1, 2, 3)}
        return {"a": alike, "b": alike, "c": alike, **{f"odd{n}": other[n] for n in other}}

    path = recorded(tmp_path, lines(100, answer))
    found = of(path)
    chosen = chosen_trios(read_recorded(path))
    assert {frozenset(three) for three in chosen} == {frozenset({"odd1", "odd2", "odd3"})}
    assert found[TRIO].rule.right == 1.0
    assert found[TRIO].calls == 3


def test_asking_two_first_costs_less_where_they_agree(tmp_path):
    found = of(recorded(tmp_path, lines(100, strong_and_four_weak)))
    assert 2 < found[TWO_FIRST].calls < 5
    assert found[TWO_FIRST].calls == pytest.approx(2 + 3 * 0.5, abs=0.2)


def test_who_says_nothing_has_no_vote(tmp_path):
    rows = lines(20, lambda i: {"a": None, "b": None, "c": "1", "d": None})
    assert of(recorded(tmp_path, rows))[VOTE].rule.right == 1.0


def test_the_table_by_agreement_adds_up_to_the_headline(tmp_path):
    path = recorded(tmp_path, lines(100, strong_and_four_weak))
    report = recorded_report("x", read_recorded(path))
    table = next(s for s in report.sections if s.title == "What agreement tells")
    right = sum(float(r[1].split("%")[0]) / 100 * int(r[4]) for r in table.rows)
    assert f"A plain vote of all is right in {right / 100:.1%}" in report.lead[1]


def test_little_agreement_is_less_than_the_agreement_that_can_be_relied_on(tmp_path):
    """Most questions are hard: all of them together are no case of little agreement."""

    def answer(i):
        return {f"m{n}": "1" if i % 4 == 0 else f"x{n}" for n in range(4)}

    found = recorded_report("x", read_recorded(recorded(tmp_path, lines(200, answer))))
    signal = next(x for x in found.lead if x.startswith("Agreement is a signal"))
    assert "where 4 of 4 agree, the answer is right in 100.0% of 50 questions" in signal
    assert "where at most 1 do, in 0.0% of 150" in signal


def test_a_difference_is_said_in_points_with_a_test_and_small_ones_are_not_claimed(tmp_path):
    def answer(i):
        return {"a": "1" if i % 2 else "2", "b": "1" if i % 2 or i == 0 else "3", "c": "1"}

    path = recorded(tmp_path, lines(60, answer))
    said = dissent("bench", "recorded", str(path)).stdout
    assert re.search(r"A plain vote of all is right in [\d.]+%: [+-][\d.]+ points \(", said)
    assert "no difference shown" in said
    assert "| weighted vote, learnt in 5 folds |" in said
    assert "gains 0" not in said


def finding(text, defect=None):
    return {"text": text, "defect": defect}


REVIEWS = [
    {
        "item": f"change {i}",
        "defects": [{"id": "d1", "text": "x"}, {"id": "d2", "text": "y"}],
        "reviews": {
            "ann": [finding("Null pointer in the parser loop", "d1"), finding("Rename this")],
            "bob": [finding("The parser loop has a null pointer", "d1")],
            "cat": [finding("Cache is never invalidated after writes", "d2")],
        },
    }
    for i in range(6)
]  # fmt: skip


def test_reviewers_add_up_and_a_majority_does_not(tmp_path):
    path = recorded(tmp_path, REVIEWS, "reviews.jsonl")
    found = {w.name: w for w in worth_of_panels(read_recorded(path))}
    assert found["one reviewer"].found.value == pytest.approx(0.5)
    assert found["union of 3"].found.value == pytest.approx(1.0)
    assert found["majority of 3"].found.value == pytest.approx(0.5)
    assert found["majority of 3"].right is None
    said = dissent("bench", "recorded", str(path))
    assert said.exit_code == 0, said.stderr
    assert "One reviewer finds 50%" in said.stdout


def test_what_two_found_in_much_the_same_words_is_told_without_knowing_the_truth(tmp_path):
    items = read_recorded(recorded(tmp_path, REVIEWS, "reviews.jsonl"))
    found = {name: (i.value, n) for name, i, n in by_company(items)}
    assert found["found by two"] == (1.0, 12)
    assert found["found by one"] == (0.5, 12)
    wrong = [
        Reviewed(id=r.id, defects=r.defects, reviews={
            who: tuple(ReviewFinding(text=f.text, defect=None) for f in said)
            for who, said in r.reviews.items()
        })
        for r in items
    ]  # fmt: skip
    assert {n for _, _, n in by_company(wrong)} == {12}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"reviews": {"ann": "none"}, "defects": []}, "what ann found is a list"),
        ({"reviews": {"ann": [{"text": "x", "defect": "d9"}]}, "defects": []}, "is no defect"),
        ({"reviews": {"ann": []}}, "`defects` and `reviews` are expected"),
        ({"answers": {"a": {"text": "long"}}, "truth": "x"}, "no short answers"),
    ],
)
def test_a_recording_that_cannot_be_read_is_one_line(tmp_path, row, said):
    found = dissent("bench", "recorded", str(recorded(tmp_path, [row])))
    assert (found.exit_code, found.stderr.count("\n")) == (2, 1)
    assert said in found.stderr


def test_panels_of_different_vendors_seat_nobody_twice(panels_):
    panels = panels_.of_different_vendors({"a1": "A", "a2": "A", "b": "B", "c": "C"}, 3)
    assert sorted(panels) == [("a1", "b", "c"), ("a2", "b", "c")]


def test_how_panels_split_counts_ties_by_the_share_that_is_right(tmp_path, panels_):
    rows = lines(4, lambda i: {"a": "1", "b": "2", "c": None})
    found = panels_.splits(read_recorded(recorded(tmp_path, rows)), [("a", "b", "c"), ("a", "c")])
    assert found[0] == {(2, 1): (0.5, 1.0), (1, 1): (1.0, 1.0)}
    tally = panels_.tallies(found, "number")["number", 2, 1]
    assert (tally.right, tally.panels, tally.cases) == (2.0, 4.0, 4)


def test_a_calibration_error_is_the_mean_distance_by_cases(tmp_path, panels_):
    rows = lines(10, lambda i: {"a": "1", "b": "1" if i < 6 else "2"})
    found = panels_.splits(read_recorded(recorded(tmp_path, rows)), [("a", "b")])
    error, questions = panels_.calibration_error(lambda _, n: {2: 0.9, 1: 0.5}[n], found, 2)
    assert error.value == pytest.approx(0.6 * 0.1)
    assert questions == 10
    assert panels_.calibration_error(lambda *_: 0.5, found, 3) is None


@pytest.mark.shared
def test_the_report_on_reviews_has_the_numbers_of_their_readme(shared):
    """The README has .41, .67 and .40: the second of all twelve reviewers, the others without one.

    Of all twelve, one finds .385, three .673, a majority of three .363; without graphite, which
    found 7 %, it is .414, .696 and .396.
    """
    items = read_recorded(Path(shared / "datasets" / "reviews-open.jsonl"))
    found = {w.name: w.found.value for w in worth_of_panels(items)}
    whole = [found[n] for n in ("one reviewer", "union of 3", "majority of 3")]
    assert whole == [pytest.approx(x, abs=0.0005) for x in (0.385, 0.673, 0.363)]
    fewer = [
        Reviewed(id=r.id, defects=r.defects,
                 reviews={k: v for k, v in r.reviews.items() if k != "graphite"})
        for r in items
    ]  # fmt: skip
    found = {w.name: w.found.value for w in worth_of_panels(fewer)}
    without = [found[n] for n in ("one reviewer", "union of 3", "majority of 3")]
    assert without == [pytest.approx(x, abs=0.0005) for x in (0.414, 0.696, 0.396)]
    right = {name: i.value for name, i, _ in by_company(items)}
    assert right["found by two or more"] > 2 * right["found by one"]
