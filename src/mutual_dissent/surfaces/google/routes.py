"""The routes under `/v1beta`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.response import tokens_in
from mutual_dissent.surfaces.google import contents
from mutual_dissent.surfaces.google.errors import shape
from mutual_dissent.surfaces.google.requests import talk_of, wanted_content
from mutual_dissent.surfaces.http.app import AppPart
from mutual_dissent.surfaces.http.backend import Caller, HostedBackend
from mutual_dissent.surfaces.http.body_limits import read_json
from mutual_dissent.surfaces.openai.errors import UnsupportedRequest
from mutual_dissent.surfaces.openai.models import catalogue
from mutual_dissent.surfaces.openai.requests import ChatRequest
from mutual_dissent.surfaces.openai.routes import answer

PREFIX = "/v1beta"
METHODS = ("generateContent", "streamGenerateContent", "countTokens")


def google(hosted: HostedBackend) -> AppPart:
    """The surface in Google's dialect."""
    routes = APIRouter(prefix=PREFIX, include_in_schema=False)

    @routes.get("/models")
    async def models() -> Response:
        found = [
            {
                "name": f"models/{m.name}",
                "displayName": m.name,
                "description": m.summary,
                "supportedGenerationMethods": list(METHODS),
            }
            for m in catalogue(hosted.md).values()
        ]
        return JSONResponse({"models": found})

    @routes.post("/models/{name:path}")
    async def generate(name: str, request: Request) -> Response:
        model, _, method = name.rpartition(":")
        if method not in METHODS:
            raise UnsupportedRequest(
                f"the method is one of {', '.join(METHODS)}", status=404, code="not_found"
            )
        if method == "countTokens":
            return JSONResponse({"totalTokens": _count(await read_json(request))})
        read = partial(_read, model, method.startswith("stream"))
        return await answer(hosted, request, read, contents.content, contents.chunks)

    return AppPart(router=routes, prefix=PREFIX, shape=shape)


def _read(model: str, stream: bool, body: Any, md: MutualDissent, caller: Caller) -> ChatRequest:
    return replace(wanted_content(body, model, md, caller), stream=stream)


def _count(body: Any) -> int:
    inner = body.get("generateContentRequest", body) if isinstance(body, dict) else {}
    talk = talk_of(inner)
    return tokens_in(len(talk.query) + sum(len(e.text) for e in talk.earlier)) + 8
