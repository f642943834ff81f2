"""Adds our server to a client's file; its other entries stay, and it is backed up first."""

from __future__ import annotations

import json
from collections.abc import Callable, MutableMapping
from datetime import datetime
from pathlib import Path
from typing import Any

from mutual_dissent.core.errors import BadInput
from mutual_dissent.store.files.export import write_output
from mutual_dissent.surfaces.mcp.install.clients import NAME, Client

Row = dict[str, Any]
Table = MutableMapping[str, Any]
MOST = 10_000_000
"""Maximum bytes of a client's file; Claude Code keeps more than its servers in one."""


def snippet(client: Client, row: Row) -> str:
    """Return the text to add to a client's file by hand."""
    return _merge(client, "", row)


def merge_row(client: Client, file: Path, row: Row) -> str:
    """Return a client's file with our row added; everything else stays.

    Raises:
        BadInput: if the file cannot be read without losing something.
    """
    return _merge(client, _text(file), row, file)


def write(file: Path, text: str, now: datetime) -> Path | None:
    """Write a client's file; return the path of its backup, if it existed.

    Raises:
        DissentError: if it cannot be written; it is then unchanged.
    """
    file = file.resolve()  # dotfiles are often links
    file.parent.mkdir(parents=True, exist_ok=True)
    kept = None
    if file.exists():
        kept = file.with_name(f"{file.name}.{now:%Y%m%d-%H%M%S}.bak")
        write_output(kept, file.read_bytes())
        kept.chmod(file.stat().st_mode & 0o777)
    write_output(file, text.encode(), force=True)
    return kept


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > MOST:
            raise BadInput(f"{file} is too large; add the server by hand")
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as e:
        raise BadInput(f"{file} cannot be read ({e}); add the server by hand") from None


def _merge(client: Client, text: str, row: Row, file: Path | None = None) -> str:
    change = _toml if client.form == "toml" else _json
    try:
        return change(text, lambda document: _add(document, client.table, row))
    except ValueError:  # of both kinds of parsers
        raise BadInput(
            f"{file} is no plain {client.form.upper()} (it may have comments); "
            "add the server by hand, as `dissent mcp install` shows it"
        ) from None


def _add(document: Table, table: str, row: Row) -> None:
    """Add our row, and keep further fields of an old one, such as its environment."""
    servers = document.setdefault(table, {})
    if not isinstance(servers, MutableMapping):
        raise BadInput(f"{table} is no table in that file; put it right first")
    known = servers.get(NAME)
    if isinstance(known, MutableMapping):
        known.update(row)
    else:
        servers[NAME] = row


def _json(text: str, change: Callable[[Table], None]) -> str:
    document = json.loads(text, object_pairs_hook=_once) if text.strip() else {}
    if not isinstance(document, dict):
        raise ValueError("no object")  # noqa: TRY004 - reported like any unreadable text
    change(document)
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _once(pairs: list[tuple[str, Any]]) -> Row:
    """Build an object, or fail on a repeated name, since one of its values would be lost."""
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a name twice")
    return values


def _toml(text: str, change: Callable[[Table], None]) -> str:
    import tomlkit

    document = tomlkit.parse(text)
    change(document)
    return tomlkit.dumps(document)
