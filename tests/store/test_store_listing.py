"""Promises of lists: by everything that a debate came to, in any order, and never out of date."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest

from fakes.databases import BOTH, a_place
from fakes.logs import START, a_brief, a_log, a_turn, an_id, numbered, seat
from fakes.old_stores import old_store
from fakes.patience import in_proportion
from mutual_dissent.core.brief import ExperimentMetadata
from mutual_dissent.core.errors import BadInput, NotFound
from mutual_dissent.core.events import Closed, Reopened, RoundEnded, Scored, Status
from mutual_dissent.core.measures import Measures
from mutual_dissent.core.stopping import Exit
from mutual_dissent.core.transcript import fold
from mutual_dissent.store.debates import search
from mutual_dissent.store.store import Store

MARKS = {"accuracy": 4, "completeness": 3, "explanation": "close", "judge": "gpt"}
SCORED = Scored(
    at=START + timedelta(seconds=10), about="-1/synthesis/claude", name="ground_truth_score",
    score=MARKS,
)  # fmt: skip


@pytest.fixture(params=BOTH)
def store(request, tmp_path):
    with Store(a_place(request.param, tmp_path)) as store:
        yield store


def different(n: int) -> list:
    """Debates that differ in everything that a list can be asked for."""
    brief = a_brief(
        n,
        mode=("reflection", "delphi")[n % 2],
        preset=(None, "quick", "deep")[n % 3],
        topology=("mesh", "star")[n % 2],
        panel=(seat("gpt"), seat(f"m{n}", vendor=("openai", "local")[n % 2])),
        experiment=ExperimentMetadata(experiment_id=f"exp-{n % 2}", condition="plain")
        if n % 3
        else None,
    )
    log = a_log(n, brief=brief)
    at = log[-1].at
    ended = Measures(agreement=n / 10, measure="panel", exit=Exit(reason="consensus", details="x"))
    extra = [
        RoundEnded(at=at, round_number=1, role="reflection", measures=ended),
        *a_turn(seat("gpt"), 1, "reflection", "more", at, cost_usd=n / 100, token_count=10 * n),
    ]
    return numbered([*log[:-1], *extra, log[-1]])


@pytest.fixture(scope="module", params=BOTH)
def full(request, tmp_path_factory):
    with Store(a_place(request.param, tmp_path_factory.mktemp("listed"))) as store:
        store.save_all(different(n) for n in range(6))
        store.tag(an_id(2), "keep", "to show")
        store.rate(an_id(2), 5)
        store.rate(an_id(4), 2)
        yield store


def numbers(store, **wanted) -> list[int]:
    found = [r.transcript_id for r in store.list(**wanted)]
    assert store.count(**{k: v for k, v in wanted.items() if k not in ("order", "reverse")}) == len(
        found
    )
    return [[an_id(n) for n in range(6)].index(i) for i in found]


def test_a_count_may_end_early(full):
    for wanted in ({}, {"min_agreement": 0.1}, {"mode": "delphi"}):
        every = full.count(**wanted)
        assert [full.count(at_most=n, **wanted) for n in (0, 2, 100)] == [0, 2, every]


def test_a_limit_finds_the_same_whether_few_debates_pass_it_or_many(full, monkeypatch):
    few = {low: numbers(full, min_agreement=low) for low in (0.0, 0.2, 0.45, 0.9)}
    monkeypatch.setattr(search, "FEW", 0)  # as if there were always more than that
    assert few == {low: numbers(full, min_agreement=low) for low in few}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"mode": "delphi"}, [5, 3, 1]),
        ({"preset": "deep"}, [5, 2]),
        ({"topology": "star", "preset": "quick"}, [1]),
        ({"vendor": "local"}, [5, 3, 1]),
        ({"experiment": "exp-1"}, [5, 1]),
        ({"experiment": "exp-0", "condition": "plain"}, [4, 2]),
        ({"min_agreement": 0.2, "max_agreement": 0.4}, [4, 3, 2]),
        ({"min_cost": 0.042}, [5, 4]),
        ({"max_cost": 0.006}, [0]),
        ({"tag": "keep"}, [2]),
        ({"tag": "nothing"}, []),
        ({"min_rating": 3}, [2]),
        ({"max_rating": 5}, [4, 2]),
        ({"min_score": 1}, []),
        ({"model": "gpt", "mode": "delphi", "text": "canberra", "min_agreement": 0.3}, [5, 3]),
        ({"mode": None, "preset": None, "min_cost": None, "tag": None}, [5, 4, 3, 2, 1, 0]),
    ],
    ids=str,
)
def test_a_list_is_narrowed_by_everything_that_a_debate_came_to(full, wanted, found):
    assert numbers(full, **wanted) == found


@pytest.mark.parametrize("order", ["cost", "tokens", "agreement"])
def test_the_most_comes_first_or_the_least(full, order):
    assert numbers(full, order=order) == [5, 4, 3, 2, 1, 0]
    assert numbers(full, order=order, reverse=True) == [0, 1, 2, 3, 4, 5]
    assert numbers(full, order=order, mode="delphi", model="gpt") == [5, 3, 1]


def test_the_best_rated_come_first_and_the_unrated_last(full):
    assert numbers(full, order="rating") == [2, 4, 5, 3, 1, 0]
    assert numbers(full, order="oldest") == numbers(full, reverse=True) == [0, 1, 2, 3, 4, 5]
    assert [r.duration_s for r in full.list(order="duration")] == [9.0] * 6


def test_a_row_says_all_that_a_list_shows(full):
    row = full.list(experiment="exp-0", preset="deep")[0]
    assert (row.preset, row.topology, row.exit) == ("deep", "mesh", "consensus")
    assert (row.models, row.vendors) == (("maker/gpt-1", "maker/m2-1"), ("openrouter", "openai"))
    assert (row.experiment_id, row.condition, row.campaign_id) == ("exp-0", "plain", None)
    assert (row.duration_s, row.score, row.rating) == (9.0, None, 5)
    assert row.tags == ("keep", "to show")


async def added(store, *events) -> None:
    journal = store.journal(an_id())
    last = len(store.events(an_id()))
    await journal.append(numbered(events, last + 1))


async def test_a_score_is_in_the_list_and_goes_with_the_answer_that_it_is_of(store):
    store.save(a_log())
    later = START + timedelta(days=1)
    await added(store, Reopened(at=later, reason="scored"), replace(SCORED, at=later))
    assert store.list(min_score=3.5)[0].score == 3.5
    await added(store, Reopened(at=later, reason="continued"))
    assert store.list()[0].score is None
    assert store.list(min_score=1) == []


async def test_time_between_two_runs_is_no_part_of_a_debates_duration(store):
    store.save(a_log())
    later = START + timedelta(days=1)
    closed = Closed(at=later + timedelta(seconds=5), status=Status.COMPLETED, reason="", text="")
    await added(store, Reopened(at=later, reason="continued"), closed)
    assert store.list()[0].duration_s == 9 + 5
    assert store.list()[0].duration_s == fold(store.events(an_id())).worked.total_seconds()


async def test_a_new_synthesizer_is_the_one_that_is_listed(store):
    store.save(a_log())
    brief = replace(a_brief(), synthesizer=seat("gpt"))
    await added(store, Reopened(at=START, reason="synthesized", brief=brief))
    assert store.list()[0].synthesizer == "gpt"


def test_tags_and_ratings_can_be_taken_back_and_must_be_ones(store):
    store.save(a_log())
    assert store.tag(an_id(), " two   words ", "x", "x") == ("two words", "x")
    assert store.untag(an_id(), "x", "never there") == ("two words",)
    assert store.tags() == {"two words": 1}
    store.rate(an_id(), 1)
    store.rate(an_id(), None)
    assert store.list()[0].rating is None
    for wrong in (0, 6, True, 2.5):
        with pytest.raises(BadInput, match="1 to 5"):
            store.rate(an_id(), wrong)
    for wrong in ("", "  ", "x" * 61):
        with pytest.raises(BadInput, match="1 to 60"):
            store.tag(an_id(), "fine", wrong)
    with pytest.raises(BadInput, match="50 tags at most"):
        store.tag(an_id(), *map(str, range(60)))
    assert store.tags() == {"two words": 1}, "all or nothing"
    with pytest.raises(NotFound):
        store.rate(an_id(9), 3)


def test_a_deleted_debate_leaves_nothing_behind_even_if_its_log_is_damaged(store):
    store.save_all([a_log(0), a_log(1)])
    store.tag(an_id(), "x")
    store.summarise({an_id(): (20, "text")}, 1)
    store._access.writable().execute("UPDATE events SET body = '{' WHERE seq = 4")
    for name in (an_id(0), an_id(1)):
        store.delete(name)
    for table in ("debates", "events", "names", "tags", "summaries", "search"):
        assert store._access.rows(f"SELECT 1 FROM {table}") == [], table
    store.save(a_log())
    assert store.list()[0].tags == ()
    assert store.summaries([an_id()], 1) == {}


# -- summaries -----------------------------------------------------------------------------------


async def test_a_summary_holds_until_something_is_added(store):
    log = a_log()
    store.save(log)
    store.summarise({an_id(): (len(log), "what it came to"), an_id(9): (3, "gone")}, 1)
    assert store.summaries([an_id(), an_id(9)], 1) == {an_id(): "what it came to"}
    assert store.summaries([an_id()], 2) == {}, "of another version"
    await added(store, Reopened(at=START, reason="scored"))
    assert store.summaries([an_id()], 1) == {}
    store.summarise({an_id(): (len(log), "too late")}, 1)
    assert store.summaries([an_id()], 1) == {}


# -- older stores --------------------------------------------------------------------------------


def test_the_debates_of_an_older_store_are_listed_by_the_same_things(tmp_path):
    logs = [different(n) for n in range(3)]
    at = START + timedelta(hours=1)
    closed = Closed(at=at + timedelta(seconds=4), status=Status.COMPLETED, reason="", text="")
    more = (Reopened(at=at, reason="scored"), replace(SCORED, at=at), closed)
    logs[0] = [*logs[0], *numbered(more, len(logs[0]) + 1)]
    with Store(tmp_path / "new" / "dissent.db") as store:
        store.save_all(logs)
        expected = store.list()
    old_store(tmp_path / "old" / "dissent.db", logs)
    with Store(tmp_path / "old" / "dissent.db") as store:
        found = store.list()
        assert [replace(r, duration_s=round(r.duration_s, 2)) for r in found] == expected
        assert store.list(order="score")[0].score == 3.5


def test_a_damaged_log_does_not_keep_an_older_store_from_being_opened(tmp_path):
    path = tmp_path / "home" / "dissent.db"
    old_store(path, [a_log(0), a_log(1)])
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE events SET body = '{' WHERE debate = (SELECT min(number) FROM debates)")
    with Store(path) as store:
        assert [r.topology for r in store.list()] == ["mesh", ""]


def test_lists_of_thousands_are_sorted_and_narrowed_without_reading_them_all(tmp_path):
    with Store(tmp_path / "home" / "dissent.db") as store:
        store.save_all(a_log(n) for n in range(1_000))
        plans = {}
        for order in ("newest", "cost", "tokens", "agreement", "duration", "score", "rating"):
            seen = []
            store._access.readable()._db.set_trace_callback(seen.append)
            store.list(order=order, limit=5)
            store._access.readable()._db.set_trace_callback(None)
            plans[order] = store._access.rows(f"EXPLAIN QUERY PLAN {seen[-1]}")
        with in_proportion(10):
            for wanted in ({"mode": "nope"}, {"max_cost": 0.0}, {"min_agreement": 0.9}):
                assert store.list(**wanted) == []
    for order, plan in plans.items():
        inner = [step["detail"] for step in plan if "TEMP B-TREE" in step["detail"]]
        assert len(inner) <= 1, (order, plan)  # the page that was chosen may be sorted, no more
