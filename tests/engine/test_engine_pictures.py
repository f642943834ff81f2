"""Debates about pictures: who sees them, who is told of them, and where they are kept."""

from __future__ import annotations

import json
from contextlib import aclosing
from dataclasses import replace
from uuid import uuid4

import pytest

from fakes.databases import BOTH, a_database
from fakes.images import a_png
from mutual_dissent import MutualDissent
from mutual_dissent.briefing.inputs.attachments import contents
from mutual_dissent.core.errors import BadInput, HeldAlready, NotFound
from mutual_dissent.core.events import Answered, Noted, Status
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.providers.responses import failure
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.store import doctor
from mutual_dissent.views.remarks.notes import remarks

TOLD = "Bars of 12, 18 and 27 million."
CAST = {"ada": lambda _: "Up.", "bob": lambda _: "Down.", "eve": lambda _: "Up."}


def cast(**more):
    def ada(ask):
        return TOLD if ask.role == "description" else "Up."

    return Scripted({**CAST, "ada": ada}, **more)


@pytest.fixture
def chart(tmp_path):
    path = tmp_path / "chart.png"
    path.write_bytes(a_png(640, 480, told=True))
    return path


def app(tmp_path, provider, **env):
    return MutualDissent(home=tmp_path / "home", provider=provider, env=env)


ASKED = {"panel": ["ada", "bob"], "analyst": "none"}


async def test_all_who_see_are_shown_the_same_bytes_and_no_description_is_bought(tmp_path, chart):
    provider = cast()
    async with app(tmp_path, provider) as md:
        t = await md.debate("What grew?", context=[chart], **ASKED)
    assert {p.raw for a in provider.asks for p in a.pictures} == {provider.asks[0].pictures[0].raw}
    assert all("# Attached pictures" in a.head and "1. chart.png" in a.head for a in provider.asks)
    assert {a.role for a in provider.asks} == {"initial", "reflection", "synthesis"}
    assert "described" not in t.heading


async def test_who_sees_none_is_told_once_what_is_on_them_by_one_who_does(tmp_path, chart):
    provider = cast(blind=["bob"])
    async with app(tmp_path, provider) as md:
        brief = await md.brief("What grew?", context=[chart, chart], **ASKED)
        quote = md.quote(brief)
        t = await md.debate("What grew?", context=[chart, chart], **ASKED)
    (first, *rest) = provider.asks
    assert (first.role, first.panelist.seat, len(first.pictures)) == ("description", "ada", 2)
    assert not any(a.role == "description" for a in rest)
    for ask in rest:
        blind = ask.panelist.seat == "bob"
        assert (TOLD in ask.head, bool(ask.pictures)) == (blind, not blind)
    assert t.heading.endswith("The pictures were described by ada for bob.")
    assert quote.calls == len(provider.asks)
    pictures = [a.picture for a in quote.attached]
    assert [(p.shown_to, p.described_by, p.described_for) for p in pictures if p] == [
        (("ada",), "ada", ("bob",))
    ] * 2
    assert quote.lines[0].input_tokens > quote.lines[1].input_tokens  # pictures are billed


async def test_one_empty_description_does_not_end_the_debate(tmp_path, chart):
    told = iter([True])

    def hesitant(ask):
        if ask.role == "description" and next(told, False):
            return replace(
                failure(ask, ErrorKind.BAD_RESPONSE, "ada gave an empty answer"),
                finish=Finish.EMPTY,
            )
        return TOLD

    provider = Scripted({**CAST, "ada": hesitant}, blind=["bob"])
    async with app(tmp_path, provider) as md:
        t = await md.debate("What grew?", context=[chart], **ASKED)
    assert [a.panelist.seat for a in provider.asks if a.role == "description"] == ["ada", "ada"]
    assert t.status is Status.COMPLETED
    assert "The picture was described by ada for bob." in t.heading


async def test_where_nobody_sees_nobody_is_asked(tmp_path, chart):
    provider = cast(blind=["ada", "bob"])
    async with app(tmp_path, provider) as md:
        with pytest.raises(BadInput, match="nobody on this panel can see pictures"):
            await md.debate("What grew?", context=[chart], **ASKED)
        with pytest.raises(BadInput, match="review goes through text"):
            await md.debate("?", context=[chart], panel=["ada", "bob"], mode="review")
        with pytest.raises(BadInput, match="21 pictures are attached, and a debate takes 20"):
            await md.debate("?", context=[chart] * 21, panel=["ada", "bob"])
        (large,) = contents(chart)
        large = replace(large, picture=replace(large.picture, size=3_500_000))
        with pytest.raises(BadInput, match=r"have 14\.0 MB, and a debate takes 12\.0 MB"):
            await md.debate("?", context=[large] * 4, panel=["ada", "bob"])
        assert not md.store.ids()
    assert provider.asks == []


def is_away(ask):
    return failure(ask, ErrorKind.CONNECTION, "it is away")


def undescribed(**more):
    """Everyone answers, and nobody can say what is on the pictures."""

    def answering(text):
        return lambda ask: is_away(ask) if ask.role == "description" else text

    said = {name: answering(text(None)) for name, text in CAST.items()}
    return Scripted(said, blind=["bob"], **more)


THREE = {"panel": ["ada", "bob", "eve"], "analyst": "none"}


async def go_on(md, transcript_id, **how):
    async with aclosing(md.resume(transcript_id, **how)) as events:
        async for _ in events:
            pass
    return md.store.transcript(transcript_id)


async def test_another_describes_where_the_first_cannot(tmp_path, chart):
    provider = Scripted({**CAST, "ada": is_away, "eve": lambda _: TOLD}, blind=["bob"])
    async with app(tmp_path, provider) as md:
        t = await md.debate("What grew?", context=[chart], **THREE)
    assert "described by eve for bob" in t.heading


async def test_where_nobody_can_describe_those_who_see_go_on_and_the_others_sit_out(
    tmp_path, chart
):
    provider = undescribed()
    async with app(tmp_path, provider) as md:
        t = await md.debate("What grew?", context=[chart], synthesizer="bob", **THREE)
    assert t.status is Status.COMPLETED
    assert "bob" not in {a.panelist.seat for a in provider.asks}
    assert "bob did not answer: cannot see the pictures, and nobody could" in t.heading
    assert [(n.code, n.seat) for n in t.notes if n.code in ("not_described", "absent")] == [
        ("absent", "ada"), ("absent", "eve"), ("not_described", None), ("absent", "bob")
    ]  # fmt: skip
    (out,) = t.absent
    assert (out.error_kind, out.finish, out.tries) == (ErrorKind.UNSEEN, Finish.UNSENT, 0)
    assert t.synthesis.model_alias != "bob"


async def test_who_sat_out_is_told_and_asked_once_somebody_can_describe(tmp_path, chart):
    provider = undescribed()
    async with app(tmp_path, provider) as md:
        t = await md.debate("What grew?", context=[chart], **THREE)
        assert any("nobody could say" in told for told in remarks(t))
        md._given_provider = cast(blind=["bob"])
        t = await go_on(md, t.transcript_id, late=True)
        assert not any("nobody could say" in told for told in remarks(t))
        assert t.status is Status.COMPLETED
        assert not t.absent
        assert "The picture was described by ada for bob." in t.heading


async def test_without_a_quorum_of_those_who_see_nobody_is_asked_until_it_is_resumed(
    tmp_path, chart
):
    provider = Scripted({**CAST, "ada": is_away, "eve": is_away}, blind=["bob"])
    async with app(tmp_path, provider) as md:
        t = await md.debate("What grew?", context=[chart], quorum=3, **THREE)
        assert (t.status, t.closed_reason) == (Status.ERROR, "description")
        assert "nobody could say what is on the pictures" in t.closed_text
        assert "It did not begin: nobody could say what is on the pictures for" in t.heading
        assert "it is away" in t.heading
        assert {a.role for a in provider.asks} == {"description"}
        md._given_provider = cast(blind=["bob"])
        assert (await go_on(md, t.transcript_id)).status is Status.COMPLETED
        # Enough see, and then too few of them answer: whoever resumes tries all of it anew.
        md._given_provider = Scripted({**CAST, "ada": is_away, "eve": is_away}, blind=["bob"])
        t = await md.debate("What grew?", context=[chart], **THREE)
        assert (t.status, t.closed_reason) == (Status.ERROR, "quorum")
        md._given_provider = cast(blind=["bob"])
        t = await go_on(md, t.transcript_id)
        assert (t.status, t.absent) == (Status.COMPLETED, ())


@pytest.mark.parametrize("at", [("not_described", None), ("absent", "bob")])
async def test_a_debate_without_a_description_goes_on_where_it_was_cut_off(tmp_path, chart, at):
    first, second = undescribed(), undescribed()
    async with app(tmp_path, first) as md:
        brief = await md.brief("What grew?", context=[chart], **THREE)
        async with aclosing(md.run(brief)) as events:
            async for event in events:
                if isinstance(event, Noted) and (event.code, event.seat) == at:
                    break
        md._given_provider = second
        t = await go_on(md, brief.transcript_id)
    assert t.status is Status.COMPLETED
    assert not any(a.role == "description" for a in second.asks)
    assert "bob" not in {a.panelist.seat for a in second.asks}
    assert [n.code for n in t.notes].count("not_described") == 1
    assert [n.seat for n in t.notes if n.code == "absent"] == ["ada", "eve", "bob"]


async def test_a_panel_that_sees_nothing_can_still_be_asked_about_an_earlier_answer(
    tmp_path, chart
):
    provider = cast(blind=["bob", "eve"])
    async with app(tmp_path, provider) as md:
        t = await md.debate("What grew?", context=[chart], **ASKED)
        how = {"conversation": t.transcript_id, "analyst": "none"}
        same = await md.debate("Why?", **how)
        others = await md.debate("Why?", panel=["bob", "eve"], synthesizer="bob", **how)
    assert not others.brief.pictures
    assert "pictures are not shown again: nobody on this panel can see" in others.brief.notices[0]
    assert [p.sha256 for p in same.brief.pictures] == [p.sha256 for p in t.brief.pictures]


async def test_the_bytes_are_in_the_record_once_and_in_no_log_or_file(tmp_path, chart):
    async with app(tmp_path, cast()) as md:
        one = await md.debate("What grew?", context=[chart], **ASKED)
        two = await md.debate("What else?", context=[chart], **ASKED)
        (picture,) = one.brief.pictures
        assert picture.raw is None
        media_type, raw = md.store.picture(picture.sha256)
        assert (media_type, len(raw)) == ("image/png", picture.size)
        written = json.dumps(one.to_dict())
        assert picture.sha256 in written
        assert "iVBOR" not in written
        md.delete(one.transcript_id)
        assert md.store.picture(picture.sha256)
        md.delete(two.transcript_id)
        assert md.store.picture(picture.sha256) is None


async def test_a_brief_that_is_run_twice_takes_no_picture_from_the_first_debate(tmp_path, chart):
    async with app(tmp_path, cast()) as md:
        brief = await md.brief("What grew?", context=[chart], **ASKED)
        _ = [e async for e in md.run(brief)]
        with pytest.raises(HeldAlready):
            _ = [e async for e in md.run(brief)]
        assert md.store.picture(brief.pictures[0].sha256)


async def test_what_is_not_saved_leaves_no_picture_behind(tmp_path, chart):
    provider = cast()
    async with app(tmp_path, provider) as md:
        t = await md.debate("What grew?", context=[chart], save=False, **ASKED)
        assert md.store.picture(t.brief.pictures[0].sha256) is None
    assert provider.asks[0].pictures[0].raw


@pytest.mark.parametrize("kind", BOTH)
async def test_another_process_goes_on_with_the_pictures_of_the_record(tmp_path, chart, kind):
    env = {"MUTUAL_DISSENT_DB": a_database()} if kind == "postgres" else {}
    first = cast(blind=["bob"])
    async with app(tmp_path, first, **env) as md:
        brief = await md.brief("What grew?", context=[chart], **ASKED)
        async with aclosing(md.run(brief)) as events:
            async for event in events:
                if isinstance(event, Answered) and event.response.role == "initial":
                    break
    second = cast(blind=["bob"])
    async with app(tmp_path, second, **env) as md:
        async with aclosing(md.resume(brief.transcript_id)) as events:
            async for _ in events:
                pass
        t = md.store.transcript(brief.transcript_id)
        again = [e async for e in md.replay(t.transcript_id, synthesizer="bob")]
        replayed = md.store.transcript(again[0].brief.transcript_id)
        md.delete(t.transcript_id)
        assert md.store.picture(t.brief.pictures[0].sha256)  # the replay needs it
        md.delete(replayed.transcript_id)
        with pytest.raises(NotFound):
            md.store.transcript(replayed.transcript_id)
        assert md.store.picture(t.brief.pictures[0].sha256) is None
    assert t.status is Status.COMPLETED
    assert not any(a.role == "description" for a in second.asks)
    assert {a.pictures[0].raw for a in second.asks if a.pictures} == {first.asks[0].pictures[0].raw}
    assert second.asks[-1].panelist.seat == "bob"
    assert TOLD in second.asks[-1].head


@pytest.mark.parametrize("kind", BOTH)
async def test_pictures_that_a_process_kept_and_died_are_found_and_removed(
    tmp_path, chart, kind, monkeypatch
):
    monkeypatch.setattr(doctor, "OPENING", 0.01)
    env = {"MUTUAL_DISSENT_DB": a_database()} if kind == "postgres" else {}
    left, lost = str(uuid4()), "a" * 64
    async with app(tmp_path, cast(), **env) as md:
        t = await md.debate("What grew?", context=[chart], **ASKED)
        (used,) = (p.sha256 for p in t.brief.pictures)
        md.store.keep_pictures(left, {lost: ("image/png", b"x")}, [used])

        def found(**how):
            return [(f.subject, f.fixed) for f in md.examine(**how) if f.kind == "picture"]

        with md.store.hold(left):  # somebody is about to open it
            assert found(fix=True) == []
        assert found() == [(left, False)]
        assert found(fix=True) == [(left, True)]
        assert found() == []
        assert md.store.picture(lost) is None
        assert md.store.picture(used)


async def test_a_picture_that_is_not_on_record_is_missed_before_anybody_is_asked(tmp_path, chart):
    async with app(tmp_path, cast()) as md:
        t = await md.debate("What grew?", context=[chart], **ASKED)
        md.delete(t.transcript_id)
        with pytest.raises(BadInput, match=r"chart\.png is not on record here"):
            _ = [e async for e in md.replay(t)]
