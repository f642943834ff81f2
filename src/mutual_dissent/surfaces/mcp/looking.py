"""The tools that look at debates, and spend nothing."""

from __future__ import annotations

from typing import Any

from mutual_dissent.analysis.citations import collected, normalised
from mutual_dissent.analysis.confidence import stated
from mutual_dissent.analysis.consensus import position
from mutual_dissent.analysis.keypoints import key_points
from mutual_dissent.analysis.recorded import consensus_of
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Round, Transcript
from mutual_dissent.hosting.readiness import only_read
from mutual_dissent.store.search import Row
from mutual_dissent.surfaces.facts.layers import closing_to_json, part_to_json
from mutual_dissent.surfaces.mcp.arguments import (
    ExportSession,
    GetCitations,
    GetConsensus,
    GetResponseDetail,
    GetRoundDetails,
    GetThoughts,
    ListSessions,
)
from mutual_dissent.surfaces.mcp.call import Call, seat_of
from mutual_dissent.surfaces.mcp.size import ROOM, fitted, piece
from mutual_dissent.surfaces.mcp.states import response
from mutual_dissent.surfaces.mcp.watching import watched
from mutual_dissent.views.aliases import letters, named, shown
from mutual_dissent.views.four_layers import (
    NOT_YET,
    consensus_to_json,
    recorded_layers,
)
from mutual_dissent.views.lookups import evidence_used, lookups_to_json
from mutual_dissent.views.safe import one_line, plain

Json = dict[str, Any]


async def list_sessions(call: Call, wanted: ListSessions) -> Json:
    """A page of the stored debates."""
    store, size = call.md.store, wanted.page_size
    text, status = wanted.search, wanted.status
    rows = store.list(text=text, status=status, limit=size, offset=(wanted.page - 1) * size)
    total = store.count(text=text, status=status)
    result = {
        "sessions": [_listed(row) for row in rows],
        "page": wanted.page,
        "pageSize": size,
        "total": total,
        "hasMore": wanted.page * size < total,
    }
    return fitted(result, "topics are cut; ask for smaller pages")


def _listed(row: Row) -> Json:
    return {
        "sessionId": row.transcript_id,
        "topic": one_line(row.query, 200),
        "status": row.status.value,
        "mode": row.mode,
        "agents": [plain(name) for name in row.panel],
        "rounds": row.rounds,
        "agreementScore": row.agreement,
        "costUsd": row.cost_usd,
        "createdAt": row.created_at.isoformat(),
        "updatedAt": row.updated_at.isoformat(),
    }


async def get_consensus(call: Call, wanted: GetConsensus) -> Json:
    """How far a round agrees, when it has ended or the time is up."""
    number = wanted.round_number
    t = await watched(
        call,
        wanted.session_id,
        wanted.wait,
        lambda t: only_read(t) or (number is not None and number in consensus_of(t)),
    )
    by_round = consensus_of(t)
    if number is not None and number not in by_round:
        _check_round(t, number)
    number = max(by_round, default=0) if number is None else number
    shown = response(t, call.md.modes, number if by_round else None)
    result = {**shown, **consensus_to_json(by_round.get(number, NOT_YET))}
    return fitted(result, "texts are cut; get_round_details has the answers themselves")


async def get_thoughts(call: Call, wanted: GetThoughts) -> Json:
    """What an agent thought, round by round."""
    t = call.sessions.transcript(wanted.session_id)
    seat = seat_of(t, wanted.agent_id)
    said = [r for r in t.turns() if r.model_alias == seat]
    changes = _changes(t, seat)
    result = {
        "sessionId": t.transcript_id,
        "agentId": seat,
        "agentName": said[-1].model_id if said else seat,
        "thoughts": [_thought(t, r, changes.get(r.round_number)) for r in said],
    }
    return fitted(result, "texts are cut; get_response_detail has each answer in full")


def _thought(t: Transcript, r: Response, change: Json | None) -> Json:
    who = letters(t, r)
    return {
        "roundNumber": r.round_number,
        "role": r.role,
        "position": _position(t, r),
        "reasoning": plain(shown(t, r.reasoning or r.text, r)),
        "keyPoints": [plain(named(p, who)) for p in key_points(r)],
        "confidence": stated(r),
        **closing_to_json(t, r),
        "questions": [plain(named(q, who)) for q in r.questions],
        **({"confidenceChange": change} if change else {}),
        **_error(r),
    }


def _position(t: Transcript, r: Response) -> str:
    """What an answer comes to in one sentence; empty where it takes no position."""
    return one_line(named(position(r, t.query), letters(t, r)), 600) if r.usable else ""


def _changes(t: Transcript, seat: str) -> dict[int, Json]:
    """Round -> how the confidence of an agent changed in it."""
    found = {}
    for number in consensus_of(t):
        for agent in recorded_layers(t, number)["agentResponses"]:
            if agent["agentId"] == seat and "confidenceChange" in agent:
                found[number] = agent["confidenceChange"]
    return found


async def export_session(call: Call, wanted: ExportSession) -> Json:
    """A debate as a document, piece by piece."""
    t = call.sessions.transcript(wanted.session_id)
    text = call.documents.text(t, wanted.format)
    part = {"sessionId": t.transcript_id, "format": wanted.format, **piece(text, wanted.offset)}
    return {**part, **_go_on(part)}


def _go_on(part: Json) -> Json:
    if "nextOffset" not in part:
        return {}
    return {"hint": f"this is a piece; ask again with offset {part['nextOffset']} for the next"}


async def get_round_details(call: Call, wanted: GetRoundDetails) -> Json:
    """All answers of a round."""
    t = call.sessions.transcript(wanted.session_id)
    held = _round(t, wanted.round_number)
    found = consensus_of(t).get(held.round_number, NOT_YET)
    room = max(400, ROOM // max(1, len(held.responses)))
    details: Json = {
        "sessionId": t.transcript_id,
        "roundNumber": held.round_number,
        "roundType": held.round_type,
        "rounds": [r.round_number for r in t.rounds],
        "responses": [_in_round(t, r, room) for r in held.responses],
        "agreementScore": found.agreement_level,
        "commonGround": [plain(p) for p in found.common_ground],
        "disagreementPoints": [plain(p) for p in found.disagreement_points],
    }
    hint = "answers are cut; get_response_detail has each of them in full"
    if any(r["truncated"] for r in details["responses"]):
        details["hint"] = hint
    return fitted(details, hint)


def _in_round(t: Transcript, r: Response, room: int) -> Json:
    text = plain(shown(t, r.text, r))
    return {
        "agentId": r.model_alias,
        "agentName": r.model_id,
        "role": r.role,
        "content": text[:room],
        "truncated": len(text) > room,
        "position": _position(t, r),
        "confidence": stated(r),
        **({"stance": plain(r.stance)} if r.stance else {}),
        **part_to_json(t, r),
        **_error(r),
    }


async def get_response_detail(call: Call, wanted: GetResponseDetail) -> Json:
    """One answer, with everything that is known of it."""
    t = call.sessions.transcript(wanted.session_id)
    r = _answer(t, seat_of(t, wanted.agent_id), wanted.round_number)
    part, who = piece(plain(shown(t, r.text, r)), wanted.offset, ROOM - 6_000), letters(t, r)
    detail = {
        "sessionId": t.transcript_id,
        "agentId": r.model_alias,
        "agentName": r.model_id,
        "roundNumber": r.round_number,
        "role": r.role,
        **part,
        "position": _position(t, r),
        "keyPoints": [one_line(named(p, who), 300) for p in key_points(r)],
        "confidence": stated(r),
        **closing_to_json(t, r),
        **part_to_json(t, r),
        "citations": [_source(c.url, c.title) for c in collected([r])][:20],
        "toolCalls": evidence_used(r)["toolCalls"][:40],
        **({"lookups": lookups_to_json(r)} if r.uses else {}),
        "finish": r.finish.value,
        **_error(r),
        **_known("servedBy", r.served_model if r.served_by_another else None),
        "usage": _usage(r),
    }
    whole = "texts are cut; export_session as json has all that was looked up"
    return fitted({**detail, **_go_on(part)}, whole) if r.uses else {**detail, **_go_on(part)}


def _usage(r: Response) -> Json:
    return {
        "inputTokens": r.input_tokens,
        "outputTokens": r.output_tokens,
        "costUsd": r.cost_usd,
        "latencyMs": r.latency_ms,
        "attempts": r.tries,
    }


async def get_citations(call: Call, wanted: GetCitations) -> Json:
    """The sources that answers name, each once, and who names it."""
    t = call.sessions.transcript(wanted.session_id)
    number, agent = wanted.round_number, wanted.agent_id
    seat = seat_of(t, agent) if agent else None
    if number is not None:
        _check_round(t, number)
    chosen = [
        r
        for r in (*t.turns(), *([t.synthesis] if t.synthesis else []))
        if number in (None, r.round_number) and seat in (None, r.model_alias)
    ]
    cited_by: dict[str, dict[str, None]] = {}
    for r in chosen:
        for c in collected([r]):
            cited_by.setdefault(normalised(c.url) or "", {})[r.model_alias] = None
    sources = [
        {
            "number": i,
            **_source(c.url, c.title),
            "citedBy": list(cited_by[normalised(c.url) or ""]),
        }
        for i, c in enumerate(collected(chosen), 1)
    ]
    result = {"sessionId": t.transcript_id, "total": len(sources), "citations": sources}
    return fitted(result, "there are more; ask with roundNumber or agentId for fewer at once")


def _source(url: str, title: str) -> Json:
    return {"url": plain(url)[:500], "title": one_line(title, 200)}


def _round(t: Transcript, number: int | None) -> Round:
    if number is None and t.rounds:
        return t.rounds[-1]
    return _check_round(t, number or 0)


def _check_round(t: Transcript, number: int) -> Round:
    found = t.round(number)
    if found is None:
        held = ", ".join(str(r.round_number) for r in t.rounds) or "none yet"
        raise BadInput(
            f"session {t.transcript_id[:8]} has no round {number}; its rounds are {held}"
        )
    return found


def _answer(t: Transcript, seat: str, number: int | None) -> Response:
    said = [r for r in t.turns() if r.model_alias == seat and number in (None, r.round_number)]
    if not said:
        where = "yet" if number is None else f"in round {number}"
        raise BadInput(f"{seat} has not answered {where}; get_round_details shows who has")
    return said[-1]


def _known(name: str, value: str | None) -> Json:
    return {name: plain(value)} if value else {}


def _error(r: Response) -> Json:
    return {} if r.usable else {"error": one_line(r.error or r.finish.value, 500)}
