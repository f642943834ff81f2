"""A changed configuration: the next debate has it, and nothing of the old is left behind."""

from __future__ import annotations

import threading

import pytest

from fakes.gate import CAST, Gate
from fakes.world import Tariff
from mutual_dissent import parts
from mutual_dissent.app import MutualDissent
from mutual_dissent.config.editor import set_value
from mutual_dissent.core.errors import BadConfig
from mutual_dissent.core.events import Status
from mutual_dissent.hosting.sessions import Sessions

PROMPT = "reflection/reflect"


def reworded(home, name, more):
    file = home.prompts / f"{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(more)


async def test_a_debate_that_waits_is_asked_with_the_prompts_on_its_record(own_home):
    provider = Gate()
    async with MutualDissent(home=own_home, env={}, provider=provider, prices=Tariff()) as md:
        sessions = Sessions(md, running=1)
        await sessions.start("Vim or Emacs?", panel=CAST)
        name = await sessions.start("Tabs or spaces?", panel=CAST)
        reworded(md.home, PROMPT, "NEW WORDS\n" + md.library.text(PROMPT))
        md.reload()
        provider.open.set()
        done = await sessions.wait(name, 60)
        assert done.status is Status.COMPLETED
        assert done.prompts[PROMPT] != md.library.hashes()[PROMPT]
        assert not any("NEW WORDS" in said for said in provider.heard_by("ada"))
        after = await sessions.start("Cats or dogs?", panel=CAST)
        await sessions.wait(after, 60)
        assert any("NEW WORDS" in said for said in provider.heard_by("ada"))
        await sessions.aclose()


async def test_a_change_that_calls_do_not_depend_on_keeps_what_they_go_through(own_home):
    async with MutualDissent(home=own_home, env={}) as md:
        before = md.provider
        set_value(md.home.config, "defaults.rounds", "2")
        md.reload()
        assert md.settings.defaults.rounds == 2
        assert md.provider is before
        set_value(md.home.config, "providers.openai_api_key", "sk-another-key-0001")
        md.reload()
        assert md.provider is not before


async def test_what_nobody_uses_any_more_is_closed_before_the_next_debate(own_home):
    async with MutualDissent(home=own_home, env={}) as md:
        closed = []
        for i in range(3):
            router, i_ = md.provider, i

            async def close(number=i_):
                closed.append(number)

            router.aclose = close
            set_value(md.home.config, "providers.openai_api_key", f"sk-another-key-000{i}")
            md.reload()
        assert closed == []
        await md.let_go()
        assert sorted(closed) == [0, 1, 2]


async def test_a_configuration_that_cannot_be_used_changes_nothing(own_home):
    async with MutualDissent(home=own_home, env={}) as md:
        own_home.mkdir(exist_ok=True)
        before = md.settings
        md.home.config.write_text("defaults = 3\n")
        with pytest.raises(BadConfig):
            md.reload()
        assert md.settings is before


def test_two_reloads_at_once_leave_the_later_configuration(own_home, monkeypatch):
    """Whoever read the older file must not put it in place of the newer one."""
    md = MutualDissent(home=own_home, env={})
    assert md.settings
    read, go_on, real = threading.Event(), threading.Event(), parts.load_settings

    def slow(*which):
        found = real(*which)
        if not read.is_set():
            read.set()
            go_on.wait(60)
        return found

    monkeypatch.setattr(parts, "load_settings", slow)
    first = threading.Thread(target=md.reload)
    first.start()
    read.wait(60)
    set_value(md.home.config, "defaults.rounds", "2")
    second = threading.Thread(target=md.reload)
    second.start()
    second.join(0.2)
    go_on.set()
    first.join()
    second.join()
    assert md.settings.defaults.rounds == 2
    md.close()
