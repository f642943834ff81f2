"""Promises about money, record and leaving that are easy to break."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from fakes.ledgers import unread
from fakes.world import Ledger, Tariff, a_brief, run, seat
from mutual_dissent.analysis.scores.grades import SCORE, score
from mutual_dissent.app import MutualDissent, import_files
from mutual_dissent.core.brief import Rubric
from mutual_dissent.core.errors import DissentError, NotSaved
from mutual_dissent.core.events import Answered, Closed, Opened, Reopened, RoundEnded, Status
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.core.transcript import fold
from mutual_dissent.providers.responses import blank, failure
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.stream import collect_transcript
from mutual_dissent.views.documents.json import transcript_to_json

SEATS = ("ada", "bob", "cyd")
GOOD = "ACCURACY: 5\nCOMPLETENESS: 4\nEXPLANATION: fine"
FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "transcripts"


def talk(ask):
    return GOOD if ask.role == "judge" else f"{ask.panelist.seat} on {ask.key}"


class Anyone(Scripted):
    """Everybody answers, whoever it is; `fails` says who does not."""

    def __init__(self, fails=None):
        super().__init__({})
        self.fails = fails or (lambda _ask: None)

    def _line(self, ask):
        return self.fails(ask) or talk(ask)

    @property
    def keys(self):
        return [a.key for a in self.asks]


def app(home, provider, **more):
    return MutualDissent(home=unread(home), env={}, provider=provider, prices=Tariff(), **more)


async def take(events, until):
    """Watch until something happens, then leave as a killed process would."""
    async with aclosing(events):
        async for event in events:
            if until(event):
                return


def cut(md, name, keep):
    """A copy of a stored debate whose process died after so many events."""
    events = [e for e in md.store.events(name) if keep(e)]
    other = "11111111-0000-4000-8000-000000000001"
    opened = replace(events[0], brief=replace(events[0].brief, transcript_id=other))
    md.store.save([opened, *events[1:]])
    return other


# -- resume --------------------------------------------------------------------------------------


async def test_a_killed_replay_buys_no_answer_that_the_replayed_debate_has(own_home):
    async with app(own_home, Anyone()) as md:
        past = await md.debate("q", panel=SEATS)
        again = await collect_transcript(md.replay(past.transcript_id, synthesizer="zoe"))
        first = next(
            e.seq for e in md.store.events(again.transcript_id) if isinstance(e, RoundEnded)
        )
        killed = cut(md, again.transcript_id, lambda e: e.seq <= first)
        md.provider.asks.clear()
        await collect_transcript(md.resume(killed))
        assert md.provider.keys == ["-1/synthesis/zoe"]


async def test_an_imported_debate_whose_scoring_was_interrupted_is_not_bought_again(own_home):
    async with app(own_home, Anyone()) as md:
        [brought] = import_files(md, [FIXTURES / "004-mutual-dissent-0.2.0.json"])
        scoring = md.score(brought.transcript_id, "the truth", judge="eve")
        await take(scoring, lambda e: e.kind == "reopened")
        md.provider.asks.clear()
        await collect_transcript(md.resume(brought.transcript_id))
        assert {a.role for a in md.provider.asks} <= {"judge"}


async def test_an_edited_prompt_does_not_make_resume_buy_recorded_answers_again(own_home):
    async with app(own_home, Anyone()) as md:
        debate = md.stream("q", panel=SEATS)
        ids = []

        def second_round(e):
            if isinstance(e, Opened):
                ids.append(e.brief.transcript_id)
            return isinstance(e, RoundEnded) and e.round_number == 1

        await take(debate, second_round)
    own = own_home / "prompts" / "common"
    own.mkdir(parents=True)
    (own / "system.md").write_text("You sit on a panel of language models. Be brief.")
    async with app(own_home, Anyone()) as md:
        await collect_transcript(md.resume(ids[0]))
        assert md.provider.keys == ["-1/synthesis/ada"]


async def test_a_window_that_becomes_known_does_not_make_resume_buy_again():
    def long(ask):
        return f"{ask.key} " * 2_000

    brief = a_brief()
    cast = Scripted(dict.fromkeys(SEATS, long))
    _, events, _ = await run(brief, cast, prices=Tariff(window=None))
    before = [e for e in events if e.seq < events[-3].seq]
    recorded = {e.key for e in before if isinstance(e, Answered)}
    again = Scripted(dict.fromkeys(SEATS, long))
    await run(brief, again, events=before, prices=Tariff(window=4_000))
    assert not recorded & {a.key for a in again.asks}


async def test_killed_after_a_stand_in_wrote_the_answer_nobody_is_asked_for_another():
    brief = a_brief(synthesizer=seat("zoe"), fallbacks=(seat("bob"),))
    late = Anyone(
        lambda a: failure(a, ErrorKind.TIMEOUT, "late") if a.panelist.seat == "zoe" else 0
    )
    whole, events, _ = await run(brief, late)
    assert whole.synthesis.model_alias == "bob"
    resumed, _, _ = await run(brief, again := Anyone(), events=events[:-1])
    assert again.keys == []
    assert resumed.synthesis.model_alias == "bob"


async def test_a_synthesis_by_a_stand_in_after_a_resume_also_ends_its_round():
    brief = a_brief(synthesizer=seat("zoe"), fallbacks=(seat("bob"),))
    refusing = Anyone(
        lambda a: failure(a, ErrorKind.REFUSED, "no") if a.panelist.seat == "zoe" else 0
    )
    _, events, _ = await run(brief, refusing)
    first_end = next(e.seq for e in events if isinstance(e, RoundEnded) and e.role == "synthesis")
    _, resumed, _ = await run(brief, Anyone(), events=events[:first_end])
    written = next(e.seq for e in resumed if isinstance(e, Answered) and e.seq > first_end)
    assert any(isinstance(e, RoundEnded) and e.seq > written for e in resumed)


async def test_that_an_answer_was_cut_is_said_once_even_over_a_resume():
    cast = {"bob": lambda a: "flood " * 40_000 if a.round_number == 0 else "short"}
    lines = {**dict.fromkeys(SEATS, talk), **cast}
    _, events, _ = await run(a_brief(), Scripted(lines))
    end = next(e.seq for e in events if isinstance(e, RoundEnded) and e.round_number == 1)
    resumed, _, _ = await run(a_brief(), Scripted(lines), events=events[:end])
    assert [n.code for n in resumed.notes] == ["cut"]


@pytest.mark.parametrize("work", ["resume", "replay"])
@pytest.mark.parametrize("field", ["mode", "topology"])
async def test_a_debate_in_a_mode_that_is_not_installed_gets_one_clear_sentence(
    own_home, work, field
):
    async with app(own_home, Anyone()) as md:
        brief = replace(await md.brief("q", panel=SEATS), **{field: "tribunal"})
        md.store.save([Opened(seq=1, at=md.clock(), brief=brief)])
        with pytest.raises(DissentError, match="tribunal"):
            await collect_transcript(getattr(md, work)(brief.transcript_id))


async def test_only_limits_can_be_changed_when_a_debate_is_resumed(own_home):
    async with app(own_home, Anyone()) as md:
        ids = []
        debate = md.stream("q", panel=SEATS)
        await take(debate, lambda e: isinstance(e, RoundEnded) or ids.append(e))
        name = next(e for e in ids if isinstance(e, Opened)).brief.transcript_id
        with pytest.raises((DissentError, TypeError)):
            await collect_transcript(md.resume(name, seed=5))


@pytest.mark.parametrize("work", ["resume", "go_on", "synthesize", "analyze"])
async def test_a_wrong_limit_is_refused_at_the_call_before_any_event_is_taken(own_home, work):
    async with app(own_home, Anyone()) as md:
        with pytest.raises(DissentError, match="timeout"):
            getattr(md, work)("0123", timeout=-1)


# -- money ---------------------------------------------------------------------------------------


def cut_off(ask):
    """A stream that broke off after it was billed."""
    return replace(
        blank(ask), content="half", finish=Finish.INCOMPLETE, error="cut", cost_usd=3.0,
        error_kind=ErrorKind.CONNECTION, input_tokens=10, output_tokens=10, token_count=20,
    )  # fmt: skip


def priced(ask):
    return replace(blank(ask), content="whole", cost_usd=1.0, token_count=10)


async def test_what_a_transcript_says_it_cost_is_what_the_list_says(own_home):
    async with app(
        own_home, Anyone(lambda a: cut_off(a) if a.panelist.seat != "ada" else priced(a))
    ) as md:
        stopped = await md.debate("q", panel=SEATS)
        assert stopped.closed_reason == "quorum"
        md.provider.fails = priced
        resumed = await collect_transcript(md.resume(stopped.transcript_id))
        figures = transcript_to_json(resumed)["metadata"]["stats"]
        [row] = md.store.list()
        assert figures["total_cost_usd"] == pytest.approx(row.cost_usd)


async def test_a_limit_counts_answers_that_were_billed_and_thrown_away(own_home):
    broke = Anyone(lambda a: cut_off(a) if a.panelist.seat != "ada" else priced(a))
    async with app(own_home, broke) as md:
        stopped = await md.debate("q", panel=SEATS)  # 1 + 3 + 3 dollars
        md.provider.fails = priced
        resumed = await collect_transcript(md.resume(stopped.transcript_id, max_cost=8.0))
        [row] = md.store.list()
        assert row.cost_usd <= 8.0
        assert resumed.closed_reason == "budget"


async def test_scoring_a_stored_debate_keeps_to_the_debates_limit(own_home):
    async with app(own_home, Anyone(priced)) as md:
        past = await md.debate("q", panel=SEATS, max_cost=40.0)
        assert past.status is Status.COMPLETED
        brief = replace(past.brief, max_cost=7.5)  # 7 are spent
        log = md.store.events(past.transcript_id)
        tight = Reopened(seq=len(log) + 1, at=md.clock(), reason="resumed", brief=brief)
        done = Closed(seq=len(log) + 2, at=md.clock(), status=Status.COMPLETED, reason="done")
        await md.store.journal(past.transcript_id).append([tight, done])
        await collect_transcript(md.score(past.transcript_id, "truth", judge="eve"))
        assert md.store.list()[0].cost_usd <= 7.5


async def test_a_complete_debate_stays_complete_whatever_becomes_of_a_later_scoring(own_home):
    async with app(own_home, Anyone()) as md:
        past = await md.debate("q", panel=SEATS)
        md.provider.fails = lambda a: failure(a, ErrorKind.CREDITS, "top up")
        await collect_transcript(md.score(past.transcript_id, "truth", judge="eve"))
        assert md.store.transcript(past.transcript_id).status is Status.COMPLETED


# -- replay --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [ErrorKind.CREDITS, ErrorKind.OVERLOADED])
async def test_a_replay_of_a_stopped_debate_asks_again_whoever_failed(own_home, kind):
    broke = Anyone(lambda a: None if a.panelist.seat == "ada" else failure(a, kind, "no"))
    async with app(own_home, broke) as md:
        stopped = await md.debate("q", panel=SEATS)
        md.provider.fails = lambda _: None
        again = await collect_transcript(md.replay(stopped.transcript_id))
        assert again.status is Status.COMPLETED


async def test_a_replay_of_a_finished_debate_pays_only_for_the_synthesis(own_home):
    async with app(own_home, Anyone()) as md:
        [brought] = import_files(md, [FIXTURES / "000-questionable-ai-0.1.0.json"])
        await collect_transcript(md.replay(brought.transcript_id))
        assert md.provider.keys == ["-1/synthesis/claude"]


async def test_a_replay_never_has_fewer_rounds_than_are_recorded(own_home):
    async with app(own_home, Anyone()) as md:
        past = await md.debate("q", panel=SEATS, rounds=2)
        with pytest.raises(DissentError):
            await collect_transcript(md.replay(past.transcript_id, rounds=-1))


# -- scoring -------------------------------------------------------------------------------------


async def test_scoring_again_by_an_earlier_judge_shows_that_judges_score(own_home):
    async with app(own_home, Anyone()) as md:
        past = await md.debate("q", panel=SEATS)
        for judge in ("eve", "fay", "eve"):
            scored = await collect_transcript(md.score(past.transcript_id, "truth", judge=judge))
        assert scored.synthesis.analysis[SCORE]["judge"] == "eve"


async def test_a_judge_that_wrote_the_synthesis_as_a_stand_in_is_named_as_such():
    brief = a_brief(
        synthesizer=seat("zoe"), fallbacks=(seat("bob"),), judge=seat("bob"), ground_truth="tabs"
    )
    late = Anyone(
        lambda a: failure(a, ErrorKind.TIMEOUT, "late") if a.panelist.seat == "zoe" else 0
    )
    transcript, _, _ = await run(brief, late)
    assert transcript.synthesis.model_alias == "bob"
    assert transcript.synthesis.analysis[SCORE]["judge_is_synthesizer"] is True


@pytest.mark.parametrize(
    "option",
    [{"score": "everything"}, {"quorum": 1.5}, {"max_tokens": "5"}, {"named": "yes"},
     {"panelist_context": {"ada": 5}}],
    ids=str,
)  # fmt: skip
async def test_a_debate_that_was_accepted_can_be_read_again(own_home, option):
    async with app(own_home, Anyone()) as md:
        try:
            past = await md.debate("q", **{"panel": SEATS, **option})
        except (DissentError, TypeError):
            assert md.provider.asks == []
            return
        assert md.store.transcript(past.transcript_id).synthesis is not None


async def test_a_panel_given_as_one_string_is_refused_or_split(own_home):
    async with app(own_home, Anyone()) as md:
        try:
            brief = await md.brief("q", panel="ada,bob")
        except DissentError:
            return
        assert [p.seat for p in brief.panel] == ["ada", "bob"]


def test_a_rubric_in_any_language_is_read():
    rubric = Rubric(name="x", dimensions={"Überzeugung": "wie sehr"})
    reply = replace(_reply(), content="ÜBERZEUGUNG: 4")
    assert score(reply, rubric, judge_is_synthesizer=False)["Überzeugung"] == 4


def _reply():
    from mutual_dissent.core.response import Ask

    return blank(
        Ask(
            key="k",
            panelist=seat("eve"),
            round_number=-1,
            role="judge",
            prompt="common/judge",
            system="",
            head="",
            tail="",
        )
    )


# -- leaving -------------------------------------------------------------------------------------


class Slow(Anyone):
    """Answers after a while, and says how many calls are under way."""

    def __init__(self, seconds=0.02):
        super().__init__()
        self.seconds, self.under_way = seconds, 0

    async def ask(self, ask, on_text):
        self.under_way += 1
        try:
            await asyncio.sleep(self.seconds)
            return await super().ask(ask, on_text)
        finally:
            self.under_way -= 1


async def test_a_debate_that_is_cancelled_in_its_hook_stops_at_once(own_home):
    in_hook = asyncio.Event()

    async def hook(_round):
        in_hook.set()
        await asyncio.sleep(60)

    md = app(own_home, slow := Slow(30))
    slow.seconds = 0.0
    task = asyncio.create_task(md.debate("q", panel=SEATS, on_round_complete=hook))
    await in_hook.wait()
    task.cancel()
    try:
        await task
    except asyncio.CancelledError as e:
        kept = e  # as whoever logs it does
        held = md.store._holds.held_ids()
        [name] = md.store.ids()
        status = fold(md.store.events(name)).status
        assert (held, status) == (set(), Status.INTERRUPTED), kept
    await md.aclose()


async def test_a_debate_on_record_as_complete_has_its_file(own_home):
    async with app(own_home, Anyone()) as md:
        events = md.stream("q", panel=SEATS)

        async def leave_at_the_answer():
            async with aclosing(events):
                async for e in events:
                    if isinstance(e, Answered) and e.response.role == "synthesis":
                        await asyncio.sleep(0.05)  # the user reads it
                        return

        await leave_at_the_answer()
        [name] = md.store.ids()
        if md.store.transcript(name).status is Status.COMPLETED:
            assert list((own_home / "transcripts").glob("*.json"))


async def test_cancelled_while_the_models_warm_up_it_is_on_record_as_interrupted():
    warming = asyncio.Event()

    class Cold(Anyone):
        async def warm_up(self, routes):
            warming.set()
            await asyncio.sleep(60)

    journal = Ledger()
    task = asyncio.create_task(run(a_brief(), Cold(), journal=journal))
    await warming.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert isinstance(journal.events[-1], Closed)


async def test_a_provider_that_fails_to_warm_up_is_asked_all_the_same():
    class Broken(Anyone):
        async def warm_up(self, routes):
            raise ValueError("the plugin broke")

    transcript, _, _ = await run(a_brief(), Broken())
    assert transcript.status is Status.COMPLETED


async def test_cancelled_while_the_models_warm_up_nothing_is_left_running():
    warming = asyncio.Event()

    class Cold(Anyone):
        async def warm_up(self, routes):
            warming.set()
            await asyncio.sleep(60)

    before = asyncio.all_tasks()
    task = asyncio.create_task(run(a_brief(), Cold()))
    await warming.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0)
    left = asyncio.all_tasks() - before
    for t in left:
        t.cancel()
    assert not left


def test_one_object_serves_one_event_loop_after_the_other(own_home, monkeypatch):
    monkeypatch.setattr("mutual_dissent.parts.most_open", lambda: 16)
    md = app(own_home, Slow(0.01))

    async def crowd():
        await asyncio.gather(*(md.debate("q", panel=SEATS, save=False) for _ in range(6)))

    asyncio.run(crowd())
    asyncio.run(crowd())


async def test_leaving_the_app_ends_its_debates(own_home):
    slow = Slow(30)
    async with app(own_home, slow) as md:
        events = md.stream("q", panel=SEATS)
        async for event in events:
            if event.kind == "asked":
                break
        await asyncio.sleep(0)
    assert slow.under_way == 0
    await events.aclose()


# -- events --------------------------------------------------------------------------------------


async def test_events_come_in_the_order_of_their_numbers_even_when_the_disk_is_full():
    class Filling(Ledger):
        async def append(self, events):
            if any(isinstance(e, Answered) for e in events):
                await asyncio.sleep(0.01)
                raise NotSaved("the disk is full")
            await super().append(events)

    _, events, _ = await run(a_brief(), Anyone(), journal=Filling())
    assert [e.seq for e in events] == sorted(e.seq for e in events)


async def test_every_event_has_a_number(own_home):
    own_home.mkdir(parents=True)
    (own_home / "transcripts").write_text("a file where the folder should be")
    async with app(own_home, Anyone()) as md:
        events = [e async for e in md.stream("q", panel=SEATS)]
    numbers = [e.seq for e in events if e.kind != "token"]
    assert numbers == list(range(1, len(numbers) + 1))


# -- shape ---------------------------------------------------------------------------------------


async def test_a_transcript_in_hand_can_be_replayed(own_home):
    async with app(own_home, Anyone()) as md:
        t = await md.debate("q", panel=SEATS, save=False)
        replayed = await collect_transcript(md.replay(t, save=False))
    assert replayed.brief.replay_of == t.transcript_id
    assert len(replayed.reused) == 6


@pytest.mark.parametrize("vendor", ["scripted", "recorded"])
async def test_a_vendor_that_cannot_be_asked_is_refused_before_the_debate(own_home, vendor):
    async with MutualDissent(home=own_home, env={}) as md:
        with pytest.raises(DissentError):
            await md.brief("q", panel=[f"{vendor}:a", f"{vendor}:b"])


async def test_a_debate_that_is_closed_is_not_closed_again_by_whoever_leaves_it():
    closing = asyncio.Event()

    class Slowly(Ledger):
        async def append(self, events):
            if any(isinstance(e, Closed) for e in events):
                closing.set()
                await asyncio.sleep(0.01)
            await super().append(events)

    journal = Slowly()
    task = asyncio.create_task(run(a_brief(), Anyone(), journal=journal))
    await closing.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [e.status for e in journal.events if isinstance(e, Closed)] == [Status.COMPLETED]
