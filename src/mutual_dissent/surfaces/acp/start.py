"""`dissent acp`: one editor on stdio."""

from __future__ import annotations

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.acp.agent import EditorAgent
from mutual_dissent.surfaces.acp.connection import Connection
from mutual_dissent.surfaces.process.pipe import Pipe


async def serve(wire: Pipe) -> None:
    """Serve until the editor closes its end."""
    # An editor chooses among the user's own presets and names no panel, so that no rule for
    # strangers is needed.
    async with MutualDissent() as md:
        await EditorAgent(md, Connection(wire)).serve()
