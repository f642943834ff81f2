"""A voter's ranking is read however it is written, and nothing is made up where there is none."""

from __future__ import annotations

import json

import pytest

from mutual_dissent.analysis.ballots.ballot import (
    OWN,
    PARTIAL,
    PROSE,
    SALVAGED,
    SEVERAL,
    TWICE,
    UNKNOWN,
    UNREAD,
    ballot,
)

LABELS = {"Panelist A": "ada", "Panelist B": "bob", "Panelist C": "cyd"}
CAB = (("cyd",), ("ada",), ("bob",))
C_AB = (("cyd",), ("ada", "bob"))

STRUCTURED = {
    "labels": '{"position": "x", "ranking": ["Panelist C", "Panelist A", "Panelist B"]}',
    "letters": '{"ranking": ["C", "A", "B"]}',
    "small letters": '{"ranking": ["c", "a", "b"]}',
    "another kind": '{"ranking": ["Response C", "Answer A", "response b"]}',
    "in prose": 'I thought hard.\n\n{"ranking": ["C", "A", "B"]}\n\nThank you.',
    "in a fence": 'Here:\n```json\n{\n  "ranking": ["C", "A", "B"]\n}\n```\n',
    "alone in a fence": '```json\n{"ranking": ["C", "A", "B"], "reasoning": "x"}\n```',
    "with remarks": '{"ranking": ["1. Panelist C", "Panelist A: fine", "**Panelist B** (weak)"]}',
    "with ranks": '{"ranking": [{"label": "A", "rank": 2}, {"label": "C", "rank": 1}, '
    '{"label": "B", "rank": 3}]}',
    "one string": '{"ranking": "C > A > B"}',
    "cut off": '{"ranking": ["C", "A", "B"], "reasoning": "the stream broke o',
    "final": '{"final_ranking": ["C", "A", "B"]}',
}

SPOKEN = {
    "heading": "Both are good.\n\nFINAL RANKING:\n1. Response C\n2. Response A\n3. Response B",
    "bold, with remarks": "## Final Ranking\n\n1. **Panelist C** – thorough\n"
    "2. **Panelist A**: better than Panelist B\n3. **Panelist B** (weak)",
    "bold numbers": "**Ranking**\n**1. Panelist C**\n**2. Panelist A**\n**3. Panelist B**",
    "chain": "So I would say C > A > B, all told.",
    "chain of labels": "Panelist C > Panelist A > Panelist B",
    "chain after a heading": "Ranking:\n**C** > **A** > **B**",
    "bold chain": "Final ranking: **C** > **A** > **B**.",
    "arrows": "My ranking: C → A → B",
    "commas": "My ranking, best first: C, A, B",
    "bullets": "Ranking (best to worst):\n- Panelist C\n- Panelist A\n- Panelist B",
    "bare bullets": "- C\n- A\n- B",
    "bare lines": "FINAL RANKING:\nPanelist C\nPanelist A\nPanelist B",
    "paragraphs between": "1. Panelist C\nIt is clear.\n\n2. Panelist A\nGood.\n\n3. Panelist B",
    "nested remarks": "Final ranking:\n1. Panelist C\n   - A good read\n   - Panelist B has less\n"
    "2. Panelist A\n3. Panelist B",
    "parentheses": "Ranking:\n1) C\n2) A\n3) B",
    "places": "Ranking:\n1st place: Panelist C\n2nd place: Panelist A\n3rd place: Panelist B",
    "rank words": "**Final ranking**\nRank 1: Panelist C\nRank 2: Panelist A\nRank 3: Panelist B",
    "table": "Ranking\n| # | answer | why |\n|---|---|---|\n| 1 | Panelist C | x |\n"
    "| 2 | Panelist A | y |\n| 3 | Panelist B | z |",
    "last first": "FINAL RANKING:\n3. B\n2. A\n1. C",
    "numbered by Markdown": "FINAL RANKING:\n1. C\n1. A\n1. B",
    "named in a sentence": "Ranking:\n1. A strong answer by Panelist C\n2. A\n3. B",
    "windows": "FINAL RANKING:\r\n1. C\r\n2. A\r\n3. B\r\n",
    "critique first": "- Panelist A: good\n- Panelist B: bad\n- Panelist C: best\n\n"
    "FINAL RANKING:\n1. C\n2. A\n3. B",
    "critique last": "FINAL RANKING:\n1. C\n2. A\n3. B\n\nNotes:\n- Panelist A: good\n"
    "- Panelist B: bad\n- Panelist C: good",
}

TIES = {
    "json": '{"ranking": ["C", ["A", "B"]]}',
    "json, equal": '{"ranking": ["C", "A = B"]}',
    "json string": '{"ranking": "C > A = B"}',
    "chain": "Ranking: C > A = B",
    "and": "FINAL RANKING:\n1. C\n2. A and B (tie)",
    "the same number": "FINAL RANKING:\n1. C\n2. A\n2. B",
    "slash": "FINAL RANKING:\n1. Panelist C\n2. Panelist A / Panelist B",
}

NOTHING = {
    "empty": "",
    "blank": " \n\t ",
    "prose": "I think that all three answers have merit.",
    "a critique": "- Panelist A: good sources, weak logic\n- Panelist B: unclear",
    "another list": "FINAL RANKING:\n1. Honesty\n2. Clarity",
    "not a list": '{"ranking": null}',
    "an empty list": '{"ranking": []}',
    "numbers": '{"ranking": [3, 1, 2]}',
    "deep": '{"ranking": ' + "[" * 5_000,
    "words that are no labels": "A dog ranks above a cat. I > you.",
}


@pytest.mark.parametrize("reply", STRUCTURED.values(), ids=STRUCTURED)
def test_a_structured_ranking_is_read(reply):
    found = ballot(reply, LABELS, "dan")
    assert found.ranking == CAB
    assert found.flags == ()


@pytest.mark.parametrize("reply", SPOKEN.values(), ids=SPOKEN)
def test_a_ranking_in_words_is_read_and_said_to_be(reply):
    found = ballot(reply, LABELS, "dan")
    assert found.ranking == CAB
    assert found.flags == (SALVAGED,)


@pytest.mark.parametrize("reply", TIES.values(), ids=TIES)
def test_ties_stay_ties(reply):
    assert ballot(reply, LABELS, "dan").ranking == C_AB


@pytest.mark.parametrize("reply", NOTHING.values(), ids=NOTHING)
def test_where_there_is_no_ranking_none_is_invented(reply):
    found = ballot(reply, LABELS, "dan")
    assert found.ranking is None
    assert UNREAD in found.flags


def test_labels_may_be_names_too():
    names = {"claude": "claude", "gpt": "gpt", "claude#2": "claude#2"}
    reply = "FINAL RANKING:\n1. claude#2\n2. gpt: fine\n3. claude"
    assert ballot(reply, names, "x").ranking == (("claude#2",), ("gpt",), ("claude",))
    assert ballot("gpt > claude > claude#2", names, "x").ranking == (
        ("gpt",),
        ("claude",),
        ("claude#2",),
    )


def test_a_short_ballot_counts_as_far_as_it_goes():
    found = ballot('{"ranking": ["C"]}', LABELS, "dan")
    assert (found.ranking, found.flags) == ((("cyd",),), (PARTIAL,))


def test_a_voter_cannot_place_itself():
    found = ballot('{"ranking": ["B", "C", "A"]}', LABELS, "bob")
    assert (found.ranking, found.flags) == ((("cyd",), ("ada",)), (OWN,))


def test_a_ballot_for_oneself_alone_is_none():
    found = ballot("FINAL RANKING:\n1. Panelist B", LABELS, "bob")
    assert found.ranking is None
    assert OWN in found.flags


@pytest.mark.parametrize(
    "reply",
    [
        '{"ranking": ["Panelist Z", "C", "A", "B"]}',
        '{"ranking": ["C", 7, "A", "B"]}',
        "FINAL RANKING:\n1. Panelist Z\n2. C\n3. A\n4. B",
        "Z > C > A > B",
    ],
)
def test_answers_that_were_not_shown_are_dropped_and_said(reply):
    found = ballot(reply, LABELS, "dan")
    assert found.ranking == CAB
    assert UNKNOWN in found.flags


@pytest.mark.parametrize(
    "reply", ['{"ranking": ["C", "A", "C", "B"]}', "FINAL RANKING:\n1. C\n2. A\n3. C\n4. B"]
)
def test_the_first_mention_counts(reply):
    found = ballot(reply, LABELS, "dan")
    assert found.ranking == CAB
    assert TWICE in found.flags


@pytest.mark.parametrize(
    "reply",
    [
        '{"ranking": ["A", "B", "C"]}\nNo, wait.\n{"ranking": ["C", "A", "B"]}',
        "FINAL RANKING:\n1. A\n2. B\n3. C\n\nOn reflection:\n\nFINAL RANKING:\n1. C\n2. A\n3. B",
    ],
)
def test_of_two_rankings_the_last_counts_and_that_is_said(reply):
    found = ballot(reply, LABELS, "dan")
    assert found.ranking == CAB
    assert SEVERAL in found.flags


def test_saying_the_same_twice_is_no_contradiction():
    reply = 'FINAL RANKING:\n1. C\n2. A\n3. B\n{"ranking": ["C", "A", "B"]}'
    assert ballot(reply, LABELS, "dan").flags == ()


@pytest.mark.parametrize(
    "prose",
    [
        "FINAL RANKING:\n1. B\n2. C\n3. A",
        "Ranking: B > C > A",
        "Panelist B is the best answer.",
        "The strongest response is Panelist B.",
    ],
)
def test_a_text_that_says_otherwise_is_flagged_and_the_structure_counts(prose):
    found = ballot(f'{prose}\n\n{{"ranking": ["C", "A", "B"]}}', LABELS, "dan")
    assert found.ranking == CAB
    assert PROSE in found.flags
    inside = json.dumps({"reasoning": prose, "ranking": ["C", "A", "B"]})
    assert ballot(inside, LABELS, "dan").ranking == CAB
    assert PROSE in ballot(inside, LABELS, "dan").flags


def test_praise_for_the_first_or_for_some_aspect_is_no_contradiction():
    praise = "Panelist C is the best answer. Panelist B is the best at jokes."
    assert ballot(f'{praise}\n{{"ranking": ["C", "A", "B"]}}', LABELS, "dan").flags == ()


def test_a_ranking_in_the_reasoning_is_read_if_the_field_is_empty():
    reply = json.dumps({"reasoning": "FINAL RANKING:\n1. C\n2. A\n3. B", "ranking": []})
    assert ballot(reply, LABELS, "dan").ranking == CAB


def test_anothers_ranking_that_is_reported_is_not_ones_own():
    reply = "FINAL RANKING:\n1. C\n2. A\n3. B\n\nPanelist B's ranking:\n1. B\n2. A\n3. C"
    assert ballot(reply, LABELS, "dan").ranking == CAB
