"""The routes under `/v1/messages`."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from mutual_dissent.core.response import tokens_in
from mutual_dissent.surfaces.anthropic import messages
from mutual_dissent.surfaces.anthropic.errors import shape
from mutual_dissent.surfaces.anthropic.requests import (
    count_characters,
    is_probe,
    known_model,
    wanted_message,
)
from mutual_dissent.surfaces.http.app import AppPart
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.http.body_limits import read_json
from mutual_dissent.surfaces.openai.routes import answer

PREFIX = "/v1/messages"


def anthropic(hosted: HostedBackend) -> AppPart:
    """The surface in Anthropic's dialect."""
    routes = APIRouter(prefix=PREFIX, include_in_schema=False)

    @routes.post("")
    async def make_message(request: Request) -> Response:
        body = await read_json(request)
        if is_probe(body):
            return JSONResponse(_probe(known_model(body, hosted.md)))
        return await answer(hosted, request, wanted_message, messages.message, messages.events)

    @routes.post("/count_tokens")
    async def count_tokens(request: Request) -> Response:
        characters = count_characters(await read_json(request))
        return JSONResponse({"input_tokens": tokens_in(characters) + 8})

    return AppPart(router=routes, prefix=PREFIX, shape=shape)


def _probe(model: str) -> dict[str, object]:
    """The reply to a request for one token: a client looks whether it is let in, and no more."""
    return {
        "id": "msg_probe",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": "#"}],
        "stop_reason": "max_tokens",
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }
