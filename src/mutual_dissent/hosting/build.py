"""The build of this program: its version, and a hash of its code and prompts."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

from mutual_dissent import __version__

PARTS = (".py", ".md")
"""The endings of the files that decide how debates are held: code and prompts."""


@cache
def own_build() -> str:
    """Return the version and twelve digits of the hash; equal wherever the program is the same."""
    home = Path(__file__).resolve().parents[1]
    digest = sha256()
    for file in sorted(p for p in home.rglob("*") if p.suffix in PARTS):
        digest.update(f"{file.relative_to(home).as_posix()}\0".encode())
        digest.update(sha256(file.read_bytes()).digest())
    return f"{__version__}-{digest.hexdigest()[:12]}"
