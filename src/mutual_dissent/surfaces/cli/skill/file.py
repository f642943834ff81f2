"""The file of a skill: replaced and removed only as long as it is as we wrote it."""

from __future__ import annotations

import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from mutual_dissent.core.errors import BadInput
from mutual_dissent.store.files.export import write_output
from mutual_dissent.store.private_files import reason

MARK = "\n<!-- written by `dissent skill install`; sha256 {} -->\n"
FOUND = re.compile(re.escape(MARK).replace(r"\{\}", "([0-9a-f]{64})") + r"\Z")
MOST = 1_000_000
"""Maximum bytes of a file that may be ours."""


def check(file: Path) -> bool:
    """Return whether the skill is there already.

    Raises:
        BadInput: if there is a file that we did not write, or that was changed since.
    """
    try:
        is_large = file.stat().st_size > MOST
        text = "" if is_large else file.read_bytes().decode(errors="replace")
    except FileNotFoundError:
        return False
    except OSError as e:
        raise BadInput(f"{file} cannot be read: {reason(e)}; move it away first") from None
    mark = FOUND.search(text)
    if not mark or mark[1] != _hash(text[: mark.start()]):
        raise BadInput(
            f"{file} was not written by this program, or was changed since; move it away first"
        )
    return True


def write(file: Path, text: str) -> None:
    """Write the skill, also over an earlier one of ours.

    Raises:
        DissentError: if that is not ours, or it cannot be written.
    """
    is_there = check(file)
    file = file.resolve()  # dotfiles are often links
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise BadInput(f"{file.parent} cannot be made: {reason(e)}; make it first") from None
    write_output(file, (text + MARK.format(_hash(text))).encode(), force=is_there)


def remove(file: Path) -> bool:
    """Remove the skill and its folder, if nothing else is in it; return whether it was there.

    Raises:
        BadInput: if it is not ours, or cannot be removed.
    """
    if not check(file):
        return False
    try:
        file.unlink()
    except OSError as e:
        raise BadInput(f"{file} cannot be removed: {reason(e)}; remove it by hand") from None
    with suppress(OSError):  # the user keeps something beside it
        file.parent.rmdir()
    return True


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()
