"""A finished debate on a terminal: what counts is there, at any width, with and without colours."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from rich.cells import cell_len
from rich.console import Console

from fakes.closing import a_split, closed
from fakes.debates import START, Fault, Said, debate, panelist, transcript
from fakes.patience import in_proportion
from mutual_dissent.core.events import Asked, Closed, Reopened, Status
from mutual_dissent.core.transcript import fold
from mutual_dissent.views.documents.html import to_html
from mutual_dissent.views.heading import heading, shape
from mutual_dissent.views.markdown import to_markdown
from mutual_dissent.views.remarks.progress import StepAsks
from mutual_dissent.views.terminal import as_text, full_report, rest, terminal, tone

ANSWERS = {"claude": ["Canberra, I think.", "Canberra."], "gpt": ["Sydney.", "Canberra."]}


def drawn(t, *, width: int = 80, verbose: bool = False, **options) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=True, **options)
    console.print(full_report(t, verbose=verbose))
    return out.getvalue()


LONG = "Canberra is the capital.\n\nIt was chosen as a compromise between Sydney and Melbourne."


def test_the_answer_comes_with_heading_cost_and_next_steps():
    shown = terminal(transcript(ANSWERS))
    for said in (
        "All 2: Canberra. (compared by value)",
        "Canberra is the capital.",
        "$0.0155 for 5 calls in 17.0 s, written by claude",
        "dissent show 5e1f7c1a --verbose",
    ):
        assert said in shown


def test_what_stands_under_an_answer_has_its_order():
    said = {
        "p2": [
            closed("125"),
            closed("75", "p3 agree; p4 disagree: the city", "yes: from 125 to 75, because of p3"),
        ],
        "p3": [closed("75"), closed("75", "p2 disagree; p4 disagree: the city", "nothing")],
        "p4": [closed("40"), closed("40", "p2 disagree; p3 disagree: the city", "nothing")],
    }
    t = transcript(said, query="How many tuners are there?", synthesis=LONG)
    lines = terminal(t).splitlines()
    titles = ["who holds what", "corrected in the debate", "open"]
    places = [lines.index(x) for x in titles]
    assert places == sorted(places)
    assert places[-1] < next(i for i, x in enumerate(lines) if x.startswith("$"))


@pytest.mark.parametrize("width", [60, 80, 200])
def test_an_answer_of_one_line_gets_at_most_five_lines_under_it(width):
    said = {
        s: [closed(f"{n}"), closed(f"{n + 1}", "", f"yes: from {n} to {n + 1}, because of a: it")]
        for s, n in zip("abcdef", range(0, 600, 100), strict=True)
    } | {"g": [Fault(text="busy " * 60)]}
    t = transcript(said, query="How many?", synthesis=Said("301.", {"requests": ("what counts",)}))
    lines = [x.rstrip() for x in drawn(t, width=width, no_color=True).splitlines()]
    bare = [re.sub(r"\x1b\[[\d;]*m", "", x).rstrip() for x in lines]
    under = [x for x in bare[bare.index("301.") + 1 :] if x]
    # The heading of those lines says what is left out of them.
    assert under[1] == "the panel in short (and 6 positions, 5 corrections more)"
    assert 2 <= len(under) <= 6
    assert any(x.startswith("! g (initial answers, rate limit)") for x in under)
    assert any(x.startswith("- correction: a: 0 -> 1") for x in under)
    whole = terminal(t, width=width)
    assert "busy busy" in whole
    assert "…" not in whole.partition("the panel in short")[2]


def test_a_line_that_is_cut_for_a_terminal_keeps_the_names_at_its_end():
    long = "yes: from 0 to 1, because of bob: " + "he has counted every one of them by hand " * 3
    said = {"ada": [closed("0"), closed("1", "", long)], "bob": [closed("1"), closed("1")]}
    t = transcript(said, query="How many?", synthesis="1.")
    line = next(x for x in drawn(t, no_color=True).splitlines() if x.startswith("- correction"))
    assert line.rstrip().endswith("… (because of bob)")
    assert "(because of bob)" in terminal(t)
    assert "…" not in terminal(t)


POEM = "Roses are red,\n  violets are blue;\nsugar is sweet,\n  and so are you."


def test_a_poem_keeps_its_lines():
    assert POEM in terminal(transcript(ANSWERS, synthesis=POEM))


def test_lines_of_a_letter_are_kept_in_every_view():
    letter = "**Dear Ms Lee,**\nWe lost your order, and we are sorry.\nA new one is on its way."
    shown = terminal(transcript(ANSWERS, synthesis=letter))
    assert "Dear Ms Lee,\nWe lost your order, and we are sorry.\nA new one" in shown
    assert "sorry.  \nA new one" in to_markdown(transcript(ANSWERS, synthesis=letter))
    assert "sorry.<br>" in to_html(transcript(ANSWERS, synthesis=letter))


def test_prose_that_was_wrapped_to_fit_a_page_is_wrapped_anew():
    words = "The quick brown fox jumps over the lazy dog and then it sleeps for a while "
    page = "\n".join([words.strip()] * 4) + "\n"
    shown = terminal(transcript(ANSWERS, synthesis=page), width=200)
    assert f"{words}{words}" in shown


def test_code_is_shown_as_it_is():
    code = "def f(x):\n    return x * 2\n\nprint(f(2))"
    assert code in terminal(transcript(ANSWERS, synthesis=code))


def test_who_has_seen_every_response_is_not_offered_it_again():
    assert "--verbose" not in terminal(transcript(ANSWERS), verbose=True)


@pytest.mark.parametrize("closed", [False, True])
def test_the_time_in_which_nobody_worked_on_it_does_not_count(closed):
    events = debate(ANSWERS)
    whole = (events[-1].at - events[0].at).total_seconds()
    assert f" in {whole:.1f} s" in terminal(fold(events))
    half, later = len(events) // 2, timedelta(minutes=20)
    stop = [Closed(at=events[half - 1].at, status=Status.INTERRUPTED, reason="")] if closed else []
    again = Reopened(at=events[half - 1].at + later, reason="resumed")
    rest = [replace(e, at=e.at + later) for e in events[half:]]
    assert f" in {whole:.1f} s" in terminal(fold([*events[:half], *stop, again, *rest]))


def test_verbose_has_every_response_in_full():
    brief, full = terminal(transcript(ANSWERS)), terminal(transcript(ANSWERS), verbose=True)
    for said in ("Canberra, I think.", "Sydney."):
        assert said in full
        assert said not in brief


def test_who_was_absent_is_shown_with_the_reason():
    shown = terminal(transcript({**ANSWERS, "grok": [Fault(text="the key was refused")]}))
    assert "! grok (initial answers, rate limit): the key was refused" in shown


@pytest.mark.parametrize("verbose", [True, False])
@pytest.mark.parametrize("width", [20, 40, 60, 200])
def test_no_line_is_wider_than_the_terminal(width, verbose):
    wide = "word " * 100 + "x" * 300 + " 日本語" * 50 + "\n\n```\n" + "y" * 300 + "\n```\n"
    t = transcript(
        {s: [wide] for s in ("claude", "gpt")}, synthesis=wide + "| a | b |\n|-|-|\n|1|2|"
    )
    for line in terminal(t, verbose=verbose, width=width).splitlines():
        assert cell_len(line) <= width or line.strip() == "y" * 300, "code is left as it is"


def test_without_colour_the_words_say_it(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    shown = drawn(transcript(ANSWERS, synthesis=Fault()))
    assert "\x1b[31m" not in shown
    assert "No answer was written" in shown


def test_a_poor_terminal_gets_plain_bars():
    shown = io.StringIO()
    raw = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="replace")
    console = Console(file=raw, width=80, force_terminal=False)
    with console.capture() as captured:
        said = {"a": ["same words"], "b": ["same words"]}
        console.print(full_report(transcript(said), verbose=True))
    shown.write(captured.get())
    assert "#" * 20 in shown.getvalue()


def test_green_is_only_for_what_went_well():
    good = transcript(ANSWERS)
    assert tone(good) == "green"
    assert tone(a_split()) == "yellow"
    open_ = {"a": ["Light drives it."], "b": ["Minerals come from the soil."]}
    assert tone(transcript(open_, query="How do plants grow?")) == ""
    assert tone(transcript({**ANSWERS, "grok": [Fault()]})) == "yellow"
    assert tone(transcript(ANSWERS, synthesis=[Fault(), "yes"])) == "yellow"
    assert tone(transcript(ANSWERS, synthesis=Fault())) == "red"
    twins = [panelist("a", "lab/x"), panelist("b", "lab/x")]
    assert tone(transcript({"a": ["y"], "b": ["y"]}, panel=twins)) == "yellow"
    other = Said("yes", {"served_model": "lab/other-2"})
    assert tone(transcript({**ANSWERS, "gpt": [other]})) == "yellow"


def test_agreement_of_one_model_is_not_shown_as_good():
    twins = [panelist("a", "lab/x"), panelist("b", "lab/x")]
    shown = terminal(transcript({"a": ["y"], "b": ["y"]}, panel=twins), verbose=True)
    assert "agreement (no evidence here)" in shown


def test_links_are_text_and_html_is_not_swallowed():
    t = transcript(synthesis="see [this](https://a.example/x) and <b>that</b> `<i>`")
    shown = drawn(t, width=120, no_color=True)
    assert "see this [1] and" in shown
    assert "[1] this: https://a.example/x" in shown
    assert "<b>that</b>" in shown
    assert "<i>" in shown
    assert "\x1b]8" not in shown


def test_an_unfinished_debate_says_how_to_go_on():
    stop = Closed(at=START, status=Status.STOPPED, reason="budget", text="over")
    shown = terminal(transcript(ANSWERS, synthesis=None, closed=stop))
    assert "dissent resume 5e1f7c1a" in shown


def test_what_is_not_on_record_offers_no_commands():
    shown = terminal(transcript(ANSWERS), saved=False)
    assert "not saved" in shown
    assert "dissent show" not in shown


def test_unknown_prices_are_said():
    free = Said("Canberra.", {"cost_usd": None})
    assert "unknown for 1 call" in terminal(
        transcript({"claude": [free]}, synthesis=None, quorum=1), verbose=True
    )


def test_scores_are_shown_with_what_they_mean():
    marks = {"accuracy": 4, "completeness": None, "judge": "claude", "judge_is_synthesizer": True}
    shown = terminal(transcript(ANSWERS, scores={"-1/synthesis/claude": marks}))
    assert "claude, synthesis" in shown
    assert "?" in shown
    assert "which also wrote the synthesis" in shown


def test_that_there_is_no_answer_is_said_once():
    shown = terminal(transcript({"claude": [Fault()], "gpt": [Fault()]}, synthesis=None))
    assert " ".join(shown.lower().split()).count("there is no answer") == 1


def test_the_lines_of_a_long_note_stand_under_its_first_word():
    note = "the vendor " * 12
    t = transcript({**ANSWERS, "grok": [Fault(text=note)]}, synthesis=LONG)
    shown = terminal(t, width=60).splitlines()
    first = next(i for i, line in enumerate(shown) if line.startswith("! grok"))
    assert shown[first + 1].startswith("  ")
    assert not shown[first + 1].startswith("   ")


def test_tokens_that_are_not_known_by_direction_are_given_as_a_sum():
    old = {"input_tokens": None, "output_tokens": None, "token_count": 12, "cached_tokens": None}
    spent = {**old, "cost_usd": None}
    shown = terminal(
        transcript(
            {"claude": [Said("Yes.", spent)], "gpt": [Said("No.", spent)]},
            synthesis=Said("Both.", spent),
        ),
        verbose=True,
    )
    assert "cost unknown for 3 calls" in shown
    assert "36 tokens" in shown


def test_costs_are_listed_in_the_order_of_the_panel():
    t = transcript({"zoe": ["Yes."], "ada": ["No."], "max": ["Yes."]})
    late = replace(t, answered=dict(reversed(t.answered.items())))
    lines = terminal(late, verbose=True).splitlines()
    assert [line.split()[0] for line in lines if " for " in line][1:] == ["zoe", "ada", "max"]


def test_scores_that_did_not_move_are_said_in_one_breath():
    marks = {"accuracy": 4, "completeness": 5, "judge": "gemini"}
    keys = [f"{n}/{role}/{s}" for n, role in enumerate(("initial", "reflection")) for s in ANSWERS]
    shown = terminal(transcript(ANSWERS, scores=dict.fromkeys(keys, marks)))
    assert "Reflection did not change claude and gpt." in shown


@pytest.mark.parametrize("columns", [13, 60, 4_000])
def test_every_cell_of_a_table_too_wide_to_be_drawn_can_be_read(columns):
    cells = [f"cell{n}" for n in range(columns)]
    table = f"|{'|'.join(cells)}|\n|{'---|' * columns}\n|{'|'.join(cells)}|"
    with in_proportion():
        shown = terminal(transcript(ANSWERS, synthesis=table), width=80)
    assert "".join(shown.split()).count(f"|{'|'.join(cells)}|") == 2


def test_a_table_that_fits_is_drawn_and_code_that_looks_like_one_stays_as_it_is():
    narrow = "|a|b|\n|---|---|\n|1|2|"
    assert "|---|" not in terminal(transcript(ANSWERS, synthesis=narrow))
    rule = "|" + "---|" * 20
    shown = terminal(transcript(ANSWERS, synthesis=f"```\n{rule}\n```"), width=120)
    assert rule in shown
    assert f"\\{rule}" not in shown


def test_the_heading_is_said_again_only_if_somebody_stands_elsewhere_since():
    t = transcript({"a": [closed("Go.")], "b": [closed("Rust.")]}, synthesis="Go, on the whole.")
    stood = shape(t)
    once, again = (
        as_text(rest(t, said=s)) for s in (stood, stood._replace(groups=stood.groups[:1]))
    )
    assert heading(t)[:20] not in once
    assert heading(t)[:20] in again


def test_in_full_the_answers_own_bottom_line_stands_below_it():
    t = transcript(ANSWERS, synthesis=closed("Go.", prose="Go, on the whole."))
    assert "bottom line: Go." in terminal(t, verbose=True).partition("Go, on the whole.")[2]
    assert "bottom line" not in terminal(t)


def test_who_writes_the_answer_anew_is_named_when_a_debate_goes_on():
    events = debate(ANSWERS)
    t, asking = fold(events), StepAsks()
    asked = next(e for e in events if isinstance(e, Asked) and e.role == "synthesis")
    lines = [line for e in [*events, asked] if (line := asking.line(e, t))]
    assert lines[-2:] == ["synthesis: asking claude"] * 2
