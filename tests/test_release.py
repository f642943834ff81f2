"""A release: what the publishing workflow makes of the files in dist/, and that its parts agree."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from mutual_dissent import __version__

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOW = (ROOT / ".github" / "workflows" / "publish.yml").read_text()
JOBS = yaml.safe_load(WORKFLOW)["jobs"]
SOURCE = f"mutual_dissent-{__version__}.tar.gz"
WINDOWS = f"mutual-dissent-{__version__}-windows-x64.zip"
REPOSITORY = "https://forge.example/ada/panel"


def fill(dist: Path) -> subprocess.CompletedProcess[str]:
    script = ROOT / "scripts" / "release_manifests.py"
    return subprocess.run(
        [sys.executable, str(script), REPOSITORY, str(dist)], capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """A dist/ with stand-ins for the archives, and the manifests made from them."""
    folder = tmp_path_factory.mktemp("dist")
    for name in (SOURCE, WINDOWS):
        (folder / name).write_text(name)
    done = fill(folder)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) == 4
    return folder


def test_the_formula_names_the_archive_of_the_release_by_its_hash(dist):
    formula = dist / "homebrew" / "mutual-dissent.rb"
    said = dict(
        re.findall(
            r'^  (desc|homepage|url|sha256|license) "(.*)"$', formula.read_text(), re.MULTILINE
        )
    )
    assert said["homepage"] == REPOSITORY
    assert said["url"] == f"{REPOSITORY}/releases/download/v{__version__}/{SOURCE}"
    assert said["sha256"] == hashlib.sha256(SOURCE.encode()).hexdigest()
    assert said["license"] == PROJECT["license"]
    assert len(said["desc"]) <= 80  # Homebrew's own limit
    if ruby := shutil.which("ruby"):
        subprocess.run([ruby, "-c", str(formula)], check=True, capture_output=True)


def test_the_three_winget_manifests_are_of_one_release_and_name_its_archive_by_hash(dist):
    found = [yaml.safe_load(f.read_text()) for f in (dist / "winget").iterdir()]
    assert {m["ManifestType"] for m in found} == {"version", "defaultLocale", "installer"}
    for field in ("PackageIdentifier", "PackageVersion", "ManifestVersion"):
        assert len({m[field] for m in found}) == 1
    kinds = {m["ManifestType"]: m for m in found}
    assert kinds["version"]["PackageVersion"] == __version__
    assert kinds["defaultLocale"]["License"] == PROJECT["license"]
    [installer] = kinds["installer"]["Installers"]
    assert installer["InstallerUrl"] == f"{REPOSITORY}/releases/download/v{__version__}/{WINDOWS}"
    assert installer["InstallerSha256"] == hashlib.sha256(WINDOWS.encode()).hexdigest().upper()


def test_a_release_without_its_archives_is_refused_in_one_sentence(tmp_path):
    (tmp_path / SOURCE).touch()
    done = fill(tmp_path)
    assert done.returncode == 1
    assert WINDOWS in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "homebrew").exists()


def test_the_workflow_tries_every_python_that_the_package_names():
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert JOBS["install"]["strategy"]["matrix"]["python"] == named


def test_the_workflow_calls_what_there_is_and_packs_what_the_manifests_name():
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(re.search(r"run: make (.*)", WORKFLOW)[1].split()) <= set(targets)
    files = re.findall(
        r"(?:python |file: |-r |^ +)((?:scripts|deploy|src|require)[\w/.-]+)",
        WORKFLOW,
        re.MULTILINE,
    )
    assert len(files) == 4
    assert all((ROOT / name).is_file() for name in files)
    assert WINDOWS.replace(__version__, "${GITHUB_REF_NAME#v}") in WORKFLOW


def test_only_what_publishes_may_write_and_only_after_everything_was_tried():
    writers = {name for name, job in JOBS.items() if "write" in str(job.get("permissions"))}
    assert writers == {"pypi", "release", "image"}
    assert set(JOBS["pypi"]["needs"]) == {"install", "windows"}
    assert JOBS["release"]["needs"] == JOBS["image"]["needs"] == "pypi"
    assert "secrets." not in WORKFLOW


def test_the_page_on_installing_names_every_extra():
    page = (ROOT / "docs" / "install.md").read_text()
    ours = PROJECT["optional-dependencies"].keys() - {"build", "dev", "site"}
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == ours
