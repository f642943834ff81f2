"""Settings of [desktop]."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from mutual_dissent.config.values import Accepts, NotAccepted

HOTKEY = "CommandOrControl+Alt+M"
MODIFIERS = "CommandOrControl|CmdOrCtrl|Control|Ctrl|Command|Cmd|Super|Alt|Option|Shift"
KEYS = "[A-Z0-9]|F[1-9]|F1[0-9]|F2[0-4]|Space|Enter|Tab|Home|End|Insert|Delete|PageUp|PageDown"
_COMBINATION = re.compile(rf"(?:(?:{MODIFIERS})\+){{1,4}}(?:{KEYS})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopOptions:
    """Options of `dissent desktop`.

    Attributes:
        hotkey: the keys that bring the window to the front from anywhere, or `off`.
    """

    hotkey: str = HOTKEY


def hotkey() -> Accepts:
    """Modifiers and one key, joined by `+`."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or not _COMBINATION.fullmatch(value):
            raise NotAccepted
        return value

    return Accepts(f'keys such as "{HOTKEY}" or "Super+Shift+Space"', read)
