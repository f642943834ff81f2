"""Several samples of one seat are one voice: one answer, chosen by code, with its spread."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fakes.world import Tariff, a_brief, run
from mutual_dissent import MutualDissent
from mutual_dissent.core.errors import UserError
from mutual_dissent.core.events import Answered, Asked, Noted
from mutual_dissent.core.figures.stats import stats
from mutual_dissent.core.response import ErrorKind
from mutual_dissent.providers.responses import blank, failure
from mutual_dissent.providers.scripted import Scripted

QUERY = "What is 6 times 7?"


def say(value):
    return f"I worked it out.\n\nBottom line: {value}\nConfidence: 80%"


def cast(*samples, **more):
    """Ada's samples of the first round; the others say 42, and all say it ever after."""
    heard = iter(samples)

    def ada(ask):
        return next(heard) if ask.role == "initial" else say(42)

    return Scripted({"ada": ada, "bob": lambda _: say(42), "cyd": lambda _: say(42), **more})


async def held(*samples, **options):
    provider = cast(*samples)
    async with MutualDissent(provider=provider) as md:
        debate = await md.debate(QUERY, panel=["ada*3", "bob"], save=False, **options)
    return debate, provider


def notes(debate):
    return [n.text for n in debate.notes if n.code == "samples"]


async def test_three_samples_are_one_voice_and_their_spread_is_shown():
    debate, provider = await held(say(41), say(42), say("42"))
    first = debate.rounds[0].responses
    assert [r.model_alias for r in first] == ["ada", "bob"]
    assert "42" in first[0].bottom_line
    assert notes(debate)[0] == "ada: 2 of 3 say 42, 1 says 41"
    assert first[0].samples.chosen == 2
    assert sum(a.role == "initial" for a in provider.asks) == 4


async def test_samples_are_asked_the_same_and_others_read_one_answer():
    _, provider = await held(say(41), say(42), say(42))
    of_ada = {a.text for a in provider.asks if a.panelist.seat == "ada" and a.role == "initial"}
    assert len(of_ada) == 1
    read = next(a.text for a in provider.asks if a.panelist.seat == "bob" and a.round_number == 1)
    assert read.count("I worked it out") == 2  # its own answer, and one of ada's
    assert "41" not in read


async def test_where_answers_are_open_the_first_sample_is_the_answer():
    texts = [f"Bottom line: {t}\n" for t in ("Rest more.", "Work less hard now.", "Go outside.")]
    heard = iter(texts)
    provider = Scripted({
        "ada": lambda a: next(heard) if a.role == "initial" else texts[0],
        "bob": lambda _: texts[0],
    })  # fmt: skip
    async with MutualDissent(provider=provider) as md:
        debate = await md.debate("How should one live?", panel="ada*3,bob", save=False)
    assert debate.rounds[0].responses[0].bottom_line == "Rest more."
    assert notes(debate)[0] == "ada: its answer is the first of 3 samples, not compared by value"


async def test_every_sample_is_on_the_bill_once():
    debate, provider = await held(say(41), say(42), say(42))
    assert stats(debate).total.calls == len(provider.asks)
    bought = [r for _, r in debate.responses() if not r.samples]
    assert stats(debate).total.input_tokens == sum(r.input_tokens for r in bought)
    assert (stats(debate).total.cost_usd, stats(debate).total.unpriced) == (None, len(bought))


async def test_a_quote_counts_every_sample():
    async with MutualDissent(provider=cast()) as md:
        once, thrice = [
            md.quote(await md.brief(QUERY, panel=panel)) for panel in ("ada,bob", "ada*3,bob")
        ]
    assert thrice.calls == once.calls + 4  # two more in each of two rounds


async def test_a_failed_sample_costs_no_voice():
    def ada(ask):
        return failure(ask, ErrorKind.OVERLOADED, "busy") if ask.sample == 2 else say(42)

    async with MutualDissent(provider=cast(ada=ada)) as md:
        debate = await md.debate(QUERY, panel=["ada*3", "bob"], save=False)
    assert debate.rounds[0].responses[0].usable
    assert notes(debate)[0] == "ada: 2 of 2 say 42; 1 of 3 samples did not come"


async def test_a_seat_is_absent_only_if_every_sample_failed():
    def ada(ask):
        return failure(ask, ErrorKind.OVERLOADED, "too busy")

    provider = cast(ada=ada)
    async with MutualDissent(provider=provider) as md:
        debate = await md.debate(QUERY, panel="ada*2,bob,cyd", save=False)
    assert [r.model_alias for r in debate.absent] == ["ada"]
    assert len([n for n in debate.notes if n.code == "absent" and n.seat == "ada"]) == 1


async def test_killed_after_any_event_no_sample_is_bought_twice():
    panel = a_brief("ada", "bob").panel
    brief = a_brief("ada", "bob", query=QUERY, panel=(replace(panel[0], samples=3), panel[1]))

    def talk(ask):
        return say(len(ask.key) % 2 + ask.sample % 2)

    whole, events, _ = await run(brief, first := Scripted({"ada": talk, "bob": talk}))
    for k in range(1, len(events)):
        bought = {e.key for e in events[:k] if isinstance(e, Answered)}
        again = Scripted({"ada": talk, "bob": talk})
        resumed, _, _ = await run(brief, again, events=events[:k])
        assert not bought & {a.key for a in again.asks}, k
        assert [r.content for r in resumed.turns()] == [r.content for r in whole.turns()], k
        assert resumed.answered.keys() == whole.answered.keys(), k
    assert len(first.asks) == 9


async def test_a_limit_holds_with_samples():
    panel = a_brief("ada", "bob").panel
    brief = a_brief("ada", "bob", panel=(replace(panel[0], samples=9), panel[1]), max_cost=40.0)

    class Billed(Scripted):
        async def ask(self, ask, on_text):
            tokens = ask.max_tokens or 1000
            price = Tariff().cost(ask.panelist.route, ask.input_estimate, tokens)
            return replace(blank(ask), content="x" * int(tokens * 3.5), cost_usd=price)

    transcript, _, _ = await run(brief, Billed({}))
    assert sum(r.cost_usd for _, r in transcript.responses()) <= 40.0


async def test_what_is_shown_while_it_is_written_is_one_sample():
    panel = a_brief("ada", "bob").panel
    brief = a_brief("ada", "bob", query=QUERY, panel=(replace(panel[0], samples=3), panel[1]))
    provider = cast(say(42), say(42), say(41))
    _, events, tokens = await run(brief, provider)
    shown = "".join(t.text for t in tokens if t.key == "0/initial/ada")
    assert shown.count("I worked it out") == 1
    asked = [e for e in events if isinstance(e, Asked) and e.key.startswith("0/initial/ada")]
    assert [e.role for e in asked] == ["sample"] * 3
    assert any(isinstance(e, Noted) and e.code == "samples" for e in events)


@pytest.mark.parametrize(
    ("panel", "options", "sentence"),
    [
        ("ada*10,bob", {}, "a seat has 1 to 9 samples, not 10"),
        ("ada*0,bob", {}, "a seat has 1 to 9 samples, not 0"),
        ("me*3,ada,bob", {}, "'me' is you, who answers once: write it without *3"),
        ("ada*3", {"mode": "single"}, "single is one answer of one model; name ada without *3"),
        ("ada*3,bob", {"temperature": 0.0}, "would answer the same 3 times at temperature 0"),
    ],
)
async def test_samples_that_make_no_sense_are_refused_before_anything_is_spent(
    panel, options, sentence
):
    async with MutualDissent(provider=cast()) as md:
        with pytest.raises(UserError, match=sentence.replace("*", r"\*")):
            await md.brief(QUERY, panel=panel, **options)


async def test_who_is_asked_once_takes_no_samples(tmp_path):
    async with MutualDissent(home=tmp_path, env={"OPENROUTER_API_KEY": "k"}) as md:
        with pytest.raises(UserError, match="only panelists are asked several times"):
            await md.brief(QUERY, panel="claude,gpt", synthesizer="claude*3")
