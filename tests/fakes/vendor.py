"""A vendor on loopback that speaks all four dialects and breaks in every way that it is told to.

    async with FakeVendor() as vendor:
        vendor.then("429", retry_after=1)          # the next call fails so, later ones are answered
        vendor.then("midcut", model="gpt-x")       # the next call of that model
        vendor.always("500")                       # every call for which nothing else is scripted
        endpoint = Endpoint(vendor="openai", base_url=vendor.base_url("openai-chat"), ...)
    vendor.arrivals                                # what came, when, with which headers and body

As a process it prints its address on the first line, and serves until it is stopped:

    python tests/fakes/vendor.py --port 0 --script script.json

with `{"always": {...}, "calls": [{...}], "models": {"gpt-x": [{...}]}}`, where each `{...}` has the
fields of `Turn`. `GET /_arrivals` tells what came, `POST /_script` replaces the script.

Faults: ok, held (half an answer, the rest once `gate` is set), 429, 500, 401, 404 (any status),
hang, hang_body, stall, slowloris, reset, midcut, truncate, linger, no_finish, badjson, malformed,
html, gzip, gzip_bomb, lying_gzip, lying_br, big, empty, empty_body, null, refusal, filter, tool,
reasoning, error200, error_event, wrong_model, redirect, echo_key, mad_usage.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gzip
import itertools
import json
import math
import re
import time
import zlib
from collections import defaultdict, deque
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import cache
from pathlib import Path
from typing import Any, Self

from aiohttp import web

BIG = 10_000_000
PATHS = {"openai-chat": "/v1", "openai-responses": "/v1", "anthropic": "", "google": ""}


@dataclass(kw_only=True)
class Turn:
    """How one call is answered.

    Attributes:
        fault: what goes wrong; `ok` for nothing, digits for an HTTP status.
        text: the answer; None for the vendor's own.
        whole: whether it comes as one JSON body although a stream was asked for.
        delay: seconds before anything is sent.
        token_delay: seconds between two tokens.
        thinks: seconds before the first token, after what comes before it.
        retry_after: seconds asked for; as a date with `retry_date`.
        cut: how many tokens are sent before a fault in the middle.
        inner: the code inside an error that comes with a 200.
        served: the model id in the answer; None for the one asked for.
        tool: the name and the arguments of a tool that is called instead of answering.
        headers: what else is said beside a stream.
    """

    fault: str = "ok"
    text: str | None = None
    whole: bool = False
    delay: float = 0.0
    token_delay: float = 0.0
    thinks: float = 0.0
    retry_after: float | None = None
    retry_date: bool = False
    cut: int = 2
    inner: int = 429
    served: str | None = None
    usage: dict[str, Any] | None = None
    message: str = "told to fail"
    tool: dict[str, Any] | None = None
    to: str = ""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Arrival:
    """A request that came in."""

    at: float
    path: str
    dialect: str
    model: str
    headers: dict[str, str]
    body: dict[str, Any]
    connection: int
    turn: Turn = field(default_factory=Turn)
    gate: Any = None

    @property
    def prompt(self) -> str:
        """The user's text."""
        match self.dialect:
            case "google":
                parts = (p for c in self.body["contents"] for p in c["parts"])
                return "".join(p.get("text", "") for p in parts)
            case "openai-responses":
                said = (i for i in self.body["input"] if i.get("role") == "user")
                return "".join(map(_text, said))
            case _:
                return "".join(_text(m) for m in self.body["messages"] if m["role"] == "user")

    @property
    def searches(self) -> bool:
        """Whether the vendor is to search by itself, on the wire where that is told."""
        return {"type": "web_search"} in self.body.get("tools", [])

    @property
    def reads(self) -> bool:
        """Whether it asks for the ledger of a debate, which has a form whatever panelists say."""
        return self.dialect != "google" and "You are the analyst." in self.prompt


def _ledger(prompt: str) -> str:
    """What an analyst replies that finds everybody of one mind."""
    letters = sorted(set(re.findall(r"^\[Panelist ([A-P])[, ]", prompt, re.MULTILINE)))
    fields = ("contested", "common_ground", "minority", "corrections", "missing")
    held = {"statement": "They say yes.", "holders": letters}
    return json.dumps({"positions": [held], **{name: [] for name in fields}})


class FakeVendor:
    """The vendor. Its answers name the model, so that tests can tell them apart."""

    def __init__(self, *, port: int = 0, whole: bool = False, token_delay: float = 0.0) -> None:
        self.arrivals: list[Arrival] = []
        self.fallback = Turn(whole=whole, token_delay=token_delay)
        self.calls: deque[Turn] = deque()
        self.models: dict[str, deque[Turn]] = defaultdict(deque)
        self.in_flight = 0
        self.most_in_flight = 0
        self.at_once = math.inf
        self.turned_away = 0
        self.heard = asyncio.Event()
        self.gate = asyncio.Event()
        self._whole = whole
        self._port = port
        self._runner: web.AppRunner | None = None
        self.url = ""

    # -- telling it what to do

    def then(
        self, fault: str = "ok", *, model: str | None = None, times: int = 1, **more: Any
    ) -> FakeVendor:
        """Answer the next call (of that model) like this, or the next several."""
        turn = Turn(fault=fault, **{"whole": self._whole, **more})
        (self.models[model] if model else self.calls).extend([turn] * times)
        return self

    def always(self, fault: str = "ok", **more: Any) -> FakeVendor:
        """Answer every call like this, unless something else is scripted."""
        self.fallback = Turn(fault=fault, **{"whole": self._whole, **more})
        return self

    def script(self, plain: dict[str, Any]) -> None:
        """Replace what is scripted, in the shape of a script file."""
        self.fallback = _turn(plain.get("always", {}))
        self.calls = deque(_turn(t) for t in plain.get("calls", []))
        self.models = defaultdict(deque)
        for model, turns in plain.get("models", {}).items():
            self.models[model] = deque(_turn(t) for t in turns)

    # -- asking it what happened

    def base_url(self, dialect: str = "openai-chat") -> str:
        """What an endpoint of that dialect needs as its base URL."""
        return self.url + PATHS[dialect]

    @property
    def gaps(self) -> list[float]:
        """Seconds between the arrivals."""
        times = [a.at for a in self.arrivals]
        return [b - a for a, b in itertools.pairwise(times)]

    @property
    def connections(self) -> int:
        """How many connections the arrivals came on."""
        return len({a.connection for a in self.arrivals})

    # -- running it

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64_000_000)
        app.router.add_get("/_arrivals", self._told)
        app.router.add_post("/_script", self._scripted)
        app.router.add_post("/{path:.*}", self._call)
        self._runner = web.AppRunner(
            app, access_log=None, shutdown_timeout=0.05, handler_cancellation=True
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = site._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _told(self, _request: web.Request) -> web.Response:
        shown = [asdict(replace(a, headers={}, gate=None)) for a in self.arrivals]
        return web.json_response({"arrivals": shown, "connections": self.connections})

    async def _scripted(self, request: web.Request) -> web.Response:
        self.script(await request.json())
        return web.json_response({})

    async def _call(self, request: web.Request) -> web.StreamResponse:
        arrival = await self._arrived(request)
        if self.in_flight >= self.at_once:
            self.turned_away += 1
            return Answer(request, arrival).status(429)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(arrival.turn.delay)
            return await Answer(request, arrival).send()
        finally:
            self.in_flight -= 1

    async def _arrived(self, request: web.Request) -> Arrival:
        at = time.monotonic()
        body = json.loads(await request.read())
        path = request.path
        dialect = _dialect_of(path)
        model = body.get("model") or path.rpartition("/")[2].partition(":")[0]
        arrival = Arrival(
            at, path, dialect, model, dict(request.headers), body, id(request.transport)
        )
        turns = self.models.get(model) or self.calls
        arrival.turn = turns.popleft() if turns else self.fallback
        arrival.gate = self.gate
        self.arrivals.append(arrival)
        self.heard.set()
        return arrival


class Answer:
    """One answer being sent."""

    def __init__(self, request: web.Request, arrival: Arrival) -> None:
        self.request = request
        self.turn = arrival.turn
        self.arrival = arrival
        self.model = self.turn.served or arrival.model
        text = self.turn.text
        self.text = f"{arrival.model} has thought about it and says yes." if text is None else text
        if arrival.reads and not self.text.startswith("{"):
            self.text = _ledger(arrival.prompt)
        self.wire = WIRES[arrival.dialect]

    async def send(self) -> web.StreamResponse:
        fault = self.turn.fault
        if fault.isdigit():
            return self.status(int(fault))
        if act := getattr(self, f"do_{fault}", None):
            return await act()
        return await self.answered(self.events(**VARIANTS[fault]))

    def events(self, **how: Any) -> list[dict[str, Any]]:
        """What is streamed, event by event."""
        how = {"text": self.text, "usage": self.turn.usage, **how}
        if self.turn.tool:
            how |= {"tool": self.turn.tool, "text": self.turn.text}
        if self.arrival.searches:
            how["searched"] = True
        return self.wire.events(how.pop("model", self.model), **how)

    async def answered(self, events: list[dict[str, Any]]) -> web.StreamResponse:
        if self.turn.whole:
            return web.json_response(self.wire.whole(events))
        response = await self.open()
        for n, event in enumerate(events):
            if n == self.opening:
                await asyncio.sleep(self.turn.thinks)
            await response.write(self.wire.frame(event))
            if self.turn.token_delay:
                await asyncio.sleep(self.turn.token_delay)
        await response.write(self.wire.end)
        await response.write_eof()
        return response

    async def open(self, **headers: str) -> web.StreamResponse:
        kind = "application/json" if self.turn.whole else "text/event-stream"
        headers |= self.turn.headers
        response = web.StreamResponse(headers={"Content-Type": kind, **headers})
        await response.prepare(self.request)
        return response

    def status(self, code: int, message: str = "") -> web.Response:
        headers = {}
        if (wait := self.turn.retry_after) is not None:
            until = datetime.now(UTC) + timedelta(seconds=wait)
            headers["Retry-After"] = format_datetime(until, usegmt=True)
            if not self.turn.retry_date:
                headers["Retry-After"] = f"{wait:g}"
        body = self.wire.error(code, message or self.turn.message)
        return web.json_response(body, status=code, headers=headers)

    @property
    def opening(self) -> int:
        """How many events come before the first token."""
        return self.wire.opening + 2 * self.arrival.searches

    @property
    def body(self) -> bytes:
        """The whole good answer, in the form that this turn uses."""
        events = self.events()
        if self.turn.whole:
            return json.dumps(self.wire.whole(events)).encode()
        return b"".join(map(self.wire.frame, events)) + self.wire.end

    def first_tokens(self) -> bytes:
        """The answer up to the cut."""
        if self.turn.whole:
            return self.body[: len(self.body) // 2]
        return b"".join(map(self.wire.frame, self.events()[: self.turn.cut + self.opening]))

    # -- faults of the connection

    async def do_reset(self) -> web.StreamResponse:
        self.request.transport.abort()
        return web.Response()

    async def do_hang(self) -> web.StreamResponse:
        await asyncio.sleep(3600)
        raise AssertionError

    async def do_held(self) -> web.StreamResponse:
        response = await self.open()
        await response.write(self.first_tokens())
        await self.arrival.gate.wait()
        for event in self.events()[self.turn.cut + self.opening :]:
            await response.write(self.wire.frame(event))
        await response.write(self.wire.end)
        await response.write_eof()
        return response

    async def do_hang_body(self) -> web.StreamResponse:
        await self.open()
        return await self.do_hang()

    async def do_stall(self) -> web.StreamResponse:
        response = await self.open()
        await response.write(self.first_tokens())
        return await self.do_hang()

    async def do_slowloris(self) -> web.StreamResponse:
        response = await self.open()
        for byte in self.body:
            await response.write(bytes([byte]))
            await asyncio.sleep(0.05)
        return response

    async def do_midcut(self) -> web.StreamResponse:
        response = await self.open()
        await response.write(self.first_tokens())
        await asyncio.sleep(0.02)  # or the bytes may be dropped with the connection
        self.request.transport.abort()
        return response

    async def do_truncate(self) -> web.StreamResponse:
        sent = self.first_tokens()
        response = await self.open(**{"Content-Length": str(len(sent) + 500)})
        await response.write(sent)
        self.request.transport.close()
        return response

    async def do_linger(self) -> web.StreamResponse:
        response = await self.open()
        await response.write(self.body)
        return await self.do_hang()

    async def do_no_finish(self) -> web.StreamResponse:
        response = await self.open()
        await response.write(self.first_tokens())
        await response.write_eof()
        return response

    # -- faults of the body

    async def do_badjson(self) -> web.StreamResponse:
        return web.Response(body=b'{"choices": [{"mess', content_type="application/json")

    async def do_malformed(self) -> web.StreamResponse:
        response = await self.open()
        await response.write(self.first_tokens() + b'data: {"choices": [{"del\n\n')
        await response.write(b"".join(map(self.wire.frame, self.events())) + self.wire.end)
        await response.write_eof()
        return response

    async def do_html(self) -> web.StreamResponse:
        page = "<!doctype html><title>Sign in</title><p>Please sign in to this network." * 9
        return web.Response(text=page, content_type="text/html")

    async def do_gzip(self) -> web.StreamResponse:
        return await self._raw(gzip.compress(self.body), "gzip")

    async def do_gzip_bomb(self) -> web.StreamResponse:
        return await self._raw(bomb(), "gzip")

    async def do_lying_gzip(self) -> web.StreamResponse:
        return await self._raw(self.body, "gzip")

    async def do_lying_br(self) -> web.StreamResponse:
        return await self._raw(self.body, "br")

    async def do_empty_body(self) -> web.StreamResponse:
        return await self._raw(b"", "identity")

    async def _raw(self, body: bytes, encoding: str) -> web.StreamResponse:
        response = await self.open(**{"Content-Encoding": encoding})
        await response.write(body)
        await response.write_eof()
        return response

    async def do_big(self) -> web.StreamResponse:
        self.text = "many words " * (BIG // 11)
        if self.turn.whole:
            return await self.answered(self.events())
        response = await self.open()
        piece = self.wire.frame(self.wire.piece(self.model, "many words " * 10_000))
        for _ in range(BIG // 110_000):
            await response.write(piece)
        await response.write_eof()
        return response

    async def do_error200(self) -> web.StreamResponse:
        error = {"error": {"code": self.turn.inner, "message": self.turn.message}}
        if self.turn.whole:
            return web.json_response(error)
        response = await self.open()
        await response.write(b": a comment\n\ndata: " + json.dumps(error).encode() + b"\n\n")
        await response.write_eof()
        return response

    async def do_error_event(self) -> web.StreamResponse:
        response = await self.open()
        error = {"error": {"code": self.turn.inner, "message": self.turn.message}}
        await response.write(self.first_tokens() + b"event: error\ndata: ")
        await response.write(json.dumps({"type": "error", **error}).encode() + b"\n\n")
        await response.write_eof()
        return response

    async def do_redirect(self) -> web.StreamResponse:
        raise web.HTTPTemporaryRedirect(self.turn.to)

    async def do_echo_key(self) -> web.StreamResponse:
        headers = self.request.headers
        key = headers.get("x-api-key") or headers.get("x-goog-api-key")
        key = key or headers.get("Authorization", "").removeprefix("Bearer ")
        message = f"bad key {key} at https://user:{key}@host.example/v1?key={key}&x=1"
        return self.status(401, message + " " * 90 + "." * 70 + key)


VARIANTS: dict[str, dict[str, Any]] = {
    "ok": {},
    "empty": {"text": ""},
    "null": {"text": None},
    "refusal": {"text": None, "refusal": "I would rather not."},
    "filter": {"text": "Some", "finish": "filter"},
    "tool": {"text": None, "tool": {"name": "look_up", "arguments": {"what": "it"}}},
    "reasoning": {"text": None, "reasoning": "Let me see."},
    "wrong_model": {"model": "somebody-else-9"},
    "mad_usage": {"usage": {"in": -5, "out": 10_000_000_000}},
}


class OpenAIWire:
    """Chat completions."""

    opening = 1
    end = b"data: [DONE]\n\n"

    def events(
        self, model: str, *, text: str | None, usage: dict[str, Any] | None = None,
        finish: str = "stop", refusal: str | None = None, tool: dict[str, Any] | None = None,
        reasoning: str | None = None,
    ) -> list[dict[str, Any]]:  # fmt: skip
        def chunk(delta: dict[str, Any], why: str | None = None) -> dict[str, Any]:
            choice = {"index": 0, "delta": delta, "finish_reason": why}
            return {"id": "c1", "object": "chat.completion.chunk", "model": model,
                    "choices": [choice]}  # fmt: skip

        out = [chunk({"role": "assistant", "content": ""})]
        out += [chunk({"reasoning_content": reasoning})] if reasoning else []
        out += [chunk({"content": piece}) for piece in tokens(text)]
        out += [chunk({"refusal": refusal})] if refusal else []
        if tool:
            call = {"name": tool["name"], "arguments": json.dumps(tool["arguments"])}
            whole = {"index": 0, "id": "t1", "type": "function", "function": call}
            out.append(chunk({"tool_calls": [whole]}))
        out.append(chunk({}, {"filter": "content_filter"}.get(finish, finish)))
        spent = usage or {"in": 12, "out": 7, "cached": 3}
        out.append({"id": "c1", "model": model, "choices": [], "usage": {
            "prompt_tokens": spent["in"], "completion_tokens": spent["out"],
            "prompt_tokens_details": {"cached_tokens": spent.get("cached", 0)},
            **({"cost": spent["cost"]} if "cost" in spent else {})}})  # fmt: skip
        return out

    def piece(self, model: str, text: str) -> dict[str, Any]:
        return self.events(model, text=text)[1]

    def frame(self, event: dict[str, Any]) -> bytes:
        return b"data: " + json.dumps(event).encode() + b"\n\n"

    def whole(self, events: list[dict[str, Any]]) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": None}
        finish = None
        for event in events:
            for choice in event["choices"]:
                finish = choice["finish_reason"] or finish
                for name, value in choice["delta"].items():
                    joined = name in ("content", "reasoning_content") and message.get(name)
                    message[name] = joined + value if joined else value
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return {**events[-1], "object": "chat.completion", "choices": [choice]}

    def error(self, code: int, message: str) -> dict[str, Any]:
        return {"error": {"message": message, "type": "told", "code": None}}


class ResponsesWire:
    """Responses."""

    opening = 3
    end = b""

    def events(
        self, model: str, *, text: str | None, usage: dict[str, Any] | None = None,
        finish: str = "stop", refusal: str | None = None, tool: dict[str, Any] | None = None,
        reasoning: str | None = None, searched: bool = False,
    ) -> list[dict[str, Any]]:  # fmt: skip
        spent = usage or {"in": 12, "out": 7, "cached": 3}
        source = {"type": "url_citation", "url": "https://found.example/a", "title": "Found"}
        part: dict[str, Any] = {"type": "output_text", "text": text or ""}
        part["annotations"] = [source] if searched else []
        pieces = [("output_text", piece) for piece in tokens(text)]
        item: dict[str, Any] = {"id": "i1", "type": "message", "role": "assistant", "content": []}
        if refusal:
            part, pieces = {"type": "refusal", "refusal": refusal}, [("refusal", refusal)]
        whole = {**item, "content": [part], "status": "completed"}
        if reasoning:
            item = {"id": "i1", "type": "reasoning", "summary": []}
            pieces = [("reasoning_summary_text", reasoning)]
            whole = {**item, "summary": [{"type": "summary_text", "text": reasoning}]}
        if tool:
            raw = json.dumps(tool["arguments"])
            item = {"id": "i1", "type": "function_call", "call_id": "t1", "name": tool["name"]}
            pieces, whole = [("function_call_arguments", raw)], {**item, "arguments": raw}
        search = {"id": "s1", "type": "web_search_call", "status": "completed",
                  "action": {"type": "search", "query": "it"}}  # fmt: skip
        items = [search, whole] if searched else [whole]
        at = len(items) - 1
        ended = self._response(model, output=items, usage={
            "input_tokens": spent["in"], "output_tokens": spent["out"],
            "input_tokens_details": {"cached_tokens": spent.get("cached", 0)},
            **({"cost_in_usd_ticks": round(spent["cost"] * 1e10)} if "cost" in spent else {}),
        })  # fmt: skip
        status = ended["status"] = "incomplete" if finish == "filter" else "completed"
        if status == "incomplete":
            ended["incomplete_details"] = {"reason": "content_filter"}
        events = [
            {"type": "response.created", "response": self._response(model)},
            {"type": "response.in_progress", "response": self._response(model)},
            *({"type": f"response.output_item.{how}", "output_index": 0, "item": search}
              for how in ("added", "done") if searched),
            {"type": "response.output_item.added", "output_index": at, "item": item},
            *({"type": f"response.{kind}.delta", "output_index": at, "delta": piece}
              for kind, piece in pieces),
            {"type": "response.output_item.done", "output_index": at, "item": whole},
            {"type": f"response.{status}", "response": ended},
        ]  # fmt: skip
        return [{**e, "sequence_number": n} for n, e in enumerate(events)]

    def _response(self, model: str, **more: Any) -> dict[str, Any]:
        empty = {"output": [], "usage": None, "error": None, "incomplete_details": None}
        return {"object": "response", "model": model, "status": "in_progress", **empty, **more}

    def piece(self, model: str, text: str) -> dict[str, Any]:
        return self.events(model, text=text)[3]

    def frame(self, event: dict[str, Any]) -> bytes:
        return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()

    def whole(self, events: list[dict[str, Any]]) -> dict[str, Any]:
        return events[-1]["response"]

    def error(self, code: int, message: str) -> dict[str, Any]:
        return {"error": {"message": message, "type": "told", "param": None, "code": None}}


class AnthropicWire:
    """Messages."""

    opening = 2
    end = b""

    def events(
        self, model: str, *, text: str | None, usage: dict[str, Any] | None = None,
        finish: str = "end_turn", refusal: str | None = None, tool: dict[str, Any] | None = None,
        reasoning: str | None = None,
    ) -> list[dict[str, Any]]:  # fmt: skip
        spent = usage or {"in": 12, "out": 7, "cached": 3}
        start = {"id": "m1", "type": "message", "role": "assistant", "model": model,
                 "content": [], "stop_reason": None,
                 "usage": {"input_tokens": spent["in"] - spent.get("cached", 0),
                           "cache_read_input_tokens": spent.get("cached", 0),
                           "output_tokens": 1}}  # fmt: skip
        block: dict[str, Any] = {"type": "text", "text": ""}
        deltas = [{"type": "text_delta", "text": piece} for piece in tokens(text)]
        if reasoning:
            block = {"type": "thinking", "thinking": ""}
            deltas = [{"type": "thinking_delta", "thinking": reasoning}]
        if tool:
            block = {"type": "tool_use", "id": "t1", "name": tool["name"], "input": {}}
            raw = json.dumps(tool["arguments"])
            deltas = [{"type": "input_json_delta", "partial_json": raw}]
        if refusal or finish == "filter":
            finish = "refusal"
        return [
            {"type": "message_start", "message": start},
            {"type": "content_block_start", "index": 0, "content_block": block},
            *({"type": "content_block_delta", "index": 0, "delta": d} for d in deltas),
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": finish},
             "usage": {"output_tokens": spent["out"]}},
            {"type": "message_stop"},
        ]  # fmt: skip

    def piece(self, model: str, text: str) -> dict[str, Any]:
        return self.events(model, text=text)[2]

    def frame(self, event: dict[str, Any]) -> bytes:
        return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()

    def whole(self, events: list[dict[str, Any]]) -> dict[str, Any]:
        message, block, ending = events[0]["message"], events[1]["content_block"], events[-2]
        for event in events:
            delta = event.get("delta", {})
            for name in ("text", "thinking"):
                if name in delta:
                    block[name] += delta[name]
            if "partial_json" in delta:
                block["input"] = json.loads(delta["partial_json"])
        usage = {**message["usage"], **ending["usage"]}
        return {**message, "content": [block], "usage": usage, **ending["delta"]}

    def error(self, code: int, message: str) -> dict[str, Any]:
        kinds = {401: "authentication_error", 429: "rate_limit_error", 404: "not_found_error",
                 529: "overloaded_error", 400: "invalid_request_error"}  # fmt: skip
        return {
            "type": "error",
            "error": {"type": kinds.get(code, "api_error"), "message": message},
        }


class GoogleWire:
    """generateContent."""

    opening = 0
    end = b""

    def events(
        self, model: str, *, text: str | None, usage: dict[str, Any] | None = None,
        finish: str = "STOP", refusal: str | None = None, tool: dict[str, Any] | None = None,
        reasoning: str | None = None,
    ) -> list[dict[str, Any]]:  # fmt: skip
        spent = usage or {"in": 12, "out": 7, "cached": 3}
        counts = {"promptTokenCount": spent["in"], "candidatesTokenCount": spent["out"],
                  "cachedContentTokenCount": spent.get("cached", 0)}  # fmt: skip

        def chunk(parts: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
            candidate = {"content": {"role": "model", "parts": parts}, "index": 0, **more}
            return {"candidates": [candidate], "modelVersion": model}

        out = [chunk([{"text": piece}]) for piece in tokens(text)]
        out += [chunk([{"text": reasoning, "thought": True}])] if reasoning else []
        if tool:
            out.append(chunk([{"functionCall": {"name": tool["name"], "args": tool["arguments"]}}]))
        if refusal or finish == "filter":
            finish = "SAFETY"
        return [*out, {**chunk([], finishReason=finish), "usageMetadata": counts}]

    def piece(self, model: str, text: str) -> dict[str, Any]:
        return self.events(model, text=text)[0]

    def frame(self, event: dict[str, Any]) -> bytes:
        return b"data: " + json.dumps(event).encode() + b"\r\n\r\n"

    def whole(self, events: list[dict[str, Any]]) -> dict[str, Any]:
        parts = [p for e in events for c in e["candidates"] for p in c["content"]["parts"]]
        last = events[-1]["candidates"][0]
        return {**events[-1], "candidates": [{**last, "content": {"parts": parts}}]}

    def error(self, code: int, message: str) -> dict[str, Any]:
        return {"error": {"code": code, "message": message, "status": "TOLD"}}


WIRES = {
    "openai-chat": OpenAIWire(),
    "openai-responses": ResponsesWire(),
    "anthropic": AnthropicWire(),
    "google": GoogleWire(),
}


def tokens(text: str | None) -> list[str]:
    """The text in word-sized pieces; a huge one in few."""
    if not text:
        return [text] if text == "" else []
    if len(text) > 100_000:
        return [text[i : i + 1_000_000] for i in range(0, len(text), 1_000_000)]
    words = text.split(" ")
    return [w + " " for w in words[:-1]] + [words[-1]]


@cache
def bomb() -> bytes:
    """64 MB of blanks in 64 kB."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    piece = b" " * 1_000_000
    return b"".join(squeeze.compress(piece) for _ in range(64)) + squeeze.flush()


def _dialect_of(path: str) -> str:
    if path.endswith("/messages"):
        return "anthropic"
    if path.endswith("/responses"):
        return "openai-responses"
    return (
        "google" if "generateContent" in path or "streamGenerateContent" in path else "openai-chat"
    )


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(p.get("text", "") for p in content)


def _turn(plain: dict[str, Any]) -> Turn:
    known = {f.name for f in fields(Turn)}
    assert plain.keys() <= known, f"a turn has no {plain.keys() - known}"
    return Turn(**plain)


async def _serve(port: int, script: dict[str, Any]) -> None:
    async with FakeVendor(port=port) as vendor:
        vendor.script(script)
        print(vendor.url, flush=True)
        await asyncio.Event().wait()


def main() -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser(description="A fake vendor on loopback.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", type=Path)
    options = parser.parse_args()
    script = json.loads(options.script.read_text()) if options.script else {}
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(options.port, script))


if __name__ == "__main__":
    main()
