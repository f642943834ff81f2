"""Write docs/replay.html: the sample debate as a page that plays it, as `dissent publish` does.

`make docs` runs it; a test fails if the stored file is not what it makes. The site opens with it.
"""

from __future__ import annotations

from pathlib import Path

from mutual_dissent.core.transcript import fold
from mutual_dissent.surfaces.cli.publish.pages import debate_page
from mutual_dissent.surfaces.facts.sample import sample

TARGET = Path(__file__).parents[1] / "docs" / "replay.html"


def text() -> str:
    """What the file should say."""
    events = sample()
    return debate_page(fold(events), events)


if __name__ == "__main__":
    TARGET.write_text(text(), "utf-8")
