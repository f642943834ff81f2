"""Changing one setting in the user's file, comments kept, all or nothing."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import threading
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mutual_dissent.config.file import Place, parse_document, unknown
from mutual_dissent.config.paths import Home
from mutual_dissent.config.schema import Setting, is_table, known_below, setting_at
from mutual_dissent.config.settings import Settings, settings_from
from mutual_dissent.config.values import NotAccepted
from mutual_dissent.core.errors import BadConfig, DissentError

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

if sys.platform != "win32":
    import fcntl

_TURN = threading.Lock()
TABLE = "table"
"""The name under which a table is read that was given in braces."""


def set_value(
    path: Path,
    name: str,
    word: str,
    check: Callable[[Settings], None] | None = None,
    env: Mapping[str, str] | None = None,
) -> None:
    """Set one setting by its dotted name; an empty word removes it. Lists are comma-separated.

    The file as it would be is checked whole before anything is written; then it replaces the old
    one in one step and only its owner can read it. Changes by several at once come one by one.

    Args:
        check: raises a UserError if the settings as they would be are not wanted.
        env: the environment that the settings must be usable with; none if not given.

    Raises:
        BadConfig: if there is no such setting, or it does not accept the value.
        DissentError: if the file could not be written.
    """
    place, setting = _find(path, name)
    value = _value(path, setting, name, word)
    with _alone(path):
        text = _changed(path, place, value)
        checked = parse_document(str(path), text)
        settings = settings_from(checked, env or {}, Home(path.parent))
        _check_route(path, place, value, settings)
        if check and value is not None:
            check(settings)
        replace_file(path, text)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Change a file while no other thread or process does: both read it first, and write it all.

    The folder is locked, so that nothing is made where nothing comes to be written.
    """
    with _TURN, contextlib.ExitStack() as stack:
        if sys.platform != "win32":
            with contextlib.suppress(OSError):  # no folder yet, or a file system without locks
                handle = os.open(Path(os.path.realpath(path)).parent, os.O_RDONLY)
                stack.callback(os.close, handle)
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _find(path: Path, name: str) -> tuple[Place, Setting]:
    place = tuple(name.split("."))
    if setting := setting_at(place):
        return place, setting
    if is_table(place):
        below = ", ".join(known_below(place)) or "names of your choice"
        raise BadConfig(str(path), name, f"is a table; name a setting in it: {below}")
    deepest = next(d for d in range(1, len(place) + 1) if not is_table(place[:d]))
    raise BadConfig(str(path), name, unknown(place[:deepest]))


def _value(path: Path, setting: Setting, name: str, word: str) -> Any:
    if not word.strip():
        return None
    if word.lstrip().startswith("{") and is_table(tuple(name.split("."))):
        return _inline_table(path, setting, name, word)
    value = setting.accepts.written(word)
    try:
        setting.accepts.read(value)
    except NotAccepted:
        raise BadConfig(str(path), name, f"must be {setting.accepts.what}") from None
    return value


def _inline_table(path: Path, setting: Setting, name: str, word: str) -> dict[str, Any]:
    """Text between braces, as the file has it; the whole file is checked with it."""
    try:
        found = tomllib.loads(f"{TABLE} = {word.strip()}")
    except ValueError:
        found = {}
    if set(found) != {TABLE} or not found[TABLE]:
        raise BadConfig(str(path), name, f"must be {setting.accepts.what}")
    return dict(found[TABLE])


def _check_route(path: Path, place: Place, way: Any, settings: Settings) -> None:
    """An alias cannot be reached by a way that it has no id for."""
    alias = settings.aliases.get(place[1]) if place[0] == "routing" and len(place) == 2 else None
    ids = {"direct": alias.direct, "openrouter": alias.openrouter} if alias else {}
    if alias and way in ids and not ids[way]:
        said = f"{alias.name} has no {way} id; set model_aliases.{alias.name}.{way} first"
        raise BadConfig(str(path), ".".join(place), said)


def _changed(path: Path, place: Place, value: Any) -> bytes:
    import tomlkit

    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raw = b""
    except OSError as e:
        raise BadConfig(str(path), "file", f"cannot be read: {e.strerror}") from None
    parse_document(str(path), raw)  # says better than tomlkit what is wrong with it
    document = tomlkit.parse(raw.decode("utf-8-sig"))
    if value is None:
        _remove(document, place)
    else:
        _put(document, place, value)
    return tomlkit.dumps(document).encode()


def _put(document: TOMLDocument, place: Place, value: Any) -> None:
    import tomlkit

    table: Any = document
    for step in place[:-1]:
        if step not in table:
            table[step] = tomlkit.table()
        elif not hasattr(table[step], "keys"):
            table[step] = tomlkit.table()  # an alias written as a plain id becomes a table
        table = table[step]
    table[place[-1]] = value


def _remove(document: TOMLDocument, place: Place) -> None:
    table: Any = document
    for step in place[:-1]:
        table = table.get(step)
        if not hasattr(table, "keys"):
            return
    table.pop(place[-1], None)


def replace_file(path: Path, text: bytes) -> None:
    """Write beside the file, flush to disk, rename over it; a link keeps pointing where it did.

    Raises:
        DissentError: if it could not be written; nothing has changed then.
    """
    target = Path(os.path.realpath(path))
    try:
        Home(target.parent).ensure()
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise
        _flush_folder(target.parent)
    except OSError as e:
        reason = e.strerror or str(e)
        raise DissentError(f"{path} could not be written ({reason}); nothing was changed") from None


def _flush_folder(folder: Path) -> None:
    if os.name == "nt":  # folders cannot be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
