"""Log of unexpected errors in the user's folder: private, and without any key."""

from __future__ import annotations

import logging
import os
import platform
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from mutual_dissent import __version__
from mutual_dissent.config.paths import Home
from mutual_dissent.core.errors import DissentError

FOLDER = "logs"
LOG = "dissent.log"
MAX_BYTES = 1_000_000


def write_report(error: BaseException) -> Path | None:
    """Write an unexpected error to a file; return its path, or None if that failed."""
    trace = "".join(traceback.format_exception(error))
    moment = datetime.now(UTC)
    head = f"{moment:%Y-%m-%dT%H:%M:%SZ} dissent {__version__}, Python {platform.python_version()}"
    name = f"bug-{moment:%Y%m%d-%H%M%S}-{os.getpid()}.log"
    return _write(name, f"{head}, {sys.platform}\n{trace}", os.environ)


@contextmanager
def off_screen() -> Iterator[None]:
    """Within this context, send log records and warnings to the log instead of the screen."""
    root, log, before = logging.getLogger(), _LogFile(level=logging.WARNING), sys.unraisablehook
    root.addHandler(log)
    logging.captureWarnings(capture=True)
    sys.unraisablehook = _unraisable
    try:
        yield
    finally:
        sys.unraisablehook = before
        logging.captureWarnings(capture=False)
        root.removeHandler(log)


class _LogFile(logging.Handler):
    """Appends to the log in the user's folder, created with the first record."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        text = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s").format(record)
        _write(LOG, text + "\n", os.environ)


def _unraisable(hook: sys.UnraisableHookArgs) -> None:
    """Log what Python would print as "Exception ignored in"."""
    if hook.exc_value is not None:
        trace = "".join(traceback.format_exception(hook.exc_value))
        _write(LOG, f"ignored in {type(hook.object).__name__}: {trace}", os.environ)


def _write(name: str, text: str, env: Mapping[str, str]) -> Path | None:
    try:
        home = Home.from_env(env)
        folder = home.ensure(home.root / FOLDER)
        # Not through a link that stands in the log's place.
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        handle = os.open(folder / name, flags, 0o600)
    except (OSError, DissentError):
        return None
    with os.fdopen(handle, "a", encoding="utf-8", errors="replace") as file, suppress(OSError):
        if os.fstat(handle).st_size < MAX_BYTES:
            file.write(_without_keys(text, env, home))
    return folder / name


def _without_keys(text: str, env: Mapping[str, str], home: Home) -> str:
    keys = {v.strip() for k, v in env.items() if k.endswith(("_KEY", "_TOKEN", "_SECRET"))}
    with suppress(Exception):  # an unreadable configuration has no keys that we could know
        from mutual_dissent.config.settings import load_settings

        keys |= {e.key.reveal() for e in load_settings(env, home).vendors.values() if e.key}
    # Short values would blank out ordinary words; the longest goes first, since one may be the
    # beginning of another.
    for key in sorted((k for k in keys if len(k) >= 4), key=len, reverse=True):
        text = text.replace(key, "[key]")
    return text
