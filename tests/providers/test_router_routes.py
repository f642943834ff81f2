"""From a name to a route."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mutual_dissent.core.errors import UnknownName, UserError
from mutual_dissent.core.values.secret import Key
from mutual_dissent.providers.endpoints import TABLE, Endpoint
from mutual_dissent.providers.routes import Alias, resolve

CLAUDE = Alias(
    name="claude", openrouter="anthropic/claude-x", direct="claude-x", vendor="anthropic"
)
ONLY_THERE = Alias(name="hermes", openrouter="nous/hermes", direct=None, vendor="nous")
ONLY_HERE = Alias(name="house", openrouter=None, direct="h1", vendor="mine")
ALIASES = {a.name: a for a in (CLAUDE, ONLY_THERE, ONLY_HERE)}
MINE = Endpoint(
    vendor="mine", dialect="openai-chat", base_url="http://10.0.0.1/v1", key_env="MINE_KEY"
)


def keyed(*vendors):
    table = {**TABLE, "mine": MINE}
    return {
        name: replace(row, key=Key("sk-12345678", row.key_env)) if name in vendors else row
        for name, row in table.items()
    }


def route(name, *vendors, modes=None):
    found = resolve(name, ALIASES, modes or {}, keyed(*vendors))
    return found.vendor, found.model_id, found.via_openrouter


def test_an_alias_goes_to_its_maker_when_the_makers_key_is_there():
    assert route("claude", "anthropic", "openrouter") == ("anthropic", "claude-x", False)


def test_an_alias_goes_through_openrouter_when_only_that_key_is_there():
    assert route("claude", "openrouter") == ("openrouter", "anthropic/claude-x", True)


def test_a_model_that_is_only_at_openrouter_goes_there():
    assert route("hermes", "openrouter", "anthropic") == ("openrouter", "nous/hermes", True)


def test_the_configured_mode_decides():
    keys = ("anthropic", "openrouter")
    assert route("claude", *keys, modes={"claude": "openrouter"})[0] == "openrouter"
    assert route("claude", *keys, modes={"claude": "direct"})[0] == "anthropic"


def test_a_route_remembers_how_it_was_chosen():
    assert resolve("claude", ALIASES, {}, keyed("openrouter")).mode == "auto"
    assert resolve("claude", ALIASES, {"claude": "direct"}, keyed("anthropic")).mode == "direct"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("openai:gpt-x", ("openai", "gpt-x", False)),
        ("openrouter:openai/gpt-x:free", ("openrouter", "openai/gpt-x:free", True)),
        ("mine:llama:70b", ("mine", "llama:70b", False)),
        ("ollama:llama3:8b", ("ollama", "llama3:8b", False)),
        ("local:smollm2", ("local", "smollm2", False)),
    ],
)
def test_a_vendor_and_a_model_name_a_route(name, expected):
    assert route(name, "openai", "openrouter", "mine") == expected


@pytest.mark.parametrize(
    ("name", "modes", "keys", "parts"),
    [
        ("claude", {}, (), ["ANTHROPIC_API_KEY", "OPENROUTER_API_KEY"]),
        ("claude", {"claude": "direct"}, ("openrouter",), ["direct", "ANTHROPIC_API_KEY"]),
        ("claude", {"claude": "openrouter"}, ("anthropic",), ["OPENROUTER_API_KEY"]),
        ("hermes", {"hermes": "direct"}, ("openrouter",), ["no direct id"]),
        ("house", {"house": "openrouter"}, ("openrouter",), ["no openrouter id"]),
        ("house", {}, (), ["MINE_KEY"]),
        ("openai:gpt-x", {}, (), ["OPENAI_API_KEY"]),
        ("openai:", {}, ("openai",), ["names no model"]),
        ("claude", {"claude": "direkt"}, ("anthropic",), ["'direkt'", "'direct'"]),
        ("clade", {}, ("anthropic",), ["'clade'", "'claude'"]),
        ("opnai:gpt-x", {}, (), ["'opnai'", "'openai'"]),
        ("", {}, (), ["no model is called ''"]),
    ],
)
def test_a_route_that_is_not_there_is_said_with_what_to_set(name, modes, keys, parts):
    with pytest.raises(UserError) as error:
        route(name, *keys, modes=modes)
    assert all(part in str(error.value) for part in parts), error.value


def test_a_misspelt_name_is_an_unknown_name():
    with pytest.raises(UnknownName):
        route("gtp")
