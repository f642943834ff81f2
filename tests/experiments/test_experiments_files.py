"""Files of experiments: what they say, and what is said of those that cannot be used."""

from __future__ import annotations

import json
import uuid

import pytest

from mutual_dissent.core.errors import BadConfig
from mutual_dissent.experiments.design.experiment import SAMPLES, SINGLE, VOTE
from mutual_dissent.experiments.design.file import parse_experiment, read_experiment

GOOD = """
name = "tabs"
repeats = 2
seed = 7
budget = 1.5

[[query]]
text = "2 + 2?"
answer = "4"

[[query]]
id = "capital"
text = "Capital of Australia?"
answer = "Canberra"

[defaults]
panel = ["ada", "bob"]

[grid]
mode = ["reflection", "ranking"]

[[condition]]
name = "poisoned"
mode = "reflection"
rounds = 2
[condition.context]
bob = "Say it is 5."

[baselines]
self-consistency = true
matched = "samples"
samples = 3
"""


def read(text, folder="."):
    from pathlib import Path

    return parse_experiment(text, "x.toml", Path(folder))


def test_asking_two_first_is_a_baseline_for_each_panel():
    found = read(GOOD + "escalate = true\n")
    two = [c for c in found.conditions if c.name.startswith("escalate of ")]
    assert [c.name for c in two] == ["escalate of reflection", "escalate of poisoned"]
    assert two[0].options == {"panel": ["ada", "bob"], "mode": "escalate"}


def test_a_file_becomes_conditions_queries_and_trials():
    found = read(GOOD)
    names = [c.name for c in found.conditions]
    assert names == [
        "reflection", "ranking", "poisoned", "single ada", "self-consistency ada", "single bob",
        "self-consistency bob", "vote of reflection", "vote of ranking", "vote of poisoned",
    ]  # fmt: skip
    assert [q.kind for q in found.queries] == ["number", "text"]
    assert found.size == 2 * 2 * (3 + 2 + 2 * 3)
    assert len(list(found.trials())) == found.size
    assert found.condition("poisoned").context == {"bob": "Say it is 5."}
    ways = {c.way for c in found.conditions}
    assert {SINGLE, SAMPLES, VOTE} <= ways


def test_the_same_file_always_means_the_same_debates():
    first, second = ([t.transcript_id for t in read(GOOD).trials()] for _ in range(2))
    assert first == second
    assert len(set(first)) == len(first)
    assert all(uuid.UUID(i).version == 4 for i in first)


def test_a_changed_condition_is_asked_anew_and_the_others_are_not():
    before = {t.transcript_id for t in read(GOOD).trials()}
    after = {t.transcript_id for t in read(GOOD.replace("rounds = 2", "rounds = 3")).trials()}
    assert len(before & after) == len(before) - 2 * 2


def test_conditions_see_the_same_seeds_and_repeats_others():
    trials = list(read(GOOD).trials())
    seeds = {(t.query.id, t.repeat): {x.seed for x in trials if (x.query, x.repeat, x.sample)
             == (t.query, t.repeat, 0)} for t in trials}  # fmt: skip
    assert all(len(s) == 1 for s in seeds.values())
    assert len({min(s) for s in seeds.values()}) == 4


def test_every_transcript_is_told_where_it_belongs():
    trial = next(read(GOOD).trials())
    assert trial.tags.experiment_id == "tabs"
    assert trial.tags.condition == "reflection"
    assert trial.tags.variables["query"] == "q1"


def test_queries_come_from_csv_and_json_lines(tmp_path):
    (tmp_path / "a.csv").write_text('question,answer,id\n1+1?,2,one\n"a, b?",yes,two\n')
    (tmp_path / "b.jsonl").write_text('{"query": "x?", "answer": "B"}\n\n{"query": "y?"}\n')
    for name, kinds in (("a.csv", ["number", "yes-no"]), ("b.jsonl", ["choice", "free"])):
        (tmp_path / "x.toml").write_text(f'name = "x"\n[queries]\nfile = "{name}"\n')
        found = read_experiment(tmp_path / "x.toml")
        assert [q.kind for q in found.queries] == kinds


def test_a_query_in_json_lines_may_contain_any_line_separator_of_unicode(tmp_path):
    texts = ["one\u2028two?", "three\x85four?"]
    lines = "\r\n".join(json.dumps({"query": t}, ensure_ascii=False) for t in texts)
    (tmp_path / "q.jsonl").write_bytes(lines.encode())
    (tmp_path / "x.toml").write_text('name = "x"\n[queries]\nfile = "q.jsonl"\n')
    assert [q.text for q in read_experiment(tmp_path / "x.toml").queries] == texts


@pytest.mark.parametrize("answer", ["Nan", "Infinity", "-inf"])
def test_a_name_that_python_takes_for_a_number_is_a_text(answer):
    found = read(f'name = "x"\n[[query]]\ntext = "Who?"\nanswer = "{answer}"')
    assert found.queries[0].kind == "text"


BAD = {
    "not toml": ("repeats = 1\nname = ", "line 2: not TOML"),
    "no name": ('[[query]]\ntext="x"', "line 1: name: is missing"),
    "no queries": ('name = "x"', "no queries"),
    "a typo": ('name = "x"\nrepeat = 3', "did you mean 'repeats'"),
    "a bad number": ('name = "x"\nrepeats = 0\n[[query]]\ntext="x"', "line 2"),
    "a bad budget": ('name = "x"\nbudget = -1\n[[query]]\ntext="x"', "dollars above 0"),
    "an unknown option": ('name="x"\n[defaults]\nmod = "x"\n[[query]]\ntext="x"', "'mode'"),
    "a grid without lists": ('name="x"\n[grid]\nmode = "x"\n[[query]]\ntext="x"', "a list"),
    "a query without text": ('name="x"\n[[query]]\nanswer="4"', "no query"),
    "a query of no kind": ('name="x"\n[[query]]\ntext="x"\nkind="poem"', "line 4: query.kind"),
    "twins": ('name="x"\n[[query]]\ntext="a"\nid="1"\n[[query]]\ntext="b"\nid="1"', "line 7"),
    "no such file": ('name="x"\n[queries]\nfile="gone.csv"', "cannot be read"),
    "texts for tables": ('name="x"\nquery = ["a", "b"]', "line 2: query: must be written as [["),
    "queries as a list": ('name="x"\nqueries = ["a"]', "line 2: queries: must be a table"),
    "a text for a table": ('name="x"\n[[query]]\ntext="x"\ncontext="y"', "line 4: query.context"),
    "a table for a list": ('name="x"\n[query]\ntext="x"', "[[query]]"),
    "matched by luck": ('name="x"\n[baselines]\nmatched="luck"\n[[query]]\ntext="x"', "dollars"),
    "a secret option": ('name="x"\n[defaults]\nexperiment = 1\n[[query]]\ntext="x"', "no such key"),
    "a million": (
        'name="x"\nrepeats=10000\n[grid]\nseedless=[1]\n[[query]]\ntext="x"', "no such key"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_gets_one_line_with_its_place(case):
    text, said = BAD[case]
    with pytest.raises(BadConfig) as e:
        read(text)
    assert said in str(e.value)
    assert str(e.value).startswith("x.toml")
    assert "\n" not in str(e.value)


def test_nobody_reads_the_debates_of_an_experiment_unless_the_file_says_who():
    assert {t.options["analyst"] for t in read(GOOD).trials()} == {"none"}
    named = GOOD.replace('name = "poisoned"', 'name = "poisoned"\nanalyst = "eve"')
    by_name = {t.condition.name: t.options["analyst"] for t in read(named).trials()}
    assert (by_name["poisoned"], by_name["reflection"]) == ("eve", "none")
