"""Files that a browser cannot read: text of pdf, docx and html, pictures, pages elsewhere."""

from __future__ import annotations

from base64 import b64encode
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, Field

from mutual_dissent.briefing.inputs.pages import fetch_pages
from mutual_dissent.briefing.inputs.sent_files import read_file
from mutual_dissent.core.brief import Attachment, FileBytes
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.http.errors import ApiError
from mutual_dissent.surfaces.web.research.messages import json_response
from mutual_dissent.surfaces.web.settings import owner

PREFIX = "/ui/files"
BYTES = "application/octet-stream"
"""Content type that a form on a foreign page cannot send."""

Name = Annotated[str, Query(min_length=1, max_length=255)]


class PageAddress(BaseModel):
    """The address of a page."""

    address: Annotated[str, Field(min_length=1, max_length=2000)]


def router(backend: HostedBackend) -> APIRouter:
    """The routes; what is read is answered and not stored."""
    routes = APIRouter(prefix=PREFIX, include_in_schema=False, dependencies=[Depends(owner)])

    @routes.post("/text")
    async def text(request: Request, name: Name) -> Response:
        """Return the text of a file, or the picture that it is."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != BYTES:
            raise ApiError(415, "not_bytes", f"send the file itself, with Content-Type: {BYTES}")
        first, *more = await read_file(FileBytes(name=name, raw=await request.body()))
        return json_response({**_found(first), **({"more": [*map(_found, more)]} if more else {})})

    @routes.post("/page")
    async def page(wanted: PageAddress) -> Response:
        """Return the text of a page on the public web."""
        (read,) = (await fetch_pages([wanted.address], backend.md.pages())).documents
        return json_response({"name": read.name, "text": read.text})

    return routes


def _found(read: Attachment) -> dict[str, object]:
    """Return a text, or a picture as the page shows it and sends it on: without what it told."""
    found: dict[str, object] = {"name": read.name, "text": read.text}
    if (p := read.picture) is None:
        return found
    measures = {"mediaType": p.media_type, "width": p.width, "height": p.height}
    return {**found, "picture": measures, "data": b64encode(p.raw or b"").decode()}
