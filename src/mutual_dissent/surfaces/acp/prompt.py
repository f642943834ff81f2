"""Content blocks of a prompt: the user's words, and what is attached to them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote, urlsplit

from mutual_dissent.briefing.inputs.sent_files import sent_file
from mutual_dissent.core.brief import Attachment, FileBytes
from mutual_dissent.surfaces.acp.connection import INVALID_PARAMS, RpcFault

MOST_BLOCKS = 256
NO_AUDIO = "the panel hears no audio; leave it out, or write down what is said"
Attached = Attachment | FileBytes


def read_prompt(blocks: Any) -> tuple[str, tuple[Attached, ...]]:
    """The query, and what is attached to it.

    Links are told as they are, and not followed.

    Raises:
        RpcFault: if it has something in it that cannot be read.
        BadInput: if a file in it is not one.
    """
    if not isinstance(blocks, list) or len(blocks) > MOST_BLOCKS:
        raise RpcFault(INVALID_PARAMS, f"prompt is a list of at most {MOST_BLOCKS} content blocks")
    words: list[str] = []
    attached: list[Attached] = []
    for block in blocks:
        match block:
            case {"type": "text", "text": str(text)}:
                words.append(text)
            case {"type": "resource_link", "uri": str(uri)}:
                words.append(_link(block.get("name"), uri))
            case {"type": "resource", "resource": {"uri": str(uri), "text": str(text)}}:
                attached.append(Attachment(name=_name(uri, attached), text=text))
            case {"type": "resource", "resource": {"uri": str(uri), "blob": str(blob)}}:
                attached.append(sent_file(_name(uri, attached), blob))
            case {"type": "image", "data": str(data)}:
                name = _name(str(block.get("uri") or "picture"), attached)
                attached.append(sent_file(name, data, shown=True))
            case {"type": "audio"}:
                raise RpcFault(INVALID_PARAMS, NO_AUDIO)
            case _:
                raise RpcFault(INVALID_PARAMS, "this is no content block of text or a resource")
    query = "".join(words).strip()
    if not query:
        raise RpcFault(INVALID_PARAMS, "there is no question in this prompt; write one")
    return query, tuple(attached)


def _link(name: object, uri: str) -> str:
    return f" [{name if isinstance(name, str) and name else uri}]({uri}) "


def _name(uri: str, others: Iterable[Attached]) -> str:
    """The name under which a resource is quoted: the end of its path, told apart from others."""
    try:
        path = unquote(urlsplit(uri).path)
    except ValueError:
        path = ""
    name = path.rstrip("/").rpartition("/")[2] or uri[:80] or "resource"
    known, number = {a.name for a in others}, 1
    found = name
    while found in known:
        number += 1
        found = f"{name} ({number})"
    return found
