"""What is said once is not said again, and who is named goes by one name."""

from __future__ import annotations

import pytest

from fakes.closing import closed
from fakes.debates import START, Fault, Said, panelist, transcript
from mutual_dissent.core.events import Noted
from mutual_dissent.core.response import ErrorKind
from mutual_dissent.views.heading import heading, shape
from mutual_dissent.views.markdown import to_markdown
from mutual_dissent.views.remarks.notes import warnings
from mutual_dissent.views.terminal import as_text, rest, terminal

QUERY = "Go or Rust?"
LONG = "Go, for a team of three that has to ship soon. " * 8


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("answer", ["Go.", LONG])
def test_what_is_missing_is_said_once_with_the_way_to_tell_it(answer):
    t = transcript(
        {s: [closed("Go.")] for s in "ab"},
        query=QUERY,
        synthesis=Said(answer, {"requests": ("what your team knows",)}),
    )
    shown = flat(terminal(t, width=120))
    assert shown.count("Missing: what your team knows.") == 1
    assert shown.count("to tell the panel what is missing: dissent continue") == 1
    nothing_missing = shape(t)._replace(missing=False)
    later = flat(as_text(rest(t, said=nothing_missing), 120))
    assert later.count("Missing: what your team knows.") == 1, "found by the analyst alone"
    assert "All 2" not in later, "only what is new is said again"


def test_what_holds_of_all_is_said_of_all_at_once():
    broke = Fault(ErrorKind.CREDITS, "acme wants to be paid first; add credits")
    t = transcript({s: [broke] for s in ("a", "b", "c")}, query=QUERY, synthesis=None)
    assert heading(t).count("no credits") == 1
    assert "a, b and c did not answer: no credits." in heading(t)
    assert warnings(t) == [f"a, b and c (initial answers, no credits): {broke.text}"]


def test_that_no_further_round_was_held_is_said_once():
    said = [f"no further round was held: {n} s" for n in (1, 2)]
    notes = [Noted(at=START, code="cut_short", text=text) for text in said]
    t = transcript({s: [closed("Go.")] for s in "ab"}, query=QUERY, notes=notes)
    assert warnings(t) == said[1:]


def test_a_note_names_panelists_as_everything_else_does():
    seats = [f"openrouter:{s}" for s in "ab"]
    t = transcript(
        {s: [closed("Go.")] for s in seats},
        query=QUERY,
        panel=[panelist(s, s[-1]) for s in seats],
        notes=[Noted(at=START, code="x", text="openrouter:a was asked again")],
    )
    assert warnings(t) == ["a was asked again"]
    shown = to_markdown(t).partition("## Record")[0]
    assert "openrouter:a" not in shown + terminal(t, verbose=True)


def test_why_no_round_followed_is_said_in_words():
    t = transcript({s: [closed("Go.")] * 2 for s in "ab"}, query=QUERY)
    assert "all rounds were held" in to_markdown(t)
    assert "max_rounds" not in to_markdown(t)
