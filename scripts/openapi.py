"""Write docs/openapi.json, the API's own description, from the code.

`make docs` runs it; a test fails if the stored file is not what it makes.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from mutual_dissent import MutualDissent
from mutual_dissent.core.codec.plain import to_bytes
from mutual_dissent.hosting.sessions import Sessions
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.rest import described_router
from mutual_dissent.surfaces.rest.openapi import document

TARGET = Path(__file__).parents[1] / "docs" / "openapi.json"


def openapi() -> bytes:
    """The whole document."""
    with tempfile.TemporaryDirectory() as home:
        md = MutualDissent(home=home, env={})
        made = document(described_router(HostedBackend(md=md, sessions=Sessions(md))))
    return to_bytes(made, indent=True) + b"\n"


if __name__ == "__main__":
    TARGET.write_bytes(openapi())
    print(f"written: {TARGET.name}")
