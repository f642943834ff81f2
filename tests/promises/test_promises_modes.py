"""What every mode and every topology promises, on the day it is listed."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest

from fakes.structured import asks_for, filled, form_fillers
from fakes.world import START, a_brief, run, seat
from mutual_dissent.briefing.presets import DEFAULT_PRESETS
from mutual_dissent.core.events import Answered, Opened, RoundEnded, RoundStarted, Status
from mutual_dissent.core.panel import Route
from mutual_dissent.core.response import BY_CODE, ErrorKind
from mutual_dissent.core.step import Assignments
from mutual_dissent.core.transcript import OPINION_ROLES, PANEL_ROLES, opening
from mutual_dissent.modes import modes
from mutual_dissent.modes.topologies import TOPOLOGIES
from mutual_dissent.prompts.fences import Fence
from mutual_dissent.prompts.library import Library, blanks_of
from mutual_dissent.providers.responses import failure

ALL = modes(TOPOLOGIES)
MODES = {name: mode for name, mode in ALL.items() if mode.max_panel > 1}  # `single` has no panel
SEATS = ("ada", "bob", "cyd", "dee")
TREES = dict(zip(SEATS, ("alder", "birch", "cedar", "damson"), strict=True))
PROCEDURES = [("reflection", t) for t in sorted(TOPOLOGIES)]
PROCEDURES += [(m, "mesh") for m in MODES if m != "reflection"]
UNNAMED = tuple(name for name in MODES if ALL[name].unsigned)
REPORTED = ("review",)
"""Modes in which panelists report on a text and code writes the answer; nobody takes a position."""


def tree(ask):
    """What a panelist says: whose it is and of which round, in words that name nobody."""
    return f"{TREES[ask.panelist.seat]}-{max(ask.round_number, 0)}"


def talkative(ask):
    """An answer that depends on everything that was asked, so that any difference shows."""
    return f"{tree(ask)} {ask.request_hash}"


def cast(says=tree, **more):
    return form_fillers(*SEATS, says=says, **more)


def brief_of(mode, topology="mesh", **more):
    """A debate of four, or of as many as its mode takes; everybody has the part that it gives."""
    rounds = 3 if ALL[mode].rounds else 0
    brief = a_brief(*SEATS[: ALL[mode].max_panel], mode=mode, topology=topology, rounds=rounds)
    homes = tuple(
        replace(p, route=Route(vendor=f"{p.seat}works", model_id=f"{p.seat}-1"))
        for p in brief.panel
    )
    assign = ALL[mode].assign
    panel = assign(homes, Assignments()) if assign else homes
    return replace(brief, panel=panel, synthesizer=homes[0], **more)


@pytest.fixture(params=PROCEDURES, ids=lambda p: "-".join(p))
def brief(request):
    return brief_of(*request.param)


@pytest.fixture(params=[p for p in PROCEDURES if p[0] not in REPORTED], ids=lambda p: "-".join(p))
def debate(request):
    return brief_of(*request.param)


# -- all of them


async def test_it_ends_with_an_answer(brief):
    transcript, _, _ = await run(brief, cast())
    assert transcript.status is Status.COMPLETED
    assert transcript.synthesis is not None


def test_its_script_is_pure(brief):
    """Two walks over the same transcript ask the same."""
    start = opening(Opened(seq=1, at=START, brief=brief))
    mode = MODES[brief.mode]
    first, second = next(mode.script(start)), next(mode.script(start))
    assert [t.panelist for t in first.turns] == [t.panelist for t in second.turns]


async def test_one_seed_gives_one_debate(brief):
    await run(brief, first := cast(talkative))
    await run(brief, second := cast(talkative))
    assert first.asks == second.asks


async def test_its_prompts_exist_and_leave_no_blank_unfilled(brief):
    await run(brief, script := cast())
    library = Library()
    for ask in script.asks:
        assert library.text(ask.prompt)
        assert not blanks_of(ask.tail)


async def test_everyone_who_is_to_fill_in_a_form_is_told_how_and_what_to_verify(debate):
    await run(debate, script := cast())
    structured = [a for a in script.asks if a.schema]
    opinions = [a for a in script.asks if a.role in OPINION_ROLES]
    assert {bool(a.schema) for a in opinions} == {MODES[debate.mode].structured}
    own = Library().text(f"{debate.mode}/verification") if structured else ""
    for ask in structured:
        assert all(f'"{name}"' in ask.tail for name in ask.schema["properties"])
        assert "Is every claim of fact supported by evidence" in ask.tail
        assert (own in ask.tail) is bool(ask.labels), "who has read nobody cannot meet it"


async def test_who_writes_the_answer_is_told_not_to_hide_dissent(debate):
    await run(debate, script := cast())
    assert "adopted, rebutted with a reason, or listed" in script.asks[-1].tail


@pytest.mark.parametrize("victim", SEATS)
@pytest.mark.parametrize("when", range(4))
async def test_it_survives_any_one_panelist_failing_at_any_turn(brief, victim, when):
    turns = 0

    def sometimes(ask):
        nonlocal turns
        turns += 1
        if turns == when + 1:
            return failure(ask, ErrorKind.OVERLOADED, "gone")
        return filled(ask, tree)

    fallen = replace(brief, fallbacks=brief.panel[1:3])
    transcript, _, _ = await run(fallen, cast(**{victim: sometimes}))
    assert transcript.status is Status.COMPLETED
    assert transcript.synthesis is not None


def essence(transcript):
    """What a debate came to, without times and numbers of events."""
    turns = [
        (r.round_number, r.model_alias, r.content, r.ballot, r.stance) for r in transcript.turns()
    ]
    return turns, transcript.synthesis and transcript.synthesis.content, transcript.status


async def test_killed_after_any_event_it_ends_as_if_nothing_had_happened(brief):
    whole, events, _ = await run(brief, first := cast(talkative))
    for k in range(1, len(events)):
        bought = {e.key for e in events[:k] if isinstance(e, Answered) and e.seat != BY_CODE}
        resumed, _, _ = await run(brief, again := cast(talkative), events=events[:k])
        assert essence(resumed) == essence(whole), f"killed after event {k}"
        assert not bought & {a.key for a in again.asks}, f"killed after event {k}"
        assert len(bought) + len(again.asks) == len(first.asks)


async def test_every_round_begins_once_and_is_measured_once_when_all_have_spoken(brief):
    transcript, events, _ = await run(brief, cast())
    for kind in (RoundStarted, RoundEnded):
        places = [(e.round_number, e.role, e.part) for e in events if isinstance(e, kind)]
        assert len(set(places)) == len(places)
    for round_ in transcript.rounds:
        ended = max(
            e.seq for e in events
            if isinstance(e, RoundEnded) and e.round_number == round_.round_number
            and e.role == round_.round_type
        )  # fmt: skip
        said = [e.seq for e in events if isinstance(e, Answered)
                and e.response.round_number == round_.round_number]  # fmt: skip
        assert len(round_.responses) == 4
        assert max(said) < ended


# -- in which order


class Counting:
    """A provider that counts how many are being asked at the same time, by round."""

    def __init__(self, inner):
        self.inner, self.busy, self.most = inner, 0, {}

    async def ask(self, ask, on_text):
        self.busy += 1
        place = (ask.round_number, ask.role)
        self.most[place] = max(self.most.get(place, 0), self.busy)
        for _ in range(5):
            await asyncio.sleep(0)
        answer = await self.inner.ask(ask, on_text)
        self.busy -= 1
        return answer

    async def warm_up(self, routes):
        pass


AT_ONCE = {
    "adversarial": {1}, "socratic": {1}, "devils-advocate": {1}, "red-team-blue-team": {2},
    "escalate": {2, 4},
}  # fmt: skip


async def test_it_asks_together_or_in_turn_as_the_table_says(brief):
    await run(brief, provider := Counting(cast()))
    turns = {n for place, n in provider.most.items() if place[1] not in ("synthesis", "digest")}
    assert turns == AT_ONCE.get(brief.mode, {4})


@pytest.mark.parametrize("mode", ["reflection", "ranking", "consensus", "hybrid"])
async def test_four_and_four_and_one_are_nine_calls_and_an_analyst_adds_its_own_alone(mode):
    brief = brief_of(mode)
    for analyst in (None, seat("zed")):
        wanted = replace(brief, rounds=brief.rounds and 1, analyst=analyst)
        await run(wanted, script := cast(zed=lambda ask: "{}"))
        asked = [a.panelist.seat for a in script.asks]
        assert len([s for s in asked if s != "zed"]) == 9
        assert asked.count("zed") <= 2


# -- who sees what


def shown(ask):
    """(seat, round) of everything that a request quotes, once for each time it does."""
    seats = {t: s for s, t in TREES.items()}
    quoted = re.findall(r"^(?:claim: )?(alder|birch|cedar|damson)-(\d)$", ask.text, re.MULTILINE)
    return sorted((seats[t], int(n)) for t, n in quoted)


def earlier(n):
    return [(s, r) for s in SEATS for r in range(n)]


def before(reader, n):
    return [(s, n) for s in SEATS[: SEATS.index(reader)]]


def last(n):
    return [(s, n - 1) for s in SEATS] if n else []


def team_sight(reader, n):
    """Seats alternate red, blue; red opens the round."""
    red, blue = SEATS[::2], SEATS[1::2]
    ours, theirs, heard = (red, blue, n - 1) if reader in red else (blue, red, n)
    return [(s, r) for s in ours for r in range(n)] + [(s, heard) for s in theirs if heard >= 0]


TABLE = {
    "reflection": lambda reader, n: last(n),
    "collaborative": lambda reader, n: earlier(n),
    "adversarial": lambda reader, n: last(n) + before(reader, n),
    "socratic": lambda reader, n: last(n) + before(reader, n),
    "expert-panel": lambda reader, n: earlier(n),
    "devils-advocate": lambda reader, n: earlier(n) + before(reader, n),
    "delphi": lambda reader, n: last(n),
    "forecast": lambda reader, n: last(n),
    "red-team-blue-team": team_sight,
    "ranking": lambda reader, n: last(n),
    "consensus": lambda reader, n: last(n),
    "hybrid": lambda reader, n: last(n),
    "escalate": lambda reader, n: last(n),
    "decide": lambda reader, n: last(n),
    "review": lambda reader, n: last(n),
}


@pytest.mark.parametrize("mode", list(MODES))
async def test_each_is_shown_exactly_what_the_table_allows(mode):
    await run(brief_of(mode), script := cast())
    panel = [a for a in script.asks if a.role != "synthesis"]
    assert len(panel) == {"reflection": 16}.get(mode, 4 * (MODES[mode].rounds or 2))
    for ask in panel:
        allowed = TABLE[mode](ask.panelist.seat, ask.round_number)
        assert shown(ask) == sorted(allowed), ask.key


@pytest.mark.parametrize("mode", [m for m in MODES if m not in REPORTED])
async def test_who_writes_the_answer_has_read_everything(mode):
    transcript, _, _ = await run(brief_of(mode), script := cast())
    said = {(r.model_alias, r.round_number) for r in transcript.turns()}
    assert set(shown(script.asks[-1])) == said


@pytest.mark.parametrize("mode", list(MODES))
async def test_nobody_finds_its_own_answer_among_those_of_the_others(mode):
    await run(brief_of(mode), script := cast())
    for ask in script.asks:
        if ask.role != "synthesis":
            assert ask.panelist.seat not in ask.labels.values()


NAMES = re.compile(r"\b(ada|bob|cyd|dee)(works|-1)?\b", re.IGNORECASE)


def vain(ask):
    me = ask.panelist.seat
    return f"{tree(ask)}\nI am {me}, made by {me}works; my id is {me}-1. As {me.title()}, I say so."


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("says", [tree, vain])
@pytest.mark.parametrize("mode", UNNAMED)
async def test_where_names_do_not_travel_no_panelist_reads_one(mode, named, says):
    """Neither ours nor, as `--named` is for other modes, those that authors give themselves."""
    await run(brief_of(mode, named=named), script := cast(says))
    for ask in script.asks:
        others = {m[1].lower() for m in NAMES.finditer(f"{ask.system}{ask.text}")}
        written = set(SEATS) if says is vain and ask.role == "synthesis" else set()
        assert others <= {ask.panelist.seat} | written, ask.key
        assert not set(ask.labels) & set(SEATS)


@pytest.mark.parametrize("mode", [m for m in MODES if m not in UNNAMED])
async def test_elsewhere_names_travel_only_if_asked_for(mode):
    await run(brief_of(mode), letters := cast())
    await run(brief_of(mode, named=True), named := cast())
    assert not any(NAMES.search(a.text) for a in letters.asks)
    assert any(NAMES.search(a.text) for a in named.asks)


async def test_who_writes_the_answer_is_not_told_which_of_them_is_its_own(brief):
    """It sits on the panel, too, and is to prefer none; the others know what they are called."""
    await run(brief, script := cast())
    for ask in script.asks:
        told = re.search(r"^You are Panelist [A-Z] of this panel", ask.tail, re.MULTILINE)
        outside = ask.role in ("synthesis", "digest")
        assert bool(told) is (bool(ask.labels) and not outside), ask.key
        assert not outside or "\n[you | " not in ask.tail


# -- what everyone is asked to say in the end


def asks_for_closing(ask):
    """The closing data that a request asks for, as lines or as fields."""
    names = {
        "position": "BOTTOM LINE", "estimate": "ESTIMATE", "confidence": "CONFIDENCE",
        "on_the_others": "ON THE OTHERS", "changed": "CHANGED",
    }  # fmt: skip
    if ask.schema:
        return {names[f] for f in ask.schema["properties"] if f in names}
    return {line for line in names.values() if asks_for(ask, line)}


def wanted_of(ask):
    """What it should: about others where it was shown some, about itself where it spoke before."""
    wanted = {"BOTTOM LINE", "ESTIMATE"} | ({"ON THE OTHERS"} if ask.labels else set())
    if ask.role == "synthesis":
        return wanted
    return wanted | {"CONFIDENCE"} | ({"CHANGED"} if "\n[you | " in ask.tail else set())


def unquoted(ask):
    code = Fence.of("n0nce", ask.key).code
    return re.sub(rf"\[([^\n]*) \| {code}\]\n.*?\n\[end \| {code}\]", "", ask.tail, flags=re.DOTALL)


async def test_everyone_is_asked_what_its_answer_comes_to_and_how_it_relates_to_the_others(debate):
    await run(debate, script := cast())
    for ask in script.asks:
        if ask.role in (*PANEL_ROLES, "synthesis"):
            assert asks_for_closing(ask) == wanted_of(ask), ask.key


async def test_a_request_names_only_those_whose_words_it_shows(brief):
    await run(brief, script := cast())
    for ask in script.asks:
        assert not re.search(r"Panelist [A-Z]\b", ask.system)
        own = re.search(r"^You are (Panelist [A-Z]) of this panel", ask.tail, re.MULTILINE)
        named = set(re.findall(r"Panelist [A-Z]\b", unquoted(ask)))
        assert named <= {*ask.labels, *([own[1]] if own else [])}, ask.key
        if asks_for(ask, "ON THE OTHERS"):
            assert named >= set(ask.labels), ask.key
        assert not re.search(r"\b(?:because of|agree;|and) [B-H]\b", unquoted(ask)), ask.key


GERMAN = ("Tabulatoren sind besser, sagt {}.", "teilweise einig", "nichts")
JAPANESE = ("タブの方が良いと{}は言う。", "幅について", "nothing")


def foreign(words):
    sentence, about, changed = words

    def says(ask):
        said = sentence.format(tree(ask))
        if ask.schema:
            return filled(
                ask, lambda _: said, changed=changed,
                on_the_others=[
                    {"label": x, "relation": "partly", "about": about} for x in ask.labels
                ],
            )  # fmt: skip
        views = "；".join(f"{x} partly：{about}" for x in ask.labels)
        closing = f"**BOTTOM LINE：** {said}\n**CONFIDENCE:** 70 %\n"
        if asks_for(ask, "BOTTOM LINE"):
            return f"{said}\n\n{closing}ON THE OTHERS: {views}\nCHANGED: {changed}"
        return said

    return says


@pytest.mark.parametrize("words", [GERMAN, JAPANESE], ids=["German", "Japanese"])
async def test_it_is_read_in_whatever_language_the_rest_is(debate, words):
    query = "Tabulatoren?" if words is GERMAN else "タブ？"
    script = cast(**dict.fromkeys(SEATS, foreign(words)))
    transcript, _, _ = await run(replace(debate, query=query), script)
    asked = {a.key: a for a in script.asks}
    for key, said in transcript.responses():
        if said.role not in (*PANEL_ROLES, "synthesis"):
            continue
        assert said.bottom_line == words[0].format(tree(asked[key]))
        assert "BOTTOM LINE" not in said.text
        assert {v.seat for v in said.closing.views} == set(asked[key].labels.values()), key
        if "\n[you | " in asked[key].tail and said.role in PANEL_ROLES:
            assert said.closing.change.kind == "nothing"
    by = "estimates" if debate.mode == "forecast" else "panel"
    assert transcript.rounds[-1].measures.measure == by


REVIEW = "{other_responses} {structure} {verification} {query}"
OLDER = {
    "delphi/report": "{formatted_transcript} {dissent} {query}",
    "ranking/rank": REVIEW,
    "consensus/critique": REVIEW,
    "hybrid/evaluate": REVIEW,
    "adversarial/open": "{formatted_transcript} {structure} {verification} {query}",
}
"""Blanks of prompts as they were in the first version, where they are others now."""


def older(name):
    """A user's text for a prompt as it may have stood in a folder for long."""
    now = " ".join(f"{{{b}}}" for b in Library().ours(name).blanks)
    return f"My own words for {name}. {OLDER.get(name, now)}"


async def test_a_users_own_prompts_get_the_same_closing(brief, tmp_path):
    await run(brief, usual := cast())
    for name in {a.prompt for a in usual.asks}:
        file = tmp_path / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(older(name))
    transcript, _, _ = await run(brief, script := cast(), library=Library(tmp_path))
    assert [a.key for a in script.asks] == [a.key for a in usual.asks]
    for ask, before in zip(script.asks, usual.asks, strict=True):
        assert f"My own words for {ask.prompt}" in ask.tail
        assert ask.labels.items() <= before.labels.items()
        closing = asks_for_closing(before) if ask.labels == before.labels else {"BOTTOM LINE"}
        assert asks_for_closing(ask) >= closing or ask.role == "digest"
    assert transcript.status is Status.COMPLETED


# -- said somewhere


def test_every_prompt_that_ships_says_something():
    for name in Library().names:
        assert len(Library().text(name)) > 40, name


def test_no_prompt_that_ships_has_a_blank_that_nothing_fills():
    for name in Library().names:
        text = Library().text(name)
        assert set(re.findall(r"\{(\w+)\}", text)) == blanks_of(text), name


def test_no_prompt_speaks_of_a_letter_that_its_reader_may_not_have():
    for name in Library().names:
        text = Library().text(name)
        assert not re.search(
            r"Panelist [A-Z]\b|because of [A-Z]\b|\b[B-H] (?:agree|partly)", text
        ), name


def test_the_language_of_the_answer_is_said_once_and_nothing_contradicts_it():
    assert "Answer in the language of the query" in Library().text("common/system")
    for name in Library().names:
        assert not re.search(
            r"\b(?:reply|answer|write) in english\b", Library().text(name), re.IGNORECASE
        ), name


async def test_artefacts_are_asked_for_alone(debate):
    """Everyone is told, and who writes the answer once more, where it is told to report dissent."""
    await run(debate, script := cast())
    for ask in script.asks:
        assert "your answer is that artefact" in ask.system
        assert "reasons and the evidence" not in ask.tail
        assert ("write that one artefact and nothing else" in ask.tail) is (ask.role == "synthesis")
        if ask.schema and ask.role in OPINION_ROLES and debate.mode != "forecast":  # figures alone
            assert "that artefact itself" in ask.tail


async def test_every_prompt_that_ships_is_used_by_somebody():
    # By the judge, the analyst, and whoever cannot read it all, in any mode.
    asked = {"experiments/pick"}  # by the judge of an experiment
    asked |= {"common/judge", "common/analysis", "common/ledger", "common/summary"}
    asked.add("common/citations")  # where they are checked
    asked |= {"common/description"}
    asked |= {"common/follow-up", "common/follow-up-answer", "common/amend", "common/proposal"}
    asked |= {preset.task for preset in DEFAULT_PRESETS.values()}  # told with the query
    for procedure in [*PROCEDURES, ("single", "mesh")]:
        await run(brief_of(*procedure), script := cast())
        asked |= {a.prompt for a in script.asks}
    layers = {"common/system", "common/outside", "common/structure", "common/dissent"}
    layers.add("common/ledger-earlier")  # where a debate is attached
    layers |= {
        "common/next-step",
        "common/call",
        "common/json-reply",
        "common/json-content",
    }  # for a client's program
    layers |= {n for n in Library().names if n.startswith("common/closing")}
    shared = {n for n in Library().names if n.endswith("/verification") or "perspectives/" in n}
    assert set(Library().names) <= asked | shared | layers


def test_every_mode_and_topology_says_what_it_is_for():
    for thing in [*ALL.values(), *TOPOLOGIES.values()]:
        assert thing.summary.endswith(".")


@pytest.mark.parametrize("mode", list(ALL))
def test_every_mode_is_explained_in_the_docs(mode):
    page = (Path(__file__).parents[2] / "docs" / "modes.md").read_text("utf-8")
    section = re.search(
        rf"^## {re.escape(mode)}\n+(.+?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE
    )
    assert section, f"docs/modes.md has no section on {mode}"
    assert len(section[1]) > 200
