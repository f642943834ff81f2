"""The entry in the applications menu of a Linux desktop."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from mutual_dissent.core.errors import BadInput
from mutual_dissent.store.files.export import write_output

NAME = "mutual-dissent"
ICON = Path(__file__).parent.parent / "web" / "static" / "icon.svg"
TEXT = """[Desktop Entry]
Type=Application
Name=Mutual Dissent
Comment=Ask a panel of language models instead of one
Exec={command}
Icon={icon}
Terminal=false
Categories=Utility;Science;
Keywords=LLM;AI;debate;panel;
StartupNotify=true
StartupWMClass=Mutual-dissent
"""


def entry(command: Sequence[str] = ("dissent", "desktop"), icon: str = NAME) -> str:
    """Return the text of the entry."""
    return TEXT.format(command=" ".join(map(_quoted, command)), icon=icon)


def install(env: Mapping[str, str]) -> Path:
    """Write the entry and its icon to the user's folders; return the entry's path.

    Raises:
        BadInput: if this desktop has no such applications menu.
        DissentError: if it cannot be written.
    """
    if sys.platform in ("win32", "darwin"):
        raise BadInput(
            "menu entries of this kind are Linux's; here, make a link to: dissent desktop"
        )
    root = _data_folder(env)
    icon = root / "icons" / "hicolor" / "scalable" / "apps" / f"{NAME}.svg"
    file = root / "applications" / f"{NAME}.desktop"
    for path, text in ((icon, ICON.read_bytes()), (file, entry(_command(), str(icon)).encode())):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_output(path, text, force=True)
    return file


def _data_folder(env: Mapping[str, str]) -> Path:
    chosen = env.get("XDG_DATA_HOME", "")
    if Path(chosen).is_absolute():  # the standard says to ignore relative paths
        return Path(chosen)
    if not env.get("HOME"):
        raise BadInput("there is no home folder: set HOME or XDG_DATA_HOME to a folder")
    return Path(env["HOME"]) / ".local" / "share"


def _command() -> tuple[str, ...]:
    """Return the command with the program's full path: menus do not know a terminal's PATH."""
    beside = Path(sys.executable).with_name("dissent")
    program = str(beside) if beside.exists() else shutil.which("dissent")
    return (program, "desktop") if program else (sys.executable, "-m", "mutual_dissent", "desktop")


def _quoted(word: str) -> str:
    """Quote a word of the command by the desktop entry standard."""
    word = word.replace("%", "%%")
    if not any(c in word for c in " \t\n\"'\\><~|&;$*?#()`"):
        return word
    for special in '\\"`$':
        word = word.replace(special, "\\" + special)
    # The whole value is a string of the file, where a backslash is written twice.
    return f'"{word}"'.replace("\\", "\\\\")
