"""Messages: whole, or as a stream of content blocks."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import orjson

from mutual_dissent.surfaces.anthropic.errors import shape
from mutual_dissent.surfaces.openai.chat import finish
from mutual_dissent.surfaces.openai.delivery import Delivery, Said, usage_of
from mutual_dissent.surfaces.openai.errors import UnsupportedRequest
from mutual_dissent.surfaces.openai.turns import call_id

Json = dict[str, Any]
SIGNATURE = "mutual-dissent"
"""What stands where a vendor signs its thoughts: ours are read by nobody again."""
_REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}
PING = b'event: ping\ndata: {"type": "ping"}\n\n'


async def message(delivery: Delivery) -> Json:
    """Return the whole message, when the debate is over.

    Raises:
        UnsupportedRequest: if the debate ends without an answer.
    """
    blocks = _Blocks(delivery)
    async with aclosing(delivery.pieces()) as pieces:
        async for piece in pieces:
            for _ in blocks.take(piece):
                pass
    for _ in blocks.close():
        pass
    reason = _REASONS[finish(delivery.transcript)]
    return {
        **_frame(delivery),
        "content": blocks.done,
        "stop_reason": reason,
        "usage": _usage(delivery),
        "dissent": delivery.extra(),
    }


async def events(delivery: Delivery) -> AsyncGenerator[bytes, None]:
    """Stream the message: the debate as a thought if that was asked for, then the answer."""
    blocks = _Blocks(delivery)
    start = {**_frame(delivery), "usage": {"input_tokens": 0, "output_tokens": 0}}
    yield _event("message_start", message=start)
    yield PING
    try:
        async with aclosing(delivery.pieces()) as pieces:
            async for piece in pieces:
                if not piece.text:
                    yield PING
                for frame in blocks.take(piece):
                    yield frame
    except UnsupportedRequest as e:
        yield b"event: error\ndata: " + orjson.dumps(shape(e.problem)) + b"\n\n"
        return
    for frame in blocks.close():
        yield frame
    delta = {"stop_reason": _REASONS[finish(delivery.transcript)], "stop_sequence": None}
    yield _event("message_delta", delta=delta, usage=_usage(delivery), dissent=delivery.extra())
    yield _event("message_stop")


@dataclass(slots=True)
class _Blocks:
    """The content blocks of one message, opened and closed in order."""

    delivery: Delivery
    index: int = -1
    open: str = ""
    text: list[str] = field(default_factory=list)
    done: list[Json] = field(default_factory=list)

    def take(self, piece: Said) -> Iterator[bytes]:
        """Yield the events of a piece, in its block."""
        kind = "thinking" if piece.kind == "reasoning" else "text"
        if not piece.text or (kind == "thinking" and not thinks(self.delivery)):
            return
        if piece.call:
            yield from self.close()
            yield from self._call(piece)
            return
        if kind != self.open:
            yield from self.close()
            self.index, self.open = self.index + 1, kind
            more = {"signature": ""} if kind == "thinking" else {}
            yield self._frame("start", content_block={"type": kind, kind: "", **more})
        self.text.append(piece.text)
        yield self._frame("delta", delta={"type": f"{kind}_delta", kind: piece.text})

    def close(self) -> Iterator[bytes]:
        """Close the open block, if any."""
        if not self.open:
            return
        block: Json = {"type": self.open, self.open: "".join(self.text)}
        if self.open == "thinking":
            block["signature"] = SIGNATURE
            yield self._frame("delta", delta={"type": "signature_delta", "signature": SIGNATURE})
        yield self._frame("stop")
        self.done.append(block)
        self.open, self.text = "", []

    def _call(self, piece: Said) -> Iterator[bytes]:
        assert piece.call
        self.index += 1
        id_ = call_id(self.delivery.name, piece.number, "toolu")
        block: Json = {"type": "tool_use", "id": id_, "name": piece.call.name}
        yield self._frame("start", content_block={**block, "input": {}})
        whole = {"type": "input_json_delta", "partial_json": piece.call.json}
        yield self._frame("delta", delta=whole)
        yield self._frame("stop")
        self.done.append({**block, "input": piece.call.arguments})

    def _frame(self, what: str, **fields: Any) -> bytes:
        return _event(f"content_block_{what}", index=self.index, **fields)


def thinks(delivery: Delivery) -> bool:
    """Return whether the client asked for thoughts; the debate is one."""
    wanted = delivery.wanted.body.get("thinking")
    return isinstance(wanted, dict) and wanted.get("type") in ("enabled", "adaptive")


def _event(kind: str, **fields: Any) -> bytes:
    return (
        b"event: " + kind.encode() + b"\ndata: " + orjson.dumps({"type": kind, **fields}) + b"\n\n"
    )


def _frame(delivery: Delivery) -> Json:
    return {
        "id": f"msg_{delivery.name}",
        "type": "message",
        "role": "assistant",
        "model": delivery.wanted.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _usage(delivery: Delivery) -> Json:
    used = usage_of(delivery.transcript)
    return {
        "input_tokens": used["input"] - used["cached"],
        "output_tokens": used["output"],
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": used["cached"],
    }
