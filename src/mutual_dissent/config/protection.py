"""Settings that only whoever sits at the machine may change: a page or a program could be another.

They say what is run here, where keys, questions and answers are sent, where the record is kept,
and which names the server answers to.
"""

from __future__ import annotations

from mutual_dissent.core.values.terms import command

GUARDED_TABLES = frozenset({"programs", "endpoints", "store", "cluster", "telemetry", "webhook"})
GUARDED_NAMES = frozenset({"search.searxng_url", "server.names"})


def is_guarded(name: str) -> bool:
    """Return whether a setting is left to the command line and the file."""
    table = name.partition(".")[0]
    return table in GUARDED_TABLES or name in GUARDED_NAMES or name.endswith("_base_url")


def refusal(name: str) -> str:
    """Sentence for a client that tries to change it elsewhere."""
    return (
        f"{name} decides what is run here or where keys and questions go, so it is not changed "
        f"from the page; at this machine, run: {command('config set', name, 'VALUE')}"
    )
