"""Debates that were played by hand: what each model wrote, held again word by word.

The texts were written in the parts of models by writers who knew nothing of the program; `verdict`
is what a careful reader wrote down before seeing what the program says. See tests/promises.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mutual_dissent import MutualDissent
from mutual_dissent.core.response import Ask
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.providers.scripted import Scripted

FOLDER = Path(__file__).parent.parent / "fixtures" / "played"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))


def played(name: str) -> dict[str, Any]:
    """The query, the panel, every reply by the key of its request, and the reader's verdict."""
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return found


async def held_again(name: str, home: Path, *, analyst: bool = True) -> Transcript:
    """The debate as the program holds it now, with the same words."""
    script = played(name)
    replies: dict[str, str] = script["replies"]

    def says(ask: Ask) -> str:
        return replies[ask.key]

    options: dict[str, Any] = {"mode": script["mode"], "seed": script["seed"]}
    if script["rounds"]:
        options["rounds"] = script["rounds"]
    written, read = (
        next((k.removeprefix(step) for k in replies if k.startswith(step)), script["panel"][0])
        for step in ("-1/synthesis/", "-1/analysis/")
    )
    options["synthesizer"], options["analyst"] = written, read if analyst else "none"
    cast = Scripted(dict.fromkeys(script["panel"], says))
    async with MutualDissent(provider=cast, home=home) as md:
        return await md.debate(script["query"], panel=script["panel"], **options)
