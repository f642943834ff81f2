"""Chat completions: whole or as a stream of chunks."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import orjson

from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.openai.delivery import Delivery, usage_of
from mutual_dissent.surfaces.openai.errors import UnsupportedRequest, shape

Json = dict[str, Any]
DONE = b"data: [DONE]\n\n"
ALIVE = b": working\n\n"


async def completion(delivery: Delivery) -> Json:
    """Return the whole completion, when the debate is over.

    Raises:
        Refused: if the debate ends without an answer.
    """
    async with aclosing(delivery.pieces()) as pieces:
        async for _ in pieces:
            pass
    thought = "".join(delivery.reasoning)
    text = "".join(delivery.content)
    message: Json = {"role": "assistant", "content": text, "refusal": None, "annotations": []}
    if thought:
        # Clients know one of two names: DeepSeek's and OpenRouter's.
        message |= {"reasoning_content": thought, "reasoning": thought}
    t = delivery.transcript
    choice = {"index": 0, "message": message, "finish_reason": finish(t), "logprobs": None}
    return {
        **_frame(delivery, "chat.completion", int(time.time())),
        "choices": [choice],
        "usage": _usage(t),
        "dissent": delivery.extra(),
    }


async def chunks(delivery: Delivery) -> AsyncGenerator[bytes, None]:
    """Stream the completion: role, debate, answer, finish, usage if requested, done."""
    frame = _frame(delivery, "chat.completion.chunk", int(time.time()))
    yield _chunk(frame, {"role": "assistant", "content": ""})
    try:
        async with aclosing(delivery.pieces()) as pieces:
            async for piece in pieces:
                if not piece.text:
                    yield ALIVE
                elif piece.kind == "reasoning":
                    yield _chunk(frame, {"reasoning_content": piece.text, "reasoning": piece.text})
                else:
                    yield _chunk(frame, {"content": piece.text})
    except UnsupportedRequest as e:
        yield _data({**shape(e.problem), "dissent": delivery.extra()})
    else:
        yield _chunk(frame, {}, finish(delivery.transcript), dissent=delivery.extra())
        if delivery.wanted.usage:
            yield _data({**frame, "choices": [], "usage": _usage(delivery.transcript)})
    yield DONE


def finish(t: Transcript) -> str:
    """Return the finish reason: `length` where the writer was cut off."""
    return "length" if t.synthesis and t.synthesis.finish.value == "truncated" else "stop"


def _frame(delivery: Delivery, kind: str, created: int) -> Json:
    return {
        "id": f"chatcmpl-{delivery.name}",
        "object": kind,
        "created": created,
        "model": delivery.wanted.model,
    }


def _chunk(frame: Json, delta: Json, finish_reason: str | None = None, **more: Any) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
    return _data({**frame, "choices": [choice], **more})


def _data(plain: Json) -> bytes:
    return b"data: " + orjson.dumps(plain) + b"\n\n"


def _usage(t: Transcript) -> Json:
    used = usage_of(t)
    return {
        "prompt_tokens": used["input"],
        "completion_tokens": used["output"],
        "total_tokens": used["input"] + used["output"],
        "prompt_tokens_details": {"cached_tokens": used["cached"]},
        "completion_tokens_details": {"reasoning_tokens": used["reasoning"]},
    }
