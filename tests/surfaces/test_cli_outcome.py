"""What turned out is said, shown and marked; from it follows who should sit on a panel."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from fakes.command_line import dissent
from fakes.debates import DEBATE_ID, debate
from fakes.own_seat import filled_in
from fakes.patience import LONG
from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.hosting.desk import UserDesk
from mutual_dissent.providers.scripted import Scripted

ID = DEBATE_ID[:8]


def stored(said, number=0, query="What is the sum?") -> str:
    """A finished debate in the record in which everybody says a number."""
    events = debate({s: [f"So it is.\nANSWER: {n}"] for s, n in said.items()})
    name = f"{number:08d}{DEBATE_ID[8:]}" if number else DEBATE_ID
    brief = replace(events[0].brief, transcript_id=name, query=query)
    md = MutualDissent()
    md.store.save([replace(events[0], brief=brief), *events[1:]])
    md.close()
    return name


def test_an_outcome_is_said_shown_and_marked_in_the_list():
    stored({"ada": 42, "bob": 42, "cyd": 7})
    said = dissent("outcome", "last", "42", "--note", "looked it up")
    assert said.exit_code == 0, said.stderr
    assert said.stdout.startswith(f"{ID}: It turned out to be 42")
    assert "(looked it up). 3 first answers are graded by it." in said.stdout
    assert "It turned out to be 42" in dissent("show", ID).stdout
    assert "[42]" in dissent("list").stdout
    assert dissent("outcome", ID, "wrong").stdout.startswith(f"{ID}: It turned out wrong.")
    (row,) = json.loads(dissent("list", "--graded", "--output", "json").stdout)
    assert row["outcome"] == "wrong"


def test_an_outcome_of_what_is_not_there_or_no_outcome_is_refused():
    assert "no stored debate begins with" in dissent("outcome", "00000000", "right").stderr
    stored({"ada": 42, "bob": 42})
    assert "an outcome is right, wrong, or the true value" in dissent("outcome", ID, " ").stderr


def test_below_ten_graded_debates_panel_says_how_many_are_missing_and_how_to_grade():
    stored({"ada": 42, "bob": 42})
    dissent("outcome", ID, "42")
    said = dissent("panel")
    assert said.exit_code == 2
    assert "10 are needed; grade 9 more finished debates: dissent outcome ID" in said.stderr


@pytest.fixture
def graded():
    """Forty graded debates: ada is right in nine of ten, bob and cyd share every second error."""
    names = []
    for i in range(40):
        true = 10_000 + 7 * i
        ada = true if i % 10 else 5 * true
        weak = true if i % 2 else 3 * true
        said = {"ada": ada, "bob": weak, "cyd": weak}
        names.append((stored(said, 10_000_000 + i, f"What is the sum of part {'x' * i}?"), true))
    for name, true in names:
        assert dissent("outcome", name, str(true)).exit_code == 0
    return names


def test_panel_says_whether_it_beats_its_best_member_and_who_adds_nothing(graded):
    said = dissent("panel").stdout
    assert said.startswith("your graded debates: 40 questions")
    assert "A plain vote of all:" in said
    assert "against lab/ada-1, the best model alone" in said
    assert "It is worse." in said
    found = json.loads(dissent("panel", "--output", "json").stdout)[0]
    assert found["best"] == "lab/ada-1"
    ada = next(m for m in found["members"] if m["model"] == "lab/ada-1")
    assert ada["right"]["value"] == 0.9
    assert ada["verdict"] == "adds"


async def seated(outcomes: list[str], first: int = 0) -> None:
    """Debates in which the user says 43 and the panel 42; they turn out as is told."""

    async def sit(desk: UserDesk) -> None:
        while True:
            request = await desk.next()
            mine = {"answer": "It is 43.", "bottom_line": "43"}
            desk.answer(request.session_id, request.key, filled_in(request) | mine)
            await desk.wait_closed(request)

    cast = Scripted(dict.fromkeys(("ada", "bob"), lambda _: "It is.\n\nBOTTOM LINE: 42"))
    async with MutualDissent(provider=cast, prices=Tariff()) as md:
        desk = md.human = UserDesk()
        sitting = asyncio.create_task(sit(desk))
        for i, outcome in enumerate(outcomes, first):
            same = {"panel": ["ada", "bob", "me"], "rounds": 1, "analyst": "none"}
            t = await asyncio.wait_for(md.debate(f"What is in cell {i}?", **same), LONG)
            await md.resolve(t.transcript_id, outcome)
            assert not sitting.done(), sitting.exception()
        sitting.cancel()


def test_panel_says_whether_i_was_right_more_often_than_the_panel_i_sat_on():
    asyncio.run(seated(["43"] * 6))
    said = dissent("panel")
    assert said.exit_code == 2  # too few for advice on the panel, not to speak of me
    assert "You sat in 6 graded debates: your first answer was right in 6, the panel" in said.stdout
    assert "So you are right more often." in said.stdout
    asyncio.run(seated(["42"] * 4, 6))
    (found,) = json.loads(dissent("panel", "--output", "json").stdout)
    assert found["you"]["only_panel"] == 4
    assert "So you are ahead, which may be chance" in " ".join(found["sentences"])


def test_panel_reads_recordings_and_counts_how_many_more_questions_it_takes(tmp_path):
    def answers(i):
        a, b, c = ("1" if i % 4 else "2"), ("1" if i % 3 else "3"), ("4" if i % 3 == 1 else "1")
        return {"a": a, "b": b, "c": c}

    rows = [{"question": f"q{i}", "truth": "1", "answers": answers(i)} for i in range(24)]
    file = Path(tmp_path / "answers.jsonl")
    file.write_text("".join(json.dumps(r) + "\n" for r in rows))
    said = dissent("panel", "--recording", str(file)).stdout
    assert said.startswith("answers.jsonl: 24 questions")
    assert "more graded questions would show that" in said


def test_panel_says_what_it_can_of_a_recording_of_one_model(tmp_path):
    file = Path(tmp_path / "one.jsonl")
    rows = [{"question": f"q{i}", "truth": "1", "answers": {"a": "1"}} for i in range(12)]
    file.write_text("".join(json.dumps(r) + "\n" for r in rows))
    result = dissent("panel", "--recording", str(file))
    assert "Traceback" not in result.stderr
    assert result.exit_code in (0, 2), result.stderr
    assert result.stdout or "model" in result.stderr
