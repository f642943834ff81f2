"""Transcripts as files: one a debate, named by its day and the beginning of its id."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from mutual_dissent.core.errors import NotSaved, StoreError
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.terms import command
from mutual_dissent.store.private_files import (
    private_folder,
    read_plain,
    reason,
    shared_sync,
    temporary_file,
)

if TYPE_CHECKING:
    from mutual_dissent.store.files.parse import ParsedTranscript

MAX_FILE = 64 << 20
# A UUID is cut after its groups, 8-4-4-4-12; 40 is the longest id that there is.
_LENGTHS = (8, 13, 18, 23, 40)


def write_transcript(folder: Path, transcript: Transcript, data: bytes) -> Path:
    """Write a transcript's file, whole or not at all, in place of its own earlier one.

    A name that something else has taken, be it another debate, a damaged file or a link, is left
    alone: the short id in the name grows instead.

    Args:
        folder: where the files lie; made for the owner alone if it does not exist.
        transcript: the debate of the file.
        data: its text, as the JSON view renders it.

    Raises:
        StoreError: if the folder cannot be used.
        NotSaved: if the file cannot be written.
    """
    private_folder(folder)
    transcript_id = transcript.transcript_id
    names = [folder / n for n in file_names(transcript)]
    own = next((p for p in names if _id_in(p) == transcript_id), None)
    try:
        with temporary_file(folder, data) as temporary:
            path = _replace(temporary, own) if own else _place(temporary, names)
        shared_sync(folder).sync()
    except OSError as e:
        raise NotSaved(
            f"the transcript of debate {transcript_id[:8]} could not be written to {folder}: "
            f"{reason(e)}; `{command('doctor')}` writes it again from the log"
        ) from e
    return path


def remove_transcript(folder: Path, transcript: Transcript) -> None:
    """Remove a transcript's file, if it exists and is that transcript's.

    Raises:
        NotSaved: if it cannot be removed.
    """
    for path in (folder / n for n in file_names(transcript)):
        if _id_in(path) == transcript.transcript_id:
            try:
                path.unlink()
            except OSError as e:
                raise NotSaved(f"{path} cannot be removed: {reason(e)}; remove it by hand") from e


def read_transcript(path: Path) -> ParsedTranscript:
    """Read the log in a transcript's file, and notes on what had to be dropped.

    A damaged file is read as far as it goes and never changed; if nothing can be read, the log is
    empty.

    Raises:
        StoreError: if it is not a plain file, too large, or cannot be opened.
    """
    from mutual_dissent.store.files.parse import reading

    return reading(read_plain(path, MAX_FILE))


def file_names(transcript: Transcript) -> Iterator[str]:
    """Yield the names that a transcript's file may have, the usual one first."""
    day = transcript.created_at.astimezone(UTC).date().isoformat()
    transcript_id = transcript.transcript_id
    for length in dict.fromkeys(min(n, len(transcript_id)) for n in _LENGTHS):
        yield f"{day}_{transcript_id[:length]}.json"
    for n in range(2, 10):
        yield f"{day}_{transcript_id}.{n}.json"


def is_plain_file(path: Path) -> bool:
    """Return whether there is a plain file of that name, not a link to one."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _id_in(path: Path) -> str | None:
    """Return the id in a valid transcript's file; None for anything else."""
    if not is_plain_file(path):
        return None
    with suppress(StoreError, orjson.JSONDecodeError):
        fields = orjson.loads(read_plain(path, MAX_FILE))
        if isinstance(fields, dict) and isinstance(fields.get("transcript_id"), str):
            return str(fields["transcript_id"])
    return None


def _replace(temporary: Path, own: Path) -> Path:
    temporary.replace(own)
    return own


def _place(temporary: Path, names: list[Path]) -> Path:
    """Give a new file the first name that is free, without a moment in which it could be lost."""
    for path in names:
        if os.path.lexists(path):
            continue
        try:
            path.hardlink_to(temporary)
        except FileExistsError:
            continue  # another process was faster
        except OSError:
            temporary.replace(path)  # this file system has no hard links
        return path
    raise FileExistsError(17, "every name it could have is taken")
