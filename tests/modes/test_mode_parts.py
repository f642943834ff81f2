"""Who plays which part: by seat, by name, by seed; and what is refused."""

from __future__ import annotations

from collections import Counter

import pytest

from fakes.world import seat
from mutual_dissent.core.errors import BadInput, UnknownName
from mutual_dissent.core.step import Assignments
from mutual_dissent.modes import modes
from mutual_dissent.modes.topologies import TOPOLOGIES

PANEL = tuple(seat(s) for s in ("ada", "bob", "cyd", "dee", "eve"))
MODES = modes(TOPOLOGIES)


def assigned(mode, part, panel=PANEL, **given):
    return [getattr(p, part) for p in MODES[mode].assign(panel, Assignments(**given))]


def test_perspectives_go_round_the_panel():
    dealt = assigned("expert-panel", "perspective")
    assert dealt == ["technical", "economic", "ethical", "social", "technical"]


def test_the_users_own_perspectives_replace_ours():
    dealt = assigned("expert-panel", "perspective", perspectives=("legal", "medical"))
    assert dealt == ["legal", "medical", "legal", "medical", "legal"]


def test_random_perspectives_follow_the_seed_and_leave_none_out():
    deals = {
        seed: tuple(assigned("expert-panel", "perspective", how="random", seed=seed))
        for seed in range(20)
    }
    assert deals[3] == tuple(assigned("expert-panel", "perspective", how="random", seed=3))
    assert len(set(deals.values())) > 5
    assert all(len(set(dealt)) == 4 for dealt in deals.values())


def test_a_perspective_given_by_name_is_kept_and_the_others_fill_the_rest():
    given = {"cyd": "technical", "dee": "the patient's"}
    dealt = assigned("expert-panel", "perspective", perspective_of=given)
    assert dealt == ["economic", "ethical", "technical", "the patient's", "social"]


def test_if_all_perspectives_are_given_by_name_the_rest_share_them():
    given = dict(zip(("ada", "bob", "cyd", "dee"), ("technical", "economic", "ethical", "social"),
                     strict=True))  # fmt: skip
    assert assigned("expert-panel", "perspective", perspective_of=given)[4] == "technical"


@pytest.mark.parametrize("name", ["x" * 121, "  ", "bell\x07"])
def test_a_perspective_that_cannot_stand_in_a_line_is_refused(name):
    with pytest.raises(BadInput, match="1 to 120 characters"):
        assigned("expert-panel", "perspective", perspective_of={"ada": name})


def test_another_way_to_deal_is_refused():
    with pytest.raises(UnknownName, match="round-robin"):
        assigned("expert-panel", "perspective", how="by height")


def test_first_is_primary_second_opposition_the_rest_evaluate():
    roles = assigned("devils-advocate", "role")
    assert roles == ["PRIMARY", "OPPOSITION", "EVALUATOR", "EVALUATOR", "EVALUATOR"]


def test_roles_given_by_name_are_kept_and_the_others_fill_what_is_missing():
    roles = assigned("devils-advocate", "role", role_of={"ada": "evaluator", "dee": "Primary"})
    assert roles == ["EVALUATOR", "OPPOSITION", "EVALUATOR", "PRIMARY", "EVALUATOR"]


def test_a_debate_without_opposition_is_refused():
    everyone = dict.fromkeys(("ada", "bob", "cyd", "dee", "eve"), "PRIMARY")
    with pytest.raises(BadInput, match="nobody is OPPOSITION"):
        assigned("devils-advocate", "role", role_of=everyone)


def test_seats_alternate_red_and_blue():
    assert assigned("red-team-blue-team", "team") == ["red", "blue", "red", "blue", "red"]


def test_teams_given_by_name_are_kept_and_the_others_even_them_out():
    teams = assigned("red-team-blue-team", "team", team_of={"ada": "blue", "bob": "BLUE"})
    assert teams[:2] == ["blue", "blue"]
    assert Counter(teams) == {"red": 3, "blue": 2}


def test_an_empty_team_is_refused():
    everyone = dict.fromkeys(("ada", "bob", "cyd", "dee", "eve"), "red")
    with pytest.raises(BadInput, match="nobody is in the blue team"):
        assigned("red-team-blue-team", "team", team_of=everyone)


@pytest.mark.parametrize(
    ("mode", "given", "told"),
    [
        ("expert-panel", {"perspective_of": {"adda": "legal"}}, "did you mean 'ada'"),
        ("devils-advocate", {"role_of": {"zoe": "PRIMARY"}}, "no panelist is called 'zoe'"),
        ("devils-advocate", {"role_of": {"ada": "PRIMRY"}}, "did you mean 'PRIMARY'"),
        ("red-team-blue-team", {"team_of": {"ada": "green"}}, "choose from blue, red"),
    ],
)
def test_a_part_or_a_seat_that_does_not_exist_is_named(mode, given, told):
    with pytest.raises(UnknownName, match=told):
        assigned(mode, "seat", **given)
