"""Fifty debates of one's own with a known answer say more than anybody's recordings."""

from __future__ import annotations

import pytest

from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.brief import ExperimentMetadata
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.views.heading import heading

SEATS = ("ada", "bob", "cyd", "dee")


def says_42(ask) -> str:
    if ask.role == "judge":
        return '{"accuracy": 1, "completeness": 1, "explanation": "It is 43."}'
    return "It is 42." if ask.role == "synthesis" else "BOTTOM LINE: 42\nCONFIDENCE: 90 %"


@pytest.fixture
async def md(tmp_path):
    cast = Scripted(dict.fromkeys(SEATS, says_42))
    async with MutualDissent(home=tmp_path, env={}, provider=cast, prices=Tariff()) as opened:
        yield opened


async def asked(md: MutualDissent, cell: int, **more) -> Transcript:
    """A debate of four who all say 42."""
    seats = {"panel": list(SEATS), "rounds": 1, "analyst": "none"}
    return await md.debate(f"What number stands in cell {1000 + cell}?", **seats, **more)


async def experimented(md: MutualDissent, debates: int) -> None:
    """An experiment whose panels agree on 42, which is right in every fifth of its queries."""
    md.experiments.keep("sums", "", "", "", md.clock())
    for i in range(debates):
        known = {"known_answer": "42" if i % 5 == 0 else "43"}
        await asked(md, i, experiment=ExperimentMetadata(experiment_id="sums", variables=known))


async def test_below_fifty_graded_debates_the_public_recordings_speak(md):
    await experimented(md, 49)
    assert "% of recorded cases (numbers)" in heading(await asked(md, 100))


async def test_from_fifty_on_the_users_own_record_replaces_them_and_stays_on_the_debate(md):
    await experimented(md, 50)
    t = await asked(md, 100)
    assert "Such agreement was right in 3" in heading(t)
    assert "% of your graded debates (numbers)" in heading(t)
    assert heading(md.store.transcript(t.transcript_id)) == heading(t)


async def test_a_query_that_was_asked_fifty_times_is_one_case(md):
    md.experiments.keep("sums", "", "", "", md.clock())
    tags = ExperimentMetadata(experiment_id="sums", variables={"known_answer": "43"})
    for _ in range(50):
        await asked(md, 1, experiment=tags)
    assert "% of recorded cases (numbers)" in heading(await asked(md, 100))


async def test_debates_that_a_judge_scored_count_as_well(md):
    for i in range(50):
        await asked(md, i, ground_truth="43", judge="ada")
    assert "% of your graded debates (numbers)" in heading(await asked(md, 100))


async def test_an_experiments_debates_do_not_learn_from_each_other(md):
    await experimented(md, 51)
    stored = [md.store.transcript(row.transcript_id) for row in md.store.list(limit=60)]
    assert not any(t.brief.own_chances for t in stored)
