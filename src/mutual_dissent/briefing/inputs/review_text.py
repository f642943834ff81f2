"""The text that a review is about: a change, files, folders; and what of it is not shown to models.

Nothing is left out silently: whatever is not reviewed is named, with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mutual_dissent.analysis.review.report import NOT_REVIEWED
from mutual_dissent.analysis.review.text import files_of
from mutual_dissent.briefing.inputs.attachments import attachment
from mutual_dissent.briefing.inputs.file_list import LINK, UNTRACKED, file_list
from mutual_dissent.briefing.inputs.git import NoRepository, git, git_files
from mutual_dissent.briefing.inputs.left_out import LeftOut, notices, secret
from mutual_dissent.core.brief import Attachment
from mutual_dissent.core.errors import BadInput, clip

# Without the external diff and textconv that a repository may name; prefixes as `files_of` reads.
DIFF = (
    "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames",
    "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip
MOST_FILES = 2_000


@dataclass(slots=True)
class ReviewInput:
    """Documents under review, and what was left out of them: name and reason."""

    documents: list[Attachment] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    @property
    def notices(self) -> tuple[str, ...]:
        """Names of what was not reviewed, in a sentence for each reason."""
        return notices(self.left_out, NOT_REVIEWED)

    def take(self, document: Attachment) -> None:
        """Take a document in, unless it holds what must not leave this machine."""
        if reason := secret(document.name, document.text):
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
        text = git(folder, *DIFF, "--cached")
    else:
        since = _merge_base(folder, base) if base else "HEAD"
        what = f"nothing has changed since {base or 'the last commit'}"
        text = git(folder, *DIFF, since)
        unknown = git_files(folder, "--others", "--exclude-standard")
        given.left_out += [(name, UNTRACKED) for name in unknown]
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
            _take_folder(given, path)
            continue
        if str(path) in ignored:
            raise BadInput(f"{path} is ignored by git, so that it is not shown to models")
        document = replace(attachment(path), name=path.as_posix())
        if reason := secret(document.name, document.text):
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


def _take_folder(given: ReviewInput, path: Path) -> None:
    listed = file_list(path, untracked=True)
    given.left_out += [(_shown(path, name), why) for name, why in listed.left_out]
    for name in listed.names[:MOST_FILES]:
        shown = _shown(path, name)
        if listed.beginning(name, 1) is None:
            given.left_out.append((shown, LINK))
            continue
        try:
            given.take(replace(attachment(path / name), name=shown))
        except BadInput:
            given.left_out.append((shown, "no text can be taken from it"))
    given.left_out += [(_shown(path, n), "too many files") for n in listed.names[MOST_FILES:]]


def _shown(path: Path, name: str) -> str:
    return (path / name).as_posix()


def _ignored(folder: Path, paths: Sequence[Path]) -> set[str]:
    """Those of some paths that git ignores; none outside of a repository."""
    if not paths:
        return set()
    try:
        # It ends with 1 where none of them is ignored.
        found = git(folder, "check-ignore", "--", *map(str, paths), fine=(0, 1))
    except NoRepository:
        return set()
    return set(found.splitlines())


def _merge_base(folder: Path, base: str) -> str:
    try:
        # A base such as --output=x must not be taken for an option.
        commit = git(
            folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}"
        )
        return git(folder, "merge-base", commit.strip(), "HEAD").strip()
    except NoRepository:
        raise
    except BadInput:
        raise BadInput(
            f"git knows no common commit with {clip(base)!r}; name another base"
        ) from None
