"""A seat may be told how much to think, where its vendor knows that."""

from __future__ import annotations

import pytest

from mutual_dissent import MutualDissent
from mutual_dissent.core.errors import UserError
from mutual_dissent.core.panel import SeatName
from mutual_dissent.providers.scripted import Scripted

KEYS = {
    "ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k", "GOOGLE_API_KEY": "k", "XAI_API_KEY": "k",
    "PERPLEXITY_API_KEY": "k", "GROQ_API_KEY": "k",
}  # fmt: skip


@pytest.fixture
async def md(tmp_path):
    async with MutualDissent(home=tmp_path, env=KEYS) as found:
        yield found


def seats(brief):
    return [(p.seat, p.route.effort) for p in brief.panel]


async def test_an_effort_is_part_of_the_route_and_not_of_a_name_that_is_clear_without_it(md):
    brief = await md.brief("Why?", panel="claude@high,gpt@low,gemini")
    assert seats(brief) == [("claude", "high"), ("gpt", "low"), ("gemini", "")]
    assert (brief.synthesizer.seat, brief.synthesizer.route.effort) == ("claude", "high")


async def test_seats_that_differ_by_their_effort_alone_are_told_apart_by_it(md):
    brief = await md.brief("Why?", panel="claude@high,claude@low,gpt@low,gpt@low,claude@low")
    seated = ["claude@high", "claude@low", "gpt", "gpt#2", "claude@low#2"]
    assert [p.seat for p in brief.panel] == seated


async def test_whoever_is_named_may_have_an_effort(md):
    given = {"synthesizer": "gpt@high", "judge": "gemini@low", "analyst": "openai:gpt-5@minimal"}
    brief = await md.brief("Why?", panel="claude,gpt", ground_truth="x", **given)
    who = (brief.synthesizer, brief.judge, brief.analyst)
    assert [p.route.effort for p in who] == ["high", "low", "minimal"]


async def test_who_reads_the_debate_because_it_is_cheap_thinks_as_much_as_usual(md):
    brief = await md.brief("Why?", panel="claude@high,gpt@high")
    assert brief.analyst.route.effort == ""


async def test_the_writer_of_that_effort_on_the_panel_is_the_one_that_is_meant(md):
    brief = await md.brief("Why?", panel="claude,gpt@high", synthesizer="gpt@high")
    assert brief.synthesizer.seat == "gpt"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("claude@hihg", "no effort is called 'hihg'; did you mean 'high'?"),
        ("claude@minimal", "'claude-sonnet-5-5' at anthropic knows no effort 'minimal'; choose"),
        ("openai:gpt-4o@high", "'gpt-4o' at openai knows no effort; name it without @high"),
        ("anthropic:claude-3-5-haiku-latest@low", "knows no effort; name it without @low"),
        ("google:gemini-2.0-flash@low", "knows no effort"),
        ("google:gemini-3-pro-preview@medium", "choose from low, high"),
        ("groq:llama-3.3-70b-versatile@low", "knows no effort"),
        ("perplexity@high", "'sonar-pro' at perplexity knows no effort"),
        ("xai:grok-4-0709@high", "knows no effort"),
        ("local:smollm2@high", "knows no effort"),
        ("llamacpp:some@high", "knows no effort"),
    ],
)
async def test_an_effort_that_a_model_does_not_know_is_refused_in_one_sentence(md, name, sentence):
    with pytest.raises(UserError) as refused:
        await md.brief("Why?", panel=[name, "gpt"])
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    "name",
    [
        "openai:gpt-5@minimal", "openai:o3-mini@high", "openai:gpt-5.1@low", "gpt@medium",
        "anthropic:claude-sonnet-4-5@high", "anthropic:claude-3-7-sonnet-latest@low",
        "anthropic:claude-opus-4-6@medium", "claude@high", "google:gemini-2.5-pro@minimal",
        "gemini@high", "grok@low", "xai:grok-3-mini@high", "groq:openai/gpt-oss-120b@medium",
        "ollama:gpt-oss:20b@low",
    ],
)  # fmt: skip
async def test_an_effort_that_a_model_knows_is_taken(md, name):
    brief = await md.brief("Why?", panel=[name, "gpt"])
    assert brief.panel[0].written == name


async def test_a_temperature_beside_an_effort_is_refused_since_vendors_would(md):
    with pytest.raises(UserError, match="claude@high takes no temperature beside its effort"):
        await md.brief("Why?", panel="claude@high,gpt", temperature=0.3)


async def test_an_effort_is_in_the_quote_with_what_it_is_reckoned_at(md):
    plain, high = [
        md.quote(await md.brief("Why?", panel=["claude", name])) for name in ("gpt", "gpt@high")
    ]
    line = next(x for x in high.lines if x.seat == "gpt")
    assert (line.effort, line.thought_tokens) == ("high", 12_000 * line.calls)
    assert high.output_tokens == plain.output_tokens + line.thought_tokens
    assert high.input_tokens == plain.input_tokens


async def test_an_effort_is_on_the_record_of_every_answer():
    says = {"ada": lambda _: "tabs", "bob": lambda _: "tabs"}
    async with MutualDissent(provider=Scripted(says)) as md:
        debate = await md.debate("Tabs?", panel="ada@low,bob", save=False)
    assert [(r.model_alias, r.routing.effort) for r in debate.rounds[0].responses] == [
        ("ada", "low"),
        ("bob", ""),
    ]


@pytest.mark.parametrize(
    ("written", "model", "effort", "samples"),
    [
        ("claude", "claude", "", 1),
        ("claude@high*3", "claude", "high", 3),
        ("claude#2", "claude", "", 1),
        ("vertex:claude@20250929", "vertex:claude@20250929", "", 1),
        ("openrouter:a/b@preset/x", "openrouter:a/b@preset/x", "", 1),
        ("recorded:x.jsonl#gpt@low", "recorded:x.jsonl#gpt@low", "", 1),
    ],
)
def test_what_is_no_effort_belongs_to_the_models_id(written, model, effort, samples):
    assert SeatName.of(written) == SeatName(model=model, effort=effort, samples=samples)
