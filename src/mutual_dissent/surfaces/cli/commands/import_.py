"""`dissent import`: import transcripts from files, also those of earlier programs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mutual_dissent.app import MutualDissent, import_files
from mutual_dissent.core.errors import BadInput
from mutual_dissent.surfaces.cli.options import PATH, as_list, examples
from mutual_dissent.surfaces.cli.tables import echo_json
from mutual_dissent.surfaces.process.failure import say
from mutual_dissent.text.sanitize import one_line

if TYPE_CHECKING:
    from mutual_dissent.store.import_ import ImportResult

LEGACY = ".questionable-ai"


@click.command(
    "import",
    epilog=examples(
        "dissent import debate.json",
        "dissent import ~/.questionable-ai",
        "dissent import backup/transcripts --output json",
    ),
)
@click.argument("paths", nargs=-1, type=PATH, metavar="[PATH]...")
@as_list
def command(paths: tuple[Path, ...], output: str) -> int:
    """Take transcripts from files or folders into the record.

    The files are only read. Without a path, the folder of an earlier version is offered.
    """
    chosen = list(paths) or [_legacy()]
    for path in chosen:
        if not path.expanduser().exists():
            raise BadInput(f"{path} does not exist; give a transcript or a folder of transcripts")
    md = MutualDissent()
    try:
        files: list[ImportResult] = import_files(md, chosen)
    finally:
        md.close()
    if output == "json":
        echo_json([_plain(b) for b in files])
    else:
        _tell(files)
    return 1 if any(b.verdict == "refused" for b in files) else 0


def _legacy() -> Path:
    """Return the folder of an earlier version, if it exists and the user accepts it."""
    folder = Path(os.environ.get("HOME") or os.environ.get("USERPROFILE") or "/") / LEGACY
    if not folder.is_dir():
        raise BadInput("name the files or folders to import, such as: dissent import backup/")
    terminal = sys.stdin is not None and sys.stdin.isatty()
    if not (terminal and click.confirm(f"Import the transcripts in {folder}?", err=True)):
        raise BadInput(f"name what to import, such as: dissent import {folder}")
    return folder


def _tell(found: list[ImportResult]) -> None:
    for brought in found:
        remarks = one_line("; ".join(filter(None, (brought.text, *brought.notes))), 1000)
        name, path = (brought.transcript_id or "")[:8], one_line(str(brought.path), 1000)
        click.echo(f"{brought.verdict}  {name:8}  {path}{': ' * bool(remarks)}{remarks}")
    count = sum(b.verdict == "imported" for b in found)
    say(f"{count} of {len(found)} files imported")


def _plain(brought: ImportResult) -> dict[str, object]:
    return {
        "path": str(brought.path),
        "verdict": brought.verdict,
        "transcript_id": brought.transcript_id,
        "text": brought.text,
        "notes": list(brought.notes),
    }
