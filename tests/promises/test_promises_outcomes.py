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
    return await md.debate("What number stands in cell 1000?", **options)


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
