"""What is particular to each mode: whom it challenges, what it counts, what it keeps open."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from fakes.hostile_words import PAYLOADS
from fakes.structured import filled, form_fillers
from fakes.world import a_brief, run
from mutual_dissent.core.response import ErrorKind
from mutual_dissent.core.step import Assignments
from mutual_dissent.core.stopping import Exit
from mutual_dissent.modes import modes
from mutual_dissent.modes.topologies import TOPOLOGIES
from mutual_dissent.prompts.anonymity import strip_introductions
from mutual_dissent.prompts.fences import Fence, inert
from mutual_dissent.providers.responses import failure

MODES = modes(TOPOLOGIES)
SEATS = ("ada", "bob", "cyd", "dee")


def brief_of(mode, *seats, given=None, **more):
    brief = a_brief(*(seats or SEATS), mode=mode, rounds=2 if MODES[mode].rounds else 0, **more)
    assign = MODES[mode].assign
    return replace(brief, panel=assign(brief.panel, given or Assignments())) if assign else brief


def asks_of(script, seat):
    return [a for a in script.asks if a.panelist.seat == seat]


def said(transcript, seat, n=0):
    return next(r for r in transcript.round(n).responses if r.model_alias == seat)


def challenged(ask):
    label = re.search(r"The one to challenge: (.+)\.", ask.tail)[1]
    return ask.labels.get(label, label)


# -- adversarial


async def test_each_challenges_who_spoke_before_and_the_first_who_spoke_last():
    await run(brief_of("adversarial"), script := form_fillers(*SEATS))
    targets = [challenged(a) for a in script.asks[1:8]]
    assert script.asks[0].prompt == "adversarial/open"
    assert targets == ["ada", "bob", "cyd", "dee", "ada", "bob", "cyd"]


async def test_who_fails_is_not_challenged():
    silent = {"bob": lambda ask: failure(ask, ErrorKind.OVERLOADED, "gone")}
    await run(brief_of("adversarial"), script := form_fillers(*SEATS, **silent))
    assert [challenged(a) for a in asks_of(script, "cyd")] == ["ada", "ada"]


async def test_if_the_first_speaker_fails_the_second_is_told_that_nobody_has_spoken():
    silent = {"ada": lambda ask: failure(ask, ErrorKind.OVERLOADED, "gone")}
    brief = brief_of("adversarial", synthesizer=a_brief("bob").panel[0])
    await run(brief, script := form_fillers(*SEATS, **silent))
    assert challenged(asks_of(script, "bob")[0]).startswith("nobody")


# -- socratic


async def test_a_question_stays_open_until_who_asked_it_leaves_it_out():
    def curious(ask):
        asked = ["Whose editor?", "How wide?"] if ask.round_number == 0 else ["How wide?"]
        return filled(ask, questions=asked)

    await run(brief_of("socratic"), script := form_fillers(*SEATS, bob=curious))
    heard = [a.tail for a in asks_of(script, "dee")]
    assert "Whose editor?" in heard[0]
    assert "Whose editor?" not in heard[1]
    assert "How wide?" in heard[1]
    report = script.asks[-1]
    assert report.role == "synthesis"
    assert "How wide?" in report.tail


async def test_open_questions_are_in_the_record():
    transcript, _, _ = await run(brief_of("socratic"), form_fillers(*SEATS))
    assert all(r.questions for r in transcript.turns())


# -- expert panel


async def test_everyone_argues_from_its_perspective_and_every_answer_shows_it():
    transcript, _, _ = await run(brief_of("expert-panel"), script := form_fillers(*SEATS))
    second = asks_of(script, "bob")[1].tail
    assert "Your perspective on this panel: economic. You look at costs" in second
    assert re.search(r"\[Panelist \w, ethical \| ", second)
    assert [r.perspective for r in transcript.round(1).responses] == [
        "technical", "economic", "ethical", "social",
    ]  # fmt: skip


async def test_a_perspective_of_the_users_own_needs_no_text_of_ours():
    given = Assignments(perspectives=("that of a beekeeper",))
    await run(brief_of("expert-panel", given=given), script := form_fillers(*SEATS))
    assert "Your perspective on this panel: that of a beekeeper.\n" in script.asks[0].tail


# -- devil's advocate


async def test_who_does_not_open_with_its_side_is_asked_once_more_and_what_it_said_is_kept():
    def turncoat(ask):
        return filled(ask, stance="for")

    transcript, _, _ = await run(
        brief_of("devils-advocate"), script := form_fillers(*SEATS, bob=turncoat)
    )
    keys = [a.key for a in asks_of(script, "bob")]
    assert keys[:2] == ["0/initial/bob", "0/initial/bob/again"]
    answer = said(transcript, "bob")
    assert (answer.stance, answer.stated_stance) == ("for", None)
    assert "stance: assigned against, said for" in answer.flags


async def test_a_role_that_comes_round_when_asked_once_more_is_not_flagged():
    def slow(ask):
        return filled(ask, stance="against" if ask.key.endswith("/again") else "for")

    transcript, _, _ = await run(brief_of("devils-advocate"), form_fillers(*SEATS, bob=slow))
    answer = said(transcript, "bob")
    assert (answer.stance, answer.stated_stance, answer.flags) == ("against", None, ())


def gives_up(when, stance):
    def says(ask):
        return filled(ask, **({"stance": stance} if ask.round_number >= when else {}))

    return says


@pytest.mark.parametrize(
    ("who", "role", "stance"),
    [("bob", "OPPOSITION", "for"), ("bob", "OPPOSITION", "neutral"), ("ada", "PRIMARY", "against")],
)
async def test_it_ends_with_the_round_in_which_a_side_concedes(who, role, stance):
    brief = replace(brief_of("devils-advocate"), rounds=5)
    cast = form_fillers(*SEATS, **{who: gives_up(1, stance)})
    transcript, _, _ = await run(brief, cast)
    assert [len(r.usable) for r in transcript.rounds] == [4, 4]
    gave_up = f"{who} gave up the side that it was to argue"
    assert transcript.rounds[-1].measures.exit == Exit(reason="conceded", details=gave_up)
    assert said(transcript, who, 1).stance == stance
    assert any(f.startswith("conceded: ") for f in said(transcript, who, 1).flags)
    assert f"{who}/again" not in {a.key.partition("/reflection/")[2] for a in cast.asks}


async def test_a_side_that_was_never_taken_at_first_is_no_concession_then():
    """Who opens on the other side is asked once more; the round after tells."""
    brief = replace(brief_of("devils-advocate"), rounds=1)
    transcript, _, _ = await run(brief, form_fillers(*SEATS, bob=gives_up(0, "for")))
    assert transcript.rounds[-1].measures.exit.reason == "max_rounds"


async def test_evaluators_conclude_as_they_see_fit_and_end_nothing():
    free = {"cyd": gives_up(0, "against"), "dee": gives_up(1, "neutral")}
    brief = replace(brief_of("devils-advocate"), rounds=3)
    transcript, _, _ = await run(brief, script := form_fillers(*SEATS, **free))
    assert len(transcript.rounds) == 3
    assert [said(transcript, s, 2).stance for s in ("cyd", "dee")] == ["against", "neutral"]
    assert not any(f for r in transcript.turns() for f in r.flags)
    assert len(asks_of(script, "cyd")) == 3


@pytest.mark.parametrize("mode", ["devils-advocate", "adversarial", "socratic"])
async def test_turns_are_shown_in_the_order_in_which_they_were_spoken(mode):
    trees = dict(zip(SEATS, ("alder", "birch", "cedar", "damson"), strict=True))
    for seed in range(6):
        cast = form_fillers(*SEATS, says=lambda a: f"{trees[a.panelist.seat]}-{a.round_number}")
        await run(brief_of(mode, seed=seed), cast)
        for ask in cast.asks:
            shown = re.findall(r"^(alder|birch|cedar|damson)-(\d)$", ask.tail, re.MULTILINE)
            others = [(int(n), tree) for tree, n in shown if tree != trees[ask.panelist.seat]]
            assert others == sorted(others), ask.key


async def test_the_case_is_made_before_it_is_opposed_wherever_they_sit():
    given = Assignments(role_of={"dee": "PRIMARY", "cyd": "OPPOSITION"})
    await run(brief_of("devils-advocate", given=given), script := form_fillers(*SEATS))
    assert [a.panelist.seat for a in script.asks[:4]] == ["dee", "cyd", "ada", "bob"]


# -- delphi


async def test_the_panel_is_told_how_sure_it_was_and_how_it_leaned():
    sure = dict(zip(SEATS, (0.2, 0.9, 0.6, 0.8), strict=True))
    cast = {
        s: lambda ask: filled(
            ask, confidence=sure[ask.panelist.seat],
            stance="against" if ask.panelist.seat == "ada" else "for",
        )
        for s in SEATS
    }  # fmt: skip
    await run(brief_of("delphi"), script := form_fillers(**cast))
    told = asks_of(script, "cyd")[1].tail
    assert "- answers: 4\n" in told
    assert "- confidence: median 0.70, from 0.20 to 0.90\n" in told
    assert "- stances: 3 for, 1 against\n" in told


def estimates(**values):
    """Everyone's estimate in each round, as it writes it."""
    return {
        s: lambda ask: filled(ask, estimate=values[ask.panelist.seat][max(ask.round_number, 0)])
        for s in values
    }


async def test_every_round_is_shown_in_figures_with_the_median_and_its_range():
    cast = form_fillers(
        **estimates(
            ada=["125 people [100 to 150]", "80 people [60 to 100]", ""],
            bob=["60 people [40 to 90]", "70 people [50 to 90]", ""],
            cyd=["75 [50 to 110]", "75 persons", ""],
        )
    )
    brief = replace(brief_of("delphi", "ada", "bob", "cyd"), rounds=2)
    transcript, _, _ = await run(brief, cast)
    report = cast.asks[-1].tail
    assert "- median estimate: 75 people [50 to 110]" in report
    revised = asks_of(cast, "bob")[1].tail
    assert re.search(r"^- Panelist \w, you: 60 people \[40 to 90\]$", revised, re.MULTILINE)
    assert re.search(r"^- Panelist \w: 125 people \[100 to 150\]$", revised, re.MULTILINE)
    assert "Round 1:" not in revised
    assert report.index("Initial answers:\n- answers: 3") < report.index("Round 1:\n- answers: 3")
    assert said(transcript, "ada", 1).closing.estimate.value == 80


async def test_estimates_are_numbers_in_any_script():
    first = {
        "ada": "800人 [500〜1,200]",
        "bob": "0.15万人（1,000人～2,000人）",
        "cyd": "約６００人 [400から900]",
    }
    cast = form_fillers(**estimates(**{s: [e, e] for s, e in first.items()}))
    brief = replace(brief_of("delphi", *first), query="調律師は何人？")
    await run(brief, cast)
    assert "- median estimate: 800 人 [500 to 1,200]" in cast.asks[-1].tail


async def test_a_stance_that_was_given_up_is_shown_to_who_writes_the_answer():
    brief = replace(brief_of("devils-advocate"), rounds=3)
    await run(brief, cast := form_fillers(*SEATS, bob=gives_up(1, "neutral")))
    quoted = [text for _, text in Fence.of("n0nce", cast.asks[-1].key).unquote(cast.asks[-1].tail)]
    assert sum("Stance: against" in text for text in quoted) == 1
    assert sum("Stance: neutral" in text for text in quoted) == 1


async def test_where_no_quantity_is_asked_for_the_figures_have_none():
    await run(brief_of("delphi"), cast := form_fillers(*SEATS))
    assert "median estimate" not in cast.asks[-1].tail
    assert "- answers: 4" in cast.asks[-1].tail


async def test_no_two_readers_need_see_the_answers_in_the_same_order():
    orders = set()
    for seed in range(8):
        says = form_fillers("ada", "bob", "cyd", says=lambda a: f"tree-{a.panelist.model_id[:-2]}")
        query = "What of ada, bob and cyd?"  # named in the query, the names are not withheld
        await run(brief_of("delphi", "ada", "bob", "cyd", seed=seed, query=query), says)
        orders.add(
            tuple(re.findall(r"^tree-(bob|cyd)$", asks_of(says, "ada")[1].tail, re.MULTILINE))
        )
    assert orders == {("bob", "cyd"), ("cyd", "bob")}


# -- red and blue


async def test_no_member_is_asked_before_the_other_team_has_finished():
    """Blue reads both reds of this round, red neither blue of it, even if one is slow to answer."""
    await run(brief_of("red-team-blue-team"), script := form_fillers(*SEATS))
    asked = [(a.round_number, a.panelist.team) for a in script.asks if a.role != "synthesis"]
    turns = list(dict.fromkeys(asked))
    assert turns == [(0, "red"), (0, "blue"), (1, "red"), (1, "blue")]
    assert asked == sorted(asked, key=turns.index)


async def test_team_and_role_are_on_every_answer():
    transcript, _, _ = await run(brief_of("red-team-blue-team"), form_fillers(*SEATS))
    assert [r.team for r in transcript.round(0).responses] == ["red", "blue", "red", "blue"]
    transcript, _, _ = await run(brief_of("devils-advocate"), form_fillers(*SEATS))
    assert said(transcript, "bob").agent_role == "OPPOSITION"


async def test_a_team_that_has_lost_its_only_member_leaves_the_others_at_work():
    silent = {"bob": lambda ask: failure(ask, ErrorKind.OVERLOADED, "gone")}
    given = Assignments(team_of={"ada": "red", "bob": "blue", "cyd": "red", "dee": "red"})
    brief = brief_of("red-team-blue-team", given=given)
    transcript, _, _ = await run(brief, script := form_fillers(*SEATS, **silent))
    assert transcript.synthesis is not None
    assert "The blue team's last turn:\n\n(nothing yet)" in asks_of(script, "cyd")[1].tail


# -- the council


@pytest.mark.parametrize("mode", ["ranking", "hybrid", "consensus"])
async def test_a_letter_means_the_same_panelist_to_every_reviewer_and_to_the_chairman(mode):
    letters = set()
    for seed in range(4):
        await run(brief_of(mode, seed=seed), script := form_fillers(*SEATS))
        papers = [a for a in script.asks if a.role in ("evaluation", "synthesis")]
        means = {}
        for ask in papers:
            assert all(means.setdefault(label, s) == s for label, s in ask.labels.items())
        assert set(means) == {f"Panelist {x}" for x in "ABCD"}
        letters.add(tuple(sorted(means.items())))
    assert len(letters) > 1


@pytest.mark.parametrize("mode", ["ranking", "hybrid", "consensus"])
async def test_a_reviewer_has_its_own_answer_beside_those_that_it_reviews(mode):
    cast = form_fillers(*SEATS, says=lambda a: f"word of {a.panelist.model_id} {a.round_number}")
    await run(brief_of(mode, query="What of ada-1, bob-1, cyd-1 and dee-1?"), cast)
    for ask in (a for a in cast.asks if a.role == "evaluation"):
        quoted = dict(Fence.of("n0nce", ask.key).unquote(ask.tail))
        me = ask.panelist.seat
        assert quoted["you"].startswith(f"word of {me}-1 0")
        assert {ask.labels[label] for label in quoted if label != "you"} == {*SEATS} - {me}
        assert "on_the_others" in ask.schema["properties"]
        assert "changed" in ask.schema["properties"]


async def test_the_chairman_is_told_the_votes_and_the_winner():
    """Everyone ranks bob first, as far as it may; bob ranks dee first."""

    def votes(ask):
        best = "dee" if ask.panelist.seat == "bob" else "bob"
        return filled(ask, ranking=sorted(ask.labels, key=lambda x: ask.labels[x] != best))

    cast = form_fillers(**dict.fromkeys(SEATS, votes))
    transcript, _, _ = await run(brief_of("ranking"), cast)
    report = cast.asks[-1]
    winner = re.search(r"Winner: (.+)", report.tail)[1]
    assert report.labels[winner] == "bob"
    assert said(transcript, "ada", 1).ballot[0] == ("bob",)


async def test_a_label_is_known_with_the_part_that_stands_beside_it():
    def careful(ask):
        views = [{"label": f"{x}, {r}", "relation": "agree", "about": ""}
                 for x, r in zip(ask.labels, ("PRIMARY", "OPPOSITION"), strict=False)]  # fmt: skip
        return filled(ask, on_the_others=views)

    transcript, _, _ = await run(brief_of("devils-advocate"), form_fillers(*SEATS, cyd=careful))
    assert {v.seat for v in said(transcript, "cyd").closing.views} == {"ada", "bob"}


async def test_a_tie_is_reported_as_one():
    """A circle: everyone ranks its neighbour first, the next one second."""

    def circular(ask):
        here = SEATS.index(ask.panelist.seat)
        ahead = {s: (SEATS.index(s) - here) % 4 for s in SEATS}
        return filled(ask, ranking=sorted(ask.labels, key=lambda x: ahead[ask.labels[x]]))

    await run(brief_of("ranking"), cast := form_fillers(**dict.fromkeys(SEATS, circular)))
    tie = re.search(r"Tie between: (.+)", cast.asks[-1].tail)[1]
    assert len(tie.split(" and ")) == 4


async def test_the_chairman_reads_critiques_under_the_letters_that_reviewers_used():
    """They are those of the reviewers: what one says about another stays readable."""

    def review(ask):
        target = next((x for x, s in ask.labels.items() if s == "dee"), None)
        praise = [{"label": x, "strengths": ["short"], "weaknesses": []} for x in ask.labels]
        return filled(ask, position=f"{target or 'None'} is best", critique=praise)

    cast = form_fillers(**dict.fromkeys(SEATS, review))
    transcript, _, _ = await run(brief_of("consensus"), cast)
    report = cast.asks[-1]
    dee = next(label for label, seat in report.labels.items() if seat == "dee")
    assert report.tail.count(f"{dee} is best") == 3
    assert f"On {dee}: strengths: short; weaknesses: none named" in report.tail
    assert set(said(transcript, "ada", 1).critique) == {"bob", "cyd", "dee"}


async def test_a_voter_that_does_not_vote_is_asked_once_more_and_then_abstains():
    def mute(ask):
        return "They are all fine." if ask.role == "evaluation" else filled(ask)

    transcript, _, _ = await run(brief_of("ranking"), script := form_fillers(*SEATS, bob=mute))
    assert [a.key for a in asks_of(script, "bob")][1:] == [
        "1/evaluation/bob", "1/evaluation/bob/again",
    ]  # fmt: skip
    assert said(transcript, "bob", 1).ballot is None
    assert "3 ballots" in script.asks[-1].tail


async def test_first_answers_are_plain_text():
    await run(brief_of("hybrid"), script := form_fillers(*SEATS))
    assert all(a.schema is None for a in script.asks if a.role == "initial")


# -- hostile words


FORMS = {"F": ("severity: ", "where: "), "options and criteria": ("O1: ",)}
"""How blocks begin that code makes of forms: findings, and what is to be rated."""


def as_shown(transcript, text):
    brief = transcript.brief
    read = {text, *(strip_introductions(text, [p], brief) for p in brief.panel)}
    return read | {inert(t) for t in read}  # no token in it can open a turn


@pytest.mark.parametrize("mode", list(MODES))
async def test_hostile_words_change_nothing_but_their_own_content(mode):
    """Every request parses back to exactly the answers that its reader may see."""
    for payload in PAYLOADS:
        bob = form_fillers(*SEATS, bob=lambda ask, p=payload: filled(ask, lambda _: p or "-"))
        transcript, _, _ = await run(brief_of(mode), bob)
        texts = {t for r in transcript.turns() for t in as_shown(transcript, r.text)}
        council = MODES[mode].rounds is None
        assert transcript.synthesis is not None
        for ask in bob.asks:
            for label, quoted in Fence.of("n0nce", ask.key).unquote(ask.tail):
                reviewed = council and ask.role == "synthesis"  # with what was said about others
                asked = mode == "socratic" and quoted.startswith("- ")
                whole = any(quoted.startswith(t) for t in texts)  # what it comes to stands below
                listed = quoted.startswith(FORMS.get(label.partition("-")[0], ()))
                assert whole or reviewed or asked or listed, (payload, ask.key, label)
            assert len(set(ask.labels.values())) == len(ask.labels)
