"""Folders and repositories as context: what is sent, what never is, and what is said of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import tracemalloc
from pathlib import Path

import pytest

from fakes.command_line import dissent
from mutual_dissent.briefing.inputs.file_list import file_list
from mutual_dissent.briefing.inputs.folders import folder_files

ASK = ("ask", "How are retries of payments counted?", "--panel", "claude,gpt")
MADE = "k7Qm2Zx9Lw4Tb8Ya"
"""What a generated password looks like."""
IN_PLACES = {
    ".env": "NOTE={}", "deploy/prod.env": "NOTE={}", ".env.local": "A={}", ".envrc": "export A={}",
    "id_rsa": "{}", "certs/server.pem": "{}", "certs/tls.key": "{}", "putty.ppk": "{}",
    ".netrc": "machine a login b password {}", ".pgpass": "a:b:c:d:{}", ".npmrc": "_auth={}",
    ".pypirc": "password = {}", ".git-credentials": "https://a:{}@b", ".htpasswd": "a:{}",
    ".aws/credentials": "aws_secret_access_key = {}", ".docker/config.json": '{{"auth": "{}"}}',
    ".kube/config": "token: {}", "infra/a.tfvars": "x = {}", "infra/terraform.tfstate": "{}",
    "service-account-7.json": "{}", "secrets.yaml": "a: {}", ".bash_history": "login {}",
    "config.json": '{{"retries": 3, "api_key": "{}"}}',
    "settings.py": "RETRIES = 3\nSECRET_KEY = '{}'\n",
    "app.properties": "retries=3\nspring.datasource.password={}\n",
    "compose.yml": "retries: 3\nPOSTGRES_PASSWORD: {}\n",
    "nuget.config": '<add key="ClearTextPassword" value="{}" />',
    "pay.php": "<?php // retries\ndefine('DB_PASSWORD', '{}');",
    "urls.md": "Payments are counted at postgres://app:{}@db.internal/retries",
    "ci.yml": "run: curl -H 'Authorization: Bearer {}' https://a.example/retries",
    "notes.md": "Retries use the token ghp_{}{}abcd, by the way.",
    "chat.py": "post('xoxb-{}-retries')",
}  # fmt: skip


def git(folder, *words):
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def written(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A repository: two files on the matter, one that is not, one that git ignores or not knows."""
    place = written(tmp_path / "shop", {
        "pay/retries.py": "def retry(payment):\n    payment.retries += 1  # counted here\n",
        "README.md": "# A shop\n\nIt takes payments.\n",
        "zoo/lion.txt": "Lions sleep a lot.\n",
        ".gitignore": "*.log\n",
    })  # fmt: skip
    git(place, "init", "-q")
    git(place, "add", ".")
    git(place, "commit", "-qm", "begin")
    written(place, {"new.py": "payments", "run.log": "retries of payments"})
    monkeypatch.chdir(place)
    return place


def sent(vendor):
    return "\n".join(a.prompt for a in vendor.arrivals)


def test_of_a_repository_what_git_tracks_is_sent_and_the_rest_is_named(vendor, project):
    result = dissent(*ASK, "--context", ".")
    assert result.exit_code == 0, result.stderr
    assert "payment.retries += 1" in sent(vendor)
    assert "It takes payments." in sent(vendor)
    assert "retries of payments\n" not in sent(vendor)
    said = " ".join(result.stderr.split())
    assert "attached from .: 4 of 5 files" in said
    assert "those first" not in said  # all fitted: nothing was chosen
    assert "not attached: new.py (git does not know it yet; add it)" in said


def test_the_quote_names_every_text_that_would_be_sent(vendor, project):
    words = (*ASK, "--context", ".", "--context", "pay", "--dry-run")
    told = json.loads(dissent(*words, "-o", "json").stdout)
    names = [a["name"] for a in told["attached"]]
    assert names[0] == "pay/retries.py"
    assert set(names) == {"README.md", "pay/retries.py", "zoo/lion.txt", ".gitignore"}
    shown = " ".join(dissent(*words).stderr.split())
    assert "Sent with the query: pay/retries.py (" in shown
    assert not vendor.arrivals


def test_the_most_relevant_files_come_first_and_the_others_are_left_out(tmp_path):
    filler = {f"other/{n}.txt": "Nothing of the kind here. " * 400 for n in range(40)}
    on_it = {"a/late.py": "x = 1\n" * 500 + "count_retries(payments)\n"}
    named = {"a/payment_retries.py": "pass\n"}
    folder = written(tmp_path / "f", filler | on_it | named)
    found = folder_files(folder, "How are retries of payments counted?").within(100_000)
    assert [d.name for d in found.documents] == ["f/a/payment_retries.py", "f/a/late.py"]
    first, left_out = found.notices
    assert first.startswith("attached from f: 2 of 42 files, ")
    assert first.endswith("those first that share the most words with the question")
    assert "and 34 more (it has no word of the question" in left_out


@pytest.mark.parametrize("tracked", [True, False])
def test_no_canary_of_thirty_usual_places_is_ever_sent(vendor, tmp_path, tracked):
    canaries = {n: f"{MADE}{i:02d}Vn5" for i, n in enumerate(IN_PLACES)}
    files = {n: text.format(canaries[n], canaries[n]) for n, text in IN_PLACES.items()}
    place = written(tmp_path / "app", {**files, "main.py": "retries = 3  # counted\n"})
    if tracked:
        git(place, "init", "-q")
        git(place, "add", "-f", ".")
    assert dissent(*ASK, "--context", str(place)).exit_code == 0
    assert "retries = 3  # counted" in sent(vendor)
    assert [n for n, canary in canaries.items() if canary in sent(vendor)] == []
    assert len(canaries) >= 30


def test_a_secret_that_is_named_alone_is_refused_in_one_sentence(vendor, tmp_path):
    files = {".env": "A=1", "notes.md": f"password = '{MADE}'", "id_rsa.pub": "ssh-rsa AAAA"}
    written(tmp_path, files)
    for name, why in ((".env", "its name says"), ("notes.md", "looks like a password or key")):
        result = dissent(*ASK, "--context", str(tmp_path / name))
        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 1
        assert why in result.stderr
    assert not vendor.arrivals
    assert dissent(*ASK, "--context", str(tmp_path / "id_rsa.pub")).exit_code == 0


@pytest.mark.parametrize("tracked", [True, False])
def test_no_link_pipe_binary_or_huge_file_is_read(vendor, tmp_path, tracked):
    outside = written(tmp_path / "outside", {"private.txt": "retries of an outsider"})
    place = written(tmp_path / "f", {
        "a.txt": "Retries are counted.", "blob.bin": b"retries\0\1", "real/x.txt": "retries inside",
        "big.txt": b"retries " * 400_000, "odd.txt": b"retries \xff\xfe\xfa",
    })  # fmt: skip
    (place / "link.txt").symlink_to(outside / "private.txt")
    (place / "loop").symlink_to(place)
    if tracked:
        git(place, "init", "-q")
        git(place, "add", ".")
        shutil.rmtree(place / "real")
        (place / "real").symlink_to(outside)
        (outside / "x.txt").write_text("retries of an outsider")
    os.mkfifo(place / "pipe.txt")
    result = dissent(*ASK, "--context", str(place))
    assert result.exit_code == 0, result.stderr
    assert "Retries are counted." in sent(vendor)
    assert "outsider" not in sent(vendor)
    said = " ".join(result.stderr.split())
    for name in ("link.txt", "loop", "blob.bin", "odd.txt", "big.txt"):
        assert name in said


def test_without_git_ignore_files_decide_as_git_would(tmp_path):
    rules = (
        "*.log !keep.log /top.txt build/ docs/*.md **/deep/x.txt a/**/z.txt #no \\#c ?.c".split()
    )
    names = (
        "run.log keep.log sub/run.log top.txt sub/top.txt build/a.txt sub/build/b.txt docs/a.md "
        "docs/sub/b.md deep/x.txt s/deep/x.txt a/z.txt a/b/c/z.txt #c a.c ab.c sub/in.txt sub/q.txt"
    ).split()
    place = written(tmp_path / "f", dict.fromkeys(names, "text"))
    written(place, {".gitignore": "\n".join(rules), "sub/.gitignore": "*.txt\n!in.txt\n"})
    ours = set(file_list(place).names)
    git(place, "init", "-q")
    git(place, "add", ".")
    assert ours == set(file_list(place).names) - {".gitignore", "sub/.gitignore"}
    assert {"keep.log", "sub/in.txt", "docs/sub/b.md"} <= ours


def test_a_folder_without_any_text_is_refused_with_the_reason(vendor, tmp_path):
    written(tmp_path, {"e/blob.bin": b"\0", "e/.env": "A=1"})
    result = dissent(*ASK, "--context", str(tmp_path / "e"))
    assert result.exit_code == 2
    assert "e has no text that can be attached (not attached: .env" in result.stderr
    assert not vendor.arrivals


def test_a_debate_is_replayed_without_the_folder(vendor, project):
    assert dissent(*ASK, "--context", "pay").exit_code == 0
    shutil.rmtree(project / "pay")
    vendor.arrivals.clear()
    assert dissent("replay", "last", "--synthesizer", "gpt").exit_code == 0
    assert "payment.retries += 1" in sent(vendor)


def test_ten_thousand_files_are_looked_through_in_two_seconds_and_little_memory(tmp_path):
    text = b"def one(two):\n    return three  # and so on\n" * 40
    for d in range(100):
        (tmp_path / f"d{d}").mkdir()
        for n in range(100):
            Path(tmp_path, f"d{d}", f"{n}.py").write_bytes(text)
    begun = time.process_time()
    found = folder_files(tmp_path, "How are retries of payments counted when the cache is cold?")
    found.within(100_000)
    assert time.process_time() - begun < 2.0
    assert len(found.files) == 10_000
    some = tmp_path / "d0"
    for path in some.iterdir():
        path.write_bytes(text * 200)
    tracemalloc.start()
    try:
        folder_files(some, "How are retries counted?").within(400_000)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()
