"""The settings of [search]: keys are wrapped, bound to their services, and never shown."""

from __future__ import annotations

import json

import pytest

from mutual_dissent.config.paths import Home
from mutual_dissent.config.provenance import in_force
from mutual_dissent.config.settings import load_settings
from mutual_dissent.core.errors import BadConfig

CANARY = "tvly-canary-7f3a9b2c5d"


@pytest.fixture
def written(tmp_path):
    """Settings from the text of a file and the variables given."""

    def settings(text="", **env):
        home = Home(tmp_path / "md")
        home.ensure()
        home.config.write_text(text)
        home.config.chmod(0o600)
        return load_settings(env, home)

    return settings


def test_without_anything_there_is_no_backend(written):
    search = written().search
    assert not search.any_backend
    assert (search.max_results, search.timeout, search.native) == (5, 10.0, True)


def test_a_search_server_may_be_on_this_machine(written):
    search = written('[search]\nsearxng_url = "http://127.0.0.1:8888/"').search
    assert search.searxng_url == "http://127.0.0.1:8888"
    assert search.any_backend


def test_a_key_in_the_environment_goes_before_the_file(written):
    text = '[search]\ntavily_api_key = "from-file"\nbrave_api_key = "brave-file"'
    search = written(text, TAVILY_API_KEY="from-env").search
    assert (search.tavily_key.reveal(), search.tavily_key.source) == ("from-env", "TAVILY_API_KEY")
    assert search.brave_key.source == "search.brave_api_key in config.toml"


def test_no_search_key_is_in_the_snapshot_or_in_any_repr(written):
    settings = written(f'[search]\nbrave_api_key = "{CANARY}"', TAVILY_API_KEY=CANARY)
    shown = json.dumps(settings.snapshot()) + repr(settings) + repr(settings.search)
    listed = {line.name: line for line in in_force(settings, {})}
    assert CANARY not in shown + repr(listed)
    assert settings.snapshot()["search"]["tavily_key_from"] == "TAVILY_API_KEY"
    assert listed["search.brave_api_key"].value == "…2c5d"
    assert listed["search.tavily_api_key"].source == "TAVILY_API_KEY"


@pytest.mark.parametrize(
    "line",
    ['searxng_url = "ftp://x"', 'searxng_url = "http://u:p@x"', "max_results = 0", "timeout = 0",
     "timeout = 61", "max_results = 21", 'native = "yes"', 'tavily_api_key = "two words"', "x = 1"],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_with_its_line(written, line):
    with pytest.raises(BadConfig, match=r"line 2: search\."):
        written(f"[search]\n{line}")


def test_a_key_that_cannot_be_one_is_not_repeated(written):
    with pytest.raises(BadConfig, match="TAVILY_API_KEY") as refused:
        written(TAVILY_API_KEY=f"{CANARY} x")
    assert CANARY not in str(refused.value)
