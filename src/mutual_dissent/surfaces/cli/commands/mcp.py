"""`dissent mcp`: the panel as an MCP server on stdin and stdout."""

from __future__ import annotations

import click

from mutual_dissent.core.errors import BadInput
from mutual_dissent.surfaces.cli.options import examples


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
    from mutual_dissent.surfaces.mcp.wire import claimed

    with claimed() as wire:
        try:
            from mutual_dissent.surfaces.mcp.serving import serve
        except ModuleNotFoundError as e:
            raise BadInput(
                f"the MCP server needs {e.name}; run: pip install 'mutual-dissent[mcp]'"
            ) from None
        from mutual_dissent.surfaces.cli.running import run

        run(serve(wire))
    return 0
