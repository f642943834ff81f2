"""What machines share is named once, and what is missing is said with how to get it."""

from __future__ import annotations

import os

import pytest

from fakes.cluster import FILE
from fakes.command_line import dissent
from fakes.databases import a_database, an_empty_database
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadInput, StoreError

pytestmark = pytest.mark.postgres


def test_without_an_engine_it_is_said_how_to_get_one(tmp_path):
    file = tmp_path / "x.toml"
    file.write_text(FILE.format(repeats=1, first="ada", second="bob"))
    run = ["experiment", "run", str(file), "--cluster"]
    for words in (["worker"], ["workers"], ["workers", "pause"], ["workers", "resume"], run):
        result = dissent("--db", a_database(), *words)
        assert result.exit_code == 2
        assert "start one for trying with: dissent cluster dev" in result.stderr
        assert '[cluster] engine = "temporal://HOST:7233"' in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_the_commands_say_what_they_need():
    result = dissent("db", "upgrade")
    assert result.exit_code == 2
    assert "needs a PostgreSQL database; name one by --db" in result.stderr
    url = an_empty_database()
    assert "make them with: dissent db upgrade" in dissent("--db", url, "list").stderr
    assert "went from version 0" in dissent("--db", url, "db", "upgrade").stdout
    assert "is up to date" in dissent("--db", url, "db", "upgrade").stdout
    assert "MUTUAL_DISSENT_DB" not in os.environ


def test_the_database_of_the_file_gives_way_to_the_environment(tmp_path):
    (tmp_path / "config.toml").write_text('[store]\nurl = "postgresql://file:pw-1@h/d"\n')
    (tmp_path / "config.toml").chmod(0o600)
    assert str(MutualDissent(home=tmp_path, env={}).place) == "postgresql://file@h/d"
    env = {"MUTUAL_DISSENT_DB": "postgresql://env:pw-2@h/d"}
    md = MutualDissent(home=tmp_path, env=env)
    assert str(md.place) == "postgresql://env@h/d"
    shown = f"{md.place!r} {md.settings!r} {md.settings.snapshot()}"
    assert "pw-1" not in shown
    assert "pw-2" not in shown
    with pytest.raises(BadInput):
        _ = MutualDissent(home=tmp_path / "none", env={}).pace
    with pytest.raises(StoreError):
        MutualDissent(
            home=tmp_path, env={"MUTUAL_DISSENT_DB": "postgresql://127.0.0.1:9/d"}
        ).store.ids()
