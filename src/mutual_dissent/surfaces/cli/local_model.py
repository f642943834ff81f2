"""Weights of the embedded models: offered, and fetched with a progress bar."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.errors import DissentError

OTHERWISE = {
    True: "name other models with --panel",
    False: "set a key such as OPENROUTER_API_KEY",
}
"""Alternatives, by whether some API key is set."""


def fetch_if_missing(md: MutualDissent, brief: Brief) -> None:
    """Offer on a terminal to fetch the weights that a debate needs.

    Raises:
        DissentError: if they are missing and the user does not want them fetched.
    """
    for name in dict.fromkeys(
        p.route.model_id for p in brief.everyone if p.route.vendor == "local"
    ):
        _fetch_if_missing(md, name)


def _fetch_if_missing(md: MutualDissent, name: str) -> None:
    from mutual_dissent.providers.local import weights

    status = weights.status(md.home.models, name, verify=False)
    otherwise = f"or {OTHERWISE[any(bool(e.key) for e in md.settings.vendors.values())]}"
    if status.runtime is None:
        run = "pip install 'mutual-dissent[local]'"
        raise DissentError(f"the embedded model's runtime is not installed; {run}, {otherwise}")
    if status.path is not None:
        return
    row = weights.find_weights(name)
    question = f"The embedded model {name} is not here. Fetch it ({row.fetched / 1e6:,.0f} MB)?"
    if not (_can_ask() and click.confirm(question, err=True)):
        raise DissentError(f"the embedded model {name} is not here; {row.next_step}, {otherwise}")
    pull(md, name)


def pull(md: MutualDissent, name: str) -> Path:
    """Fetch a model's weights into the user's folder."""
    from mutual_dissent.providers.local import weights

    row, home = weights.find_weights(name), md.home.ensure()
    with click.progressbar(
        length=row.fetched,
        label=f"Fetching the embedded model {name}",
        file=sys.stderr,
        show_pos=False,
        hidden=not _on_terminal(),
    ) as bar:
        return weights.pull(home / "models", lambda here, _: bar.update(here - bar.pos), name)


def _can_ask() -> bool:
    return _on_terminal() and sys.stdin is not None and sys.stdin.isatty()


def _on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
