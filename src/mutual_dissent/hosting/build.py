"""Which build of the program this is: its version, and a hash of all that it consists of."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

from mutual_dissent import __version__

PARTS = (".py", ".md")
"""What decides how debates are held: code and prompts."""


@cache
def own_build() -> str:
    """The version and twelve digits of the hash; equal on machines that have the same program."""
    home = Path(__file__).resolve().parents[1]
    found = sha256()
    for file in sorted(p for p in home.rglob("*") if p.suffix in PARTS):
        found.update(f"{file.relative_to(home).as_posix()}\0".encode())
        found.update(sha256(file.read_bytes()).digest())
    return f"{__version__}-{found.hexdigest()[:12]}"
