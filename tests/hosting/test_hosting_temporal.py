"""Temporal deals debates out: each is held once, and its record is that of one machine."""

from __future__ import annotations

import pytest

from fakes.cluster import an_experiment
from fakes.databases import a_database
from fakes.patience import not_for_ever
from fakes.temporal import a_site
from mutual_dissent.core.events import Status
from mutual_dissent.experiments.running import Run
from mutual_dissent.experiments.shelf import rows

pytestmark = [pytest.mark.postgres, pytest.mark.temporal]


def told(md):
    """What the debates of an experiment say, without when they were held and their nonces."""
    found = {}
    for row in rows(md, "sums"):
        debate = md.store.transcript(row.transcript_id)
        said = sorted((key, r.content, r.model_id) for key, r in debate.responses())
        measured = [r.measures for r in debate.rounds]
        found[row.transcript_id] = (debate.query, debate.status, debate.brief.seed, said, measured)
    return found


async def test_a_file_and_one_or_two_workers_of_temporal_give_the_same_transcripts(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "alone", None) as alone:
        await Run(alone.md, an_experiment()).to_the_end()
        wanted = told(alone.md)
    assert {status for _, status, *_ in wanted.values()} == {Status.COMPLETED}
    for count in (1, 2):
        async with not_for_ever(), a_site(tmp_path / f"{count}", a_database()) as site:
            workers = [await site.worker() for _ in range(count)]
            done = await site.held(an_experiment())
            assert (done.done, done.failed, done.left) == (len(wanted), 0, 0), done.problems
            assert told(site.md) == wanted
            assert sum(w.held for w in workers) == len(wanted)
            assert not site.md.provider.asks  # whoever begins it asks nobody
