"""Reports in Markdown, CSV and JSON hold the whole debate."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from fakes.debates import Fault, Said, debate, transcript
from mutual_dissent.config.plugins import Plugins
from mutual_dissent.core.brief import Attachment, ExperimentMetadata
from mutual_dissent.core.events import Answered
from mutual_dissent.core.response import Citation, ErrorKind
from mutual_dissent.core.transcript import fold
from mutual_dissent.views.documents.csv import COLUMNS, to_csv, transcripts_to_csv
from mutual_dissent.views.documents.formats import FORMATS
from mutual_dissent.views.heading import heading
from mutual_dissent.views.markdown import to_markdown

ANSWERS = {
    "claude": ["Canberra, I think.", "Canberra for sure."],
    "gpt": ["Sydney.", "Canberra after all."],
    "grok": ["Perth.", Fault(ErrorKind.TIMEOUT, "no byte within 30 s")],
}


def scored(initial: int, later: int, synthesis: int):
    score = {"explanation": "fine", "judge": "gemini", "judge_is_synthesizer": False}
    return {
        "0/initial/gpt": {"accuracy": initial, "completeness": initial, **score},
        "1/reflection/gpt": {"accuracy": later, "completeness": later, **score},
        "-1/synthesis/claude": {"accuracy": synthesis, "completeness": synthesis, **score},
    }


def headings(document: str) -> list[str]:
    found = MarkdownIt("commonmark").parse(document)
    return [
        f"{t.tag} {found[i + 1].content}" for i, t in enumerate(found) if t.type == "heading_open"
    ]


def test_the_report_holds_every_word_of_the_debate():
    report = to_markdown(transcript(ANSWERS))
    for said in ("Canberra, I think.", "Sydney.", "Perth.", "Canberra after all."):
        assert said in report
    assert "no byte within 30 s" in report
    assert heading(transcript(ANSWERS)) in report.replace("\\", "")


def test_the_short_report_leaves_the_rounds_out():
    report = to_markdown(transcript(ANSWERS), full=False)
    assert "## Rounds" not in report
    assert "## Cost" in report


def test_a_models_headings_stay_below_ours():
    plain = to_markdown(transcript({s: ["quiet"] for s in ANSWERS}))
    loud = {s: ["# LOUD\n\nquiet"] for s in ANSWERS}
    report = to_markdown(transcript(loud, synthesis="# Mine\n\n## Cost\n\nfree"))
    assert [h for h in headings(report) if h.startswith(("h1", "h2"))] == [
        h for h in headings(plain) if h.startswith(("h1", "h2"))
    ]
    assert "h3 Mine" in headings(report)


def test_a_query_of_many_lines_is_quoted_whole():
    report = to_markdown(transcript(ANSWERS, query="First line\n\n# Second\nthird"))
    assert headings(report)[0] == r"h1 First line \# Second third"
    assert "## Query\n\nFirst line\n\n### Second\nthird" in report


def test_unknown_prices_are_unknown_and_never_zero():
    unpriced = Said("Hobart.", {"cost_usd": None})
    report = to_markdown(transcript({"claude": ["Canberra."], "gpt": [unpriced]}))
    row = next(line for line in report.splitlines() if line.startswith("| gpt |"))
    assert row.endswith("| unknown |")
    total = next(line for line in report.splitlines() if line.startswith("| total |"))
    assert total.endswith("| $0.0062 + 1 call of unknown price |")


def test_costs_are_told_by_seat_with_cached_tokens():
    report = to_markdown(transcript(ANSWERS))
    assert "| claude | lab/claude-1 | 3 | 300 | 120 | 14 | $0.0093 |" in report


@pytest.mark.parametrize(
    ("later", "said"), [(5, "improved gpt (2 to 5)"), (1, "degraded gpt (2 to 1)")]
)
def test_scores_say_whether_reflection_helped(later, said):
    assert said in to_markdown(transcript(ANSWERS, scores=scored(2, later, 3)))


@pytest.mark.parametrize(
    ("mark", "word"), [(5, "better than"), (4, "as good as"), (3, "worse than")]
)
def test_scores_say_whether_the_synthesis_was_worth_it(mark, word):
    report = to_markdown(transcript(ANSWERS, scores=scored(2, 4, mark)))
    assert f"is {word} the best single answer (gpt, round 1: 4)" in report


def test_a_mark_that_could_not_be_read_is_not_made_up():
    unread = {"-1/synthesis/claude": {"accuracy": None, "completeness": 4, "judge": "gemini"}}
    report = to_markdown(transcript(ANSWERS, scores=unread))
    assert "| not readable | 4 |" in report
    assert "could not be read" in report
    assert "The synthesis (" not in report


def test_where_it_came_from_is_on_the_report():
    t = transcript(
        ANSWERS,
        replay_of="0123abcd-0000-4000-8000-000000000000",
        experiment=ExperimentMetadata(experiment_id="exp-7", condition="named", variables={"k": 3}),
        context=(Attachment(name="notes.txt", text="..."),),
        notices=("no API key is set",),
    )
    report = to_markdown(t)
    for said in ("replay of: 0123abcd-", "experiment: exp-7", "condition: named", "variables: k=3"):
        assert said in report
    assert "attached: notes.txt" in report
    assert "no API key is set" in report
    assert "prompts: " in report


def test_sources_are_listed_as_text():
    cited = Said("Canberra [1].", {"citations": (Citation(url="https://a.example/x", title="A"),)})
    report = to_markdown(transcript({"claude": [cited], "gpt": ["yes"]}))
    assert "1. A https://a.example/x" in report


def test_reused_answers_are_not_counted_as_bought():
    events = debate(ANSWERS)
    lent = [
        replace(e, reused=True) if isinstance(e, Answered) and e.response.role == "initial" else e
        for e in events
    ]
    report = to_markdown(fold(lent))
    assert "Reused, not bought again: 3 answers." in report
    assert "| gpt | lab/gpt-1 | 1 |" in report


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_table_has_one_row_a_response():
    table = rows(to_csv(transcript(ANSWERS)))
    assert [(r["round_number"], r["model_alias"]) for r in table] == [
        *[("0", s) for s in ANSWERS],
        *[("1", s) for s in ANSWERS],
        ("-1", "claude"),
    ]
    assert table[5]["error_kind"] == "timeout"
    assert table[5]["cost_usd"] == ""
    assert table[0]["content"] == "Canberra, I think."


def test_the_table_survives_quotes_commas_and_lines():
    said = 'He said "yes",\nthen left;\r\nagain'
    table = rows(to_csv(transcript({"claude": [said], "gpt": ["b"]})))
    assert table[0]["content"] == 'He said "yes",\nthen left;\nagain'
    assert to_csv(transcript(ANSWERS)).count("\r\n") == 8


@pytest.mark.parametrize(
    "cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\x1b[0m=1", "=HYPERLINK(1)"]
)
def test_no_cell_is_a_formula(cell):
    table = rows(to_csv(transcript({"claude": [cell], "gpt": [cell]}, query=cell)))
    for row in table:
        for column in ("content", "query"):
            assert not row[column].lstrip().startswith(("=", "+", "-", "@")), row[column]


def test_several_debates_share_one_head():
    text = transcripts_to_csv([transcript(ANSWERS), transcript(ANSWERS)])
    assert text.count("transcript_id") == 1
    assert len(rows(text)) == 14
    assert text.startswith(",".join(COLUMNS))


def test_json_holds_the_answer_that_stands_in():
    failed = transcript(ANSWERS, synthesis=Fault())
    written = json.loads(FORMATS["json"](failed))
    assert written["synthesis"] is None
    assert written["fallback_answer"]["model_alias"] in ANSWERS


@pytest.mark.parametrize("name", sorted({*FORMATS} - {"sarif"}))  # which is of reviews alone
def test_every_format_can_write_any_debate(name):
    for t in (
        transcript(ANSWERS),
        transcript(ANSWERS, synthesis=None, open_ended=True),
        transcript({"a": [Fault()], "b": [Fault()]}, synthesis=None),
        fold(debate(ANSWERS)[:1]),
        transcript({"a": ["\x00\u202e"], "b": [""]}),
    ):
        assert FORMATS[name](t).encode() or (name == "answer" and not t.synthesis)


def test_formats_can_be_looked_up_beside_plugins():
    assert set(Plugins("mutual_dissent.formats", FORMATS)) >= {"json", "markdown", "csv"}
