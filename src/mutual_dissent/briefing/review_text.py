"""The text that a review is about: a change, files, folders; and what of it is not shown to models.

Nothing is left out silently: whatever is not reviewed is named, with the reason.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mutual_dissent.analysis.review.report import NOT_REVIEWED
from mutual_dissent.analysis.review.text import files_of
from mutual_dissent.briefing.attachments import attachment
from mutual_dissent.core.brief import Attachment
from mutual_dissent.core.errors import BadInput, clip
from mutual_dissent.text.secret_shapes import is_secret_name, key_in

DIFF = (
    "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames",
    "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip
MOST_NAMED = 20
MOST_FILES = 2_000
GIT_SECONDS = 60


@dataclass(slots=True)
class ReviewInput:
    """Documents under review, and what was left out of them: name and reason."""

    documents: list[Attachment] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)

    @property
    def notices(self) -> tuple[str, ...]:
        """Names of what was not reviewed, in a sentence for each reason."""
        reasons: dict[str, list[str]] = {}
        for name, reason in self.left_out:
            reasons.setdefault(reason, []).append(clip(name, 200))
        return tuple(_notice(reason, names) for reason, names in reasons.items())

    def take(self, document: Attachment) -> None:
        """Take a document in, unless it holds what must not leave this machine."""
        if reason := _secret(document):
            self.left_out.append((document.name, reason))
        else:
            self.documents.append(document)


def change(base: str | None, *, staged: bool, folder: Path) -> ReviewInput:
    """The change of a repository: what is staged, or the work tree since it left `base`.

    Raises:
        BadInput: if there is no repository, no such base, or no change.
    """
    given, what = ReviewInput(), "nothing is staged"
    if staged:
        text = _git(folder, *DIFF, "--cached")
    else:
        since = _merge_base(folder, base) if base else "HEAD"
        what = f"nothing has changed since {base or 'the last commit'}"
        text = _git(folder, *DIFF, since)
        listed = _git(folder, "ls-files", "--others", "--exclude-standard", "-z", "--", ".")
        given.left_out += [(n, "git does not know it yet; add it") for n in listed.split("\0") if n]
    _take_diff(given, Attachment(name="change.diff", text=text))
    if not (given.documents or given.left_out):
        raise BadInput(f"{what}; name a base such as --base main, or files")
    return given


def text_from_pipe(text: str) -> ReviewInput:
    """A text or a diff that was piped in.

    Raises:
        BadInput: if it is empty.
    """
    if not text.strip():
        raise BadInput("stdin is empty; pipe a diff or a text into it")
    given = ReviewInput()
    _take_diff(given, Attachment(name="stdin", text=text))
    return given


def files(paths: Sequence[Path], folder: Path) -> ReviewInput:
    """Files, and all files of folders.

    Raises:
        BadInput: if one that is named cannot be shown to models: it is ignored by git, or secret.
    """
    given = ReviewInput()
    ignored = _ignored(folder, [p for p in paths if not p.is_dir()])
    for path in paths:
        if path.is_dir():
            _take_folder(given, path, folder)
            continue
        if str(path) in ignored:
            raise BadInput(f"{path} is ignored by git, so that it is not shown to models")
        document = replace(attachment(path), name=path.as_posix())
        if reason := _secret(document):
            raise BadInput(f"{path} is not shown to models: {reason}")
        given.documents.append(document)
    if not given.documents:
        raise BadInput(f"there is nothing to review in {', '.join(map(str, paths))}")
    return given


def _take_diff(given: ReviewInput, diff: Attachment) -> None:
    for file in files_of(diff):
        binary = "\nBinary files " in file.text or "\nGIT binary patch" in file.text
        if binary and "\n@@" not in file.text:
            given.left_out.append((file.name, "a binary file"))
        elif file.text.strip():
            given.take(file)


def _take_folder(given: ReviewInput, path: Path, folder: Path) -> None:
    names = list(_names(path, folder))
    for name in names[:MOST_FILES]:
        try:
            document = replace(attachment(name), name=name.as_posix())
        except BadInput:
            given.left_out.append((name.as_posix(), "no text can be taken from it"))
            continue
        given.take(document)
    given.left_out += [(n.as_posix(), "too many files") for n in names[MOST_FILES:]]


def _names(path: Path, folder: Path) -> Iterator[Path]:
    """The files below a folder; in a repository, those that git does not ignore."""
    try:
        listed = _git(folder, "ls-files", "-co", "--exclude-standard", "-z", "--", str(path))
    except BadInput:
        found = (p for p in sorted(path.rglob("*")) if p.is_file())
        yield from (
            p for p in found if not any(x.startswith(".") for x in p.parts[len(path.parts) :])
        )
        return
    for name in sorted(set(filter(None, listed.split("\0")))):
        if (folder / name).is_file():
            yield Path(name)


def _ignored(folder: Path, paths: Sequence[Path]) -> set[str]:
    """Those of some paths that git ignores; none outside of a repository."""
    if not paths:
        return set()
    try:
        found = _git(folder, "check-ignore", "--", *map(str, paths), fine=(0, 1))
    except BadInput as e:
        if _is_elsewhere(e):
            return set()
        raise
    return set(found.splitlines())


def _secret(document: Attachment) -> str:
    """Reason why a document must not be shown to anybody; empty if there is none."""
    if is_secret_name(document.name):
        return "its name says that it holds secrets"
    if found := key_in(document.text):
        return f"it holds what looks like a {found[0]}"
    return ""


def _merge_base(folder: Path, base: str) -> str:
    try:
        commit = _git(
            folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}"
        )
        return _git(folder, "merge-base", commit.strip(), "HEAD").strip()
    except BadInput as e:
        if _is_elsewhere(e):
            raise
        raise BadInput(
            f"git knows no common commit with {clip(base)!r}; name another base"
        ) from None


def _is_elsewhere(error: BadInput) -> bool:
    """Return whether git has no say: there is none, or no repository."""
    return "repository" in error.sentence or "installed" in error.sentence


def _git(folder: Path, *arguments: str, fine: Iterable[int] = (0,)) -> str:
    """Output of a git command.

    Raises:
        BadInput: if it fails.
    """
    command = ["git", "-c", "core.quotepath=off", "--no-pager", *arguments]
    try:
        done = subprocess.run(  # noqa: S603 - fixed commands; a base is only taken as a revision
            command, cwd=folder, capture_output=True, timeout=GIT_SECONDS, check=False
        )
    except FileNotFoundError:
        raise BadInput("git is not installed; name files, or pipe a diff in") from None
    except subprocess.TimeoutExpired:
        raise BadInput("git took too long; name files, or pipe a diff in") from None
    if done.returncode not in fine:
        said = done.stderr.decode("utf-8", "replace")
        if "not a git repository" in said:
            raise BadInput("this folder is in no git repository; name files, or pipe a diff in")
        raise BadInput(f"git says: {clip(said.strip() or 'nothing', 200)}")
    return done.stdout.decode("utf-8", "replace")


def _notice(reason: str, names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return f"{NOT_REVIEWED} {', '.join(names[:MOST_NAMED])}{more} ({reason})"
