"""Answers in which nothing can be read count neither as right nor as wrong, and are told of."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.experiments.design.experiment import Condition, Experiment, ExperimentQuery
from mutual_dissent.experiments.design.extraction import add_instruction
from mutual_dissent.experiments.design.file import parse_experiment
from mutual_dissent.experiments.report.markdown import as_markdown
from mutual_dissent.experiments.report.report import report
from mutual_dissent.experiments.results.findings import findings
from mutual_dissent.experiments.results.results import Took, TrialResult, results
from mutual_dissent.experiments.run.run import Run
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.views.account import account

NUMBER = 40
TOOK = Took(cost_usd=0.01, tokens=1, calls=1, seconds=1.0)


def answers(condition, way, readable):
    """So many right answers that can be read, and the rest of which nothing can be told."""
    for i in range(NUMBER):
        read = i < readable
        yield TrialResult(
            condition=condition, way=way, query=f"q{i}", repeat=0, answer="4" if read else None,
            right=True if read else None, score=None, took=TOOK,
        )  # fmt: skip


def told(panel, single):
    rows = [*answers("debate", "panel", panel), *answers("single ada", "single", single)]
    design = Experiment(
        name="x",
        queries=tuple(ExperimentQuery(id=f"q{i}", text="?") for i in range(NUMBER)),
        conditions=(Condition(name="debate"), Condition(name="single ada", way="single")),
    )
    found = findings(rows, experiment=design)
    return found, as_markdown(report(design, found))


@pytest.mark.parametrize(("panel", "single", "culprit"), [(6, 40, "debate"), (40, 6, "single ada")])
def test_nothing_is_compared_with_a_way_of_which_most_answers_cannot_be_read(
    panel, single, culprit
):
    found, said = told(panel, single)
    assert found.comparisons == ()
    assert "No answer can be read in 34 of 80 texts" in said
    assert f"Too many of them are of {culprit} (85%): nothing is compared with that" in said
    assert "pay" not in said
    assert "p =" not in said


def test_a_few_unreadable_answers_are_left_out_and_shown():
    found, said = told(38, 40)
    assert {s.name: (s.judged, s.unreadable) for s in found.showings} == {
        "debate": (38, 2), "single ada": (40, 0),
    }  # fmt: skip
    assert found.showings[0].accuracy.value == 1.0
    assert found.comparisons[0].queries == 38
    assert "No answer can be read in 2 of 80 texts; they count neither as right nor wrong." in said


FILE = """
name = "sums"
[[query]]
text = "What is 11 times 83?"
answer = "913"
[defaults]
panel = ["ada", "bob", "cyd"]
[[condition]]
name = "panel"
[baselines]
"""


async def held(tmp_path, said):
    cast = Scripted({name: lambda _, text=text: text for name, text in said.items()})
    experiment = parse_experiment(FILE, "x.toml", Path())
    async with MutualDissent(home=tmp_path, env={}, provider=cast, prices=Tariff()) as md:
        await Run(md, experiment).to_the_end()
        return {r.condition: r for r in results(md, experiment)}


async def test_of_a_text_without_an_answer_nobody_says_that_it_is_wrong(tmp_path):
    said = {"ada": "Answer: 913", "bob": "I would rather not say.", "cyd": "Answer: 913"}
    found = await held(tmp_path, said)
    assert (found["single bob"].answer, found["single bob"].right) == (None, None)
    assert found["single ada"].right is True
    before = {o.model: o.right_before for o in found["panel"].opinions}
    assert before == {"ada": True, "bob": None, "cyd": True}
    assert found["vote of panel"].cluster == 1.0  # of those that can be read


SENTENCES = {
    "ada": "11 times 83 is 880 + 33.\n\nAnswer: 913\n\nBOTTOM LINE: The product is 913.",
    "weak": "83 and 830.\n\n**Answer:** 913\n\nBOTTOM LINE: 83 multiplied by 11 gives 913, I say.",
    "cyd": "880 + 43.\n\nAnswer: 923\n\nBOTTOM LINE: It follows from 880 + 43.",
}


async def test_stated_answers_are_compared_before_sentences_about_them(tmp_path):
    cast = Scripted({name: lambda _, text=text: text for name, text in SENTENCES.items()})
    async with MutualDissent(home=tmp_path, env={}, provider=cast, prices=Tariff()) as md:
        asked = add_instruction("What is 11 times 83?", "number")
        brief = await md.brief(asked, panel=list(SENTENCES), analyst="none")
        async for _ in md.run(brief):
            pass
        said = account(md.store.transcript(brief.transcript_id)).headline
    assert said.startswith("2 of 3: 913. cyd: 923.")
