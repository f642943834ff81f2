"""Who says how far rounds agree where the user names nobody: a light model."""

from __future__ import annotations

import pytest

from fakes.world import Tariff
from mutual_dissent import MutualDissent
from mutual_dissent.config.aliases import DEFAULT_ALIASES
from mutual_dissent.config.light import CALL, LIGHT
from mutual_dissent.core.panel import Route
from mutual_dissent.providers.endpoints import TABLE
from mutual_dissent.providers.prices import PriceTable
from mutual_dissent.providers.scripted import Scripted

OPENAI = {"OPENAI_API_KEY": "sk-canary"}
ANTHROPIC = {"ANTHROPIC_API_KEY": "sk-ant-canary"}
GROQ = {"GROQ_API_KEY": "gsk-canary"}


@pytest.fixture
def desk(own_home, tmp_path):
    def make(*keys, **more):
        home = {"HOME": str(tmp_path), "MUTUAL_DISSENT_HOME": str(own_home)}
        env = {"OLLAMA_HOST": "http://127.0.0.1:9", **home}
        for key in keys:
            env.update(key)
        return MutualDissent(env=env, **more)

    return make


async def of(md, **options):
    brief = await md.brief("q", **{"mode": "collaborative", **options})
    return brief.analyst.seat if brief.analyst else None, brief


async def test_it_is_the_cheapest_that_can_be_reached(desk):
    panel = ["gpt", "gpt"]
    assert (await of(desk(OPENAI), panel=panel))[0] == "openai:gpt-6-luna"
    assert (await of(desk(OPENAI, GROQ), panel=panel))[0] == "groq:openai/gpt-oss-20b"


async def test_a_model_that_is_not_on_the_panel_is_announced_and_quoted(desk):
    md = desk(ANTHROPIC)
    seat, brief = await of(md, panel=["claude", "claude"])
    assert seat == "anthropic:claude-haiku-5-5"
    assert any(seat in notice and "--analyst" in notice for notice in brief.notices)
    assert seat in [line.seat for line in md.quote(brief).lines]


async def test_whoever_is_named_is_taken(desk):
    seat, brief = await of(desk(ANTHROPIC, OPENAI), panel=["claude", "gpt"], analyst="gpt")
    assert seat == "gpt"
    assert not any("cheapest" in n for n in brief.notices)


async def test_where_no_model_is_wanted_nobody_is_chosen(desk):
    md = desk(OPENAI)
    assert (await of(md, mode="reflection", panel=["gpt", "gpt"]))[0] is None
    assert (await of(md, analyzer="rules", panel=["gpt", "gpt"]))[0] is None


async def test_an_alias_of_your_own_counts_if_it_is_cheaper(desk, own_home):
    own_home.mkdir(exist_ok=True)
    line = '[model_aliases.tiny]\ndirect = "gpt-5-nano"\nvendor = "openai"\n'
    (own_home / "config.toml").write_text(line, "utf-8")
    assert (await of(desk(OPENAI), panel=["gpt", "gpt"]))[0] == "tiny"


async def test_a_debate_on_your_own_machine_stays_there(desk):
    seat, _ = await of(desk(OPENAI), panel=["ollama:a", "ollama:b"])
    assert seat == "ollama:a"


async def test_without_known_prices_it_is_the_first_of_the_panel(desk):
    seat, _ = await of(desk(OPENAI, prices=Tariff(known=False)), panel=["gpt", "gpt"])
    assert seat == "gpt"


async def test_a_provider_of_the_callers_own_is_asked_for_nobody_it_does_not_know(desk):
    md = desk(OPENAI, provider=Scripted({}), prices=Tariff())
    seat, _ = await of(md, panel=["ada", "bob"])
    assert seat == "ada"


def test_every_light_model_has_a_price_below_that_of_the_usual_panel():
    table = PriceTable()
    usual = [
        table.cost(Route(vendor=a.vendor, model_id=a.direct), *CALL)
        for a in DEFAULT_ALIASES.values()
    ]
    assert set(LIGHT) <= set(TABLE)
    for vendor, models in LIGHT.items():
        for model in models:
            cost = table.cost(Route(vendor=vendor, model_id=model), *CALL)
            assert cost, f"{vendor}:{model} has no price"
            assert cost < min(c for c in usual if c), f"{vendor}:{model} is not light"
