"""Who sits on the panel when the user names nobody."""

from dataclasses import replace

import pytest

from mutual_dissent import MutualDissent
from mutual_dissent.briefing.default_panel import Nearby, default_panel
from mutual_dissent.config.aliases import DEFAULT_ALIASES
from mutual_dissent.config.paths import Home
from mutual_dissent.config.settings import load_settings
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.panel import Route
from mutual_dissent.providers.endpoints import SERVERS
from mutual_dissent.providers.prices.table import PriceTable


@pytest.fixture
def panel(tmp_path):
    home = Home(tmp_path / "md")

    def choose(text="", nearby=None, **env):
        home.ensure()
        home.config.write_text(text)
        home.config.chmod(0o600)
        return default_panel(load_settings(env, home), nearby or Nearby())

    return choose


def personas(choice):
    return [e.persona for e in choice.entries]


def test_with_openrouter_the_usual_four_sit_and_nothing_need_be_said(panel):
    choice = panel(OPENROUTER_API_KEY="k")
    assert choice.names == ("claude", "gpt", "gemini", "grok")
    assert choice.notice == ""


def test_only_who_can_be_reached_sits_and_who_cannot_is_named(panel):
    choice = panel(OPENAI_API_KEY="k", XAI_API_KEY="k")
    assert choice.names == ("gpt", "grok")
    assert "no route to claude and gemini" in choice.notice


def test_a_single_reachable_model_sits_three_times_with_different_personas(panel):
    choice = panel(ANTHROPIC_API_KEY="k")
    assert choice.names == ("claude",) * 3
    assert len(set(personas(choice))) == 3
    assert "only claude" in choice.notice


def test_a_model_beyond_the_usual_four_is_better_than_the_same_one_thrice(panel):
    choice = panel(ANTHROPIC_API_KEY="k", PERPLEXITY_API_KEY="k")
    assert choice.names == ("claude", "perplexity")


def test_routing_is_obeyed_when_looking_who_can_be_reached(panel):
    choice = panel('[routing]\ndefault_mode = "direct"', OPENROUTER_API_KEY="k", OPENAI_API_KEY="k")
    assert choice.names == ("gpt",) * 3


@pytest.mark.parametrize("most", [2, 3])
async def test_of_an_unnamed_panel_as_many_sit_as_the_mode_takes(own_home, most):
    async with MutualDissent(home=own_home, env={"OPENROUTER_API_KEY": "k"}) as md:
        md.modes = {"duel": replace(md.modes["reflection"], name="duel", max_panel=most)}
        brief = await md.brief("Tabs or spaces?", mode="duel")
        with pytest.raises(BadInput, match=f"duel takes a panel of {most}, not 4"):
            await md.brief("Tabs or spaces?", mode="duel", panel="claude,gpt,gemini,grok")
    assert [p.seat for p in brief.panel] == ["claude", "gpt", "gemini"][:most]
    assert f"duel takes a panel of {most}" in brief.notices[0]
    assert "grok" in brief.notices[0]


@pytest.mark.parametrize(("vendor", "title"), SERVERS.items())
def test_without_a_key_the_first_three_models_of_a_server_here_sit(panel, vendor, title):
    names = [f"{vendor}:{m}" for m in ("big", "middle:70b", "small", "tiny")]
    choice = panel(nearby=Nearby(running=names))
    assert choice.names == tuple(names[:3])
    assert f"the panel is big, middle:70b and small of your {title}" in choice.notice
    alone = panel(nearby=Nearby(running=names[:1]))
    assert alone.names == (f"{vendor}:big",) * 3
    assert len(set(personas(alone))) == 3


def test_the_embedded_model_that_was_taken_in_sits_instead_of_the_small_one(panel):
    assert panel(nearby=Nearby(embedded="local:qwen")).names == ("local:qwen",) * 3


def test_with_nothing_the_embedded_model_sits_and_says_what_it_is_worth(panel):
    choice = panel()
    assert choice.names == ("local:smollm2",) * 3
    assert len(set(personas(choice))) == 3
    assert "no API key" in choice.notice
    assert "no evidence" in choice.notice


def test_a_key_that_no_alias_uses_is_not_passed_over_in_silence(panel):
    assert "groq:MODEL" in panel(GROQ_API_KEY="k").notice


def test_the_configured_panel_goes_before_all_this(panel):
    choice = panel('[defaults]\npanel = ["gpt", "ollama:x"]', OPENROUTER_API_KEY="k")
    assert choice.names == ("gpt", "ollama:x")


def test_every_notice_is_one_line(panel):
    for env in ({}, {"OPENAI_API_KEY": "k"}, {"GROQ_API_KEY": "k"}):
        assert "\n" not in panel(**env).notice


@pytest.mark.parametrize("alias", DEFAULT_ALIASES.values(), ids=lambda a: a.name)
def test_every_default_model_has_a_price_and_a_size_on_both_routes(alias):
    prices = PriceTable()
    routes = [
        Route(vendor="openrouter", model_id=alias.openrouter, via_openrouter=True),
        Route(vendor=alias.vendor, model_id=alias.direct),
    ]
    for route in routes:
        assert prices.cost(route, 1000, 1000) > 0
        assert prices.context_window(route) > 8000
