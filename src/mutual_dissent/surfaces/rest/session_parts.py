"""Parts of a session: its four layers, rounds, answers, sources, and the whole as a document."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from mutual_dissent.briefing.inputs.picture_formats import JPEG, PNG, WEBP, format_of
from mutual_dissent.config.plugins import FORMATS as GROUP
from mutual_dissent.config.plugins import Plugins
from mutual_dissent.core.codec.plain import shallow
from mutual_dissent.core.errors import NotFound, UnknownName
from mutual_dissent.core.response import Response as Answered
from mutual_dissent.core.transcript import Round, Transcript
from mutual_dissent.surfaces.facts.accounts import DebateAccount, debate_account
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.rest.input.json_body import REF
from mutual_dissent.surfaces.rest.input.parameters import SessionId
from mutual_dissent.surfaces.rest.session_state import as_json
from mutual_dissent.surfaces.rest.shapes import (
    Citations,
    KeyedResponse,
    Responses,
    Rounds,
    SessionLayers,
    StoredRound,
)
from mutual_dissent.views.account import account
from mutual_dissent.views.documents.formats import FORMATS
from mutual_dissent.views.four_layers import four_layers
from mutual_dissent.views.readiness import up_to_answer
from mutual_dissent.views.remarks.citations import all_sources

SYNTHESIS = -1
MEDIA = {
    "json": "application/json",
    "markdown": "text/markdown",
    "csv": "text/csv",
    "html": "text/html",
    "sarif": "application/sarif+json",
    "otlp": "application/json",
    "adr": "text/markdown",
}
OTHER = "text/plain"
SUFFIX = {"adr": "adr.md", "otlp": "otlp.json"}

RoundNumber = Annotated[int, Path(ge=-1, le=1000, description="0 is the first, -1 the synthesis.")]
WhichRound = Annotated[
    int | None, Query(alias="roundNumber", ge=-1, le=1000, description="0 is the first.")
]
Seat = Annotated[str | None, Query(max_length=200, description="Whose answers.")]
Key = Annotated[str, Path(max_length=500, description="Its key.", examples=["0/initial/claude"])]
Form = Annotated[
    str,
    Query(max_length=60, description="json, markdown, adr, csv, html, sarif, otlp, or a plugin's."),
]
WithContent = Annotated[
    bool, Query(description="Whether query and answers are in it; of otlp alone, others have them.")
]


EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The document, as a download.",
        "content": {
            **{kind: {"schema": {"type": "string"}} for kind in (*MEDIA.values(), OTHER)},
            MEDIA["json"]: {"schema": {"$ref": REF.format(model="StoredTranscript")}},
        },
    }
}


PictureHash = Annotated[
    str, Path(pattern="^[0-9a-f]{64}$", description="The hash of its bytes, as the brief has it.")
]
SHOWN: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Its bytes.",
        "content": {
            f"image/{kind}": {"schema": {"type": "string", "format": "binary"}}
            for kind in ("png", "jpeg", "webp")
        },
    }
}


def add(router: APIRouter, hosted: HostedBackend) -> None:
    """Add the routes."""
    parts, here = Details(hosted), "/sessions/{session_id}"
    get = partial(router.get, tags=["sessions"])
    get(
        f"{here}/account", response_model=DebateAccount, summary="Read what is said about a debate"
    )(parts.account)
    get(
        f"{here}/four-layers",
        response_model=SessionLayers,
        summary="How far an answer can be trusted",
    )(parts.four_layers)
    get(f"{here}/rounds", response_model=Rounds, summary="Read all rounds")(parts.rounds)
    one_round = here + "/rounds/{round_number}"
    get(one_round, response_model=StoredRound, summary="Read one round")(parts.one_round)
    get(f"{here}/responses", response_model=Responses, summary="Read answers")(parts.responses)
    one = here + "/responses/{key:path}"
    get(one, response_model=KeyedResponse, summary="Read one answer")(parts.one_response)
    get(f"{here}/citations", response_model=Citations, summary="Read sources")(parts.citations)
    get(
        here + "/pictures/{sha256}",
        summary="See an attached picture",
        response_class=Response,
        responses=SHOWN,
    )(parts.picture)
    get(
        f"{here}/export",
        summary="Export a session",
        response_class=Response,
        responses=EXPORTED,
    )(parts.export)


class Details:
    """Reads parts of sessions, also of running ones."""

    def __init__(self, hosted: HostedBackend) -> None:
        self._look = hosted.sessions.transcript
        self._md = hosted.md

    async def account(self, session_id: SessionId) -> Response:
        """Positions and their holders, corrections, open points, and panelists' views of others."""
        return as_json(debate_account(self._look(session_id)))

    async def four_layers(self, session_id: SessionId, round_number: WhichRound = None) -> Response:
        """The four layers of the last ended round, or of the one that is named."""
        t = self._look(session_id)
        if round_number is not None and t.round(round_number) is None:
            raise _no_round(t, round_number)
        layers = SessionLayers(
            **shallow(four_layers(t, round_number)), account=account(up_to_answer(t))
        )
        return as_json(layers)

    async def rounds(self, session_id: SessionId) -> Response:
        """All rounds so far, with what was measured in them."""
        t = self._look(session_id)
        rounds = tuple(_stored(t, r) for r in t.rounds)
        return as_json(Rounds(session_id=t.transcript_id, rounds=rounds))

    async def one_round(self, session_id: SessionId, round_number: RoundNumber) -> Response:
        """The answers of a round, with what was measured in it."""
        return as_json(_round(self._look(session_id), round_number))

    async def responses(
        self, session_id: SessionId, panelist: Seat = None, round_number: WhichRound = None
    ) -> Response:
        """Every answer in the order of arrival; those of a panelist or of a round."""
        t = self._look(session_id)
        found = tuple(
            r
            for r in _keyed(t)
            if panelist in (None, r.model_alias) and round_number in (None, r.round_number)
        )
        return as_json(Responses(session_id=t.transcript_id, responses=found))

    async def one_response(self, session_id: SessionId, key: Key) -> Response:
        """One answer with all that is known of it."""
        t = self._look(session_id)
        response = next((r for r in _keyed(t) if r.key == key), None)
        if response is None:
            raise NotFound(
                f"debate {t.transcript_id[:8]} has no answer of that key; "
                f"/api/sessions/{t.transcript_id}/responses shows them all"
            )
        return as_json(response)

    async def citations(self, session_id: SessionId) -> Response:
        """Every source once, those of the answer first, and who named it."""
        t = self._look(session_id)
        from mutual_dissent.views.remarks.citation_checks import shown_checks

        return as_json(
            Citations(session_id=t.transcript_id, citations=all_sources(t), checks=shown_checks(t))
        )

    async def picture(self, session_id: SessionId, sha256: PictureHash) -> Response:
        """A picture that the debate is about, as the panel was shown it."""
        t = self._look(session_id)
        shown = next((p for p in t.brief.pictures if p.sha256 == sha256), None)
        found = await asyncio.to_thread(self._md.store.picture, sha256) if shown else None
        if found is None:
            raise NotFound(f"debate {t.transcript_id[:8]} has no picture of that hash on record")
        # Its type follows from its bytes, not from what is written beside them.
        kind = format_of(found[1])
        if kind not in (PNG, JPEG, WEBP):
            raise NotFound(f"a picture of debate {t.transcript_id[:8]} cannot be shown")
        name = f'inline; filename="{sha256[:12]}.{kind.lower()}"'
        return Response(
            found[1],
            media_type=f"image/{kind.lower()}",
            headers={"Content-Disposition": name},
        )

    async def export(
        self,
        session_id: SessionId,
        format: Form = "json",  # noqa: A002
        content: WithContent = False,
    ) -> Response:
        """The debate as a document to keep."""
        formats = Plugins(GROUP, FORMATS)
        if format not in formats:
            raise UnknownName("output format", format, formats)
        t = self._look(session_id)
        name = f"{t.created_at:%Y-%m-%d}_{t.transcript_id[:8]}.{SUFFIX.get(format, format)}"
        more = {"content": True} if content and format == "otlp" else {}
        text = await asyncio.to_thread(formats[format], t, **more)  # long answers take a while
        return Response(
            text.encode("utf-8", "replace"),
            media_type=MEDIA.get(format, OTHER),
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )


def _round(t: Transcript, number: int) -> StoredRound:
    if number == SYNTHESIS and t.synthesis:
        said = Round(round_number=number, round_type="synthesis", responses=(t.synthesis,))
        return _stored(t, said)
    round_ = t.round(number)
    if round_ is None:
        raise _no_round(t, number)
    return _stored(t, round_)


def _stored(t: Transcript, round_: Round) -> StoredRound:
    keys = {id(r): key for key, r in t.responses()}
    return StoredRound(
        round_number=round_.round_number,
        round_type=round_.round_type,
        responses=tuple(_with_key(keys[id(r)], r) for r in round_.responses),
        measures=round_.measures.known,
    )


def _no_round(t: Transcript, number: int) -> NotFound:
    held = ", ".join(str(r.round_number) for r in t.rounds) or "none yet"
    return NotFound(f"debate {t.transcript_id[:8]} has no round {number}; its rounds are {held}")


def _keyed(t: Transcript) -> list[KeyedResponse]:
    return [_with_key(key, r) for key, r in t.responses()]


def _with_key(key: str, r: Answered) -> KeyedResponse:
    return KeyedResponse(**shallow(r), key=key)
