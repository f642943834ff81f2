"""The doctor on a record that many machines share: what is wrong, and what to do about it."""

from __future__ import annotations

import json

import pytest

from fakes.command_line import dissent
from fakes.databases import a_database, an_empty_database
from fakes.logs import a_log, an_id
from mutual_dissent.store.postgres.server import PostgresServer
from mutual_dissent.store.store import Store

pytestmark = pytest.mark.postgres


@pytest.fixture
def url():
    return a_database()


@pytest.fixture
def store(url):
    with Store(PostgresServer(url)) as store:
        yield store


def found(url, *words):
    """What the doctor finds: kind, subject and text; its exit code says whether it is anything."""
    result = dissent("--db", url, "doctor", "-o", "json", *words)
    findings = [(f["kind"], f["subject"], f["text"]) for f in json.loads(result.stdout)]
    left = [f for f in json.loads(result.stdout) if not f["fixed"]]
    assert result.exit_code == (1 if left else 0)
    return findings


def kinds(url, *words):
    return [kind for kind, *_ in found(url, *words)]


def test_nothing_is_wrong_where_debates_ended_on_other_machines(url, store):
    store.save_all([a_log(0), a_log(1)])
    with store.hold(an_id(2)):
        assert "Nothing is wrong." in dissent("--db", url, "doctor").stdout
    assert kinds(url, "--fix") == ["missing", "missing"]  # written, for whoever wants them here
    assert kinds(url) == []


def test_a_server_that_does_not_answer_is_named_with_what_to_look_at():
    result = dissent("--db", "postgresql://ada:s3cr3t@127.0.0.1:9/panel", "doctor")
    assert result.exit_code == 1
    assert result.stdout.startswith("database: postgresql://ada@127.0.0.1:9/panel: ")
    assert "see that it runs" in result.stdout
    assert "s3cr3t" not in result.output


def test_a_database_without_our_tables_gets_the_command_that_makes_them():
    ((kind, _, text),) = found(an_empty_database())
    assert kind == "database"
    assert "dissent db upgrade" in text


def test_a_table_that_is_gone_is_named(url, store):
    store._access.writable().execute("DROP TABLE buckets")
    ((kind, _, text),) = found(url)
    assert kind == "database"
    assert "(buckets); restore it from a backup" in text


def test_a_copy_that_takes_no_writes_is_told_from_its_server(url, store):
    (name,) = store._access.readable().column("SELECT current_database()")
    store._access.writable().execute(
        f"ALTER DATABASE {name} SET default_transaction_read_only = on"
    )
    ((kind, _, text),) = found(url)
    assert kind == "database"
    assert "name the server that takes writes" in text


def test_a_user_who_may_not_write_is_told_what_to_grant(url, store):
    (name,) = store._access.readable().column("SELECT current_database()")
    db = store._access.writable()
    db.execute(f"CREATE ROLE reader_{name} LOGIN")
    db.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader_{name}")
    db.execute(f"GRANT INSERT, UPDATE, DELETE ON buckets TO reader_{name}")
    ((kind, _, text),) = found(url.replace("//postgres:", f"//reader_{name}:"))
    assert kind == "database"
    assert "GRANT SELECT, INSERT, UPDATE, DELETE" in text
    assert "events" in text
    assert "buckets" not in text


def test_what_a_dead_process_left_is_found_and_its_lease_removed(url, store):
    store.save_all([a_log(0, closed=False), a_log(1)])
    with store.hold(an_id(0)):
        assert kinds(url) == []
        store._access.writable().execute("UPDATE leases SET expires = expires - interval '1 hour'")
        lease, abandoned = found(url)
    assert (lease[0], lease[1]) == ("lease", an_id(0))
    assert "let its lease run out 3" in lease[2]  # thirty-five hundred seconds and some
    assert (abandoned[0], abandoned[1]) == ("abandoned", an_id(0))
    assert f"dissent resume {an_id(0)[:8]}" in abandoned[2]
    _dead_lease(store)
    assert "lease" in kinds(url, "--fix")
    assert kinds(url) == ["abandoned"]


def test_an_event_that_cannot_be_read_is_named_with_the_way_on(url, store):
    store.save_all([a_log(0), a_log(1)])
    number = "(SELECT number FROM debates WHERE transcript_id = :name) AND seq = 3"
    db = store._access.writable()
    db.execute(f"UPDATE events SET body = '{{' WHERE debate = {number}", name=an_id(0))
    db.execute(f"DELETE FROM events WHERE debate = {number}", name=an_id(1))
    said = {subject: (kind, text) for kind, subject, text in found(url)}
    for name in (an_id(0), an_id(1)):
        kind, text = said[name]
        assert kind == "log"
        assert "event 3 of " in text
        assert f"dissent delete {name[:8]}" in text


def _dead_lease(store):
    store._access.writable().execute(
        "INSERT INTO leases "
        "VALUES (:name, 'gone', 1, 'host', clock_timestamp() - interval '1 hour')",
        name=an_id(0),
    )
