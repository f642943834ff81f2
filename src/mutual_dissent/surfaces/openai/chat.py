"""Chat completions: whole or as a stream of chunks."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import orjson

from mutual_dissent.core.tool import ToolCall
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.openai.delivery import Delivery, Said, usage_of
from mutual_dissent.surfaces.openai.errors import UnsupportedRequest, shape
from mutual_dissent.surfaces.openai.tools import INPUT
from mutual_dissent.surfaces.openai.turns import call_id
from mutual_dissent.views.remarks.repeated_calls import stop_repeating

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
    content = text or None if delivery.calls else text
    message: Json = {"role": "assistant", "content": content, "refusal": None, "annotations": []}
    if delivery.calls:
        message["tool_calls"] = [_call(delivery, n, c) for n, c in enumerate(delivery.calls)]
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
                elif piece.call:
                    yield _chunk(frame, {"tool_calls": [_begun(delivery, piece)]})
                    more = {"index": piece.number, **_arguments(delivery, piece.call)}
                    yield _chunk(frame, {"tool_calls": [more]})
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
    """Return the finish reason: `length` where the writer was cut off, or that it calls tools."""
    if t.synthesis and t.synthesis.calls and not stop_repeating(t.brief, t.synthesis.calls):
        return "tool_calls"
    return "length" if t.synthesis and t.synthesis.finish.value == "truncated" else "stop"


def _call(delivery: Delivery, n: int, call: ToolCall) -> Json:
    kind = "custom" if call.name in delivery.wanted.free else "function"
    inner = {"name": call.name, **_arguments(delivery, call)[kind]}
    return {"id": call_id(delivery.name, n), "type": kind, kind: inner}


def _begun(delivery: Delivery, piece: Said) -> Json:
    """The beginning of a call in a stream: its name, and nothing of its arguments yet."""
    assert piece.call
    whole = _call(delivery, piece.number, piece.call)
    kind = whole["type"]
    empty = {k: v if k == "name" else "" for k, v in whole[kind].items()}
    return {"index": piece.number, **whole, kind: empty}


def _arguments(delivery: Delivery, call: ToolCall) -> Json:
    if call.name in delivery.wanted.free:
        return {"custom": {"input": str(call.arguments.get(INPUT, ""))}}
    return {"function": {"arguments": call.json}}


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
