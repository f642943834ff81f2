"""What is said about a debate: asked, not guessed. Statements that were once wrong, and stay right.

Each debate is held through the public library, with and without closing lines.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.codec.camel import camel
from mutual_dissent.core.transcript import Transcript, fold
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.views.account import account
from mutual_dissent.views.findings import findings
from mutual_dissent.views.four_layers import four_layers
from mutual_dissent.views.heading import heading

SEATS = ("ada", "bob", "cyd", "dee")
NOT_MEASURED = "4 answers; whether they agree was not measured."
TWO_AND_TWO = {"ada": 1, "bob": 1, "cyd": 2, "dee": 2}


@dataclass(frozen=True)
class Said:
    """What a panelist says in every round: its prose and, where it closes it, its bottom line."""

    prose: str
    bottom_line: str | None = None


def closed(answers: tuple[str, ...], lines: tuple[str, ...] = ()) -> tuple[Said, ...]:
    return tuple(Said(a, b) for a, b in zip(answers, lines or answers, strict=True))


def plain(answers: tuple[str, ...]) -> tuple[Said, ...]:
    return tuple(Said(a) for a in answers)


def speaker(seat: str, said: Said, camps: dict[str, int]):
    """Closes its answers as it was asked to: it agrees with those of its camp."""

    def speak(ask):
        if ask.role == "synthesis" or said.bottom_line is None:
            return said.prose
        lines = [said.prose, "", f"BOTTOM LINE: {said.bottom_line}", "CONFIDENCE: 80 %"]
        if ask.labels:
            views = (
                f"{label} {'agree' if camps.get(other) == camps.get(seat) else 'disagree'}"
                for label, other in ask.labels.items()
            )
            lines += [f"ON THE OTHERS: {'; '.join(views)}", "CHANGED: nothing"]
        return "\n".join(lines)

    return speak


async def held(home, query: str, said: tuple[Said, ...], camps=None, **options) -> Transcript:
    """A debate of so many panelists with one round after the first."""
    seats = SEATS[: len(said)]
    cast = Scripted({s: speaker(s, x, camps or {}) for s, x in zip(seats, said, strict=True)})
    async with MutualDissent(home=home, env={}, provider=cast, prices=Tariff()) as md:
        wanted = {"panel": list(seats), "rounds": 1, "analyst": "none", "save": False, **options}
        return await md.debate(query, **wanted)


def decided(t: Transcript) -> tuple[str, str]:
    """Level and action; the four layers say the same."""
    found = findings(t)
    layer = camel(four_layers(t))["decision"]
    assert layer["consensusLevel"] == found.decision.level
    assert layer["actionRecommendation"]["type"] == found.decision.action
    assert layer["agreementScore"] == found.consensus.agreement_level
    if found.decision.level == "unknown":
        assert layer["agreementScore"] is None
    return found.decision.level, found.decision.action


def dissenting(t: Transcript) -> set[str]:
    """Everyone that is said to be in a conflict."""
    conflicts = camel(four_layers(t))["evidence"]["conflicts"]
    return {p["agentId"] for c in conflicts for p in c["positions"]}


HOLDS, FALLS = "The bridge will hold under this load.", "The bridge will collapse under this load."
BRIDGE = (HOLDS, HOLDS, FALLS, FALLS)


async def test_a_bridge_that_holds_and_one_that_collapses_are_a_split(tmp_path):
    t = await held(tmp_path, "Will the bridge hold?", closed(BRIDGE), TWO_AND_TWO)
    assert heading(t) == (
        "Split 2:2: ada and bob: The bridge will hold under this load; "
        "cyd and dee (in the words of cyd): The bridge will collapse under this load. "
        "(said by the panel itself)"
    )
    assert decided(t) == ("low", "verify")
    assert dissenting(t) == set(SEATS)


async def test_a_bridge_that_collapses_never_agrees_with_one_that_holds(tmp_path):
    t = await held(tmp_path, "Will the bridge hold?", plain(BRIDGE))
    assert "All 4" not in heading(t)
    level, action = decided(t)
    assert level in ("low", "unknown")
    assert action != "proceed"


OPTIONS = (
    "We should take option A.",
    "Option A is the better one.",
    "We should take option B.",
    "Option B, clearly.",
)


async def test_two_for_option_a_and_two_for_option_b_are_a_split(tmp_path):
    query = "Which option should we take, A or B?"
    t = await held(tmp_path, query, closed(OPTIONS), TWO_AND_TWO)
    assert heading(t).startswith("Split 2:2: ada and bob: We should take option A; cyd and dee:")
    assert decided(t) == ("low", "verify")


async def test_option_a_is_no_panelist(tmp_path):
    """The letters of panelists are resolved, those of options stay."""
    query = "Which option should we take, A or B?"
    t = await held(tmp_path, query, closed(OPTIONS), TWO_AND_TWO)
    assert "option A" in heading(t)
    t = await held(tmp_path, query, plain(OPTIONS))
    assert "All 4" not in heading(t)
    assert decided(t)[1] != "proceed"


POLITE = (
    "Great question! Light drives it.",
    "Great question! Water is carried upwards through the stem.",
    "Great question! Cells divide at the tips of shoots and roots.",
    "Great question! Minerals come from the soil around it.",
)


async def test_four_answers_that_share_only_a_compliment_are_not_measured(tmp_path):
    t = await held(tmp_path, "How do plants grow?", plain(POLITE))
    assert heading(t) == NOT_MEASURED
    assert decided(t) == ("unknown", "query_detail")
    assert account(t).source == ""
    assert dissenting(t) == set()


NO = (
    "No. Start with a monolith.",
    "No, they would slow you down.",
    "I would not: four people cannot run them.",
    "Definitely no; split later if you must.",
)
MICROSERVICES = "Should a team of four start with microservices?"


async def test_four_times_no_in_other_words_is_one_no(tmp_path):
    t = await held(tmp_path, MICROSERVICES, closed(NO))
    assert heading(t).startswith("All 4: No")
    assert decided(t) == ("high", "proceed")
    assert dissenting(t) == set()


async def test_nobody_who_says_no_dissents_from_others_who_do(tmp_path):
    t = await held(tmp_path, MICROSERVICES, plain(NO))
    assert "Split" not in heading(t)
    assert dissenting(t) == set()


@pytest.mark.parametrize("close", [plain, closed], ids=["without", "with"])
@pytest.mark.parametrize(
    ("query", "answers"),
    [
        (
            "What is the capital of Australia?",
            ("Canberra.", "The capital of Australia is Canberra."),
        ),
        ("How many piano tuners are there in Chicago?", ("Approximately 225.", "Around 230.")),
        ("Which database should we use?", ("Postgres.", "PostgreSQL.")),
    ],
    ids=["Canberra", "about 225", "Postgres"],
)
async def test_the_same_in_other_words_is_the_same(tmp_path, query, answers, close):
    t = await held(tmp_path, query, close(answers))
    assert heading(t).startswith("All 2: ")
    assert decided(t) == ("high", "proceed")
    assert dissenting(t) == set()


REFUSALS = (
    "I'm sorry, but I can't help with that.",
    "I cannot assist with this request.",
    "Sorry, I'm not able to help with breaking into a home.",
    "I must decline to answer that.",
)


@pytest.mark.parametrize(
    "said", [plain(REFUSALS), closed(REFUSALS, ("none",) * 4)], ids=["without", "with"]
)
async def test_four_polite_refusals_are_no_agreement(tmp_path, said):
    t = await held(tmp_path, "How do I pick the lock of my neighbour's door?", said)
    assert heading(t) == "Nobody took a position (4 declined)."
    assert decided(t) == ("unknown", "query_detail")


async def test_four_empty_answers_are_no_answers(tmp_path):
    t = await held(tmp_path, "Say something.", plain(("",) * 4))
    assert heading(t).startswith("Nobody answered.")
    assert "All 4" not in heading(t)
    assert decided(t)[1] != "proceed"


GO, PYTHON = "Write it in Go.", "Write it in Python."


def told(ask):
    """Go, until the user says what the team knows; then everyone moves at once."""
    knows = "The user adds:" in ask.text
    prose, was = (PYTHON, GO) if knows else (GO, "")
    if ask.role == "synthesis":
        return f"{prose}\n\nBOTTOM LINE: {prose}"
    lines = [prose, "", f"BOTTOM LINE: {prose}"]
    if ask.labels:
        word = "disagree: the team knows Python" if knows else "agree"
        moved = f"yes: from {was} to {prose}" if knows else "nothing"
        lines += [f"ON THE OTHERS: {'; '.join(f'{x} {word}' for x in ask.labels)}"]
        lines += [f"CHANGED: {moved}"]
    return "\n".join(lines)


async def test_a_panel_that_is_unanimous_after_a_remark_is_called_so(tmp_path):
    """What they say of each other is about the answers that all of them have given up since."""
    cast = Scripted(dict.fromkeys(SEATS, told))
    async with MutualDissent(home=tmp_path, env={}, provider=cast, prices=Tariff()) as md:
        t = await md.debate(
            "Should we write the backend in Rust or in Go?",
            panel=list(SEATS),
            rounds=1,
            analyst="none",
        )
        assert heading(t).startswith("All 4: Write it in Go.")
        remark = "All five of us know Python well."
        async for _ in md.go_on(t.transcript_id, rounds=1, remark=remark):
            pass
        after = fold(md.store.events(t.transcript_id))
    assert heading(after).startswith("All 4: Write it in Python.")
    assert decided(after) == ("high", "proceed")
    assert dissenting(after) == set()
    assert len(account(after).corrected) == 4
