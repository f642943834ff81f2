"""Pictures in messages: parts of three shapes, each of which becomes a file of the debate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mutual_dissent.briefing.inputs.sent_files import sent_file
from mutual_dissent.core.brief import FileBytes
from mutual_dissent.core.errors import BadInput
from mutual_dissent.surfaces.openai.errors import UnsupportedRequest

KINDS = frozenset({"image_url", "input_image", "image"})
"""Types of such parts: of chat completions, of responses, of Anthropic's messages."""


def picture_in(part: Mapping[str, Any], where: str, number: int) -> FileBytes | None:
    """Return the picture that a part of a message is; None if it is something else.

    Only bytes are taken, in base 64: what stands at an address is not fetched for strangers.

    Args:
        part: the part, of any shape.
        where: its place in the request.
        number: which picture of the request it is, from 1: that is its name.

    Raises:
        UnsupportedRequest: if it is one that cannot be read.
    """
    if part.get("type") not in KINDS:
        return None
    data = _data(part)
    if not isinstance(data, str) or not data:
        raise UnsupportedRequest(
            f"{where}: a picture is sent as a data: URL in base 64, not by a name or a file's id",
            where,
        )
    try:
        return replace(sent_file(f"picture {number}", data, shown=True), place=where)
    except BadInput as e:
        raise UnsupportedRequest(f"{where}: {e}", where) from None


def _data(part: Mapping[str, Any]) -> Any:
    """Return the text that holds the picture, wherever that part has it."""
    source = part.get("source")
    if part.get("type") == "image" and isinstance(source, Mapping):
        return source.get("data") or source.get("url")
    found = part.get("image_url")
    return found.get("url") if isinstance(found, Mapping) else found
