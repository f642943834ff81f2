"""Contents: whole, or as a stream of chunks."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import orjson

from mutual_dissent.surfaces.google.errors import shape
from mutual_dissent.surfaces.openai.chat import finish
from mutual_dissent.surfaces.openai.delivery import Delivery, Said, usage_of
from mutual_dissent.surfaces.openai.errors import UnsupportedRequest
from mutual_dissent.surfaces.openai.turns import call_id

Json = dict[str, Any]


async def content(delivery: Delivery) -> Json:
    """Return the whole content, when the debate is over.

    Raises:
        UnsupportedRequest: if the debate ends without an answer.
    """
    parts: list[Json] = []
    async with aclosing(delivery.pieces()) as pieces:
        async for piece in pieces:
            parts += _part(delivery, piece)
    return {**_chunk(delivery, parts, ended=True), "dissent": delivery.extra()}


async def chunks(delivery: Delivery) -> AsyncGenerator[bytes, None]:
    """Stream the content: the debate as thoughts if they were asked for, then the answer."""
    try:
        async with aclosing(delivery.pieces()) as pieces:
            async for piece in pieces:
                if parts := _part(delivery, piece):
                    yield _data(_chunk(delivery, parts))
                elif not piece.text:
                    # Google's clients read no comments: an empty thought keeps the line open.
                    yield _data(_chunk(delivery, [{"text": "", "thought": True}]))
    except UnsupportedRequest as e:
        yield _data(shape(e.problem))
    else:
        yield _data({**_chunk(delivery, [], ended=True), "dissent": delivery.extra()})


def _part(delivery: Delivery, piece: Said) -> list[Json]:
    if not piece.text:
        return []
    if piece.call:
        id_ = call_id(delivery.name, piece.number)
        call = {"id": id_, "name": piece.call.name, "args": piece.call.arguments}
        return [{"functionCall": call}]
    if piece.kind == "reasoning":
        return [{"text": piece.text, "thought": True}] if _thinks(delivery) else []
    return [{"text": piece.text}]


def _thinks(delivery: Delivery) -> bool:
    """Return whether thoughts were asked for; Google's own libraries spell that in two ways."""
    config = delivery.wanted.body.get("generationConfig") or {}
    thinking = config.get("thinkingConfig") if isinstance(config, dict) else None
    wanted = thinking if isinstance(thinking, dict) else {}
    return True in (wanted.get("includeThoughts"), wanted.get("include_thoughts"))


def _chunk(delivery: Delivery, parts: list[Json], *, ended: bool = False) -> Json:
    candidate: Json = {"content": {"parts": parts, "role": "model"}, "index": 0}
    found: Json = {"modelVersion": delivery.wanted.model, "responseId": delivery.name}
    if ended:
        cut = finish(delivery.transcript) == "length"
        candidate["finishReason"] = "MAX_TOKENS" if cut else "STOP"
        used = usage_of(delivery.transcript)
        found["usageMetadata"] = {
            "promptTokenCount": used["input"],
            "cachedContentTokenCount": used["cached"],
            "candidatesTokenCount": used["output"],
            "totalTokenCount": used["input"] + used["output"],
        }
    return {"candidates": [candidate], **found}


def _data(plain: Json) -> bytes:
    return b"data: " + orjson.dumps(plain) + b"\n\n"
