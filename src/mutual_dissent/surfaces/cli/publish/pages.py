"""Pages of published debates: one each, and one that lists them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from mutual_dissent.core.events import Event
from mutual_dissent.core.transcript import Transcript, fold
from mutual_dissent.text.secret_shapes import mask_keys
from mutual_dissent.views.documents.publication import public_events
from mutual_dissent.views.documents.replay import to_index, to_replay

INDEX = "index.html"


def pages(debates: Sequence[Sequence[Event]]) -> dict[str, bytes]:
    """Names of files -> what is in them; the one that lists the others is the last."""
    logs = [public_events(events) for events in debates]
    held = [(_address(t := fold(log)), t, log) for log in logs]
    made = {address: debate_page(t, log, home=INDEX) for address, t, log in held}
    made[INDEX] = to_index([(address, t) for address, t, _ in held])
    return {name: mask_keys(text).encode("utf-8", "replace") for name, text in made.items()}


def debate_page(t: Transcript, log: Sequence[Event], *, home: str = "") -> str:
    """The page of one debate, whose log has nothing in it that is not for everyone."""
    return to_replay(t, log, script(), home=home)


def script() -> str:
    """The script that plays a debate."""
    return files(__package__).joinpath("replay.js").read_text("utf-8")


def _address(t: Transcript) -> str:
    return f"{t.transcript_id}.html"
