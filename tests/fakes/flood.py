"""Replies meant to drown whoever reads them, in each dialect, from a vendor on loopback.

with Flood() as flood:
    ...  # POST to flood.url with a model named like one of `FLOODS`, say "openai-chat thoughts"
"""

from __future__ import annotations

import json
import re
import socket
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, repeat
from typing import Any, Self

SMILE = "\U0001f600"
Event = dict[str, Any]


class OpenAI:
    """Chat completions."""

    def text(self, text: str) -> Event:
        return self._delta({"content": text})

    def thought(self, text: str) -> Event:
        detail = {"type": "reasoning.text", "index": 0, "text": text}
        return self._delta({"reasoning_content": text, "reasoning_details": [detail]})

    def calls(self, numbers: range, arguments: str = "{}") -> list[Event]:
        calls = [self._call(n, {"name": f"f{n}", "arguments": arguments}) for n in numbers]
        return [self._delta({"tool_calls": calls})]

    def arguments(self, piece: str) -> Event:
        return self._delta({"tool_calls": [self._call(0, {"arguments": piece}, id="")]})

    def ending(self) -> Event:
        return {"model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}

    def named(self, model: str) -> Event:
        return {**self.text("x"), "model": model}

    def parts(self, many: int) -> Event:
        return self._delta({"content": [{"type": "text", "text": "a"}] * many})

    def cited(self, many: int) -> Event:
        notes = [{"url": f"https://a.example/{n}"} for n in range(many)]
        return self._delta({"content": "x", "annotations": notes})

    def whole(self, text: str) -> Event:
        message = {"role": "assistant", "content": text}
        return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}

    def _call(self, n: int, function: Event, id: str | None = None) -> Event:  # noqa: A002
        return {"index": n, "id": f"c{n}" if id is None else id, "function": function}

    def _delta(self, delta: Event) -> Event:
        return {"model": "m", "choices": [{"index": 0, "delta": delta}]}


class Responses:
    """Responses."""

    def text(self, text: str) -> Event:
        return {"type": "response.output_text.delta", "output_index": 0, "delta": text}

    def thought(self, text: str) -> Event:
        return {"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": text}

    def calls(self, numbers: range, arguments: str = "{}") -> list[Event]:
        return [event for n in numbers for event in self._call(n, arguments)]

    def arguments(self, piece: str) -> Event:
        return self._argument(0, piece)

    def ending(self) -> Event:
        response = {"model": "m", "status": "completed", "output": []}
        return {"type": "response.completed", "response": response}

    def named(self, model: str) -> Event:
        return {"type": "response.created", "response": {"model": model}}

    def parts(self, many: int) -> Event:
        content = [{"type": "output_text", "text": "a"}] * many
        item = {"type": "message", "content": content}
        return {"type": "response.output_item.done", "output_index": 1, "item": item}

    def cited(self, many: int) -> Event:
        notes = [{"url": f"https://a.example/{n}"} for n in range(many)]
        content = [{"type": "output_text", "text": "x", "annotations": notes}]
        item = {"type": "message", "content": content}
        return {"type": "response.output_item.done", "output_index": 1, "item": item}

    def whole(self, text: str) -> Event:
        content = [{"type": "output_text", "text": text}]
        return {"status": "completed", "output": [{"type": "message", "content": content}]}

    def _call(self, n: int, arguments: str) -> list[Event]:
        item = {"type": "function_call", "call_id": f"c{n}", "name": f"f{n}"}
        begun = {"type": "response.output_item.added", "output_index": n, "item": item}
        ended = {**begun, "type": "response.output_item.done"}
        return [begun, self._argument(n, arguments), *([ended] if n else [])]

    def _argument(self, n: int, piece: str) -> Event:
        kind = "response.function_call_arguments.delta"
        return {"type": kind, "output_index": n, "delta": piece}


class Anthropic:
    """Messages."""

    def text(self, text: str) -> Event:
        return self._delta(0, {"type": "text_delta", "text": text})

    def thought(self, text: str) -> Event:
        return self._delta(0, {"type": "thinking_delta", "thinking": text})

    def calls(self, numbers: range, arguments: str = "{}") -> list[Event]:
        begun = [{"type": "tool_use", "id": f"c{n}", "name": f"f{n}"} for n in numbers]
        return [
            event
            for n, block in zip(numbers, begun, strict=True)
            for event in (
                {"type": "content_block_start", "index": n, "content_block": block},
                self._delta(n, {"type": "input_json_delta", "partial_json": arguments}),
            )
        ]

    def arguments(self, piece: str) -> Event:
        return self._delta(0, {"type": "input_json_delta", "partial_json": piece})

    def ending(self) -> Event:
        return {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}}

    def named(self, model: str) -> Event:
        return {"type": "message_start", "message": {"model": model, "content": []}}

    def parts(self, many: int) -> Event:
        blocks = [{"type": "thinking", "thinking": "a"}] * many
        return {"type": "message_start", "message": {"model": "m", "content": blocks}}

    def cited(self, many: int) -> Event:
        found = [{"url": f"https://a.example/{n}"} for n in range(many)]
        block = {"type": "web_search_tool_result", "content": found}
        return {"type": "content_block_start", "index": 9, "content_block": block}

    def whole(self, text: str) -> Event:
        return {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}

    def _delta(self, index: int, delta: Event) -> Event:
        return {"type": "content_block_delta", "index": index, "delta": delta}


class Google:
    """generateContent."""

    def text(self, text: str) -> Event:
        return self._chunk([{"text": text}])

    def thought(self, text: str) -> Event:
        return self._chunk([{"text": text, "thought": True}])

    def calls(self, numbers: range, arguments: str = "{}") -> list[Event]:
        given = {"a": arguments}
        return [self._chunk([{"functionCall": {"name": f"f{n}", "args": given}} for n in numbers])]

    def arguments(self, piece: str) -> Event:
        return self._chunk([{"functionCall": {"name": "f", "args": {"a": piece}}}])

    def ending(self) -> Event:
        return {"candidates": [{"content": {"parts": []}, "finishReason": "STOP"}]}

    def named(self, model: str) -> Event:
        return {**self.text("x"), "modelVersion": model}

    def parts(self, many: int) -> Event:
        return self._chunk([{"text": "a"}] * many)

    def cited(self, many: int) -> Event:
        chunks = [{"web": {"uri": f"https://a.example/{n}"}} for n in range(many)]
        return {"candidates": [{"groundingMetadata": {"groundingChunks": chunks}}]}

    def whole(self, text: str) -> Event:
        return {"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}]}

    def _chunk(self, parts: list[Event]) -> Event:
        return {"candidates": [{"content": {"parts": parts}, "index": 0}]}


WIRES = {
    "openai-chat": OpenAI(),
    "openai-responses": Responses(),
    "anthropic": Anthropic(),
    "google": Google(),
}


def frame(event: Event, *, ascii_only: bool = True) -> bytes:
    return b"data: " + json.dumps(event, ensure_ascii=ascii_only).encode() + b"\n\n"


def bulk(event: Event, size: int) -> Iterator[bytes]:
    """The same event until there are so many bytes of it."""
    one = frame(event)
    many = one * (65_536 // len(one) + 1)
    return repeat(many, size // len(many) + 1)


def stream(*parts: Iterator[bytes] | bytes) -> Iterator[bytes]:
    return chain.from_iterable([p] if isinstance(p, bytes) else p for p in parts)


def one_by_one(wire: Any, many: int) -> Iterator[bytes]:
    return (b"".join(map(frame, wire.calls(range(n, n + 1)))) for n in range(many))


def flickering(wire: Any) -> Iterator[bytes]:
    """Arguments and endings in turns."""
    start = b"".join(map(frame, wire.calls(range(1), '{"a": "' + "x" * 900_000)))
    turn = (frame(wire.arguments("y")) + frame(wire.ending())) * 200
    return stream(start, repeat(turn, 50))


def members(count: int) -> Iterator[bytes]:
    """A gzip body of very many members that hold nothing."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    return repeat((squeeze.compress(b"") + squeeze.flush()) * 3000, count // 3000)


def bomb(size: int) -> Iterator[bytes]:
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    yield from (squeeze.compress(b"\n" * 1_000_000) for _ in range(size // 1_000_000))
    yield squeeze.flush()


FLOODS: dict[str, Callable[[Any], Iterator[bytes]]] = {
    "calls at once": lambda w: stream(*map(frame, w.calls(range(2_500))), frame(w.ending())),
    "calls one by one": lambda w: stream(one_by_one(w, 40_000), frame(w.ending())),
    "arguments": lambda w: stream(
        *map(frame, w.calls(range(1), "")), bulk(w.arguments("x" * 900), 40_000_000),
        frame(w.ending()),
    ),
    "arguments and endings": flickering,
    "thoughts": lambda w: stream(bulk(w.thought("so so"), 80_000_000), frame(w.ending())),
    "large thoughts": lambda w: stream(bulk(w.thought(SMILE * 60_000), 90_000_000)),
    "a name": lambda w: stream(frame(w.named("m" * 1_400_000)), frame(w.ending())),
    "blank tokens": lambda w: stream(bulk(w.text("  "), 80_000_000), frame(w.ending())),
    "nothing": lambda _: stream(repeat(b"data\n\n" * 10_000, 300)),
    "blank lines": lambda _: stream(repeat(b"\n" * 65_536, 300)),
    "parts": lambda w: stream(frame(w.parts(7_500)), frame(w.ending())),
    "sources": lambda w: stream(frame(w.cited(3_700)), frame(w.ending())),
    "a large event": lambda w: stream(
        frame(w.text("x" * 1_400_000 + SMILE), ascii_only=False), frame(w.ending())
    ),
    "half characters": lambda w: stream(frame(w.text("\ud800" * 60_000)), frame(w.ending())),
    "no characters": lambda _: stream(b"data: " + b"\xff" * 1_400_000 + b"\n\n"),
    "a large error": lambda _: stream(frame({"error": {"message": "model " * 200_000}})),
    "whole": lambda w: stream(json.dumps(w.whole("x" * 10_000_000)).encode()),
    "whole smile": lambda w: stream(json.dumps(w.whole("x" * 10_000_000 + SMILE)).encode()),
    "whole wide": lambda w: stream(
        json.dumps(w.whole("x" * 3_900_000 + SMILE), ensure_ascii=False).encode()
    ),
    "whole parts": lambda w: stream(json.dumps([w.text("a")] * 1_200).encode()),
    "whole list": lambda _: stream(b"[" + b'"ab",' * 99_000 + b"1]"),
    "gzip bomb": lambda _: bomb(400_000_000),
    "gzip members": lambda _: members(300_000),
}  # fmt: skip


class Flood:
    """The vendor, in a thread of its own; every connection serves one request."""

    def __enter__(self) -> Self:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                self._answer(self._socket.accept()[0])

    def _answer(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            wire, _, name = _model(_request(connection)).partition(" ")
            packed = "content-encoding: gzip\r\n" if name.startswith("gzip") else ""
            kind = "application/json" if name.startswith("whole") else "text/event-stream"
            head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\n{packed}connection: close\r\n\r\n"
            connection.sendall(head.encode())
            if name not in FLOODS:
                connection.sendall(frame(WIRES[wire].text("hello")) + frame(WIRES[wire].ending()))
                return
            for piece in FLOODS[name](WIRES[wire]):
                connection.sendall(piece)


def _request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65_536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(re.search(rb"content-length: (\d+)", head, re.IGNORECASE)[1])
    while len(body) < length:
        body += connection.recv(65_536)
    return head + body


def _model(request: bytes) -> str:
    found = re.search(rb'"model":"([^"]+)"', request) or re.search(rb"models/([^:]+):", request)
    return found[1].decode().replace("%20", " ")
