"""Sources of context: what the user named is read before the panel is known, and fitted after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mutual_dissent.core.brief import Attachment
from mutual_dissent.core.errors import BadInput

if TYPE_CHECKING:  # most questions come without any, and files take modules to read
    from mutual_dissent.briefing.inputs.folders import FolderFiles


SCHEMES = ("http://", "https://")


def is_address(word: str) -> bool:
    """Return whether a word is the address of a page, not the name of a file."""
    return word.lower().startswith(SCHEMES)


@dataclass(frozen=True, slots=True)
class LookedInto:
    """A folder that panelists may look into.

    Attributes:
        path: where it is.
        name: what it is called in sentences.
        files: how many of its files may be read.
        of: how many it has.
        at_most: whether it may turn out to be fewer, since not all were read through for secrets.
    """

    path: str
    name: str
    files: int
    of: int
    at_most: bool = False


@dataclass(frozen=True, slots=True)
class Sources:
    """Documents that were read, folders of which as much is attached as fits, and notices."""

    documents: tuple[Attachment, ...] = ()
    folders: tuple[FolderFiles, ...] = ()
    notices: tuple[str, ...] = ()
    workspace: LookedInto | None = None

    def __add__(self, other: Sources) -> Sources:
        """Join both, in this order."""
        return Sources(
            self.documents + other.documents,
            self.folders + other.folders,
            self.notices + other.notices,
            self.workspace or other.workspace,
        )

    def within(self, room: int) -> Sources:
        """The same with documents in the place of folders, as many as fit into so many characters.

        Each folder has an equal share at first.

        Raises:
            BadInput: if one of them has nothing to attach.
        """
        documents, notices = list(self.documents), list(self.notices)
        for left, folder in zip(range(len(self.folders), 0, -1), self.folders, strict=True):
            found = folder.within(room // left)
            documents += found.documents
            notices += found.notices
            room -= sum(len(d.text) for d in found.documents)
        return Sources(tuple(documents), notices=tuple(notices), workspace=self.workspace)


def read_sources(given: Sequence[Attachment | Path], question: str) -> Sources:
    """Read files, and look through folders.

    Raises:
        BadInput: if something cannot be read, or must not be shown to models.
    """
    if all(isinstance(g, Attachment) for g in given):
        return Sources(tuple(g for g in given if isinstance(g, Attachment)))
    from mutual_dissent.briefing.inputs.folders import folder_files

    folders = [g for g in given if isinstance(g, Path) and g.is_dir()]
    return Sources(
        tuple(d for g in given if g not in folders for d in _documents(g)),
        tuple(folder_files(f, question) for f in folders),
    )


def _documents(given: Attachment | Path) -> tuple[Attachment, ...]:
    if isinstance(given, Attachment):
        return (given,)
    from mutual_dissent.briefing.inputs.attachments import contents
    from mutual_dissent.briefing.inputs.left_out import secret

    found = contents(given)
    if reason := next(filter(None, (secret(given.as_posix(), d.text) for d in found)), ""):
        raise BadInput(f"{given} is not shown to models: {reason}")
    return found
