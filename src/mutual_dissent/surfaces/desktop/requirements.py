"""Libraries that the window needs on this machine, and how to install missing ones."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping
from contextlib import suppress

TRAYS = ("libayatana-appindicator3.so.1", "libappindicator3.so.1")
"""Libraries of which one is needed for a Linux tray icon; they are loaded when it is made."""

PROGRAM = "mutual-dissent"
EXTRA = "pip install 'mutual-dissent[desktop]'"
PACKAGES = "apt install libwebkit2gtk-4.1-0 libayatana-appindicator3-1"


def lacking(env: Mapping[str, str]) -> str | None:
    """Return why the window cannot open, as a sentence with the next step; None if it can.

    Called before anything starts: Tauri ends the whole process if a library is missing.
    """
    return _extra() or (None if sys.platform in ("win32", "darwin") else _linux(env))


def _extra() -> str | None:
    try:
        import pytauri_wheel.lib  # noqa: F401 - tests whether it is installed
    except ModuleNotFoundError as e:
        return f"the window needs {e.name}; run: {EXTRA}"
    except ImportError as e:  # its own libraries are not there
        return f"the window needs a library ({e}); on Debian or Ubuntu: {PACKAGES}"
    return None


def _linux(env: Mapping[str, str]) -> str | None:
    if not (env.get("DISPLAY") or env.get("WAYLAND_DISPLAY")) or not _shows():
        return "there is no display here that a window could be shown on; start one first"
    if not any(map(_loads, TRAYS)):
        return f"the tray icon needs {TRAYS[0]}; on Debian or Ubuntu: {PACKAGES}"
    return None


def _shows() -> bool:
    """Return whether GTK finds the display that the environment names.

    This starts GTK, which reads then the program name by which menus know the window.
    """
    ctypes.CDLL("libglib-2.0.so.0").g_set_prgname(PROGRAM.encode())
    return bool(ctypes.CDLL("libgtk-3.so.0").gtk_init_check(None, None))


def _loads(library: str) -> bool:
    with suppress(OSError):
        ctypes.CDLL(library)
        return True
    return False
