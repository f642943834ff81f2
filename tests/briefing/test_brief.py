"""From what was asked for to a brief: who sits where, and what is refused before any call."""

from __future__ import annotations

import pytest

from mutual_dissent import MutualDissent
from mutual_dissent.briefing.options import MAX_CONTEXT, MAX_QUERY
from mutual_dissent.core.brief import Attachment
from mutual_dissent.core.errors import OverBudget, UserError

KEYS = {
    "OPENROUTER_API_KEY": "sk-or-canary",
    "ANTHROPIC_API_KEY": "sk-ant-canary",
    "OPENAI_API_KEY": "sk-canary",
    "OLLAMA_HOST": "http://127.0.0.1:9",
}


@pytest.fixture
def md(own_home, tmp_path):
    return MutualDissent(env={**KEYS, "HOME": str(tmp_path), "MUTUAL_DISSENT_HOME": str(own_home)})


async def test_the_same_model_may_sit_twice_under_names_of_its_own(md):
    brief = await md.brief("q", panel=["claude", "claude", "claude#2", "gpt"])
    assert [p.seat for p in brief.panel] == ["claude", "claude#2", "claude#3", "gpt"]
    assert len({p.route for p in brief.panel[:3]}) == 1


async def test_a_direct_key_is_used_before_openrouter(md):
    brief = await md.brief("q")
    assert [(p.seat, p.route.vendor) for p in brief.panel] == [
        ("claude", "anthropic"),
        ("gpt", "openai"),
        ("gemini", "openrouter"),
        ("grok", "openrouter"),
    ]
    assert [p.route.via_openrouter for p in brief.panel] == [False, False, True, True]


@pytest.mark.parametrize(
    ("panel", "says"),
    [
        (["claude"], "at least 2"),
        ([], "at least 2"),
        (["claude", "gpt"] * 20, "at most 16"),
        (["claude", "gptt"], "did you mean 'gpt'"),
        (["claude", "nowhere:model"], "nowhere"),
        (["claude", "openai:"], "names no model"),
        (["claude", "groq:llama"], "GROQ_API_KEY"),
    ],
)
async def test_a_panel_that_cannot_sit_is_refused_with_the_reason(md, panel, says):
    with pytest.raises(UserError, match=says):
        await md.brief("q", panel=panel)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"rounds": 0}, "1 to 3"),
        ({"rounds": 4}, "1 to 3"),
        ({"rounds": 10**9}, "1 to 3"),
        ({"quorum": 5}, "1 to 4"),
        ({"quorum": 0}, "1 to 4"),
        ({"max_cost": -1}, "max_cost"),
        ({"max_cost": float("nan")}, "max_cost"),
        ({"timeout": 0}, "timeout"),
        ({"call_timeout": -3}, "call_timeout"),
        ({"mode": "reflexion"}, "did you mean 'reflection'"),
        ({"topology": "mash"}, "did you mean 'mesh'"),
        ({"rubric": "none"}, "no rubric"),
        ({"personas": {"claude": "clown"}}, "no persona"),
        ({"panelist_context": {"nobody": "x"}}, "no panelist"),
        ({"synthesizer": "clod"}, "did you mean 'claude'"),
        ({"ground_truth": "  "}, "ground truth"),
        ({"context": [Attachment(name="a", text="x" * (MAX_CONTEXT + 1))]}, "attach less"),
    ],
)
async def test_what_cannot_be_is_refused_before_any_call(md, options, says):
    with pytest.raises(UserError, match=says):
        await md.brief("q", **options)


@pytest.mark.parametrize("query", ["", "   \n\t", "x" * (MAX_QUERY + 1)])
async def test_a_query_has_something_in_it_and_not_too_much(md, query):
    with pytest.raises(UserError, match="query"):
        await md.brief(query)


async def test_what_cannot_be_stored_in_a_query_is_replaced_visibly(md):
    brief = await md.brief("nul \0 and \ud800 surrogate")
    assert brief.query == "nul � and ? surrogate"


async def test_the_judge_is_neither_the_synthesizer_nor_of_its_maker(md):
    brief = await md.brief("q", ground_truth="42", synthesizer="claude")
    assert brief.judge.seat == "gpt"
    other = await md.brief("q", ground_truth="42", panel=["claude", "claude"], synthesizer="claude")
    assert other.judge.model_id == other.synthesizer.model_id


async def test_a_maker_is_recognised_behind_openrouter(md):
    brief = await md.brief(
        "q",
        ground_truth="42",
        panel=["openrouter:anthropic/claude-x", "openrouter:anthropic/claude-y", "gemini"],
        synthesizer="openrouter:anthropic/claude-x",
    )
    assert brief.judge.seat == "gemini"


async def test_if_the_synthesizer_fails_other_models_of_the_panel_stand_in(md):
    brief = await md.brief("q", synthesizer="gpt")
    assert [p.seat for p in brief.fallbacks] == ["claude", "gemini"]


async def test_a_limit_with_an_unpriced_model_is_refused_unless_allowed(md):
    panel = ["claude", "openai:unheard-of"]
    with pytest.raises(OverBudget, match="openai:unheard-of"):
        await md.brief("q", panel=panel, max_cost=1)
    assert await md.brief("q", panel=panel, max_cost=1, allow_unpriced=True)


async def test_every_default_model_has_a_price_and_a_size_on_both_routes(md):
    from mutual_dissent.core.panel import Route

    for alias in md.settings.aliases.values():
        for vendor, model in ((alias.vendor, alias.direct), ("openrouter", alias.openrouter)):
            route = Route(vendor=vendor, model_id=model)
            assert md.prices.cost(route, 1000, 1000), route
            assert md.prices.context_window(route), route


async def test_without_any_key_the_embedded_model_sits_with_three_personas(tmp_path):
    nobody = ("OLLAMA_HOST", "LMSTUDIO_BASE_URL", "LLAMACPP_BASE_URL", "VLLM_BASE_URL")
    md = MutualDissent(home=tmp_path, env=dict.fromkeys(nobody, "http://127.0.0.1:9"))
    brief = await md.brief("q", ground_truth="42")
    assert [p.route.vendor for p in brief.panel] == ["local"] * 3
    assert len({p.persona for p in brief.panel}) == 3
    assert len({p.instructions for p in brief.panel}) == 3
    assert "embedded" in brief.notices[0]
    assert brief.judge is None
    assert "no judge" in brief.notices[1]
