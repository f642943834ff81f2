"""The folder of published debates: what is in it is ours, or it is left alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mutual_dissent.core.errors import BadInput, NotSaved
from mutual_dissent.core.values.terms import option
from mutual_dissent.store.private_files import reason, sync_folder, temporary_file
from mutual_dissent.surfaces.cli.publish.pages import INDEX

LIST = ".dissent-pages"
"""Name of the file that lists which files of the folder are ours."""
FOR_ALL = 0o644
"""Pages are for everyone, and web servers run as another user."""
MOST_LISTED = 1_000_000


def check(folder: Path, *, force: bool = False) -> None:
    """Make sure that pages may be written there.

    Raises:
        BadInput: if something else is in it.
    """
    try:
        if not folder.exists():
            if not folder.parent.is_dir():
                raise BadInput(f"the folder {folder.parent} does not exist; make it first")
            return
        if not folder.is_dir():
            raise BadInput(f"{folder} is not a folder; give the name of one")
        is_ours = (folder / LIST).is_file() or not any(folder.iterdir())
    except (OSError, ValueError) as e:
        raise BadInput(f"{str(folder)[:200]!r} cannot be used: {reason(e)}") from e
    if not is_ours and not force:
        raise BadInput(
            f"{folder} has other files in it; choose an empty folder, or write among them with "
            f"{option('force')}"
        )


def write(folder: Path, pages: Mapping[str, bytes], *, force: bool = False) -> list[str]:
    """Write the pages, each whole, and remove those that were published before and are not now.

    Returns:
        The names of those that were removed.

    Raises:
        BadInput: if something else is in the folder.
        NotSaved: if writing fails.
    """
    check(folder, force=force)
    try:
        folder.mkdir(exist_ok=True)
        before = _listed(folder)
        _put(folder, LIST, "\n".join(dict.fromkeys([*before, *pages])).encode())
        # What lists the others comes last, so that its links always lead somewhere.
        for name, data in pages.items():
            _put(folder, name, data)
        gone = [name for name in before if name not in pages]
        for name in gone:
            (folder / name).unlink(missing_ok=True)
        _put(folder, LIST, "\n".join(pages).encode())
        sync_folder(folder)
    except OSError as e:
        raise NotSaved(f"{folder} could not be written: {reason(e)}") from e
    return gone


def _put(folder: Path, name: str, data: bytes) -> None:
    with temporary_file(folder, data, FOR_ALL) as temporary:
        temporary.replace(folder / name)


def _listed(folder: Path) -> list[str]:
    """Names of the pages that were published before; of anything but pages, none."""
    path = folder / LIST
    if not path.is_file() or path.stat().st_size > MOST_LISTED:
        return []
    names = path.read_text("utf-8", "replace").split("\n")
    return [n for n in names if n.endswith(".html") and n == Path(n).name and n != INDEX]
