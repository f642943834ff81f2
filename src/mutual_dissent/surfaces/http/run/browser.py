"""Opens the page in a browser, without the token on a command line that other users can list."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from html import escape
from pathlib import Path

from mutual_dissent.config.paths import Home

PAGE = """<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={url}">
<title>Mutual Dissent</title>
<p><a href="{url}">Mutual Dissent</a></p>
"""


def can_open(env: Mapping[str, str]) -> bool:
    """Return whether a graphical browser can open; a text browser would take the terminal."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(env.get("DISPLAY") or env.get("WAYLAND_DISPLAY"))


@contextmanager
def open_browser(url: str, home: Home) -> Iterator[None]:
    """Have a browser go to an address by way of a file that only its owner can read."""
    page = home.ensure() / f"serve-{os.getpid()}.html"
    try:
        _write(page, PAGE.format(url=escape(url)))
        webbrowser.open(page.as_uri())
        yield
    finally:
        with suppress(OSError):
            page.unlink()


def _write(page: Path, text: str) -> None:
    with suppress(FileNotFoundError):
        page.unlink()
    handle = os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
