"""Searching needs no set-up: who searches with what, at which price, is decided before a call."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from fakes.command_line import dissent
from fakes.world import Tariff, a_brief, run
from mutual_dissent.briefing.search_plan import no_search, not_searching, plan_search
from mutual_dissent.core.events import Status
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.response import Response
from mutual_dissent.core.tool import MOST_USES, SearchWay, Tool
from mutual_dissent.core.values.secret import Key
from mutual_dissent.providers.dialects import DIALECTS
from mutual_dissent.providers.dialects.base import PartialAnswer
from mutual_dissent.providers.endpoints import TABLE
from mutual_dissent.providers.responses import bill, blank
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.tools.options import SearchOptions

BRAVE = SearchOptions(brave_key=Key("k", "BRAVE_API_KEY"))
OWN = SearchWay(by="given", own=True, usd=10.0, as_of="2026-01")
QUERY = "What is the capital of Australia?"


def seats(*names):
    routes = (Route(vendor=v, model_id=m) for v, _, m in (n.partition(":") for n in names))
    return [Panelist(seat=f"p{i}", route=r) for i, r in enumerate(routes, 1)]


@pytest.mark.parametrize(
    ("model", "alone", "beside_brave"),
    [
        ("anthropic:claude-sonnet-4-5", "anthropic", "anthropic"),
        ("anthropic:claude-3-opus-20240229", None, "Brave"),
        ("google:gemini-2.5-flash", "google", "google"),
        ("google:gemma-3", None, "Brave"),
        ("openrouter:meta/llama-4", "openrouter", "openrouter"),
        ("perplexity:sonar", "perplexity", "perplexity"),
        ("groq:groq/compound-mini", "groq", "groq"),
        ("groq:llama-3.3", None, "Brave"),
        ("openai:gpt-4o-search-preview", "openai", "openai"),
        ("openai:gpt-5", "openai", "openai"),
        ("openai:o3", "openai", "openai"),
        ("openai:gpt-4.1-nano", None, "Brave"),
        ("openai:gpt-5-chat-latest", None, "Brave"),
        ("openai:o3-mini", None, "Brave"),
        ("xai:grok-4", "xai", "xai"),
        ("xai:grok-3", None, "Brave"),
        ("ollama:qwen3", None, "Brave"),
        ("local:smollm2", None, None),
        ("cli:claude", None, None),
    ],
)
def test_the_vendors_own_search_goes_first_then_what_is_set_up(model, alone, beside_brave):
    panel = seats(model)
    for options, expected in ((SearchOptions(), alone), (BRAVE, beside_brave)):
        way = plan_search(panel, TABLE, options).get("p1")
        assert (way and way.by) == expected


def test_who_wants_only_what_is_set_up_has_only_that():
    plan = plan_search(
        seats("anthropic:claude-sonnet-4-5", "perplexity:sonar"),
        TABLE,
        replace(BRAVE, native=False),
    )
    assert {s: w.by for s, w in plan.items()} == {"p1": "Brave", "p2": "perplexity"}
    assert "search.native" in no_search(seats("ollama:a"), TABLE, SearchOptions(native=False))


def test_those_who_cannot_search_are_named_once():
    panel = seats("anthropic:claude-sonnet-4-5", "ollama:a", "local:b")
    plan = plan_search(panel, TABLE, SearchOptions())
    assert not_searching(panel, plan).startswith("p2, p3 cannot search")
    assert not_searching(panel[:1], plan) == ""
    served = not_searching(panel, plan_search(panel, TABLE, BRAVE), set_up=True)
    assert served == "p3 cannot search: it can use no tools"


@pytest.mark.parametrize("address", ["", "http://127.0.0.1:8080"])
def test_a_search_that_is_set_up_is_not_denied_where_the_model_takes_no_tools(address):
    if address:
        assert dissent("config", "set", "search.searxng_url", address).exit_code == 0
    told = dissent("ask", QUERY, "--panel", "local:demo,local:demo", "--tools")
    said = " ".join(told.stderr.split())
    assert "the embedded model cannot use tools, and so nobody can search" in said
    assert ("though a search is set up (SearXNG at 127.0.0.1:8080)" in said) == bool(address)
    assert "no search is set up" not in said
    assert said.endswith('dissent ask "What is new in Python?" --panel claude,gemini --tools')


def test_the_quote_names_who_searches_with_what_and_counts_it(vendor):
    words = ("ask", QUERY, "--panel", "claude,gpt", "--analyst", "none", "--dry-run")
    plain = json.loads(dissent(*words, "-o", "json").stdout)
    searching = json.loads(dissent(*words, "--tools", "-o", "json").stdout)
    [way] = searching["searching"]
    assert (way["seats"], way["by"], way["own"]) == (["claude", "gpt"], "openrouter", True)
    lines = {line["seat"]: line for line in searching["lines"]}
    assert lines["claude"]["searches"] == 2  # once an answer, in two rounds
    assert lines["claude"]["search_usd"] == pytest.approx(2 * way["usd"])
    more = searching["cost_usd"] - plain["cost_usd"]
    assert more == pytest.approx(4 * way["usd"])
    said = dissent(*words, "--tools").stderr
    assert "claude, gpt search the web with the search of their vendor, openrouter" in said
    assert f"$0.02 a search ({way['as_of']})" in said


def test_what_a_search_costs_is_unknown_where_nobody_knows_it(vendor, monkeypatch):
    monkeypatch.setenv("GROQ_API_KEY", "gsk_x")
    words = ("--panel", "groq:groq/compound,claude", "--analyst", "none", "--tools", "--dry-run")
    found = json.loads(dissent("ask", QUERY, *words, "-o", "json").stdout)
    assert found["cost_usd"] is None
    assert [w["usd"] for w in found["searching"]] == [None, 0.02]


class NoTools:
    """No service is set up."""

    def available(self):
        return ()

    async def use(self, name, arguments):
        raise AssertionError("nothing may be used")


async def test_only_panelists_that_give_opinions_search_and_only_as_planned():
    cast = Scripted(dict.fromkeys(("ada", "bob", "cyd"), lambda ask: "Canberra."))
    brief = a_brief(tools=True, search={"ada": OWN})
    await run(brief, cast, tools=NoTools())
    searching = {(a.panelist.seat, a.role) for a in cast.asks if a.search}
    assert searching == {("ada", "initial"), ("ada", "reflection")}


async def test_a_limit_counts_the_searches_before_they_are_made():
    cast = Scripted(dict.fromkeys(("ada", "bob", "cyd"), lambda ask: "Canberra."))
    plain, *_ = await run(a_brief(max_cost=30.0), cast, prices=Tariff())
    assert plain.status is Status.COMPLETED
    heard = len(cast.asks)
    brief = a_brief(max_cost=30.0, tools=True, search={"ada": OWN})
    stopped, *_ = await run(brief, cast, tools=NoTools(), prices=Tariff())
    assert stopped.status is Status.STOPPED
    assert len(cast.asks) == heard, "somebody was asked beyond the limit"


class Shelf:
    def available(self):
        return (Tool(name="fact_check", description="", parameters={"type": "object"}),)

    async def use(self, name, arguments):
        return "So it is."


async def test_searches_by_a_service_are_in_the_cost_of_the_answer():
    def curious(ask) -> Response:
        answer = replace(blank(ask), content="Canberra.", cost_usd=1.0)
        if ask.tools and not ask.exchanges:
            call = {"id": "c", "name": "fact_check", "arguments": {"claim": "x"}}
            return replace(answer, content="", tool_calls=(call,))
        return answer

    cast = Scripted({"ada": curious, "bob": lambda ask: "Sydney."})
    way = SearchWay(by="Brave", usd=0.25, most=8)
    brief = a_brief("ada", "bob", tools=True, search={"ada": way})
    transcript, *_ = await run(brief, cast, tools=Shelf())
    [ada, bob] = transcript.rounds[0].responses
    assert (ada.searches, ada.cost_usd) == (2, 1.5)
    assert not bob.uses


USAGES = [
    (
        "anthropic",
        {"content": [{"type": "text", "text": "x"}], "usage": {
            "input_tokens": 1, "output_tokens": 1, "server_tool_use": {"web_search_requests": 3}}},
        3, 0.03,
    ),
    (
        "google",
        {"candidates": [{"content": {"parts": [{"text": "x"}]}, "groundingMetadata": {
            "webSearchQueries": ["a", "", "b", "a"]}}],
         "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1}},
        2, 0.02,
    ),
    (
        "openai-chat",
        {"choices": [{"message": {"content": "x"}}], "usage": {
            "prompt_tokens": 1, "completion_tokens": 1,
            "server_tool_use_details": {"web_search_requests": 1}}},
        1, 0.01,
    ),
    (
        "openai-responses",
        {"output": [
            {"type": "web_search_call", "action": {"type": kind}}
            for kind in ("search", "open_page", "search")
        ], "status": "completed", "usage": {"input_tokens": 1, "output_tokens": 1}},
        2, 0.02,
    ),
    # Who does not count them is reckoned with all that there may be.
    (
        "openai-chat",
        {"choices": [{"message": {"content": "x"}}],
         "usage": {"prompt_tokens": 1, "completion_tokens": 1}},
        None, MOST_USES * 0.01,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("wire", "body", "searches", "dollars"), USAGES)
def test_what_a_vendor_searched_is_counted_and_billed(wire, body, searches, dollars):
    from fakes.calls import an_ask

    class Free(Tariff):
        def cost(self, *_):
            return 0.0

    reading = PartialAnswer()
    DIALECTS[wire].read_body(reading, body)
    assert reading.searches == searches
    ask = replace(an_ask(), search=SearchWay(by="v", own=True, usd=0.01))
    assert bill(ask, reading, Free()).cost_usd == pytest.approx(dollars)
    unknown = replace(ask, search=replace(ask.search, usd=None))
    assert bill(unknown, reading, Free()).cost_usd is None
