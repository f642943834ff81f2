"""A panelist may ask for what only the user knows, and the user may answer between rounds."""

from __future__ import annotations

import pytest

from fakes.structured import filled, form_fillers
from fakes.world import a_brief, run
from mutual_dissent.analysis.answers.user_questions import requests_in
from mutual_dissent.core.events import Noted, Remarked, Status
from mutual_dissent.core.transcript import Request, fold
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.store.files.parse import reading
from mutual_dissent.views.documents.json import transcript_to_bytes, transcript_to_json
from mutual_dissent.views.markdown import to_markdown
from mutual_dissent.views.terminal import terminal

NEED = "NEEDED FROM THE USER: how many people use it"
WANTED = "how many people use it"


def curious(ask):
    return f"Spaces, I assume.\n{NEED}" if ask.role == "initial" else "Spaces."


def cast(**more):
    return Scripted({"ada": "tabs", "bob": curious, "cyd": "both", **more})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"Yes.\n{NEED}\nNo.", (WANTED,)),
        ("**NEEDED FROM THE USER:** the budget.", ("the budget.",)),
        ("- needed from the user: `x`", ("x",)),
        (f"{NEED}\n{NEED}", (WANTED,)),
        ("NEEDED FROM THE USER: nothing.", ()),
        ("NEEDED FROM THE USER:", ()),
        ("What is needed from the user is patience.", ()),
        ("\n".join(f"NEEDED FROM THE USER: fact {n}" for n in range(9)),
         ("fact 0", "fact 1", "fact 2")),
    ],
)  # fmt: skip
def test_what_is_asked_stands_on_a_marked_line(text, found):
    assert requests_in(text) == found


def test_a_request_of_any_length_is_one_line():
    [asked] = requests_in("NEEDED FROM THE USER: " + "x" * 100_000)
    assert len(asked) == 300


async def test_a_request_is_on_record_and_the_debate_goes_on():
    transcript, events, _ = await run(a_brief(), script := cast())
    assert transcript.status is Status.COMPLETED
    asked = Request(seat="bob", round_number=0, text=WANTED)
    assert transcript.open_requests == transcript.requests == (asked,)
    assert transcript.rounds[0].responses[1].requests == (WANTED,)
    notes = [(e.seat, e.text) for e in events if isinstance(e, Noted) and e.code == "request"]
    assert notes == [("bob", f"bob asks you: {WANTED}")]
    assert all("NEEDED FROM THE USER:" in a.system for a in script.asks)


async def test_structured_answers_can_ask_as_well():
    said = form_fillers("ada", "bob", "cyd", bob=lambda ask: filled(ask, lambda _: NEED))
    transcript, _, _ = await run(a_brief(mode="delphi", rounds=1), said)
    assert [r.text for r in transcript.requests if r.seat == "bob"][:1] == [WANTED]


async def test_who_asks_the_same_again_has_asked_once():
    transcript, _, _ = await run(a_brief(), cast(ada=lambda _: NEED, bob=lambda _: NEED))
    assert len(transcript.requests) == 1


async def test_a_remark_answers_what_was_asked_before_it_and_nothing_after():
    _, events, _ = await run(a_brief(), cast())
    asked = next(i for i, e in enumerate(events) if isinstance(e, Noted) and e.code == "request")
    remark = Remarked(at=events[asked].at, seq=events[asked].seq, text="Twenty.")
    assert fold([*events[: asked + 1], remark]).open_requests == ()
    assert len(fold([events[0], remark, *events[1:]]).open_requests) == 1


def shown(transcript):
    return terminal(transcript, width=200), to_markdown(transcript)


async def test_every_view_says_what_is_asked_and_how_to_answer():
    transcript, events, _ = await run(a_brief(), cast())
    for view in shown(transcript):
        assert WANTED in view
        assert "dissent continue 0b5c1f2e --remark" in view
    for view in shown(fold(events[:-1])):  # not closed yet
        assert "dissent tell 0b5c1f2e" in view
    plain = transcript_to_json(transcript)["requests"]
    assert plain == [{"seat": "bob", "round_number": 0, "text": WANTED, "answered": False}]
    assert "dissent continue" not in terminal(transcript, width=200, saved=False)


async def test_a_debate_of_fixed_stages_is_asked_anew():
    brief = a_brief(mode="ranking", rounds=0)
    transcript, _, _ = await run(brief, form_fillers("ada", "bob", "cyd", bob=curious_once))
    again = 'ask again with it in the question: dissent ask "..." --mode ranking'
    assert all(again in view for view in shown(transcript))


def curious_once(ask):
    return filled(ask, lambda a: f"Spaces.\n{NEED}" if a.role == "initial" else "Spaces.")


async def test_a_request_survives_the_way_through_a_file():
    transcript, _, _ = await run(a_brief(), cast())
    again = reading(transcript_to_bytes(transcript))
    assert fold(again.events).requests == transcript.requests
