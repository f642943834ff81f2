"""The documentation site: every page is in it, every link leads somewhere, nothing is loaded."""

from __future__ import annotations

import importlib.util
import posixpath
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from fakes.command_line import dissent

ROOT = Path(__file__).resolve().parents[2]
SITE = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
SPEC = importlib.util.spec_from_file_location("site_pages", ROOT / "scripts" / "site_pages.py")
hooks = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(hooks)


def in_nav(entries) -> list[str]:
    """The pages of the navigation, in its order."""
    found = []
    for entry in entries:
        [place] = entry.values()
        found += [place] if isinstance(place, str) else in_nav(place)
    return found


@pytest.fixture(scope="module")
def files() -> set[str]:
    """Every file of the site's sources, by its address."""
    docs = {p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.*")}
    return docs | hooks.extra().keys()


def test_every_page_is_in_the_navigation_once(files):
    listed = in_nav(SITE["nav"])
    pages = {f for f in files if f.endswith(".md") and not f.startswith("decisions/0")}
    assert sorted(listed) == sorted(pages)


@pytest.mark.parametrize("path", hooks.sources())
def test_every_link_of_a_page_leads_to_a_file_of_the_site(path, files):
    text = hooks.linked(path, (ROOT / path).read_text("utf-8"))
    here = posixpath.dirname(hooks.address(path))
    for link in hooks.LINK.findall(hooks.CODE.sub("", text)):
        assert posixpath.normpath(posixpath.join(here, link)) in files, link


def test_links_are_those_of_the_site_and_code_is_left_alone():
    text = "[a](docs/guide.md#serving) [b](docs/decisions) [c](https://x.org) `[d](docs/api.md)`"
    told = hooks.linked("README.md", text)
    assert told == (
        "[a](guide.md#serving) [b](decisions/index.md) [c](https://x.org) `[d](docs/api.md)`"
    )
    assert hooks.linked("docs/tutorials/x.md", "[e](../../README.md)") == "[e](../index.md)"


def test_the_decisions_are_listed_by_their_titles():
    listed = hooks.extra()["decisions/index.md"]
    assert "* [6. Three lock files](0006-three-lock-files.md)\n" in listed


def test_readers_of_the_site_are_told_to_nobody():
    assert SITE["theme"]["font"] is False
    assert SITE["plugins"] == ["search"]
    assert not SITE.keys() & {"extra", "extra_javascript"}
    assert SITE["extra_css"] == ["site.css"]
    assert not re.search(r"//|@import|url\(", (ROOT / "docs/site.css").read_text("utf-8"))


def test_the_experiment_of_the_tutorial_is_quoted_as_it_says(tmp_path, monkeypatch):
    page = (ROOT / "docs/tutorials/experiment.md").read_text("utf-8")
    code = page.partition("```toml\n")[2].partition("```")[0]
    assert tomllib.loads(code)["name"] == "small"
    (tmp_path / "small.toml").write_text(code)
    monkeypatch.chdir(tmp_path)
    checked = dissent("experiment", "check", "small.toml")
    assert checked.exit_code == 0, checked.output
    assert page.partition("```\nsmall: ")[2].splitlines()[0] in checked.stdout


def test_the_site_opens_with_a_replay_that_is_what_the_program_publishes():
    spec = importlib.util.spec_from_file_location("replay_page", ROOT / "scripts/replay_page.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    assert made.TARGET.read_text("utf-8") == made.text(), "run `make docs`"
    start = hooks.opened("# Title\n\nText")
    assert start.startswith("# Title\n")
    assert 'src="replay.html"' in start
    assert start.endswith("\n\nText")
