"""`dissent mcp`: the panel as an MCP server on stdin and stdout."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from mutual_dissent.core.errors import BadInput
from mutual_dissent.surfaces.cli.options import PATH, examples
from mutual_dissent.surfaces.mcp.install import config_file
from mutual_dissent.surfaces.mcp.install.clients import CLIENTS, our_command, place
from mutual_dissent.surfaces.process.failure import say


@click.group(
    "mcp",
    invoke_without_command=True,
    epilog=examples("dissent mcp", "dissent mcp install --client claude-desktop"),
)
@click.pass_context
def command(ctx: click.Context) -> int | None:
    """Serve the panel over MCP on stdin and stdout, or set a client up for it.

    Without a further word it serves until its client closes the connection. Programs such as Claude
    Desktop, Cursor or VS Code start it themselves.
    """
    if ctx.invoked_subcommand is not None:
        return None
    from mutual_dissent.surfaces.process.pipe import claim_stdio

    # Before the imports: whatever a library prints must not reach the protocol's stream.
    with claim_stdio() as wire:
        try:
            from mutual_dissent.surfaces.mcp.transport.start import serve
        except ModuleNotFoundError as e:
            raise BadInput(
                f"the MCP server needs {e.name}; run: pip install 'mutual-dissent[mcp]'"
            ) from None
        from mutual_dissent.surfaces.process.signals import run

        run(serve(wire))
    return 0


@command.command(
    "install",
    epilog=examples(
        "dissent mcp install --client claude-desktop",
        "dissent mcp install --client codex --write",
    ),
)
@click.option(
    "--client",
    "name",
    type=click.Choice(list(CLIENTS)),
    required=True,
    help="The program that shall start the server.",
)
@click.option("--write", is_flag=True, help="Change its file, after a backup.")
@click.option("--file", type=PATH, help="Its file, where that is not in the usual place.")
def install(name: str, write: bool, file: Path | None) -> None:
    """Show what a client's configuration needs, or write it there.

    What is in the file already stays there. Keys are not copied: the server reads your own
    configuration.
    """
    client = CLIENTS[name]
    target = file or place(client, os.environ, Path.home(), sys.platform)
    row = client.row(our_command(sys.argv[0]))
    if not write:
        click.echo(config_file.snippet(client, row), nl=False)
        say(f"add this to {target}, or let --write do it; then {client.after}")
        return
    kept = config_file.write(target, config_file.merge_row(client, target, row), datetime.now(UTC))
    say(f"{client.title} knows the server now ({target}); {client.after}")
    if kept:
        say(f"the file as it was: {kept}")
