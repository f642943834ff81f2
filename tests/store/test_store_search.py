"""Promises of listing: what was asked for, quickly, whatever is typed into the search."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.databases import BOTH, a_place
from fakes.logs import START, a_brief, a_log, an_id, seat, with_query
from mutual_dissent.core.brief import ExperimentMetadata
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.events import Answered, Closed, Reopened, Status
from mutual_dissent.core.response import Finish
from mutual_dissent.store.store import Store


@pytest.fixture(params=BOTH)
def store(request, tmp_path):
    with Store(a_place(request.param, tmp_path)) as store:
        yield store


@pytest.fixture(scope="module", params=BOTH)
def full(request, tmp_path_factory):
    """A store of five debates about different things."""
    with Store(a_place(request.param, tmp_path_factory.mktemp("full"))) as store:
        queries = ["Tabs or spaces?", "Is P = NP?", "Café or tea?", "C++ or Rust?", "Tabs again"]
        for n, query in enumerate(queries):
            brief = a_brief(n, query=query)
            if n == 3:
                brief = replace(brief, panel=(seat("gemini"), seat("grok", "x-ai/grok-4.7")))
            store.save(a_log(n, brief=brief))
        yield store


def found(store, **filters):
    return [r.query for r in store.list(**filters)]


def test_a_row_says_what_a_debate_was_and_what_it_took(full):
    row = full.list(offset=4)[0]
    assert row.transcript_id == an_id(0)
    assert (row.query, row.mode, row.status) == ("Tabs or spaces?", "reflection", Status.COMPLETED)
    assert row.panel == ("claude", "gpt", "claude#2")
    assert (row.created_at, row.updated_at) == (START, START + timedelta(seconds=9))
    assert (row.calls, row.failed, row.tokens, row.rounds) == (7, 0, 700, 2)
    assert row.cost_usd == pytest.approx(0.007)
    assert row.agreement == 0.8
    assert (row.reason, row.heading) == ("done", "3 of 3 answered")


def test_words_are_found_in_order_however_far_back_they_stand(store):
    words = ["zebra" if n in (0, 1, 59) else "horse" for n in range(60)]
    store.save_all([a_log(n, brief=a_brief(n, query=f"{w} {n}")) for n, w in enumerate(words)])
    assert found(store, text="zebra", limit=1) == ["zebra 59"]
    assert found(store, text="zebra", limit=1, offset=1) == ["zebra 1"]
    assert found(store, text="zebra", limit=50) == ["zebra 59", "zebra 1", "zebra 0"]
    assert found(store, text="zebra", limit=1, order="oldest", offset=2) == ["zebra 59"]
    assert found(store, text="horse", limit=2, reverse=True) == ["horse 2", "horse 3"]
    assert found(store, text="quagga", limit=1) == []


def test_memories_are_ones_own_finished_questions_and_no_experiments_or_replays(store):
    briefs = {
        0: {"query": "mine"},
        1: {"query": "another's", "owner": "bob"},
        2: {"query": "of an experiment", "experiment": ExperimentMetadata(experiment_id="e")},
        3: {"query": "of a replay", "replay_of": an_id(0)},
        4: {"query": "of a review", "mode": "review"},
        5: {"query": "under way"},
        6: {"query": "mine, later"},
    }
    for n, fields in briefs.items():
        log = a_log(n, brief=a_brief(n, **fields))
        store.save([e for e in log if n != 5 or not isinstance(e, Closed)])
    assert [q.query for q in store.questions("", 10)] == ["mine, later", "mine"]
    assert [q.query for q in store.questions("bob", 10)] == ["another's"]
    assert [q.query for q in store.questions("", 1)] == ["mine, later"]


def test_the_newest_come_first_a_page_at_a_time(full):
    assert found(full, limit=2) == ["Tabs again", "C++ or Rust?"]
    assert found(full, limit=2, offset=4) == ["Tabs or spaces?"]
    assert found(full, order="oldest", limit=1) == ["Tabs or spaces?"]
    assert full.count() == 5


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("tabs", ["Tabs again", "Tabs or spaces?"]),
        ("TAB spac*", ["Tabs or spaces?"]),
        ("cafe", ["Café or tea?"]),
        ("grok says", ["C++ or Rust?"]),
        ("c++", ["C++ or Rust?"]),
        ("=", ["Is P = NP?"]),
        ("nowhere", []),
    ],
)
def test_words_are_found_in_queries_and_answers(full, text, queries):
    assert found(full, text=text) == queries
    assert full.count(text=text) == len(queries)


def test_filters_go_together(full):
    assert found(full, model="grok") == ["C++ or Rust?"]
    assert found(full, model="GROK-4.7", text="rust") == ["C++ or Rust?"]
    assert found(full, model="claude", text="tabs") == ["Tabs again", "Tabs or spaces?"]
    assert found(full, model="grok", text="tabs") == []
    since, until = START + timedelta(minutes=1), START + timedelta(minutes=3)
    assert found(full, since=since, until=until) == ["Café or tea?", "Is P = NP?"]
    assert found(full, since=since, until=until, text="cafe", model="gpt") == ["Café or tea?"]
    assert found(full, status=Status.ERROR) == []
    assert found(full, status="completed", text="tabs", limit=1, offset=1) == ["Tabs or spaces?"]
    with pytest.raises(BadInput, match="not a status; choose from created"):
        full.list(status="sleeping")


LONG = "a " * 5_000 + "x" * 100_000
SYNTAX = """
"|""|'|*|NEAR|NEAR(a b)|AND|OR|NOT|a AND|(|)|((|^a|a^|a:b|query:tabs|{query}:tabs|-a|+|a*b|";
'; DROP TABLE debates; --|" OR 1=1 --|1; DELETE FROM events|%|_|\\|\\"|a"b|a""b|"a|a"|`|$1|?|:x|@x
tabs" OR "spaces|col : x|{a b} : c|NEAR("a" "b", 5)|rank MATCH 'x'|/* */|#|~|[a]|\u202e|\u200b|𝕏|😀
""".replace("\n", "|").split("|")


@pytest.mark.parametrize(
    "text", [*SYNTAX, "", " ", "\0", "a\0b", "\ud800", "x" * 100_000, "a " * 5_000]
)
def test_no_search_text_is_ever_taken_for_a_command(full, text):
    full.list(text=text)
    full.list(model=text)
    assert full.count() == 5


@settings(max_examples=150, deadline=None)
@given(text=st.text(max_size=30))
def test_any_text_can_be_searched_for(full, text):
    assert len(full.list(text=text)) <= 5
    assert len(full.list(model=text)) <= 5


def test_an_unfinished_debate_is_found_by_its_query(store):
    store.save(with_query(a_log(closed=False), "why is the sky blue"))
    assert len(store.list(text="sky")) == 1
    assert store.list(text="canberra") == []


async def test_a_continued_debate_is_found_by_what_was_added(store):
    log = a_log()
    store.save(log)
    answer = log[-2]
    assert isinstance(answer, Answered)
    newer = replace(answer, response=replace(answer.response, content="Rather Wollongong."))
    at = START + timedelta(hours=1)
    events = [
        Reopened(at=at, reason="continued"),
        newer,
        Closed(at=at, status=Status.STOPPED, reason="budget", text="stopped: budget"),
    ]
    journal = store.journal(an_id())
    for seq, event in enumerate(events, len(log) + 1):
        await journal.append([event.with_seq(seq)])
    assert len(store.list(text="wollongong")) == 1
    row = store.list()[0]
    assert (row.status, row.reason, row.heading) == (Status.STOPPED, "budget", "stopped: budget")
    assert row.calls == 8
    assert row.updated_at == at


def test_costs_add_up_by_model_vendor_and_day(store):
    for n in range(2):
        store.save(a_log(n, at=START + timedelta(days=n)))
    by_model = {s.name: s for s in store.totals("model")}
    assert {n: s.calls for n, s in by_model.items()} == {"maker/claude-1": 10, "maker/gpt-1": 4}
    assert by_model["maker/claude-1"].cost_usd == pytest.approx(0.010)
    assert [s.name for s in store.totals("vendor")] == ["openrouter"]
    assert [(s.name, s.calls) for s in store.totals("day")] == [
        ("2026-02-21", 7),
        ("2026-02-22", 7),
    ]
    assert [s.calls for s in store.totals("all")] == [14]
    assert [s.calls for s in store.totals("all", since=START + timedelta(days=1))] == [7]


def test_reused_answers_cost_nothing_and_unknown_prices_are_said(store):
    log = a_log()
    for i, event in enumerate(log):
        if isinstance(event, Answered):
            if event.seat == "gpt":
                log[i] = replace(event, reused=True)
            elif event.seat == "claude#2":
                failed = replace(event.response, cost_usd=None, error="no", finish=Finish.FAILED)
                log[i] = replace(event, response=failed)
    store.save(log)
    row = store.list()[0]
    assert (row.calls, row.failed, row.unpriced) == (5, 2, 2)
    assert row.cost_usd == pytest.approx(0.003)
    total = store.totals("all")[0]
    assert (total.calls, total.unpriced) == (5, 2)


def test_a_debate_without_any_price_has_no_cost_rather_than_none(store):
    log = [
        replace(e, response=replace(e.response, cost_usd=None)) if isinstance(e, Answered) else e
        for e in a_log()
    ]
    store.save(log)
    assert store.list()[0].cost_usd is None
    assert store.totals("all")[0].cost_usd is None


def test_two_debates_of_the_same_microsecond_are_both_kept(store):
    for n in range(3):
        store.save(a_log(n, at=START))
    assert {r.created_at for r in store.list()} == {START}
    assert store.count() == 3


def test_a_clock_that_jumps_back_disturbs_neither_order_nor_listing(store):
    log = [replace(e, at=e.at - timedelta(days=e.seq % 3)) for e in a_log()]
    store.save(log)
    assert store.events(an_id()) == log
    store.save(a_log(1, at=START.replace(year=2039)))
    assert [r.transcript_id for r in store.list()] == [an_id(1), an_id()]


def test_an_experiment_is_in_its_row(store):
    brief = a_brief(experiment=ExperimentMetadata(experiment_id="exp-1"))
    store.save(a_log(brief=brief))
    assert store.list()[0].experiment_id == "exp-1"


def test_a_huge_query_is_shown_shortened_and_kept_whole(store):
    query = "word " * 200_000 + "needle"
    store.save(a_log(brief=a_brief(query=query)))
    assert len(store.list()[0].query) < 2_100
    assert store.transcript(an_id()).query == query
    assert len(store.list(text="needle")) == 1


def test_listing_stays_quick_among_thousands(tmp_path):
    path = tmp_path / "home" / "dissent.db"
    with Store(path) as store:
        store.save_all(a_log(n) for n in range(2_000))
    with Store(path) as store:
        store.list(limit=1)
        for filters in ({}, {"text": "canberra"}, {"text": "nothing"}, {"model": "gpt"}):
            best = min(_seconds(store, filters) for _ in range(3))
            assert best < 2, filters  # to read them all would take a minute


def _seconds(store, filters):
    begin = time.perf_counter()
    store.list(**filters)
    return time.perf_counter() - begin
