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


@dataclass(frozen=True, slots=True)
class Sources:
    """Documents that were read, and folders of which as much is attached as fits."""

    documents: tuple[Attachment, ...] = ()
    folders: tuple[FolderFiles, ...] = ()


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
        tuple(_document(g) for g in given if g not in folders),
        tuple(folder_files(f, question) for f in folders),
    )


def within(folders: Sequence[FolderFiles], room: int) -> Fitted:
    """As much of folders as fits into so many characters, each with an equal share at first.

    Raises:
        BadInput: if one of them has nothing to attach.
    """
    documents: list[Attachment] = []
    notices: list[str] = []
    for left, folder in zip(range(len(folders), 0, -1), folders, strict=True):
        found = folder.within(room // left)
        documents += found.documents
        notices += found.notices
        room -= sum(len(d.text) for d in found.documents)
    return Fitted(tuple(documents), tuple(notices))


@dataclass(frozen=True, slots=True)
class Fitted:
    """Documents of folders, and what is to be said of them."""

    documents: tuple[Attachment, ...] = ()
    notices: tuple[str, ...] = ()


def _document(given: Attachment | Path) -> Attachment:
    if isinstance(given, Attachment):
        return given
    from mutual_dissent.briefing.inputs.attachments import attachment
    from mutual_dissent.briefing.inputs.left_out import secret

    document = attachment(given)
    if reason := secret(given.as_posix(), document.text):
        raise BadInput(f"{given} is not shown to models: {reason}")
    return document
