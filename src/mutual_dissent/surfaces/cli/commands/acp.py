"""`dissent acp`: the panel as an agent for editors, on stdin and stdout."""

from __future__ import annotations

import click

from mutual_dissent.surfaces.cli.options import examples


@click.command("acp", epilog=examples("dissent acp"))
def command() -> int:
    """Be an agent for editors, over the Agent Client Protocol.

    Editors such as Zed start it themselves and talk to it on stdin and stdout. A prompt is a
    debate: its rounds are shown as a plan, what panelists say as thoughts, then the answer. Presets
    are modes; the conversation is on record and can be loaded again.
    """
    from mutual_dissent.surfaces.process.pipe import claim_stdio

    # Before the imports: whatever a library prints must not reach the protocol's stream.
    with claim_stdio() as wire:
        from mutual_dissent.surfaces.acp.start import serve
        from mutual_dissent.surfaces.process.signals import run

        run(serve(wire))
    return 0
