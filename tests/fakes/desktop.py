"""A display, a message bus and a person's hands, for the tests of the desktop window."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path

import psutil
import pytest

from fakes.command_line import started
from fakes.command_line import wait_until as _wait_until
from mutual_dissent.surfaces.desktop import requirements

PROGRAMS = ("Xvfb", "xdotool", "xprop", "dbus-daemon", "gdbus")
TITLE = "Mutual Dissent"
MENU = "/org/ayatana/NotificationItem/tray_icon_tray_app/Menu"
CLIENT_MESSAGE = 33
ALONE = {"NO_AT_BRIDGE": "1", "GTK_A11Y": "none", "GDK_BACKEND": "x11"}
"""No services for screen readers, which would outlive the test."""


def wait_until(check) -> None:
    """Wait for what is seen on a screen; each look starts a program."""
    _wait_until(check, step=0.2)


@dataclass
class Display:
    """A screen that nobody sees, and what a person would do at it."""

    env: dict[str, str]
    memory: Path
    menu: dict[str, tuple[str, str]] = field(default_factory=dict)

    def shown(self) -> list[str]:
        """The windows of ours that can be seen now."""
        return self._do("xdotool", "search", "--onlyvisible", "--name", TITLE).split()

    def kind(self) -> str:
        """The class that our window is of."""
        return self._do("xprop", "-id", *self.shown(), "WM_CLASS").split('"')[-2]

    def press(self, keys: str) -> None:
        self._do("xdotool", "key", keys)

    def close(self, window: str) -> None:
        """What a click on a window's cross sends to it; there is no window manager to do it."""
        ask_to_close(self.env["DISPLAY"], int(window))

    def colours(self) -> int:
        """How many different colours the screen shows."""
        data = self.memory.read_bytes()
        head = struct.unpack(">25I", data[:100])
        pixels = data[head[0] + head[19] * 12 :]
        return len(set(struct.unpack(f"={len(pixels) // 4}I", pixels[: len(pixels) // 4 * 4])))

    def choose(self, label: str) -> None:
        """Choose from the menu of the tray icon, as a panel of a desktop would."""
        wait_until(lambda: label in self._menu())
        name, number = self.menu[label]
        self._bus(name, MENU, "Event", number, "clicked", "<''>", "0")

    def _menu(self) -> dict[str, tuple[str, str]]:
        """What the tray icon offers: label -> who has it on the bus, and its number there."""
        if not self.menu:
            names = self._bus("org.freedesktop.DBus", "/", "ListNames")
            for name in re.findall(r":\d+\.\d+", names):
                layout = self._bus(name, MENU, "GetLayout", "0", "--", "-1", "[]")
                found = re.findall(r"\((\d+), {'label': <'([^']+)'>", layout)
                self.menu.update({label: (name, number) for number, label in found})
        return self.menu

    def _bus(self, name: str, path: str, method: str, *arguments: str) -> str:
        face = "com.canonical.dbusmenu" if path == MENU else "org.freedesktop.DBus"
        where = ("--dest", name, "--object-path", path, "--method", f"{face}.{method}")
        # Some who are on the bus never answer.
        return self._do("gdbus", "call", "--session", "--timeout", "1", *where, *arguments)

    def _do(self, *words: str) -> str:
        done = subprocess.run(words, env=self.env, capture_output=True, text=True, check=False)
        return done.stdout


@contextmanager
def display(folder: Path) -> Iterator[Display]:
    """A display and a message bus of our own; without the parts for it, the test is skipped."""
    if missing := [name for name in PROGRAMS if not shutil.which(name)]:
        pytest.skip(f"SKIPPED: {', '.join(missing)} not here; as root: scripts/system_parts.sh")
    (folder / "run").mkdir(mode=0o700)
    screen = ["Xvfb", "-displayfd", "1", "-screen", "0", "1400x900x24", "-fbdir", str(folder)]
    with _spoken(screen) as number, _spoken([*BUS]) as address:
        ours = {
            "DISPLAY": f":{number}",
            "DBUS_SESSION_BUS_ADDRESS": address,
            "XDG_RUNTIME_DIR": str(folder / "run"),
            "XDG_CACHE_HOME": str(folder / ".cache"),
        }
        env = {**os.environ, **ALONE, **ours, "HOME": str(folder)}
        _check_parts(env)
        yield Display(env, folder / "Xvfb_screen0")


BUS = ("dbus-daemon", "--session", "--nofork", "--print-address")


@contextmanager
def _spoken(command: list[str]) -> Iterator[str]:
    """The first line of a program that runs meanwhile."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().decode().strip()
        finally:
            process.terminate()


def _check_parts(env: dict[str, str]) -> None:
    code = (
        f"import os; from {requirements.__name__} import lacking; print(lacking(os.environ) or '')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    if sentence := done.stdout.strip():
        pytest.skip(f"SKIPPED: {sentence}")


class Desktop:
    """A running `dissent desktop`."""

    def __init__(self, process: subprocess.Popen[bytes], display: Display, home: Path) -> None:
        self.process, self.display, self.home = process, display, home
        wait_until(lambda: process.poll() is not None or (display.shown() and self.servers()))
        assert process.poll() is None, process.communicate()[1].decode()

    def everyone(self) -> list[psutil.Process]:
        """It and all that it has started."""
        us = psutil.Process(self.process.pid)
        return [us, *us.children(recursive=True)]

    def servers(self) -> list[psutil.Process]:
        """Those of its children that serve pages."""
        return [p for p in self.everyone() if _has(p, "desktop.server_process")]

    def numbers(self) -> str:
        """What its server has counted."""
        (server,) = self.servers()
        (port,) = {c.laddr.port for c in server.net_connections("tcp") if c.status == "LISTEN"}
        line = HTTPConnection("127.0.0.1", port, timeout=30)
        line.request("GET", "/metrics")
        text = line.getresponse().read().decode()
        line.close()
        return text


def _has(process: psutil.Process, word: str) -> bool:
    try:
        return any(word in part for part in process.cmdline())
    except psutil.Error:
        return False


@contextmanager
def desktop(display: Display, home: Path, **more: str) -> Iterator[Desktop]:
    """A window on a display, with a home of its own."""
    env = {**display.env, **more, "MUTUAL_DISSENT_HOME": str(home)}
    with started("desktop", env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        yield Desktop(process, display, home)


class _Message(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("sent", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong),
        ("kind", ctypes.c_ulong),
        ("format", ctypes.c_int),
        ("data", ctypes.c_long * 5),
        ("rest", ctypes.c_long * 12),
    )


def ask_to_close(display: str, window: int) -> None:
    """Send what a window manager sends when somebody closes a window."""
    x = ctypes.CDLL("libX11.so.6")
    x.XOpenDisplay.restype, x.XInternAtom.restype = ctypes.c_void_p, ctypes.c_ulong
    screen = ctypes.c_void_p(x.XOpenDisplay(display.encode()))
    message = _Message(type=CLIENT_MESSAGE, window=window, format=32)
    message.kind = x.XInternAtom(screen, b"WM_PROTOCOLS", 0)
    message.data[0] = x.XInternAtom(screen, b"WM_DELETE_WINDOW", 0)
    x.XSendEvent(screen, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(message))
    x.XCloseDisplay(screen)
