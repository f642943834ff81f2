"""`dissent review`: what it looks at, what it must not show to models, and how it ends."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft7Validator

from fakes.command_line import dissent

ROOT = Path(__file__).parents[2]
PANEL = ("--panel", "claude,gpt,gemini")
FINDING = {
    "file": "pay.py", "line": 7, "heading": "", "severity": "high", "fix": "Divide by 100.",
    "claim": "The amount is taken for dollars, so that customers pay a hundred times too much.",
    "quote": "charge(cents)",
}  # fmt: skip
KEY = "sk-ant-" + "a1B2" * 8


def git(*words):
    subprocess.run(["git", *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with one commit, and a change that is not committed."""
    place = tmp_path / "repository"
    place.mkdir()
    monkeypatch.chdir(place)
    for name in ("GIT_AUTHOR", "GIT_COMMITTER"):
        monkeypatch.setenv(f"{name}_NAME", "t")
        monkeypatch.setenv(f"{name}_EMAIL", "t@example.org")
    git("init", "-q", "-b", "main")
    Path("pay.py").write_text("def pay(cents):\n    return 1\n")
    Path(".gitignore").write_text("*.log\n")
    git("add", ".")
    git("commit", "-qm", "begin")
    Path("pay.py").write_text("def pay(cents):\n    charge(cents)\n    return 1\n")
    return place


def reported(vendor, *findings):
    vendor.fake.always(text=json.dumps({"position": "not yet", "findings": findings}))


def sent(vendor):
    return "\n".join(a.prompt for a in vendor.arrivals)


def test_the_change_since_the_last_commit_is_reviewed(vendor, repository):
    reported(vendor, FINDING)
    result = dissent("review", *PANEL)
    assert result.exit_code == 0, result.stderr
    assert "+    charge(cents)" in sent(vendor)
    assert "Found by several (1)" in result.stdout
    assert "pay.py:2" in result.stdout, "where the quote stands, not where it is said to be"
    assert len(vendor.arrivals) == 3, "nothing to check, and nobody writes an answer"


def test_a_base_or_what_is_staged_can_be_named(vendor, repository):
    reported(vendor)
    git("checkout", "-qb", "topic")
    git("commit", "-qam", "charge")
    assert dissent("review", *PANEL, "--base", "main").exit_code == 0
    assert "+    charge(cents)" in sent(vendor)
    result = dissent("review", *PANEL, "--staged")
    assert (result.exit_code, "nothing is staged" in result.stderr) == (2, True)
    result = dissent("review", *PANEL, "--base", "--output=/tmp/x")
    assert (result.exit_code, "git knows no common commit" in result.stderr) == (2, True)


def test_a_severe_finding_sets_the_exit_code_if_asked_to(vendor, repository):
    reported(vendor, FINDING)
    assert dissent("review", *PANEL, "--fail-on", "critical").exit_code == 0
    result = dissent("review", *PANEL, "--fail-on", "medium")
    assert result.exit_code == 6
    assert "1 finding of severity medium or worse" in result.stderr


def test_secrets_and_what_git_ignores_never_reach_a_model(vendor, repository):
    reported(vendor)
    for name in (".env", "deploy.pem", "trace.log", "new.py", "keys.py"):
        Path(name).write_text(f"HOLDS {name} {KEY if name == 'keys.py' else ''}\n")
    Path("pixel.dat").write_bytes(b"\0\1\2" * 99)
    git("add", "-f", ".env", "deploy.pem", "keys.py", "pixel.dat")
    result = dissent("review", *PANEL)
    told = " ".join(result.stdout.split())
    assert "HOLDS" not in sent(vendor)
    assert KEY not in sent(vendor) + result.stdout + result.stderr
    for name in (".env", "deploy.pem", "keys.py", "pixel.dat", "new.py"):
        assert name in told, f"{name} is left out, and it is said"
    for name in (".env", "deploy.pem", "trace.log", "keys.py"):
        refused = dissent("review", *PANEL, name)
        assert refused.exit_code == 2
        assert name in refused.stderr


def test_a_folder_is_reviewed_without_what_its_links_lead_to(vendor, repository):
    reported(vendor, FINDING)
    outside = repository.parent / "private.txt"
    outside.write_text("Nobody else may read this.")
    Path("part").mkdir()
    Path("part/a.py").write_text("charge(cents)\n")
    Path("part/link.txt").symlink_to(outside)
    result = dissent("review", "part", *PANEL)
    assert result.exit_code == 0, result.stderr
    assert "charge(cents)" in sent(vendor)
    assert "Nobody else" not in sent(vendor)
    assert "not reviewed: part/link.txt (a link or no plain file)" in " ".join(
        result.stderr.split()
    )


@pytest.mark.parametrize("name", ["own", "a=b"])
def test_no_program_that_a_repository_names_is_run_for_its_review(vendor, repository, name):
    """A repository from elsewhere may come with a configuration of its own."""
    reported(vendor, FINDING)
    ran = repository.parent / "ran"
    program = repository.parent / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    program.chmod(0o755)
    Path(".git/info/attributes").write_text(f"*.py filter={name} diff={name}\n")
    Path(".git/hooks").mkdir(exist_ok=True)
    shutil.copy(program, ".git/hooks/post-index-change")
    for key in ("clean", "smudge", "process", "required"):
        git("config", f"filter.{name}.{key}", "true" if key == "required" else str(program))
    for key in ("core.fsmonitor", f"diff.{name}.command", f"diff.{name}.textconv"):
        git("config", key, str(program))
    ran.unlink(missing_ok=True)
    result = dissent("review", *PANEL)
    assert result.exit_code == 0, result.stderr
    assert "+    charge(cents)" in sent(vendor)
    assert not ran.exists()


def test_folders_and_documents_are_reviewed_too(vendor, repository):
    reported(vendor)
    Path("docs").mkdir()
    Path("docs/plan.md").write_text("# Plan\n\nWe ship in May.\n")
    assert dissent("review", *PANEL, "docs", "pay.py").exit_code == 0
    assert "We ship in May." in sent(vendor)
    assert "docs/plan.md" in sent(vendor)


def test_sarif_is_what_its_schema_says_and_has_the_place(vendor, repository):
    reported(
        vendor, FINDING, {**FINDING, "file": "../../etc/passwd", "quote": "nowhere to be seen"}
    )
    result = dissent("review", *PANEL, "--output", "sarif", "--file", "out.sarif")
    assert result.exit_code == 0, result.stderr
    sarif = json.loads(Path("out.sarif").read_text())
    file = Path(__file__).parents[1] / "fixtures" / "sarif" / "sarif-schema-2.1.0.json"
    assert not list(Draft7Validator(json.loads(file.read_bytes())).iter_errors(sarif))
    places = [r["locations"] for r in sarif["runs"][0]["results"] if "locations" in r]
    assert [p[0]["physicalLocation"]["region"]["startLine"] for p in places] == [2]
    assert "passwd" not in json.dumps(places)
    stored = json.loads(dissent("show", "last", "--output", "sarif").stdout)
    assert stored == sarif


def test_json_and_markdown_have_every_finding(vendor, repository):
    reported(vendor, FINDING)
    told = json.loads(dissent("review", *PANEL, "--output", "json").stdout)
    assert [(f["standing"], f["path"], f["line"]) for f in told["findings"]] == [
        ("several", "pay.py", 2)
    ]
    assert told["costUsd"] > 0
    page = dissent("review", *PANEL, "--output", "markdown").stdout
    assert page.startswith("**1 finding, the worst high: 1 found by several. $")
    assert "`pay.py:2`" in page
    whole = dissent("show", "last", "--output", "markdown").stdout
    assert whole.startswith("# Review of pay.py.\n"), "and no query that nobody typed"


def test_what_was_found_and_what_it_cost_comes_first_and_steps_are_called_what_they_are(
    vendor, repository
):
    vendor.fake.then(text=json.dumps({"position": "not yet", "findings": [FINDING]}))
    reported(vendor)
    result = dissent("review", *PANEL)
    first, *_ = result.stdout.splitlines()
    assert first.startswith("1 finding, the worst high: 1 left open. $")
    assert "Review the attached text" not in result.stdout, "nobody typed that"
    assert "finding: asking claude, gpt and gemini" in result.stderr
    assert "checking: asking gpt and gemini" in result.stderr
    assert "reported 1 finding in" in result.stderr
    focused = dissent("review", *PANEL, "--focus", "money").stdout.splitlines()
    assert focused[1] == "Review of pay.py. Look above all for: money"


def test_reviews_are_told_apart_in_the_list_which_leaves_out_a_vendor_that_all_share(
    vendor, repository
):
    reported(vendor)
    said = dissent("review", "--panel", "openrouter:a/one,openrouter:b/two")
    assert said.exit_code == 0, said.stderr
    (line,) = [x for x in dissent("list").stdout.splitlines() if "Review" in x]
    assert "a/one, b/two  Review pay.py: report every defect" in line


def test_a_quote_has_the_checks_and_asks_nobody(vendor, repository):
    result = dissent("review", *PANEL, "--dry-run", "--output", "json")
    assert json.loads(result.stdout)["calls"] == 6
    assert not vendor.arrivals


def test_a_budget_that_does_not_suffice_is_kept(vendor, repository):
    reported(vendor, FINDING)
    result = dissent("review", *PANEL, "--max-cost", "0.000001")
    assert result.exit_code == 4
    assert not vendor.arrivals


def test_where_money_ends_before_the_checks_the_findings_so_far_are_shown(vendor, repository):
    def told(claim):
        return json.dumps({"position": "", "findings": [{**FINDING, "claim": claim}]})

    quote = json.loads(dissent("review", *PANEL, "--dry-run", "--output", "json").stdout)
    dear = {"usage": {"in": 3_000, "out": 90_000}}
    vendor.fake.then(text=told("Nobody logs it."), **dear)
    vendor.fake.always(text=told("Cents are taken for dollars."), **dear)
    result = dissent("review", *PANEL, "--max-cost", f"{quote['cost_usd']:.6f}")
    assert result.exit_code == 0, result.stderr
    assert len(vendor.arrivals) == 3
    assert "Found by several (1)" in result.stdout
    assert "Left open (1)" in result.stdout
    assert "no further round was held" in " ".join(result.stdout.split())


def test_the_workflow_for_pull_requests_calls_it_as_it_is():
    workflow = yaml.safe_load((ROOT / "deploy" / "github-action-review.yml").read_text("utf-8"))
    steps = workflow["jobs"]["review"]["steps"]
    (words,) = (shlex.split(s["run"]) for s in steps if s.get("name") == "Review the change")
    assert words[:2] == ["dissent", "review"]
    known = dissent("review", "--help").stdout
    assert all(word in known for word in words if word.startswith("--"))
    written = words[words.index("--file") + 1]
    assert steps[-1]["with"]["sarif_file"] == written
