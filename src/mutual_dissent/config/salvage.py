"""Remains of a configuration that cannot be used: the place of the record.

Whoever only looks at the record needs no more of the file than that.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from mutual_dissent.config.file import MAX_BYTES, ConfigFile, check_tables, guard_file
from mutual_dissent.config.sections import DATABASE_VARIABLE
from mutual_dissent.core.errors import BadConfig

TABLE = "store"
_COMMENT = re.compile(r"#.*")


def remains(path: Path, error: BadConfig, env: Mapping[str, str]) -> ConfigFile:
    """The part of a file that says where the record is.

    Raises:
        BadConfig: why the file cannot be used, if even that cannot be known.
    """
    if env.get(DATABASE_VARIABLE, "").strip():
        return ConfigFile(str(path))  # the environment goes first, whatever the file says
    try:
        if not path.is_file():  # opening a pipe would wait for somebody to write into it
            raise error
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
            facts = os.fstat(file.fileno())
    except OSError:
        raise error from None
    if len(raw) > MAX_BYTES or b"\0" in raw:  # not read to its end, or in UTF-16: what does it say?
        raise error
    text = raw.decode("utf-8-sig", "replace")
    if not any(TABLE in _COMMENT.sub("", line) for line in text.splitlines()):
        return ConfigFile(str(path))
    try:
        tables = tomllib.loads(text.replace("\r\n", "\n"))
    except (ValueError, RecursionError):
        raise error from None
    found = check_tables(str(path), text, {k: v for k, v in tables.items() if k == TABLE})
    guard_file(found, path, facts)  # what others may have written says nothing
    return found
