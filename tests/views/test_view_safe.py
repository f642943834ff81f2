"""Nothing that a stranger wrote acts on a reader's terminal, in any view."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from fakes.debates import Fault, Said, debate, response, transcript
from fakes.hostile import PAYLOADS, raw_in
from fakes.patience import in_proportion
from mutual_dissent.core.brief import Attachment, ExperimentMetadata
from mutual_dissent.core.events import Closed, Noted, Status
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.response import Citation, ErrorKind
from mutual_dissent.core.transcript import fold
from mutual_dissent.text.sanitize import one_line, plain
from mutual_dissent.views.documents.csv import to_csv
from mutual_dissent.views.heading import heading
from mutual_dissent.views.markdown import to_markdown
from mutual_dissent.views.terminal import full_report, terminal

hostile = pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS.keys())


def poisoned(payload: str, *, synthesized: bool = True):
    """A debate in which every text that is not ours holds the payload."""
    evil = Panelist(
        seat=f"eve{payload}",
        route=Route(vendor="openrouter", model_id=f"lab/{payload}"),
        persona=payload,
    )
    said = Said(
        f"{payload}\n\n# {payload}\n\n`{payload}`\n\n```{payload}\n{payload}\n```\n| {payload} |",
        {
            "served_model": f"other{payload}",
            "provider": payload,
            "citations": (Citation(url=payload, title=payload),),
        },
    )
    score = {"accuracy": 3, "completeness": 2, "explanation": payload, "judge": payload}
    closing = Closed(
        at=response(evil, "initial", 0, "").timestamp,
        status=Status.COMPLETED if synthesized else Status.STOPPED,
        reason=payload,
        text=payload,
    )
    return debate(
        {evil.seat: [said, said], "bob": [said, Fault(ErrorKind.AUTH, payload)], "cy": [said] * 2},
        panel=[evil],
        synthesis=said if synthesized else Fault(ErrorKind.TIMEOUT, payload),
        query=payload * 3,
        scores={f"0/initial/{evil.seat}": score},
        notes=[Noted(at=closing.at, code="cut", text=payload, seat=payload)],
        closed=closing,
        context=(Attachment(name=payload, text=payload),),
        experiment=ExperimentMetadata(experiment_id=payload, variables={payload: payload}),
        notices=(payload,),
        ground_truth=payload,
        replay_of=f"{payload}-0000",
    )


@hostile
@pytest.mark.parametrize("synthesized", [True, False])
def test_no_control_sequence_reaches_a_reader(payload, synthesized):
    t = fold(poisoned(payload, synthesized=synthesized))
    views = [
        heading(t),
        terminal(t, verbose=True),
        terminal(t, width=40),
        to_markdown(t),
        to_csv(t).replace("\r\n", "\n"),
    ]
    for shown in views:
        assert not raw_in(shown)


@hostile
def test_a_terminal_with_all_its_powers_gets_only_our_own_colours(payload):
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, color_system="truecolor", width=100)
    console.print(full_report(fold(poisoned(payload)), verbose=True))
    ours = out.getvalue()
    assert "\x1b]" not in ours
    assert "5;45m" not in ours
    assert not raw_in(re.sub(r"\x1b\[[0-9;]*m", "", ours))


def test_markup_and_emoji_codes_of_a_model_are_shown_as_they_are():
    shown = terminal(transcript(synthesis="say [bold red]x[/] and :skull:"))
    assert "[bold red]x[/] and :skull:" in shown


def test_text_around_a_sequence_stays():
    assert plain("before \x1b[31mred\x1b[0m after") == "before red after"
    assert plain("a \x1b]0;title\x07b") == "a b"


def test_a_sequence_that_never_ends_hides_nothing():
    assert plain("\x1b]52;c;AAAA the rest") == "52;c;AAAA the rest"
    assert "the rest" in plain("\x90 the rest")


def test_line_ends_become_newlines_and_tabs_stay():
    assert plain("a\r\nb\rc\u2028d\te") == "a\nb\nc\nd\te"


def test_ordinary_writing_of_any_language_is_left_alone():
    text = "naïve — “quotes” שלום العربية 日本語 👩‍👩‍👧 क्षत्रिय\n\tindented"
    assert plain(text) is text


@given(
    st.text(alphabet=st.sampled_from("\x1b[]P;0m\x07\\\x9b\x9d\x9c A\n\u202e\ud800"), max_size=60)
)
def test_whatever_is_combined_nothing_raw_is_left(text):
    assert not raw_in(plain(text))
    assert not raw_in(one_line(text))
    assert plain(plain(text)) == plain(text)


def test_cleaning_takes_time_in_proportion_to_the_text():
    for piece in ("\x1b]", "\x9d", "\x1b[", "\x1bP0", "\x1b", "\x9b1;"):
        with in_proportion():
            plain(piece * 500_000)


def test_a_line_is_one_line_and_says_that_it_was_cut():
    assert one_line("a\n\n  b\tc") == "a b c"
    assert one_line("x" * 500, 10) == "x" * 9 + "…"
    assert len(one_line("\n" * 5000 + "late", 10)) <= 10
