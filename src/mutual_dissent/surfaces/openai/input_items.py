"""Input of a stored response as OpenAI lists it: what the client sent, page by page."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from mutual_dissent.briefing.conversation import OF_BEFORE
from mutual_dissent.core.brief import Brief, Earlier
from mutual_dissent.core.errors import clip
from mutual_dissent.surfaces.openai.errors import UnsupportedRequest

Json = dict[str, Any]
Raw = Callable[[str], bytes | None]

SHOWN = "message.input_image.image_url"
"""The value of `include` with which pictures come with their bytes."""

ROLES = {"instructions": "system", "user": "user", "assistant": "assistant", "calls": "assistant"}
"""Speaker -> role; what a tool gave is the user's program's word."""

USUAL, MOST = 20, 100


def input_items(brief: Brief, asked: Mapping[str, str], include: Sequence[str], raw: Raw) -> Json:
    """One page of the items that a response was asked with.

    Args:
        brief: what was asked.
        asked: `limit`, `order` and `after`, as they stand in the address.
        include: what else is wanted.
        raw: a picture's hash -> its bytes, as long as they are on record.

    Raises:
        UnsupportedRequest: if there is no such page.
    """
    limit, order = asked.get("limit", str(USUAL)), asked.get("order", "desc")
    if not (limit.isdecimal() and len(limit) < 4 and 1 <= int(limit) <= MOST):
        raise UnsupportedRequest(f"limit is 1 to {MOST}, not {clip(limit, 20)!r}", "limit")
    if order not in ("asc", "desc"):
        raise UnsupportedRequest(f"order is asc or desc, not {clip(order, 20)!r}", "order")
    items = [*_items(brief, raw if SHOWN in include else None)]
    items = items if order == "asc" else items[::-1]
    if after := asked.get("after"):
        places = [i for i, item in enumerate(items) if item["id"] == after]
        if not places:
            raise UnsupportedRequest(f"no item is called {clip(after, 60)!r}", "after")
        items = items[places[0] + 1 :]
    page = items[: int(limit)]
    return {
        "object": "list",
        "data": page,
        "first_id": page[0]["id"] if page else None,
        "last_id": page[-1]["id"] if page else None,
        "has_more": len(items) > len(page),
    }


def _items(brief: Brief, raw: Raw | None) -> Iterator[Json]:
    """Yield what was sent; what earlier debates said is theirs, as in OpenAI's own list."""
    said = [e for e in brief.earlier if e.debate is None]
    number = 0
    for turn in (e for e in said if not e.since):
        yield _turn(brief, number, turn)
        number += 1
    sent = (a.picture for a in brief.context if not a.name.endswith(OF_BEFORE))
    shown = [_picture(p.media_type, p.sha256, raw) for p in sent if p]
    yield _message(brief, number, "user", [_text("input_text", brief.query), *shown])
    for after, turn in enumerate((e for e in said if e.since), number + 1):
        yield _turn(brief, after, turn)


def _turn(brief: Brief, number: int, turn: Earlier) -> Json:
    role = ROLES.get(turn.speaker, "user")
    kind = "output_text" if role == "assistant" else "input_text"
    return _message(brief, number, role, [_text(kind, turn.text)])


def _message(brief: Brief, number: int, role: str, content: list[Json]) -> Json:
    name = f"msg_{brief.transcript_id}_in{number}"
    return {
        "id": name, "type": "message", "status": "completed", "role": role, "content": content,
    }  # fmt: skip


def _text(kind: str, text: str) -> Json:
    return {"type": kind, "text": text, **({"annotations": []} if kind == "output_text" else {})}


def _picture(media_type: str, sha256: str, raw: Raw | None) -> Json:
    body = raw(sha256) if raw else None
    url = f"data:{media_type};base64,{b64encode(body).decode()}" if body else None
    return {"type": "input_image", "detail": "auto", "file_id": None, "image_url": url}
