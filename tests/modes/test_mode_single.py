"""One model alone: a baseline, not a debate."""

from __future__ import annotations

import pytest

from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.events import Status
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.views.heading import heading


def app(tmp_path, **script):
    return MutualDissent(home=tmp_path, env={}, provider=Scripted(script), prices=Tariff())


async def test_one_call_is_the_whole_debate(tmp_path):
    async with app(tmp_path, ada=["Canberra."]) as md:
        done = await md.debate("Capital of Australia?", mode="single", panel=["ada"])
        assert (done.status, done.synthesis.content) == (Status.COMPLETED, "Canberra.")
        assert "by ada alone" in heading(done)
        assert len(md.provider.asks) == 1


async def test_whoever_would_write_the_answer_is_asked_where_nobody_is_named(tmp_path):
    async with app(tmp_path, eve=["Canberra."]) as md:
        done = await md.debate("Capital of Australia?", mode="single", synthesizer="eve")
        assert done.synthesis.model_alias == "eve"


async def test_its_failure_is_said(tmp_path):
    async with app(tmp_path) as md:
        done = await md.debate("Capital of Australia?", mode="single", panel=["ada"])
        assert done.status is Status.ERROR
        assert "there is no answer" in heading(done)


async def test_more_than_one_is_refused(tmp_path):
    async with app(tmp_path) as md:
        with pytest.raises(BadInput, match="single takes a panel of 1, not 2"):
            await md.debate("Capital?", mode="single", panel=["ada", "bob"])
