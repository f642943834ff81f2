"""Each surface's names for the options and commands that messages mention."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from mutual_dissent.core.values.terms import Terms, flag

_SETTINGS = {"no_save": "save"}
"""Options that other surfaces have as a setting."""


def _spelled(surface: str, spelling: str) -> Callable[[str], str]:
    """Return a function that names options; for a missing one it says where else to set it.

    Args:
        surface: its name in the table of options.
        spelling: the attribute of an option that has its name there.
    """
    name_there: Callable[[Any], str] = attrgetter(spelling)

    def spell(name: str) -> str:
        from mutual_dissent.briefing.options import OPTIONS, Where  # not needed to start

        known = OPTIONS.get(name)
        if known is not None and Where[surface] in known.where:
            return name_there(known) or name.replace("_", " ")
        in_shell = known.in_shell if known is not None else flag(name)
        if surface == "SHELL":
            return in_shell
        if name in _SETTINGS or (known is not None and Where.DEFAULTS in known.where):
            return f"defaults.{_SETTINGS.get(name, name)} in the configuration"
        return f"{in_shell} on the command line"

    return spell


COMMAND_LINE = Terms(_spelled("SHELL", "in_shell"))

_SESSION = "/api/sessions/{0}"
REST = Terms(
    _spelled("REST", "in_json"),
    {
        "list": "GET /api/sessions",
        "presets": "GET /api/presets",
        "outcome": f"POST {_SESSION}/outcome",
        "show": f"GET {_SESSION}",
        "delete": f"DELETE {_SESSION}",
        "replay": f"POST {_SESSION}/synthesize",
        **{name: f"POST {_SESSION}/{name}" for name in ("resume", "continue", "stop", "tell")},
    },
)

MCP = Terms(
    _spelled("MCP", "in_mcp"),
    {
        "list": "list_sessions",
        "outcome": "control_session with sessionId {0} and action resolve",
        "show": "get_consensus with sessionId {0}",
        "continue": "continue_roundtable with sessionId {0}",
        "resume": "control_session with sessionId {0} and action resume",
        "stop": "control_session with sessionId {0} and action stop",
        "replay": "synthesize_debate with sessionId {0}",
    },
)

PAGE = Terms(
    _spelled("PAGE", "label"),
    {
        "list": "the list of debates",
        "outcome": "its page, below the answer",
        "show": "its page",
        "continue": "Continue on its page",
        "resume": "Resume on its page",
        "stop": "Stop on its page",
        "replay": "Write it again on its page",
        "delete": "Delete on its page",
    },
)
