"""Git, asked about a folder; nothing that a repository's own configuration names is run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from mutual_dissent.core.errors import BadInput, clip

SECONDS = 60
# A repository's configuration may name programs that git would run: as its fsmonitor, as hooks for
# a refreshed index, and as filters of files. Names with other letters than ASCII come as they are.
QUIET = (
    "-c", "core.quotepath=off", "-c", "core.fsmonitor=false",
    "-c", f"core.hooksPath={os.devnull}", "-c", "protocol.allow=never",
    "--no-pager", "--no-optional-locks",
)  # fmt: skip
# What a partial clone lacks would be fetched by programs that its configuration names.
ENVIRONMENT = {"GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
FILTERS = ("config", "-z", "--name-only", "--get-regexp", r"^filter\.")


class NoRepository(BadInput):
    """Git has no say here: there is no repository, or no git."""


class NoRevision(BadInput):
    """A repository has no commit of this name."""


def git(folder: Path, *arguments: str, fine: Iterable[int] = (0,)) -> str:
    """Output of a git command.

    Raises:
        NoRepository: if there is no git, or no repository.
        BadInput: if it fails otherwise.
    """
    return _output(folder, arguments, fine).decode("utf-8", "replace")


def git_log(folder: Path, name: str, most: int) -> list[str]:
    """The last commits that changed a file, or anything below the folder: id, day and subject.

    Raises:
        NoRepository: if there is no git, or no repository.
        BadInput: if it fails otherwise.
    """
    # A signature would be shown by a program that the repository names.
    how = ("--no-show-signature", "--no-color", "--no-decorate", "--date=short")
    found = git(folder, "log", *how, f"--max-count={most}", "--format=%h %ad %s", "--", name)
    return found.splitlines()


def git_file(folder: Path, revision: str, name: str) -> bytes | None:
    """A plain file as it was at a revision; None if it was not there.

    Raises:
        NoRevision: if there is no such revision.
        NoRepository: if there is no git, or no repository.
        BadInput: if it fails otherwise.
    """
    how = ("--verify", "--quiet", "--end-of-options")
    commit = git(folder, "rev-parse", *how, f"{revision}^{{commit}}", fine=(0, 1, 128)).strip()
    # What was a link there would show where it leads.
    if not commit:
        raise NoRevision(f"there is no revision {clip(revision)}")
    if not git(folder, "ls-tree", commit, "--", f"./{name}").startswith("100"):
        return None
    # It shows what is stored: neither filters nor textconv are run for it.
    return _output(folder, ("cat-file", "blob", f"{commit}:./{name}"), (0,))


def git_files(folder: Path, *arguments: str) -> list[str]:
    """Names of files below a folder as git lists them, from there, as they can be opened.

    Raises:
        NoRepository: if there is no git, or no repository.
        BadInput: if it fails otherwise.
    """
    listed = _output(folder, ("ls-files", "-z", *arguments), (0,)).split(b"\0")
    return sorted({os.fsdecode(name) for name in listed if name})


def _output(folder: Path, arguments: Sequence[str], fine: Iterable[int]) -> bytes:
    # Only a comparison reads files by way of filters; one without a command leaves them alone.
    named = _run(folder, FILTERS, (0, 1), {}) if arguments[0] == "diff" else b""
    keys = sorted({os.fsdecode(key) for key in named.split(b"\0") if key})
    return _run(folder, arguments, fine, _without(keys))


def _without(filters: Iterable[str]) -> dict[str, str]:
    """The environment that takes these settings away; as `-c KEY=`, a key with a = would not."""
    first = int(os.environ.get("GIT_CONFIG_COUNT") or 0)
    more = {}
    for i, key in enumerate(filters, first):
        more[f"GIT_CONFIG_KEY_{i}"] = key
        more[f"GIT_CONFIG_VALUE_{i}"] = "false" if key.endswith(".required") else ""
    return {**more, "GIT_CONFIG_COUNT": str(first + len(more) // 2)} if more else {}


def _run(
    folder: Path, arguments: Iterable[str], fine: Iterable[int], more: Mapping[str, str]
) -> bytes:
    command = ["git", *QUIET, *arguments]
    try:
        done = subprocess.run(  # noqa: S603 - fixed commands; a base is only taken as a revision
            command,
            cwd=folder,
            env={**os.environ, **ENVIRONMENT, **more},
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise NoRepository("git is not installed; name files, or pipe a diff in") from None
    except subprocess.TimeoutExpired:
        raise BadInput("git took too long; name files, or pipe a diff in") from None
    if done.returncode not in fine:
        said = done.stderr.decode("utf-8", "replace")
        if "not a git repository" in said:
            raise NoRepository("this folder is in no git repository; name files, or pipe a diff in")
        raise BadInput(f"git says: {clip(said.strip() or 'nothing', 200)}")
    return done.stdout
