"""Fill in the Homebrew formula and the winget manifests of a release from the files in dist/.

`python scripts/release_manifests.py https://github.com/OWNER/NAME` is a step of the publishing
workflow: only there are the address and the hashes known.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from string import Template

from mutual_dissent import __version__

ROOT = Path(__file__).parents[1]
FILES = {
    "homebrew": f"mutual_dissent-{__version__}.tar.gz",
    "winget": f"mutual-dissent-{__version__}-windows-x64.zip",
}


def main(repository: str, dist: Path) -> list[Path]:
    """Write the manifests into folders of `dist`; a file that a hash is needed of must be there."""
    if missing := [name for name in FILES.values() if not (dist / name).is_file()]:
        sys.exit(f"{dist} has no {' and no '.join(missing)}; the publishing workflow makes them")
    source, windows = (sha256(dist / name) for name in FILES.values())
    known = {
        "repository": repository.rstrip("/"),
        "version": __version__,
        "source_sha256": source,
        "windows_sha256": windows.upper(),
    }
    return [fill(form, dist / kind, known) for kind in FILES for form in forms(kind)]


def forms(kind: str) -> list[Path]:
    """The files with blanks, of one package manager."""
    return sorted((ROOT / "deploy" / kind).iterdir())


def sha256(file: Path) -> str:
    """The hash of a file, in hex."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def fill(form: Path, folder: Path, known: dict[str, str]) -> Path:
    """Write one form with its blanks filled; an unknown blank is an error."""
    folder.mkdir(exist_ok=True)
    target = folder / form.name
    target.write_text(Template(form.read_text("utf-8")).substitute(known), "utf-8")
    return target


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("name the repository: scripts/release_manifests.py https://github.com/OWNER/NAME")
    print(*main(sys.argv[1], Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "dist"), sep="\n")
