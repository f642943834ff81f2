"""Promises of the consensus of a round."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.debates import Fault, Said, panelist, response
from fakes.patience import in_proportion
from mutual_dissent.analysis.consensus import Consensus, consensus
from mutual_dissent.analysis.keypoints import key_points, position
from mutual_dissent.analysis.relations import Relation, Verdict
from mutual_dissent.core.codec import from_plain, to_plain


def round_of(**answers):
    return [
        response(
            panelist(seat), "initial", 0, said if not isinstance(said, dict) else Said("", said)
        )
        for seat, said in answers.items()
    ]


def test_a_panel_that_says_the_same_agrees():
    found = consensus(
        round_of(
            ann="Canberra is the capital of Australia.",
            bob="The capital of Australia is Canberra.",
            cyd="It is Canberra, the capital of Australia.",
        )
    )
    assert found.agreement_level == 1.0
    assert [c.members for c in found.clusters] == [("ann", "bob", "cyd")]
    assert found.common_ground
    assert not found.conflicts
    assert not found.disagreement_points
    assert "3 pairs of 3 answers compared by rules" in found.reasoning


def test_a_contradiction_is_a_conflict_with_everyones_stance():
    found = consensus(
        round_of(ann="AI is dangerous.", bob="AI is not dangerous.", cyd="AI is a danger.")
    )
    assert found.agreement_level == pytest.approx(1 / 3, abs=1e-3)
    assert [c.members for c in found.clusters] == [("ann", "cyd"), ("bob",)]
    (conflict,) = found.conflicts
    assert conflict.issue == "AI dangerous"
    assert [(p.seat, p.stance) for p in conflict.positions] == [
        ("ann", "AI is dangerous."), ("bob", "AI is not dangerous."), ("cyd", "AI is a danger."),
    ]  # fmt: skip
    assert found.disagreement_points


def test_developers_are_software_engineers():
    found = consensus(
        round_of(ann="Developers need code review.", bob="Software engineers need code review.")
    )
    assert found.agreement_level == 1.0


def test_clusters_are_named_by_what_their_members_share():
    found = consensus(
        round_of(ann="Postgres is the best database.", bob="The best database is Postgres.")
    )
    assert found.clusters[0].theme == "Postgres best database"
    assert found.clusters[0].summary == "Postgres is the best database."


def test_nobody_shares_a_cluster_with_its_contradictor():
    def told(x, y):
        is_pair = {x.model_alias, y.model_alias} == {"a", "d"}
        return Verdict(Relation.DISAGREE if is_pair else Relation.AGREE, 0.8, "told")

    found = consensus(round_of(a="1", b="2", c="3", d="4"), told, "model")
    assert found.analyzer == "model"
    assert sorted(len(c.members) for c in found.clusters) == [1, 3]
    assert all(not {"a", "d"} <= set(c.members) for c in found.clusters)


def test_conditions_and_doubts_are_nuances():
    found = consensus(
        round_of(
            ann="Caching is useful.",
            bob="Caching is useful if reads dominate.",
            cyd={"position": "Caching might be useful.", "confidence": 0.3},
        )
    )
    assert any(line.startswith("ann and bob") for line in found.nuances.partial)
    assert any(line.startswith("bob: ") for line in found.nuances.conditional)
    assert "cyd is 30% sure" in found.nuances.uncertain
    assert any("might" in line for line in found.nuances.uncertain)


def test_what_one_panelist_denies_is_no_common_ground():
    points = "Rust prevents memory errors.", "Rust has a steep learning curve."
    denied = "Rust does not prevent memory errors.", "Rust has a steep learning curve."
    found = consensus(
        round_of(
            ann={"position": "Use Rust.", "key_points": points},
            bob={"position": "Use Rust.", "key_points": points},
            cyd={"position": "Use Rust.", "key_points": denied},
        )
    )
    assert found.common_ground == ("Rust has a steep learning curve.",)


def test_one_answer_alone_is_no_agreement():
    found = consensus(round_of(ann="Yes.", bob=Fault()))
    assert found.agreement_level is None
    assert [c.members for c in found.clusters] == [("ann",)]
    assert "nothing to compare" in found.reasoning


def test_no_answer_is_no_agreement():
    assert consensus([]).agreement_level is None
    assert consensus(round_of(ann=Fault(), bob="   ")).clusters == ()


def test_the_share_of_undecided_pairs_is_told():
    found = consensus(
        round_of(ann="Coffee is tasty.", bob="Coffee comes from Ethiopia.", cyd="Coffee is tasty.")
    )
    assert found.decided == pytest.approx(1 / 3, abs=1e-3)


def test_an_unknown_verdict_counts_as_uncertain():
    class Strange:
        relation, confidence, reason = "banana", 7.0, "?"

    found = consensus(round_of(ann="a", bob="b"), lambda x, y: Strange())
    assert found.pairs[0].relation == "uncertain"
    assert found.pairs[0].confidence == 1.0


def test_a_consensus_survives_its_record():
    found = consensus(round_of(ann="AI is safe.", bob="AI is unsafe.", cyd="AI is safe if tested."))
    assert from_plain(Consensus, to_plain(found)) == found


def test_key_points_are_the_answers_own_or_its_sentences():
    (given_,) = round_of(ann={"position": "p", "key_points": ("One.", "Two.")})
    assert key_points(given_) == ("One.", "Two.")
    text = (
        "Cars pollute cities. Weather is nice. Cars in cities need space. "
        "Cities without cars are quiet. I like jam."
    )
    (free,) = round_of(ann=text)
    assert key_points(free) == (
        "Cars pollute cities.", "Cars in cities need space.", "Cities without cars are quiet.",
    )  # fmt: skip


def test_a_position_is_the_main_claim_not_the_heading():
    (free,) = round_of(ann="# Analysis:\n\n**Tea** is healthy. It has been drunk for ages.")
    assert position(free) == "Tea is healthy."


TEXT = st.lists(
    st.sampled_from(
        "AI is not safe dangerous 5 10% never if all than faster use Rust yes no , . \n".split(" ")
    ),
    max_size=15,
).map(" ".join) | st.text(max_size=80)
ANSWER = TEXT | st.just(Fault()) | st.builds(
    lambda p, s, c, k: Said(p, {"position": p, "stance": s, "confidence": c, "key_points": k}),
    TEXT,
    st.sampled_from([None, "for", "against", "neutral"]),
    st.none() | st.floats(allow_nan=True),
    st.lists(TEXT, max_size=3).map(tuple),
)  # fmt: skip
PANEL = st.lists(ANSWER, max_size=6)


@settings(max_examples=150, deadline=None)
@given(PANEL, st.randoms(use_true_random=False))
def test_the_order_of_the_panel_changes_nothing(answers, dice):
    said = round_of(**{f"seat{i}": a for i, a in enumerate(answers)})
    mixed = list(said)
    dice.shuffle(mixed)
    assert consensus(said) == consensus(mixed)


@settings(max_examples=150, deadline=None)
@given(PANEL)
def test_levels_are_levels_and_everyone_is_in_one_cluster(answers):
    said = round_of(**{f"seat{i}": a for i, a in enumerate(answers)})
    found = consensus(said)
    assert found.agreement_level is None or 0.0 <= found.agreement_level <= 1.0
    assert 0.0 <= found.decided <= 1.0
    members = [m for c in found.clusters for m in c.members]
    assert sorted(members) == sorted(r.model_alias for r in said if r.usable and r.text.strip())
    to_plain(found)


HOSTILE = [
    "a" * 200_000,
    "not " * 50_000,
    "1 " * 100_000,
    "1,000,000 to 2,000 " * 11_000,
    ". A" * 66_000,
    "\n" * 200_000,
    "- if, " * 33_000,
    "Although " * 22_000,
    "x" * 100 + " \t" * 100_000,
    "at least about over 5 " * 9_000,
    "https://" * 25_000,
    "AI" + "-AI" * 66_000,
]


def test_hostile_length_costs_no_time():
    said = round_of(**{f"seat{i}": text for i, text in enumerate(HOSTILE)})
    with in_proportion(10):
        found = consensus(said)
    assert len(str(to_plain(found))) < 60_000


def test_a_round_of_eight_long_answers_takes_a_moment():
    said = round_of(**{f"seat{i}": _essay(i) for i in range(8)})
    consensus(round_of(warm="Up.", up="Warm."))
    with in_proportion(5):  # 10 ms on an idle core
        consensus(said)


def _essay(i):
    lines = (
        f"Services of kind {i} are beneficial at this scale because team {k} deploys alone. "
        f"The move takes about {i + k} months and costs more than {k},000 dollars. "
        "We should use queues unless the team is small."
        for k in range(20)
    )
    return " ".join(lines)[:2000]
