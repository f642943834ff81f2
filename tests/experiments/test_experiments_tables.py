"""Results as tables: kept beside the record, read anew where it changed, and safe to show."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from fakes.sums import FILE
from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import UserError
from mutual_dissent.experiments.design.file import parse_experiment
from mutual_dissent.experiments.report.html import as_html
from mutual_dissent.experiments.report.markdown import as_markdown
from mutual_dissent.experiments.report.parts import Section
from mutual_dissent.experiments.report.report import Report
from mutual_dissent.experiments.results import table as frames
from mutual_dissent.experiments.results.export import export_experiment
from mutual_dissent.experiments.results.results import results
from mutual_dissent.experiments.results.table import cache_of, read_results
from mutual_dissent.experiments.run.run import Run
from mutual_dissent.providers.scripted import Scripted


@pytest.fixture
async def held(tmp_path):
    cast = Scripted(dict.fromkeys(("ada", "bob"), lambda _: "=1+1 makes\n\nAnswer: 4"))
    experiment = parse_experiment(FILE, "x.toml", Path())
    async with MutualDissent(home=tmp_path, env={}, provider=cast, prices=Tariff()) as md:
        await Run(md, experiment).to_the_end()
        yield md, experiment


def test_what_is_kept_is_what_is_on_record(held):
    md, experiment = held
    first = read_results(md, experiment)
    assert (first.cells, first.read) == (2, 2)
    again = read_results(md, experiment)
    assert again.read == 0
    assert again.results == first.results == list(results(md, experiment))


async def test_only_what_is_new_is_read(held):
    md, experiment = held
    read_results(md, experiment)
    larger = replace(experiment, repeats=2)
    await Run(md, larger).to_the_end()
    found = read_results(md, larger)
    assert (found.cells, found.read) == (4, 2)
    assert found.results == list(results(md, larger))


def test_another_known_answer_is_another_result(held):
    md, experiment = held
    read_results(md, experiment)
    other = replace(experiment, queries=tuple(replace(q, answer="5") for q in experiment.queries))
    found = read_results(md, other)
    assert found.read == 2
    assert not any(r.right for r in found.results)


def test_a_damaged_table_is_made_anew(held):
    md, experiment = held
    read_results(md, experiment)
    cache_of(md, "sums").write_bytes(b"nothing of the kind")
    assert read_results(md, experiment).results == list(results(md, experiment))


def test_a_notebook_reads_the_export(held):
    pl = pytest.importorskip("polars")
    table = pl.read_parquet(io.BytesIO(export_experiment(*held, "parquet")))
    assert table.height == 2 * 4
    assert set(table["condition"]) == {"panel", "single ada", "single bob", "vote of panel"}
    assert table.filter(pl.col("way") == "panel")["opinions"][0][0]["model"] == "ada"


def test_without_polars_reports_work_and_tables_say_what_to_install(held, monkeypatch):
    def missing():
        raise UserError("tables need polars; install it with: pip install 'x[research]'")

    monkeypatch.setattr(frames, "polars", missing)
    monkeypatch.setattr("mutual_dissent.experiments.results.export.polars", missing)
    assert read_results(*held).results
    with pytest.raises(UserError, match="polars"):
        export_experiment(*held, "parquet")


@pytest.mark.parametrize(
    ("answer", "cell"),
    [
        ("-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"),
        ("-7", "-7"),
        ("-1234.5", "-1234.5"),
        (" =1+1", "' =1+1"),
        ("\uff1d1+1", "'\uff1d1+1"),
    ],
)
def test_no_answer_is_a_formula_in_a_spreadsheet_and_numbers_stay_numbers(
    held, monkeypatch, answer, cell
):
    kept = read_results(*held)
    told = replace(kept, results=[replace(r, answer=answer) for r in kept.results])
    monkeypatch.setattr("mutual_dissent.experiments.results.export.read_results", lambda *_: told)
    rows = csv.DictReader(io.StringIO(export_experiment(*held, "csv").decode()))
    assert {row["answer"] for row in rows} == {cell}


EVIL = '<script>alert(1)</script>" onload=x | # `a`'


def evil() -> Report:
    section = Section(title=EVIL, sentences=(EVIL,), head=(EVIL, EVIL), rows=((EVIL, EVIL),))
    return Report(title=EVIL, summary=EVIL, lead=(EVIL, EVIL), sections=(section,))


def test_no_name_can_act_in_a_page():
    page = as_html(evil())
    assert "<script" not in page
    assert '" onload' not in page.replace("&quot;", "")
    assert "default-src 'none'" in page
    assert "unsafe-inline" not in page


def test_no_name_can_break_out_of_a_markdown_table():
    said = as_markdown(evil())
    assert "<script" not in said
    row = said.splitlines()[-1]
    assert row.replace("\\|", "").count("|") == 3
