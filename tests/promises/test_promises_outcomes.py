"""What turned out is told once, stays on record, and counts from then on."""

from __future__ import annotations

import pytest

from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.providers.scripted import Scripted

SEATS = ("ada", "bob", "cyd")
SAID = {"ada": "42", "bob": "42", "cyd": "43"}


def says(ask) -> str:
    if ask.role == "synthesis":
        return "It is 42."
    return f"BOTTOM LINE: {SAID[ask.panelist.seat]}\nCONFIDENCE: 90 %"


@pytest.fixture
async def md(tmp_path):
    cast = Scripted(dict.fromkeys(SEATS, says))
    async with MutualDissent(home=tmp_path, env={}, provider=cast, prices=Tariff()) as opened:
        yield opened


async def asked(md: MutualDissent, **more) -> Transcript:
    options = {"panel": list(SEATS), "rounds": 1, "analyst": "none", **more}
    return await md.debate(options.pop("query", "What number stands in cell 1000?"), **options)


async def test_an_outcome_stays_on_record_and_another_one_replaces_it(md):
    t = await asked(md)
    await md.resolve(t.transcript_id[:8], "Right", note="looked it up")
    await md.resolve(t.transcript_id, "43")
    stored = md.store.transcript(t.transcript_id)
    assert stored.outcome.outcome == "43"
    assert stored.outcome.note == ""
    assert stored.status == "completed"
    assert stored.worked == t.worked
    assert [row.outcome for row in md.store.list()] == ["43"]
    assert md.store.count(graded=True) == 1


async def test_an_outcome_is_in_the_debates_file_and_comes_back_from_it(md):
    t = await asked(md)
    told = await md.resolve(t.transcript_id, "wrong", note="it was 43")
    back = Transcript.from_dict(told.to_dict())
    assert (back.outcome.outcome, back.outcome.note) == ("wrong", "it was 43")
    file = next(md.home.transcripts.glob(f"*{t.transcript_id[:8]}*"))
    assert '"it was 43"' in file.read_text()


async def test_a_verdict_is_of_the_answer_that_was_given_and_a_value_of_the_world(md):
    t = await asked(md)
    for outcome, left in (("right", None), ("42", "42")):
        await md.resolve(t.transcript_id, outcome)
        async for _ in md.synthesize(t.transcript_id):
            pass
        now = md.store.transcript(t.transcript_id)
        assert (now.outcome and now.outcome.outcome) == left
        assert md.store.list()[0].outcome == (left or "")


@pytest.mark.parametrize("outcome", ["", "  ", "x" * 301])
async def test_an_outcome_is_a_verdict_or_a_short_value(md, outcome):
    t = await asked(md)
    with pytest.raises(BadInput, match="an outcome is right, wrong, or the true value"):
        await md.resolve(t.transcript_id, outcome)


ODD = {"ada": "41", "bob": "42", "cyd": "42"}


async def graded(md: MutualDissent, questions: int) -> None:
    """Debates of which the outcome is known: ada was always right, bob and cyd hardly ever."""
    for i in range(questions):
        SAID.update(ada="7", bob="7" if i % 5 == 0 else "8", cyd="9")
        t = await asked(md, query=f"What number stands in cell {2000 + i}?")
        await md.resolve(t.transcript_id, "7")
    SAID.update(ODD)


@pytest.fixture(autouse=True)
def _as_before():
    before = dict(SAID)
    yield
    SAID.update(before)


async def test_weighted_is_refused_before_spending_until_enough_answers_are_graded(md):
    await graded(md, 1)
    before = md.store.count()
    with pytest.raises(BadInput, match="27 are missing; grade finished debates"):
        await asked(md, rule="weighted")
    assert md.store.count() == before


async def test_a_preset_that_wants_weights_falls_back_and_says_so(md, tmp_path):
    (tmp_path / "config.toml").write_text('[defaults]\nrule = "weighted"\n')
    cast = Scripted(dict.fromkeys(SEATS, says))
    async with MutualDissent(home=tmp_path, env={}, provider=cast, prices=Tariff()) as other:
        t = await asked(other)
    assert t.brief.rule == "borda"
    assert any("30 are missing" in notice for notice in t.brief.notices)


async def test_weighted_follows_who_was_right_before_and_says_its_basis(md):
    await graded(md, 10)
    plain = await asked(md)
    t = await asked(md, rule="weighted")
    assert plain.heading.startswith("2 of 3: 42")
    assert t.heading.startswith("1 of 3: 41. bob and cyd: 42")
    assert "weighted by 30 graded answers" in t.heading
    await graded(md, 12)  # what is learnt later changes nothing of it
    assert md.store.transcript(t.transcript_id).heading == t.heading
    async for _ in md.replay(t.transcript_id):
        pass
    newest = md.store.list(limit=1)[0].transcript_id
    assert md.store.transcript(newest).heading.startswith("1 of 3: 41")


async def test_without_a_joint_answer_the_weightiest_one_is_shown(md):
    await graded(md, 10)
    t = await asked(md, rule="weighted", synthesize=False)
    assert t.fallback_answer.model_alias == "ada"
    assert "shown is one that speaks for the weightiest group, by ada" in t.heading


async def test_the_heading_says_how_it_turned_out(md):
    t = await asked(md)
    told = await md.resolve(t.transcript_id, "43", note="the sheet says so")
    assert "It turned out to be 43: the answer was wrong (the sheet says so)." in told.heading
    assert "It turned out right." in (await md.resolve(t.transcript_id, "right")).heading


async def test_a_file_with_odd_weights_or_an_odd_outcome_opens_all_the_same(md):
    plain = (await asked(md)).to_dict()
    plain["brief"]["weights"] = {"answers": "many", "kinds": [1]}
    plain["outcome"] = {"outcome": ["x"], "at": "yesterday"}
    plain["rounds"][0]["measures"]["consensus"]["support"] = [1.0, 2.0, 3.0, 4.0]
    t = Transcript.from_dict(plain)
    assert t.outcome is None
    assert "42" in t.heading
