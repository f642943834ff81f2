"""A report can be cited: when, by what, which models answered, at which cost, and how complete."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from fakes.command_line import dissent
from fakes.sums import FILE
from fakes.world import Tariff
from mutual_dissent import __version__
from mutual_dissent.app import MutualDissent
from mutual_dissent.experiments.design.file import parse_experiment
from mutual_dissent.experiments.report.build import build_report, render_report
from mutual_dissent.experiments.run.run import Run
from mutual_dissent.providers.scripted import Scripted


class Served(Scripted):
    """Vendors that answer with a dated model, for money."""

    async def ask(self, ask, on_text):
        said = await super().ask(ask, on_text)
        return replace(said, served_model=f"{ask.panelist.seat}-2026-11-01", cost_usd=0.01)


@pytest.fixture
async def md(tmp_path):
    cast = Served(dict.fromkeys(("ada", "bob"), lambda _: "Answer: 4"))
    async with MutualDissent(home=tmp_path, env={}, provider=cast, prices=Tariff()) as found:
        yield found


def experiment(**more):
    return replace(parse_experiment(FILE, "x.toml", Path()), **more)


@pytest.mark.parametrize("form", ["markdown", "html", "json"])
async def test_a_report_says_where_its_figures_come_from(md, form):
    await Run(md, experiment()).to_the_end()
    for _ in range(2):  # the second time from the kept table
        said = render_report(build_report(md, experiment()), form)
        for word in (__version__, "ada-2026-11-01", "bob-2026-11-01", f"{md.clock():%Y-%m-%d}"):
            assert word in said
        assert all(h[:8] in said for h in md.library.hashes().values())
        assert "incomplete:" not in said
    if form == "json":
        source = json.loads(said)["provenance"]
        calls = len(md.provider.asks)
        assert source["cost_usd"] == pytest.approx(0.01 * calls)
        assert (source["complete"], source["debates"]) == (True, [6, 6])


async def test_a_run_that_is_not_complete_says_so_first(md):
    await Run(md, experiment()).to_the_end()
    said = build_report(md, experiment(repeats=2)).report
    assert said.lead[0] == "This run is incomplete: 6 of 12 debates are held."


def test_a_report_on_a_recording_names_the_file_it_was_made_from(tmp_path):
    path = tmp_path / "answers.jsonl"
    rows = [{"question": "q", "truth": "1", "answers": {"a": "1", "b": "2"}}] * 12
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = dissent("bench", "recorded", str(path)).stdout
    assert f"answers.jsonl, sha256 {sha256(path.read_bytes()).hexdigest()}" in said
    assert f"by Mutual Dissent {__version__}" in said
