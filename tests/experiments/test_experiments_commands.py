"""`dissent experiment` as a user meets it: a file, a quote, a run that can die, a report."""

from __future__ import annotations

import json
import signal
import subprocess
import tomllib
from pathlib import Path

import pytest

from fakes.command_line import dissent, program, started, wait_until
from fakes.patience import LONG

FILE = """
name = "sums"
summary = "Can <b>they</b> add?"
repeats = {repeats}
concurrency = 3
[[query]]
text = "What is 2 + 2?"
answer = "4"
[[query]]
text = "What is 3 + 3?"
answer = "6"
[defaults]
panel = ["openrouter:a/one", "openrouter:b/two"]
allow_unpriced = true
[grid]
mode = ["reflection", "consensus"]
[baselines]
self-consistency = true
matched = "samples"
samples = 2
"""
SIZE = 2 * (2 + 2 * (1 + 2))


@pytest.fixture
def folder(tmp_path, monkeypatch, vendor):
    monkeypatch.chdir(tmp_path)
    vendor.fake.always(text="I think so.\n\nAnswer: 4")
    return tmp_path


def written(folder: Path, repeats: int = 1, more: str = "") -> str:
    (folder / "sums.toml").write_text(FILE.replace("{repeats}", str(repeats)) + more)
    return "sums.toml"


def test_a_first_file_is_ready_to_be_run_and_never_overwrites(folder):
    made = dissent("experiment", "new", "pilot")
    assert made.exit_code == 0, made.stderr
    assert tomllib.loads(Path("pilot.toml").read_text())["name"] == "pilot"
    checked = dissent("experiment", "check", "pilot.toml", "-o", "json")
    assert checked.exit_code == 0, checked.stderr
    assert json.loads(checked.stdout)["debates"] > 0
    assert dissent("experiment", "new", "pilot.toml").exit_code == 2, "it is the same file"
    again = dissent("experiment", "new", "pilot")
    assert again.exit_code == 2
    assert "left alone" in again.stderr


@pytest.mark.parametrize("kind", ["plain", "drill"])
def test_what_new_writes_can_be_checked_without_asking_anybody(folder, vendor, kind):
    words = ["--drill"] if kind == "drill" else []
    assert dissent("experiment", "new", "x", *words).exit_code == 0
    checked = dissent("experiment", "check", "x.toml")
    assert checked.exit_code == 0, checked.stderr
    assert "nobody was asked" in checked.stdout
    assert not vendor.arrivals


def test_from_file_to_report_and_run_twice_it_adds_nothing(folder, vendor):
    file = written(folder)
    first = dissent("experiment", "run", file, "--yes")
    assert first.exit_code == 0, first.stderr
    assert f"{SIZE} of {SIZE} debates" in first.stderr
    asked = len(vendor.arrivals)
    again = dissent("experiment", "run", file)
    assert (again.exit_code, len(vendor.arrivals)) == (0, asked)
    assert "complete already" in again.stderr
    (row,) = json.loads(dissent("experiment", "status", "-o", "json").stdout)
    assert (row["state"], row["completed"], row["total"]) == ("complete", SIZE, SIZE)

    said = dissent("experiment", "report", "sums").stdout
    assert said.startswith("# sums")
    assert "50.0%" in said
    page = Path("r.html")
    assert dissent("experiment", "report", "sums", "--file", str(page)).exit_code == 0
    html = page.read_text()
    assert "<script" not in html
    assert "&lt;b&gt;they&lt;/b&gt;" in html
    assert "default-src 'none'" in html
    assert "prefers-color-scheme" in html
    found = json.loads(dissent("experiment", "report", "sums", "--format", "json").stdout)
    assert found["best_single"].startswith("single openrouter:")
    table = dissent("experiment", "export", "sums", "--format", "csv").stdout
    assert len(table.splitlines()) == 1 + 2 * 8
    lines = dissent("experiment", "export", "sums", "--format", "jsonl").stdout.splitlines()
    assert {json.loads(line)["answer"] for line in lines} == {"4"}


def test_a_condition_that_gets_another_name_is_not_asked_again(folder, vendor):
    file = written(folder, more='[[condition]]\nname = "three"\nrounds = 3\n')
    assert dissent("experiment", "run", file, "--yes").exit_code == 0
    asked = len(vendor.arrivals)
    Path(file).write_text(Path(file).read_text().replace('"three"', '"long"'))
    assert dissent("experiment", "run", file).exit_code == 0
    assert len(vendor.arrivals) == asked
    assert "| 1. " in dissent("experiment", "report", "sums").stdout
    assert "long" in dissent("experiment", "report", "sums").stdout


def test_nobody_pays_an_unknown_sum_without_having_said_yes(folder, vendor):
    refused = dissent("experiment", "run", written(folder))
    assert refused.exit_code == 2
    assert "accept it with --yes" in refused.stderr
    assert not vendor.arrivals


def test_killed_twice_it_goes_on_from_the_record_alone_and_loses_nothing(folder, vendor):
    file = written(folder, repeats=3)
    for n in (1, 2):
        with started("experiment", "run", file, "--yes", stderr=subprocess.DEVNULL) as process:
            there = len(vendor.arrivals) + 12
            wait_until(lambda there=there: len(vendor.arrivals) >= there)
            process.kill()
            process.wait(LONG)
        (row,) = json.loads(dissent("experiment", "status", "sums", "-o", "json").stdout)
        assert row["state"] == "interrupted", n
    Path(file).unlink()
    asked = len(vendor.arrivals)
    resumed = dissent("experiment", "resume", "sums", "--yes")
    assert resumed.exit_code == 0, resumed.stderr
    (row,) = json.loads(dissent("experiment", "status", "sums", "-o", "json").stdout)
    assert (row["state"], row["completed"]) == ("complete", 3 * SIZE)
    # What was under way when it died, at most three debates of two calls each, is asked again.
    calls = sum(
        r["calls"] for r in json.loads(dissent("list", "-o", "json", "--limit", "999").stdout)
    )
    assert asked < len(vendor.arrivals) <= calls + 2 * 3 * 2


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there are no such signals")
def test_ctrl_c_says_how_to_go_on(folder, vendor):
    vendor.fake.always(text="Answer: 4", delay=0.05)
    file = written(folder, repeats=20)
    with started("experiment", "run", file, "--yes", stderr=subprocess.PIPE) as process:
        wait_until(lambda: len(vendor.arrivals) > 6)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=LONG)
    assert process.returncode == 130
    assert b"go on with: dissent experiment resume sums" in err
    assert b"Traceback" not in err


def test_another_terminal_can_stop_it(folder, vendor):
    vendor.fake.always(text="Answer: 4", delay=0.05)
    file = written(folder, repeats=20)
    assert "no experiment is on record" in dissent("experiment", "stop", "sums").stderr
    with started("experiment", "run", file, "--yes", stderr=subprocess.PIPE) as process:
        wait_until(lambda: len(vendor.arrivals) > 6)
        second = program("experiment", "run", file, "--yes")
        assert second.returncode == 2
        assert b"is run by process" in second.stderr
        assert program("experiment", "stop", "sums").returncode == 0
        _, err = process.communicate(timeout=LONG)
    assert process.returncode == 0
    assert b"stopped; go on with" in err
    assert dissent("experiment", "stop", "sums").exit_code == 2
    assert "stopped" in dissent("experiment", "status").stdout


def test_a_stop_from_another_terminal_ends_what_has_begun_and_resume_goes_on(folder, vendor):
    vendor.fake.always("held")  # nobody gets an answer: without the stop it would never end
    file = written(folder)
    with started("experiment", "run", file, "--yes", stderr=subprocess.PIPE) as process:
        wait_until(lambda: len(vendor.arrivals) == 2 + 2 + 1)
        told = program("experiment", "stop", "sums", "--now")
        assert b"calls in flight are given up" in told.stdout
        _, err = process.communicate(timeout=LONG)
    assert process.returncode == 0
    assert b"stopped, 3 debates paused; go on with: dissent experiment resume sums" in err
    held = json.loads(dissent("list", "--output", "json").stdout)
    assert [r["status"] for r in held] == ["stopped"] * 3
    vendor.fake.always(text="Answer: 4")
    assert dissent("experiment", "resume", "sums", "--yes").exit_code == 0
    (row,) = json.loads(dissent("experiment", "status", "-o", "json").stdout)
    assert (row["state"], row["completed"]) == ("complete", SIZE)


WRONG = {
    "an unknown mode": ('[[condition]]\nname = "x"\nmode = "reflecton"\n', "condition.mode"),
    "too few members": ('[[condition]]\nname = "x"\npanel = ["openrouter:a/one"]\n', "panel"),
    "an unknown model": ('[[condition]]\nname = "x"\npanel = ["clawde", "gpt"]\n', "clawde"),
    "nobody of that seat": ('[[condition]]\nname = "x"\ncontext = { eve = "psst" }\n', "eve"),
    "nobody to poison": (
        '[[condition]]\nname = "x"\npoisoned = ["eve"]\npayload = "psst"\n', "eve"
    ),
    "nothing to poison with": ('[[condition]]\nname = "x"\npoisoned = ["eve"]\n', "no payload"),
    "a judge of nobody": ('[judging]\njudges = ["gtp"]\n', "judging.judges: no model is called"),
    "too many rounds": ('[[condition]]\nname = "x"\nrounds = 99\n', "condition.rounds"),
    "text for a number": ('[[condition]]\nname = "x"\ntemperature = "hot"\n', "temperature"),
    "a pair of nothing": ('[judging]\npairs = [["reflection", "nothing"]]\n', "judging.pairs"),
    "an unknown source": ('[source]\nname = "nowhere"\n', "source"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("command", "case"), [*(("check", case) for case in WRONG), ("run", "an unknown mode")]
)
def test_a_mistake_is_one_line_with_its_place_before_any_call(folder, vendor, command, case):
    text, said = WRONG[case]
    found = dissent("experiment", command, written(folder, more=text))
    assert found.exit_code == 2, found.output
    assert len(found.stderr.strip().splitlines()) == 1
    assert found.stderr.startswith("dissent: sums.toml, line ")
    assert said in found.stderr
    number = int(found.stderr.split("line ")[1].split(":")[0])
    assert number > FILE.count("\n"), "the line is in what was added"
    assert not vendor.arrivals


def test_a_budget_that_cannot_be_kept_is_refused_where_it_stands(folder, vendor):
    file = written(folder)
    Path(file).write_text(
        "budget = 5\n" + Path(file).read_text().replace("allow_unpriced = true", "")
    )
    found = dissent("experiment", "run", file, "--yes")
    assert found.exit_code == 2
    assert "sums.toml, line 1: budget: no price is known" in found.stderr
    assert not vendor.arrivals


def test_a_persona_for_somebody_who_does_not_sit_is_blamed_and_not_the_panel(folder):
    file = Path(written(folder))
    text = file.read_text().replace("[grid]", 'personas = { "gpt" = "analyst" }\n[grid]')
    file.write_text(text)
    found = dissent("experiment", "check", str(file))
    line = text[: text.index("personas")].count("\n") + 1
    assert f"sums.toml, line {line}: defaults.personas: no panelist is called 'gpt'" in found.stderr
