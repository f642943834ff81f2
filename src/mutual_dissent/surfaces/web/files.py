"""Text that a browser cannot read itself: of pdf, docx and html files, and of pages elsewhere."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from threading import BoundedSemaphore, Thread
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, Field

from mutual_dissent.briefing.inputs.attachments import attachment_of
from mutual_dissent.briefing.inputs.pages import fetch_pages
from mutual_dissent.core.brief import Attachment
from mutual_dissent.core.errors import BadInput
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.http.errors import ApiError
from mutual_dissent.surfaces.web.research.messages import json_response
from mutual_dissent.surfaces.web.settings import owner

PREFIX = "/ui/files"
BYTES = "application/octet-stream"
"""Content type that a form on a foreign page cannot send."""

AT_ONCE, SECONDS = 2, 60.0
"""Files read at a time, and seconds for each: a file can be made to parse for ever."""

Name = Annotated[str, Query(min_length=1, max_length=255)]


class PageAddress(BaseModel):
    """The address of a page."""

    address: Annotated[str, Field(min_length=1, max_length=2000)]


def router(backend: HostedBackend) -> APIRouter:
    """The routes; what is read is answered and not stored."""
    routes = APIRouter(prefix=PREFIX, include_in_schema=False, dependencies=[Depends(owner)])
    room = BoundedSemaphore(AT_ONCE)

    @routes.post("/text")
    async def text(request: Request, name: Name) -> Response:
        """Return the text of a file."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != BYTES:
            raise ApiError(415, "not_bytes", f"send the file itself, with Content-Type: {BYTES}")
        raw = await request.body()
        if not room.acquire(blocking=False):
            raise ApiError(503, "busy", "other files are being read; try again in a moment")
        try:
            async with asyncio.timeout(SECONDS):
                read = await _begun(name, raw, room)
        except TimeoutError:
            raise BadInput("it takes too long to read this file; attach its text") from None
        if read.picture:
            raise BadInput(f"{read.name} is a picture, which this page cannot attach yet")
        return json_response({"name": read.name, "text": read.text})

    @routes.post("/page")
    async def page(wanted: PageAddress) -> Response:
        """Return the text of a page on the public web."""
        (read,) = (await fetch_pages([wanted.address], backend.md.pages())).documents
        return json_response({"name": read.name, "text": read.text})

    return routes


def _begun(name: str, raw: bytes, room: BoundedSemaphore) -> asyncio.Future[Attachment]:
    """Read a file in a thread that blocks neither the server nor its shutdown."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Attachment] = loop.create_future()

    def tell(read: Attachment | BadInput) -> None:
        if done.done():
            return
        if isinstance(read, BadInput):
            done.set_exception(read)
        else:
            done.set_result(read)

    def work() -> None:
        try:
            read: Attachment | BadInput = attachment_of(name, raw)
        except BadInput as e:
            read = e
        finally:
            # Not where the wait is given up: after that, this thread still reads.
            room.release()
        with suppress(RuntimeError):  # the server has ended meanwhile
            loop.call_soon_threadsafe(tell, read)

    Thread(target=work, name="document", daemon=True).start()
    return done
