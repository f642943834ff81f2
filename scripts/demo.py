"""`make demo`: a real debate on an embedded model, the better one if it can be had.

`make demo MODEL=smollm2` is the quick way; MODEL may also be a GGUF file that was taken in.
"""

from __future__ import annotations

import sys

from mutual_dissent import MutualDissent
from mutual_dissent.briefing.presets import THREE
from mutual_dissent.core.errors import DissentError, UserError
from mutual_dissent.providers.local import weights
from mutual_dissent.surfaces.cli import local_model, main

QUERY = "What is the capital of Australia, and why is it not Sydney?"


def chosen(wanted: str) -> str:
    """The model that speaks: the one wanted, else the small one with a note on why."""
    md = MutualDissent()
    if weights.find(md.home.models, wanted):
        return wanted
    try:
        local_model.pull(md, wanted)
    except UserError as e:
        sys.exit(str(e))
    except DissentError as e:
        print(f"note: the small model speaks, which knows little: {e}", file=sys.stderr)
        return weights.SMALL
    return wanted


def words(name: str) -> list[str]:
    """The command of the demo."""
    panel = ",".join([f"local:{name}"] * len(THREE))
    personas = [word for persona in THREE for word in ("--persona", persona)]
    return ["dissent", "ask", QUERY, "--panel", panel, *personas]


if __name__ == "__main__":
    sys.argv = words(chosen(sys.argv[1]))
    main()
