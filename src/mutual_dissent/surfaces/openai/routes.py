"""The routes under `/v1`."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from mutual_dissent.core.errors import Held, NotFound, NotRunning, clip
from mutual_dissent.surfaces.http.app import AppPart
from mutual_dissent.surfaces.http.backend import HostedBackend, caller_of
from mutual_dissent.surfaces.http.body_limits import read_json
from mutual_dissent.surfaces.openai import chat, responses
from mutual_dissent.surfaces.openai.delivery import Delivery
from mutual_dissent.surfaces.openai.errors import shape
from mutual_dissent.surfaces.openai.input_items import input_items
from mutual_dissent.surfaces.openai.models import PanelModel, catalogue, find_model
from mutual_dissent.surfaces.openai.requests import ChatRequest, wanted_chat, wanted_response

PREFIX = "/v1"
BEGAN = 1_771_600_000
"""Creation date of the models, which clients require."""

LOOK = 0.5
"""Seconds between two checks for a disconnected client."""

SETTLE = 5.0
"""Seconds that a cancelled debate has to come to rest before it is told how it stands."""

_UNBUFFERED = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

Read = Callable[..., ChatRequest]
Whole = Callable[[Delivery], Awaitable[dict[str, Any]]]
Stream = Callable[[Delivery], AsyncGenerator[bytes, None]]


def openai(hosted: HostedBackend) -> AppPart:
    """The OpenAI-compatible surface."""
    routes = APIRouter(prefix=PREFIX, include_in_schema=False)

    @routes.get("/models")
    async def models() -> Response:
        found = catalogue(hosted.md).values()
        return JSONResponse(_list([_model(m) for m in found]))

    @routes.get("/models/{name:path}")
    async def model(name: str) -> Response:
        return JSONResponse(_model(find_model(name, hosted.md)))

    @routes.post("/chat/completions")
    async def completions(request: Request) -> Response:
        return await answer(hosted, request, wanted_chat, chat.completion, chat.chunks)

    @routes.post("/responses")
    async def make_response(request: Request) -> Response:
        return await answer(hosted, request, wanted_response, responses.response, responses.events)

    def _stored(id_: str) -> Response:
        t = hosted.sessions.transcript(debate_name(id_))
        delivery = Delivery.from_record(hosted, t)
        happened = hosted.md.store.events(t.transcript_id)
        return JSONResponse(responses.stored_response(delivery, happened))

    @routes.post("/responses/compact")
    async def compact() -> Response:
        raise NotFound("a panel compacts no conversation; send it whole, or begin anew")

    @routes.get("/responses/{id_}")
    async def get_response(id_: str) -> Response:
        return await asyncio.to_thread(_stored, id_)

    @routes.get("/responses/{id_}/input_items")
    async def list_input(id_: str, request: Request) -> Response:
        return await asyncio.to_thread(_input, hosted, id_, request)

    @routes.delete("/responses/{id_}")
    async def delete_response(id_: str) -> Response:
        name = await hosted.sessions.wait_for_readers(debate_name(id_))
        if hosted.sessions.is_here(name):
            raise Held(name, hosted.sessions.whose(name))
        await asyncio.to_thread(hosted.md.delete, name)
        return JSONResponse({"id": f"resp_{name}", "object": "response", "deleted": True})

    @routes.post("/responses/{id_}/cancel")
    async def cancel_response(id_: str) -> Response:
        name = hosted.md.store.find(debate_name(id_), to_change=True)
        with suppress(NotRunning):  # it is over: it stays as it is
            await hosted.sessions.stop(name)
            await hosted.sessions.wait(name, SETTLE)
        return await asyncio.to_thread(_stored, name)

    return AppPart(router=routes, prefix=PREFIX, shape=shape)


def _input(hosted: HostedBackend, id_: str, request: Request) -> Response:
    t, asked = hosted.sessions.transcript(debate_name(id_)), request.query_params
    include = [*asked.getlist("include"), *asked.getlist("include[]")]

    def raw(sha256: str) -> bytes | None:
        found = hosted.md.store.picture(sha256)
        return found[1] if found else None

    return JSONResponse(input_items(t.brief, asked, include, raw))


_ID = re.compile(r"(?:resp_)?([0-9a-f-]{8,40})")


def debate_name(id_: str) -> str:
    """The debate that a response is.

    Raises:
        NotFound: if this is the id of none.
    """
    found = _ID.fullmatch(id_)
    if found is None:
        raise NotFound(
            f"there is no response {clip(id_, 60)!r}; an id is resp_ and the id of a debate"
        )
    return found[1]


async def answer(
    hosted: HostedBackend, request: Request, read: Read, whole: Whole, stream: Stream
) -> Response:
    """Hold the debate of a request, and answer with it whole or as a stream."""
    body, caller = await read_json(request), caller_of(request)
    wanted = read(body, hosted.md, caller)
    delivery = await Delivery.begin(hosted, wanted, caller)
    if wanted.stream:
        return _DebateStream(delivery, stream)
    return await _while_there(request, asyncio.ensure_future(whole(delivery)))


class _DebateStream(StreamingResponse):
    """A streamed debate. It stops when the stream breaks, to save money."""

    def __init__(self, delivery: Delivery, stream: Stream) -> None:
        super().__init__(stream(delivery), media_type="text/event-stream", headers=_UNBUFFERED)
        self._delivery = delivery

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._delivery.abandon()


async def _while_there(request: Request, work: asyncio.Future[dict[str, Any]]) -> Response:
    """Return the answer of the work; cancel it when the client disconnects."""
    try:
        while not work.done():
            await asyncio.wait([work], timeout=LOOK)
            if not work.done() and await request.is_disconnected():
                return Response(status_code=499)
        return JSONResponse(work.result())
    finally:
        work.cancel()
        await asyncio.wait([work])


def _list(models: list[dict[str, Any]]) -> dict[str, Any]:
    """The models as OpenAI lists them, and with what Anthropic's clients look for."""
    ends = {"first_id": models[0]["id"], "last_id": models[-1]["id"], "has_more": False}
    return {"object": "list", "data": models, **ends}


def _model(model: PanelModel) -> dict[str, Any]:
    return {
        "id": model.name,
        "object": "model",
        "type": "model",
        "display_name": model.name,
        "created_at": "2026-02-20T00:00:00Z",
        "created": BEGAN,
        "owned_by": "mutual-dissent",
        "description": model.summary,
    }
