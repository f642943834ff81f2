"""Mutual Dissent: ask a panel of language models instead of one.

```python
from mutual_dissent import MutualDissent

async with MutualDissent() as md:
    transcript = await md.debate("Is P equal to NP?", panel=["claude", "gpt"])
```
"""

from __future__ import annotations

TYPE_CHECKING = False  # checkers take it for true; importing `typing` would cost more than all else
if TYPE_CHECKING:
    from typing import Any

    from mutual_dissent.app import MutualDissent
    from mutual_dissent.core.brief import Attachment, Brief, ExperimentMetadata
    from mutual_dissent.core.errors import DissentError
    from mutual_dissent.core.events import Event, Token
    from mutual_dissent.core.response import Response
    from mutual_dissent.core.transcript import Round, Transcript
    from mutual_dissent.shortcuts import run_debate, run_replay

__version__ = "0.2.0"

_HOMES = {
    "MutualDissent": "app",
    "run_debate": "shortcuts",
    "run_replay": "shortcuts",
    "Attachment": "core.brief",
    "Brief": "core.brief",
    "ExperimentMetadata": "core.brief",
    "DissentError": "core.errors",
    "Event": "core.events",
    "Token": "core.events",
    "Response": "core.response",
    "Round": "core.transcript",
    "Transcript": "library",
}

__all__ = [
    "Attachment",
    "Brief",
    "DissentError",
    "Event",
    "ExperimentMetadata",
    "MutualDissent",
    "Response",
    "Round",
    "Token",
    "Transcript",
    "__version__",
    "run_debate",
    "run_replay",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that importing the package costs nothing."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
