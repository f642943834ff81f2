"""The Responses API: whole, or as a stream of numbered events."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import orjson

from mutual_dissent.core.events import Event, Status
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.openai.chat import ALIVE, finish
from mutual_dissent.surfaces.openai.delivery import Delivery, Said, usage_of
from mutual_dissent.surfaces.openai.errors import UnsupportedRequest, no_answer
from mutual_dissent.surfaces.openai.tools import INPUT
from mutual_dissent.surfaces.openai.turns import call_id
from mutual_dissent.surfaces.terms import REST
from mutual_dissent.views.readiness import UNDER_WAY

Json = dict[str, Any]
_USUAL: Json = {
    "background": False,
    "frequency_penalty": 0.0,
    "instructions": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "metadata": {},
    "presence_penalty": 0.0,
    "previous_response_id": None,
    "prompt_cache_key": None,
    "reasoning": None,
    "safety_identifier": None,
    "service_tier": "default",
    "store": True,
    "temperature": 1.0,
    "top_logprobs": 0,
    "top_p": 1.0,
    "truncation": "disabled",
    "user": None,
}
"""Fields echoed in the response, with their defaults."""


_TOOL: Json = {"description": None, "parameters": None, "strict": False}
"""Fields of a function that clients leave out, and expect in the response."""


async def response(delivery: Delivery) -> Json:
    """Return the whole response, when the debate is over.

    Raises:
        Refused: if the debate ends without an answer.
    """
    created, items = int(time.time()), _Items(delivery)
    async with aclosing(delivery.pieces()) as pieces:
        async for piece in pieces:
            for _ in items.take(piece):
                pass
    for _ in items.close():
        pass
    return _whole(delivery, items.done, created)


async def events(delivery: Delivery) -> AsyncGenerator[bytes, None]:
    """Stream the response: the debate as a reasoning summary, then the message."""
    created, items = int(time.time()), _Items(delivery)
    bare = _base(delivery, "in_progress", created)
    yield items.frame("response.created", response=bare)
    yield items.frame("response.in_progress", response=bare)
    failure: Json = {}
    try:
        async with aclosing(delivery.pieces()) as pieces:
            async for piece in pieces:
                if not piece.text:
                    yield ALIVE
                for frame in items.take(piece):
                    yield frame
    except UnsupportedRequest as e:
        error = {"code": "server_error", "message": REST.resolve(e.problem.message)}
        failure = {"status": "failed", "error": error, "completed_at": None}
    for frame in items.close():
        yield frame
    whole = {**_whole(delivery, items.done, created), **failure}
    yield items.frame(f"response.{whole['status']}", response=whole)


def stored_response(delivery: Delivery, happened: Iterable[Event]) -> Json:
    """Return a debate of before as a response, also while it runs."""
    t, items = delivery.transcript, _Items(delivery)
    for piece in delivery.record_pieces(happened):
        for _ in items.take(piece):
            pass
    for _ in items.close():
        pass
    created = int(t.created_at.timestamp())
    whole = _whole(delivery, items.done, created)
    if t.status in UNDER_WAY:
        return {**whole, "status": "in_progress", "completed_at": None, "incomplete_details": None}
    ended = int(t.updated_at.timestamp()) if t.updated_at else created
    if any(item["type"] != "reasoning" for item in items.done):
        return {**whole, "completed_at": ended}
    gone = {"completed_at": None, "incomplete_details": None}
    if t.status is Status.STOPPED:
        return {**whole, **gone, "status": "cancelled"}
    error = {"code": "server_error", "message": REST.resolve(no_answer(t).message)}
    return {**whole, **gone, "status": "failed", "error": error}


@dataclass(slots=True)
class _Items:
    """The output items of one response, opened and closed in order."""

    delivery: Delivery
    number: int = 0
    index: int = -1
    open: str = ""
    text: list[str] = field(default_factory=list)
    done: list[Json] = field(default_factory=list)

    def frame(self, kind: str, **fields: Any) -> bytes:
        """Return one event of the stream, with its number."""
        plain = {"type": kind, "sequence_number": self.number, **fields}
        self.number += 1
        return b"event: " + kind.encode() + b"\ndata: " + orjson.dumps(plain) + b"\n\n"

    def take(self, piece: Said) -> Iterator[bytes]:
        """Yield the events of a piece, in its item."""
        if not piece.text:
            return
        if piece.call:
            yield from self.close()
            yield from self._whole_call(piece)
            return
        if piece.kind != self.open:
            yield from self.close()
            yield from self._begin(piece.kind)
        self.text.append(piece.text)
        yield self.frame(*self._kind("delta"), delta=piece.text, **self._place())

    def close(self) -> Iterator[bytes]:
        """Close the open item, if any."""
        if not self.open:
            return
        text, item = "".join(self.text), self._item("completed")
        yield self.frame(*self._kind("done"), text=text, **self._place())
        if self.open == "content":
            yield self.frame("response.content_part.done", part=_part(text), **self._place())
        else:
            part = {"type": "summary_text", "text": text}
            yield self.frame("response.reasoning_summary_part.done", part=part, **self._place())
        yield self.frame("response.output_item.done", output_index=self.index, item=item)
        self.done.append(item)
        self.open, self.text = "", []

    def _whole_call(self, piece: Said) -> Iterator[bytes]:
        """Yield the events of a call, which comes in one piece."""
        self.index += 1
        item = call_item(self.delivery, piece, self.index)
        given, kind = call_input(item)
        place = {"item_id": item["id"], "output_index": self.index}
        begun = {**item, given: "", "status": "in_progress"}
        yield self.frame("response.output_item.added", output_index=self.index, item=begun)
        yield self.frame(f"response.{kind}.delta", delta=item[given], **place)
        done = {given: item[given], **({"name": item["name"]} if given == "arguments" else {})}
        yield self.frame(f"response.{kind}.done", **done, **place)
        yield self.frame("response.output_item.done", output_index=self.index, item=item)
        self.done.append(item)

    def _begin(self, kind: str) -> Iterator[bytes]:
        self.open, self.index = kind, self.index + 1
        item = self._item("in_progress")
        yield self.frame("response.output_item.added", output_index=self.index, item=item)
        if kind == "content":
            yield self.frame("response.content_part.added", part=_part(""), **self._place())
        else:
            part = {"type": "summary_text", "text": ""}
            yield self.frame("response.reasoning_summary_part.added", part=part, **self._place())

    def _kind(self, what: str) -> tuple[str]:
        stem = "output_text" if self.open == "content" else "reasoning_summary_text"
        return (f"response.{stem}.{what}",)

    def _place(self) -> Json:
        where = "content_index" if self.open == "content" else "summary_index"
        more: Json = {"logprobs": []} if self.open == "content" else {}
        return {"item_id": self._id(), "output_index": self.index, where: 0, **more}

    def _id(self) -> str:
        return f"{'msg' if self.open == 'content' else 'rs'}_{self.delivery.name}_{self.index}"

    def _item(self, status: str) -> Json:
        text = "".join(self.text)
        if self.open == "content":
            parts = [_part(text)] if status == "completed" else []
            return {
                "id": self._id(), "type": "message", "role": "assistant", "status": status,
                "content": parts,
            }  # fmt: skip
        summary = [{"type": "summary_text", "text": text}] if status == "completed" else []
        return {"id": self._id(), "type": "reasoning", "summary": summary}


def call_item(delivery: Delivery, piece: Said, index: int) -> Json:
    """A call as an item of the output."""
    assert piece.call
    call, id_ = piece.call, call_id(delivery.name, piece.number)
    base = {"status": "completed", "call_id": id_, "name": call.name}
    if call.name in delivery.wanted.free:
        text = str(call.arguments.get(INPUT, ""))
        kind = "custom_tool_call"
        return {"id": f"ctc_{delivery.name}_{index}", "type": kind, **base, "input": text}
    kind = "function_call"
    return {"id": f"fc_{delivery.name}_{index}", "type": kind, **base, "arguments": call.json}


def call_input(item: Json) -> tuple[str, str]:
    """The field that a call's input is in, and the name of the events about it."""
    if item["type"] == "custom_tool_call":
        return "input", "custom_tool_call_input"
    return "arguments", "function_call_arguments"


def _part(text: str) -> Json:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _base(delivery: Delivery, status: str, created: int) -> Json:
    body = delivery.wanted.body
    offered = body.get("tools") or []
    return {
        **{k: v if body.get(k) is None else body[k] for k, v in _USUAL.items()},
        "id": f"resp_{delivery.name}",
        "object": "response",
        "created_at": created,
        "completed_at": None,
        "status": status,
        "model": delivery.wanted.model,
        "output": [],
        "error": None,
        "incomplete_details": None,
        "parallel_tool_calls": body.get("parallel_tool_calls") is not False,
        "tool_choice": body.get("tool_choice") or ("auto" if body.get("tools") else "none"),
        "tools": [_TOOL | dict(t) if t.get("type") == "function" else t for t in offered],
        "text": {"format": {"type": "text"}, **(body.get("text") or {})},
        "usage": None,
    }


def _whole(delivery: Delivery, items: list[Json], created: int) -> Json:
    t = delivery.transcript
    cut = finish(t) == "length"
    return {
        **_base(delivery, "incomplete" if cut else "completed", created),
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "completed_at": int(time.time()),
        "output": items,
        "usage": _usage(t),
        "dissent": delivery.extra(),
    }


def _usage(t: Transcript) -> Json:
    used = usage_of(t)
    return {
        "input_tokens": used["input"],
        "input_tokens_details": {"cached_tokens": used["cached"]},
        "output_tokens": used["output"],
        "output_tokens_details": {"reasoning_tokens": used["reasoning"]},
        "total_tokens": used["input"] + used["output"],
    }
