"""An engine on the command line, tried on one machine: one sentence where something is wrong."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from fakes.cluster import FILE, a_home
from fakes.command_line import Vendor, dissent, program, started, wait_until
from fakes.databases import a_database
from fakes.temporal import a_queue, an_engine, free_port
from mutual_dissent.config.addresses import Address
from mutual_dissent.core.errors import BadInput

WRONG = [
    "http://h:7233",
    "temporal://",
    "temporal://user:secret-1@h:7233",
    "temporal://h:7233/a/b",
    "temporal://h:99999",
    "temporal://h:7233?api_key=secret-1",
    "h:7233",
    "",
]


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_address_is_refused_and_not_repeated(text):
    with pytest.raises(BadInput) as refused:
        Address.read(text)
    assert "temporal://HOST:7233" in str(refused.value)
    assert "secret-1" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("temporal://h", "temporal://h:7233/default"),
        ("temporal://h:1/ours", "temporal://h:1/ours"),
        ("temporal://[::1]:7233", "temporal://[::1]:7233/default"),
    ],
)
def test_an_address_may_leave_out_port_and_namespace(text, meant):
    assert str(Address.read(text)) == meant


def test_a_server_that_is_not_there_is_said_in_one_sentence():
    gone = f"temporal://127.0.0.1:{free_port()}"
    for words in (["worker"], ["workers"], ["workers", "--output", "json"]):
        result = dissent(*words, "--engine", gone)
        assert result.exit_code == 1
        assert "no Temporal server answers at 127.0.0.1" in result.stderr
        assert "dissent cluster dev" in result.stderr
        assert len(result.stderr.splitlines()) == 1


@pytest.mark.temporal
def test_a_namespace_that_is_not_there_is_said_with_how_to_make_it():
    results = []

    def answered() -> bool:  # a server on a busy machine may not be heard at once
        results.append(dissent("workers", "--engine", f"{an_engine()}/nowhere"))
        return "no Temporal server answers" not in results[-1].stderr

    wait_until(answered)
    result = results[-1]
    assert result.exit_code == 1
    assert "has no namespace 'nowhere'; make it with: temporal operator namespace create" in (
        result.stderr
    )


def test_without_the_extra_it_is_said_what_to_install(monkeypatch):
    for name in [n for n in sys.modules if n.startswith("mutual_dissent.hosting.temporal.")]:
        package, _, part = name.rpartition(".")
        monkeypatch.setattr(sys.modules[package], part, sys.modules[name])  # so that it comes back
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "temporalio", None)
    for words in (["worker", "--engine", "temporal://127.0.0.1"], ["cluster", "dev"]):
        result = dissent(*words)
        assert result.exit_code == 2
        assert "pip install 'mutual-dissent[cluster]'" in result.stderr


def test_what_does_not_go_together_is_refused(tmp_path):
    file = tmp_path / "x.toml"
    file.write_text(FILE.format(repeats=1, first="ada", second="bob"))
    result = dissent("experiment", "run", str(file), "--engine", "temporal://h")
    assert (result.exit_code, "add --cluster" in result.stderr) == (2, True)
    result = dissent("worker", "--engine", "temporal://temporal.example:7233")
    assert result.exit_code == 2
    assert "workers on other machines cannot read a file" in result.stderr


def test_a_key_is_not_sent_for_all_to_see(tmp_path):
    env = {"TEMPORAL_API_KEY": "key-of-mine-000001", "TEMPORAL_TLS": "false"}
    db = {"MUTUAL_DISSENT_DB": "postgresql://127.0.0.1:9/d"}
    result = dissent("workers", "--engine", "temporal://temporal.example", **env, **db)
    assert result.exit_code == 2
    assert "sent over TLS only" in result.stderr
    assert "key-of-mine" not in result.stderr + result.stdout


def test_the_help_loads_nothing_of_an_engine():
    code = (
        "import sys; sys.argv = ['dissent', '--help']\n"
        "from mutual_dissent.surfaces.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('temporalio', 'google')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.temporal
@pytest.mark.postgres
def test_an_experiment_is_run_stopped_resumed_and_listed_from_different_terminals(tmp_path):
    with Vendor() as vendor:
        vendor.fake.always("ok", delay=0.3)
        env = {
            **vendor.env,
            "MUTUAL_DISSENT_HOME": str(a_home(tmp_path / "home", more=a_queue())),
            "MUTUAL_DISSENT_DB": a_database(),
            "MUTUAL_DISSENT_ENGINE": an_engine(),
        }
        file = tmp_path / "x.toml"
        models = {"first": "openrouter:lab/ada", "second": "openrouter:lab/bob"}
        file.write_text(FILE.format(repeats=3, **models))
        words = ("experiment", "run", str(file), "--yes", "--cluster")
        with started("worker", "--concurrency", "2", env=env) as worker:
            with started(*words, env=env, stderr=subprocess.PIPE) as run:
                wait_until(lambda: len(vendor.arrivals) > 4)
                assert b"running" in program("experiment", "status", **env).stdout
                assert program("experiment", "stop", "sums", **env).returncode == 0
                _, said = run.communicate(timeout=60)
                assert b"go on with: dissent experiment resume sums" in said
                assert run.returncode == 0
            assert b"stopped" in program("experiment", "status", **env).stdout
            done = program("experiment", "resume", "sums", "--yes", "--cluster", **env)
            assert done.returncode == 0, done.stderr
            assert b"12 of 12" in program("experiment", "status", **env).stdout
            assert str(worker.pid).encode() in program("workers", **env).stdout
            worker.send_signal(signal.SIGTERM)
            assert worker.wait(60) == 0


@pytest.mark.temporal
def test_cluster_dev_starts_all_of_it_and_ends_all_of_it(tmp_path):
    port = free_port()
    env = {"MUTUAL_DISSENT_HOME": str(tmp_path / "home"), "PYTHONUNBUFFERED": "1"}
    words = ("cluster", "dev", "--port", str(port), "--ui-port", str(free_port()))
    engine = f"temporal://127.0.0.1:{port}"
    with started(*words, env=env, stderr=subprocess.PIPE) as dev:
        lines = []
        while not any("takes debates" in line for line in lines):
            lines.append(dev.stderr.readline().decode())
            assert lines[-1], "it ended"
        assert engine in lines[0]
        assert "http://127.0.0.1:" in lines[0]
        known = program("workers", "--engine", engine, **env)
        assert str(dev.pid).encode() in known.stdout, known.stderr
        again = program(*words, **env)
        assert b"is taken" in again.stderr
        dev.send_signal(signal.SIGINT)
        assert dev.wait(60) == 0
    assert b"no Temporal server answers" in program("workers", "--engine", engine, **env).stderr
