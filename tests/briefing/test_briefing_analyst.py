"""Who reads a finished debate: whoever is named, nobody, or the cheapest who takes part."""

from __future__ import annotations

import pytest

from fakes.world import Tariff
from mutual_dissent import MutualDissent
from mutual_dissent.briefing.seating import maker
from mutual_dissent.core.codec.plain import from_plain, to_plain
from mutual_dissent.core.errors import BadInput, OverBudget, UnknownName, UserError
from mutual_dissent.providers.scripted import Scripted

KEYS = {
    "OPENAI_API_KEY": "sk-canary",
    "ANTHROPIC_API_KEY": "sk-ant-canary",
    "GROQ_API_KEY": "gsk-canary",
    "GOOGLE_API_KEY": "goog-canary",
}


@pytest.fixture
def desk(own_home, tmp_path):
    def make(config="", **more):
        own_home.mkdir(exist_ok=True)
        (own_home / "config.toml").write_text(config, "utf-8")
        home = {"HOME": str(tmp_path), "MUTUAL_DISSENT_HOME": str(own_home)}
        return MutualDissent(env={"OLLAMA_HOST": "http://127.0.0.1:9", **home, **KEYS}, **more)

    return make


async def of(md, **options):
    brief = await md.brief("q", **options)
    return brief.analyst.seat if brief.analyst else None, brief


class Prices(Tariff):
    """What a model costs is the number in its name."""

    def __init__(self, **of):
        super().__init__()
        self._of = of

    def cost(self, route, input_tokens, output_tokens, cached_tokens=0):
        price = self._of.get(route.model_id)
        return None if price is None else price * (input_tokens + output_tokens)


async def test_it_is_the_cheapest_of_the_panel_and_the_synthesizer(desk):
    md = desk(provider=Scripted({}), prices=Prices(ada=3, bob=2, cyd=1, dee=0.5))
    assert (await of(md, panel=["ada", "bob", "cyd"]))[0] == "cyd"
    assert (await of(md, panel=["ada", "bob"], synthesizer="dee"))[0] == "dee"


async def test_models_without_a_price_are_passed_over_and_without_any_it_is_the_synthesizer(desk):
    md = desk(provider=Scripted({}), prices=Prices(ada=3, bob=2))
    assert (await of(md, panel=["ada", "bob", "zoe"]))[0] == "bob"
    unknown = desk(provider=Scripted({}), prices=Prices())
    assert (await of(unknown, panel=["ada", "bob"], synthesizer="bob"))[0] == "bob"


async def test_what_is_free_has_no_price_to_compare(desk):
    md = desk(provider=Scripted({}), prices=Prices(ada=3, bob=0))
    assert (await of(md, panel=["ada", "bob"]))[0] == "ada"


@pytest.mark.parametrize("mode", ["reflection", "collaborative", "ranking", "delphi"])
async def test_no_vendor_and_no_maker_is_added_unless_it_is_named(desk, mode):
    _, brief = await of(desk(), panel=["gpt", "claude", "gpt"], mode=mode)
    asked = {(p.route.vendor, maker(p.route)) for p in (*brief.panel, brief.synthesizer)}
    assert (brief.analyst.route.vendor, maker(brief.analyst.route)) in asked
    assert not any("analyst" in n for n in brief.notices)


async def test_whoever_is_named_is_taken_and_a_further_vendor_is_announced(desk):
    md = desk()
    seat, brief = await of(md, panel=["claude", "gpt"], analyst="gpt")
    assert seat == "gpt"
    assert not brief.notices
    seat, brief = await of(md, panel=["claude", "claude"], analyst="gpt")
    assert seat == "gpt"
    assert any("gpt (openai) reads the debate" in n for n in brief.notices)
    assert "gpt" in [line.seat for line in md.quote(brief).lines]


async def test_nobody_reads_where_nobody_is_wanted(desk):
    assert (await of(desk(), panel=["gpt", "claude"], analyst="none"))[0] is None
    md = desk('[defaults]\nanalyst = "none"\n')
    assert (await of(md, panel=["gpt", "claude"]))[0] is None
    assert (await of(md, panel=["gpt", "claude"], analyst="gpt"))[0] == "gpt"


async def test_the_configured_analyst_holds_and_a_preset_goes_before_it(desk):
    config = '[defaults]\nanalyst = "gpt"\n[presets.alone]\nanalyst = "none"\n'
    md = desk(config)
    assert (await of(md, panel=["claude", "claude"]))[0] == "gpt"
    assert (await of(md, panel=["claude", "claude"], preset="alone"))[0] is None


async def test_an_analyst_that_does_not_exist_is_refused_before_anything_is_asked(desk):
    with pytest.raises(UserError, match="'gtp'"):
        await of(desk(), panel=["gpt", "claude"], analyst="gtp")
    with pytest.raises(UserError, match=r"defaults\.analyst.*'gtp'"):
        await of(desk('[defaults]\nanalyst = "gtp"\n'), panel=["gpt", "claude"])


async def test_the_embedded_model_reads_nothing(desk):
    md = desk()
    assert (await of(md, panel=["local:a", "local:b"]))[0] is None
    assert (await of(md, panel=["local:a", "gpt"], synthesizer="gpt"))[0] == "gpt"
    with pytest.raises(BadInput, match="the embedded model is no analyst"):
        await of(md, panel=["gpt", "claude"], analyst="local:a")


async def test_one_model_alone_has_no_analyst(desk):
    assert (await of(desk(), mode="single", panel=["gpt"]))[0] is None


async def test_a_debate_on_your_own_machine_stays_there(desk):
    seat, _ = await of(desk(), panel=["ollama:a", "ollama:b"])
    assert seat == "ollama:a"


async def test_a_limit_counts_the_analyst_too(desk):
    md = desk(provider=Scripted({}), prices=Prices(ada=3, bob=2))
    with pytest.raises(OverBudget, match="no price is known for zoe"):
        await of(md, panel=["ada", "bob"], analyst="zoe", max_cost=5.0)


async def test_the_analyst_has_neither_the_persona_nor_the_context_of_its_seat(desk):
    md = desk(provider=Scripted({}), prices=Prices(ada=3, bob=2))
    _, brief = await of(md, panel=["ada", "bob"], personas={"bob": "skeptic"},
                        panelist_context={"bob": "a secret"})  # fmt: skip
    assert brief.analyst.seat == "bob"
    assert not brief.analyst.instructions
    assert not brief.analyst.context


# -- what is gone ----------------------------------------------------------------------------


async def test_an_old_file_that_sets_an_analyzer_is_read_and_says_so_once(desk):
    config = '[defaults]\nanalyzer = "rules"\nrounds = 2\n[presets.old]\nanalyzer = "model"\n'
    config += 'summary = "As it was."\n'
    md = desk(config)
    said = [n for n in md.settings.notices if "analyzer" in n]
    assert [n.partition(": ")[2].split()[0] for n in said] == [
        "defaults.analyzer",
        "presets.old.analyzer",
    ]
    assert all("is ignored" in n and "remove it" in n for n in said)
    _, brief = await of(md, panel=["gpt", "claude"], preset="old")
    assert brief.rounds == 2


async def test_a_stored_brief_that_names_an_analyzer_still_opens(desk):
    _, brief = await of(desk(), panel=["gpt", "claude"])
    old = {**to_plain(brief), "analyzer": "semantic"}
    assert from_plain(type(brief), old) == brief


async def test_nobody_can_ask_for_an_analyzer_any_more(desk):
    with pytest.raises(UnknownName, match="analyzer"):
        await desk().brief("q", analyzer="rules")
