"""Make the MCPB bundle: our source, what uv needs to install it, and the manifest.

`make mcpb` puts it into dist/. The same source makes the same bytes.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mutual_dissent import __version__
from mutual_dissent.surfaces.mcp.tools import TABLE

ROOT = Path(__file__).parents[1]
MANIFEST = ROOT / "packaging" / "mcpb" / "manifest.json"
BESIDE = ("pyproject.toml", "README.md", "LICENSE")
EPOCH = (1980, 1, 1, 0, 0, 0)


def manifest() -> dict[str, Any]:
    """The manifest, with the version and the tools of the code."""
    found: dict[str, Any] = json.loads(MANIFEST.read_text())
    tools = [{"name": row.work.__name__, "description": row.title} for row in TABLE]
    return {**found, "version": __version__, "tools": tools}


def files() -> Iterator[tuple[str, bytes]]:
    """What is in the bundle."""
    yield "manifest.json", json.dumps(manifest(), indent=2).encode()
    for name in BESIDE:
        yield name, (ROOT / name).read_bytes()
    for file in sorted((ROOT / "src").rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts and file.suffix != ".ts":
            yield file.relative_to(ROOT).as_posix(), file.read_bytes()


def main(folder: Path) -> Path:
    """Write the bundle."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"mutual-dissent-{__version__}.mcpb"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, data in files():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = 0o644 << 16
            bundle.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return target


if __name__ == "__main__":
    print(main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist"))
