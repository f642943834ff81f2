"""`dissent delete`, `tag` and `rate`: what a user says of stored debates, and forgets."""

from __future__ import annotations

import json

import pytest

from fakes.command_line import dissent


@pytest.fixture
def debates(vendor):
    """The ids of two stored debates, the older one first."""
    vendor.fake.always(text="Yes, it is.")
    done = [
        dissent("ask", f"Is it {n}?", "--panel", "claude,gpt", "-o", "json") for n in ("a", "b")
    ]
    return [json.loads(d.stdout)["transcript_id"] for d in done]


def listed(*words: str) -> list[str]:
    result = dissent("list", *words, "-o", "json")
    assert result.exit_code == 0, result.stderr
    return [row["transcript_id"] for row in json.loads(result.stdout)]


def test_a_debate_is_deleted_with_its_file_and_its_costs(debates, own_home):
    first, second = debates
    spent = json.loads(dissent("list", "--costs", "-o", "json").stdout)
    result = dissent("delete", first[:8], "--yes")
    assert (result.exit_code, result.stdout) == (0, f"{first[:8]} is deleted.\n")
    assert listed() == [second]
    [left] = (own_home / "transcripts").iterdir()
    assert second[:8] in left.name
    now = json.loads(dissent("list", "--costs", "-o", "json").stdout)
    assert sum(s["calls"] for s in now) == sum(s["calls"] for s in spent) / 2
    assert dissent("doctor").stdout == "Nothing is wrong.\n"


@pytest.mark.parametrize(("answer", "code", "left"), [("y\n", 0, 0), ("n\n", 1, 2), ("\n", 1, 2)])
def test_it_is_asked_for_first_and_what_will_go_is_shown(debates, answer, code, left):
    result = dissent("delete", *debates, stdin=answer)
    assert result.exit_code == code
    assert "Is it a?" in result.stderr
    assert "Delete 2 debates for good?" in result.stderr
    assert len(listed()) == left


def test_where_nobody_can_be_asked_nothing_is_deleted_without_yes(debates):
    result = dissent("delete", debates[0], stdin="")
    assert result.exit_code == 2
    assert "give --yes" in result.stderr
    assert len(listed()) == 2


def test_one_wrong_id_deletes_nothing(debates):
    result = dissent("delete", debates[0], "ffffffff", "--yes")
    assert result.exit_code == 1
    assert len(listed()) == 2


def test_tags_are_put_on_found_by_and_taken_off(debates):
    assert dissent("tag", debates[0], "energy", "to show").stdout == "energy\nto show\n"
    assert listed("--tag", "to show") == [debates[0]]
    assert dissent("tag", debates[0]).stdout == "energy\nto show\n"
    assert dissent("tag", debates[0], "energy", "to show", "--remove").stdout == (
        f"{debates[0][:8]} has no tags.\n"
    )
    assert dissent("list", "--tag", "to show").stderr == "No stored debate matches.\n"


def test_a_rating_is_set_sorted_by_and_taken_back(debates):
    assert dissent("rate", debates[0], "4").stdout == f"{debates[0][:8]} is rated 4 of 5.\n"
    assert listed("--order", "rating") == debates
    assert listed("--order", "rating", "--reverse") == debates[::-1]
    dissent("rate", debates[0], "none")
    assert listed("--order", "rating") == debates[::-1]
    assert dissent("rate", debates[0], "6").exit_code == 2


def test_a_list_is_narrowed_and_sorted_by_what_debates_came_to(debates):
    assert listed("--mode", "reflection") == debates[::-1]
    assert listed("--mode", "delphi") == []
    assert listed("--min-agreement", "0.1", "--max-cost", "5", "--order", "oldest") == debates
    assert listed("--preset", "quick") == listed("--experiment", "x") == []
