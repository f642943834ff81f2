"""Promises for bad days: full disks, read-only homes, odd umasks. One sentence, nothing lost."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from fakes.logs import a_log, an_id
from fakes.old_stores import new_store, old_store
from mutual_dissent.core.errors import StoreError
from mutual_dissent.store.store import Store


def run(script, *args, **more):
    """A child process that reports what it met."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    command = [sys.executable, "-c", PREAMBLE + script, *map(str, args)]
    return subprocess.run(
        command, capture_output=True, text=True, env=env, timeout=60, check=False, **more
    )


PREAMBLE = """
import asyncio, os, resource, sys
from fakes.logs import a_log, an_id
from mutual_dissent.core.errors import NotSaved, StoreError
from mutual_dissent.store.store import Store
"""


def test_a_disk_that_is_full_from_the_start_is_noticed_before_anything_is_paid(tmp_path):
    met = run(
        "store = Store(sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))\n"
        "try:\n    store.check_writable()\nexcept StoreError as e:\n    print('refused:', e)\n",
        tmp_path / "home" / "dissent.db",
    )
    assert met.stdout.startswith("refused: "), met.stderr
    assert "disk" in met.stdout
    assert met.stderr == ""


def test_a_disk_that_fills_up_midway_loses_only_what_came_after_and_says_so(tmp_path):
    path = tmp_path / "home" / "dissent.db"
    met = run(
        "async def main():\n"
        "    store = Store(sys.argv[1])\n"
        "    store.check_writable()\n"
        "    size = os.path.getsize(sys.argv[1] + '-wal')\n"
        "    limit = size + 300_000\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))\n"
        "    for n in range(100):\n"
        "        try:\n"
        "            await store.journal(an_id(n)).append(a_log(n))\n"
        "        except NotSaved as e:\n"
        "            print(n, e)\n"
        "            return\n"
        "asyncio.run(main())\n"
        "os._exit(0)\n",
        path,
    )
    kept, _, said = met.stdout.partition(" ")
    assert "disk" in said, met
    assert 0 < int(kept) < 100
    assert met.stderr == ""
    with Store(path) as store:
        assert store.problems() == []
        assert store.count() == int(kept)
        assert all(store.events(an_id(n)) == a_log(n) for n in range(int(kept)))


def test_a_really_full_file_system_is_noticed(tmp_path):
    home = tmp_path / "small"
    home.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", home]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("no small file system can be mounted here")
    try:
        with Store(home / "dissent.db") as store, pytest.raises(StoreError, match="full"):
            store.check_writable()
    finally:
        subprocess.run(["umount", home], check=True)


@pytest.mark.parametrize("age", ["present", "older"])
def test_what_is_stored_can_be_read_on_a_full_disk_and_nothing_seems_to_be_written(tmp_path, age):
    path = tmp_path / "home" / "dissent.db"
    (old_store if age == "older" else new_store)(path, [a_log(0), a_log(1)])
    for _ in range(2):  # also over what the first attempt has left
        met = run(
            "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
            "with Store(sys.argv[1]) as store:\n"
            "    print([len(store.events(r.transcript_id)) for r in store.list(order='cost')])\n"
            "    try:\n        store.rate(store.ids()[0], 5)\n"
            "    except StoreError as e:\n        print('refused:', e)\n"
            "    print(store.list()[0].rating)\n",
            path,
        )
        read, said, rating = met.stdout.splitlines()
        assert read == str([len(a_log())] * 2), met
        assert said.startswith("refused: ")
        assert "full" in said
        assert rating == "None"
    with Store(path) as store:
        assert store.count() == 2


@pytest.fixture
def open_folder():
    """A folder that every user can reach."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.parametrize("known", [False, True])
def test_a_read_only_home_is_refused_with_what_to_do_and_can_still_be_read(open_folder, known):
    home = open_folder / "home"
    home.mkdir()
    if known:
        with Store(home / "dissent.db") as store:
            store.save(a_log())
        (home / "dissent.db").chmod(0o444)
    home.chmod(0o555)
    met = run(
        "if os.geteuid() == 0:  # nothing is read-only for root\n"
        "    os.setgroups([])\n"
        "    os.setgid(65534)\n"
        "    os.setuid(65534)\n"
        "with Store(sys.argv[1]) as store:\n"
        "    print(len(store.list()))\n"
        "    try:\n        store.check_writable()\n"
        "    except StoreError as e:\n        print('refused:', e)\n",
        home / "dissent.db",
    )
    home.chmod(0o755)
    listed, _, said = met.stdout.partition("\n")
    assert listed == str(int(known)), met
    assert said.startswith("refused: "), met
    assert "set MUTUAL_DISSENT_HOME" in said
    assert "save=False" in said
    assert said.count("\n") == 1
    assert met.stderr == ""


def test_a_file_in_the_place_of_the_home_is_refused(tmp_path):
    (tmp_path / "home").write_text("a file")
    with Store(tmp_path / "home" / "dissent.db") as store, pytest.raises(StoreError):
        store.check_writable()
    assert (tmp_path / "home").read_text() == "a file"


@pytest.mark.parametrize("kind", ["symlink", "fifo", "folder"])
def test_a_database_that_is_no_plain_file_is_not_opened(tmp_path, kind):
    home = tmp_path / "home"
    home.mkdir()
    outside = tmp_path / "outside.db"
    if kind == "symlink":
        outside.touch()
        (home / "dissent.db").symlink_to(outside)
    elif kind == "fifo":
        os.mkfifo(home / "dissent.db")
    else:
        (home / "dissent.db").mkdir()
    with Store(home / "dissent.db") as store, pytest.raises(StoreError):
        store.check_writable()
    assert not outside.exists() or outside.stat().st_size == 0


async def test_all_files_are_private_whatever_the_umask(tmp_path):
    for umask in (0o000, 0o777):
        home = tmp_path / f"home-{umask}"
        old = os.umask(umask)
        try:
            with Store(home / "dissent.db") as store, store.hold(an_id()):
                await store.journal(an_id()).append(a_log())
                found = [home, *home.rglob("*")]
                modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in found}
        finally:
            os.umask(old)
        assert {"dissent.db", "dissent.db-wal", "dissent.db-shm", "locks"} <= modes.keys()
        folders = {home.name, "locks"}
        assert {m for n, m in modes.items() if n in folders} == {0o700}
        assert {m for n, m in modes.items() if n not in folders} == {0o600}


def test_reading_needs_neither_an_event_loop_nor_a_terminal_library_nor_a_client(tmp_path):
    path = tmp_path / "home" / "dissent.db"
    with Store(path) as store:
        store.save(a_log())
    script = (
        "import sys\n"
        "from mutual_dissent.store.store import Store\n"
        "from mutual_dissent.views.documents.json import transcript_to_bytes\n"
        "with Store(sys.argv[1]) as store:\n"
        "    transcript_to_bytes(store.transcript(store.list()[0].transcript_id))\n"
        "heavy = {'asyncio', 'aiohttp', 'rich', 'pydantic', 'logging', 'socket', 'genai_prices'}\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    found = subprocess.run(
        [sys.executable, "-c", script, path], capture_output=True, text=True, env=env, check=True
    )
    assert found.stdout == "[]\n"
