"""Writing an output to the place that the user named, and nowhere else."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from mutual_dissent.core.errors import BadInput, NotSaved
from mutual_dissent.core.values.terms import option
from mutual_dissent.store.private_files import FILE_MODE, reason, sync_folder, temporary_file


def write_output(path: Path, data: bytes, *, force: bool = False) -> None:
    """Write a file of the user's choice, whole or not at all.

    Raises:
        BadInput: if the file exists already, or it cannot be a file.
        NotSaved: if writing fails.
    """
    mode = _file_mode(path, force=force)
    try:
        with temporary_file(path.parent, data, mode) as temporary:
            if force:
                temporary.replace(path)
            else:
                _link(temporary, path)
        sync_folder(path.parent)
    except FileExistsError as e:
        raise BadInput(_exists_already(path)) from e
    except OSError as e:
        raise NotSaved(f"{path} could not be written: {reason(e)}") from e


def check_output(path: Path, *, force: bool = False) -> None:
    """Make sure that an output can be written, before anything is paid for.

    Raises:
        BadInput: if it cannot.
    """
    _file_mode(path, force=force)
    try:
        with temporary_file(path.parent, b""):
            pass
    except OSError as e:
        raise BadInput(f"{path} cannot be written: {reason(e)}; choose another place") from e


def _file_mode(path: Path, *, force: bool) -> int:
    """Return the permissions that the file will have, if it may be written."""
    try:
        if not path.parent.is_dir():
            raise BadInput(f"the folder {path.parent} does not exist; make it first")
        status = path.lstat()
    except FileNotFoundError:
        return FILE_MODE
    except (OSError, ValueError) as e:
        raise BadInput(f"{str(path)[:200]!r} cannot be written: {reason(e)}") from e
    if stat.S_ISDIR(status.st_mode):
        raise BadInput(f"{path} is a folder; give the name of a file")
    if stat.S_ISLNK(status.st_mode):
        raise BadInput(f"{path} is a symbolic link; give the name of the file itself")
    if not stat.S_ISREG(status.st_mode):
        raise BadInput(f"{path} is not a plain file; leave it out to write to standard output")
    if not force:
        raise BadInput(_exists_already(path))
    return stat.S_IMODE(status.st_mode)


def _link(temporary: Path, path: Path) -> None:
    """Give the file its name only if no other process has taken it meanwhile."""
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError:
        if os.path.lexists(path):
            raise FileExistsError from None
        temporary.replace(path)  # this file system has no hard links


def _exists_already(path: Path) -> str:
    return f"{path} exists already; choose another name, or replace it with {option('force')}"
