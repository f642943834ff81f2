"""The whole text under review, for the page to show beside its findings."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Response

from mutual_dissent.analysis.review.annotations import annotated_texts
from mutual_dissent.analysis.review.order import ordered_findings
from mutual_dissent.core.codec.camel import camel
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.rest.input.parameters import SessionId
from mutual_dissent.surfaces.web.research.messages import json_response

PREFIX = "/ui/review"


def router(hosted: HostedBackend) -> APIRouter:
    """The route; it is asked for once a reader wants the text."""
    routes = APIRouter(prefix=PREFIX, include_in_schema=False)

    @routes.get("/{session_id}")
    async def texts(session_id: SessionId) -> Response:
        """Return every document, with the findings at their lines."""
        found = await asyncio.to_thread(_texts, hosted.sessions.transcript(session_id))
        return json_response({"texts": found})

    return routes


def _texts(t: Transcript) -> list[object]:
    return [camel(text) for text in annotated_texts(t.brief, ordered_findings(t))]
