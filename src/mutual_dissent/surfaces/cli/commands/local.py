"""`dissent local`: the embedded model, which needs no key and no network."""

from __future__ import annotations

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.tables import echo_json


@click.group("local", epilog=examples("dissent local pull", "dissent local status"))
def command() -> None:
    """Fetch or inspect the embedded model.

    It is a small model that runs inside this program: no key, no network, no cost. With no key and
    no Ollama, it plays the whole panel.
    """


@command.command("pull", epilog=examples("dissent local pull"))
def pull() -> None:
    """Fetch the embedded model's weights (93 MB) and check them."""
    from mutual_dissent.surfaces.cli import embedded

    click.echo(f"The embedded model is here: {embedded.pull(MutualDissent())}")


@command.command("status", epilog=examples("dissent local status", "dissent local status -o json"))
@as_list
def status(output: str) -> int:
    """Say whether the embedded model is here, intact, and can run."""
    from mutual_dissent.providers import weights

    found = weights.status(MutualDissent().home.models)
    if output == "json":
        plain = {
            "path": str(found.path) if found.path else None,
            "size": found.size,
            "intact": found.intact,
            "runtime": found.runtime,
            "ready": found.ready,
        }
        echo_json(plain)
    else:
        click.echo("\n".join(_lines(found)))
    return 0 if found.ready else 1


def _lines(found: object) -> list[str]:
    from mutual_dissent.providers.weights import LICENCE, WeightsStatus

    assert isinstance(found, WeightsStatus)
    if found.path is None:
        weights = "not here; run: dissent local pull"
    elif found.intact is False:
        weights = f"{found.path} is damaged; remove it and run: dissent local pull"
    else:
        weights = f"{found.path} ({found.size / 1e6:.0f} MB, {LICENCE}, intact)"
    runtime = found.runtime or "not installed; run: pip install 'mutual-dissent[local]'"
    return [
        f"weights  {weights}",
        f"runtime  {runtime}",
        f"ready    {'yes' if found.ready else 'no'}",
    ]
