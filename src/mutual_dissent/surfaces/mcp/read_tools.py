"""The tools that read debates, and spend nothing."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from mutual_dissent.analysis.answers.citations import collect_citations
from mutual_dissent.analysis.rounds.consensus import position
from mutual_dissent.analysis.rounds.key_points import key_points
from mutual_dissent.analysis.rounds.movement import ConfidenceChange, movement, stated_confidence
from mutual_dissent.analysis.rounds.recorded import consensus_of
from mutual_dissent.core.codec.camel import Json, camel
from mutual_dissent.core.codec.plain import shallow
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.measures import Consensus
from mutual_dissent.core.response import Citation, Response
from mutual_dissent.core.transcript import Round, Transcript
from mutual_dissent.store.debates.search import ListedDebate
from mutual_dissent.surfaces.facts.forecasts import read_forecasts
from mutual_dissent.surfaces.mcp.answers.next_steps import response
from mutual_dissent.surfaces.mcp.answers.results import (
    AgentCluster,
    AgentNuances,
    ConsensusResult,
    ExportPiece,
    ListedRoundtable,
    ResponseDetail,
    RoundDetails,
    RoundResponse,
    RoundtableResponse,
    SessionCitations,
    SessionPage,
    Thought,
    Thoughts,
    Usage,
)
from mutual_dissent.surfaces.mcp.answers.truncate import ROOM, fit_answer, piece
from mutual_dissent.surfaces.mcp.arguments import (
    ExportSession,
    GetCitations,
    GetConsensus,
    GetResponseDetail,
    GetRoundDetails,
    GetThoughts,
    ListSessions,
)
from mutual_dissent.surfaces.mcp.progress import watch_debate
from mutual_dissent.surfaces.mcp.tool_call import Call, seat_of
from mutual_dissent.text.sanitize import one_line, plain
from mutual_dissent.views.findings import opinions
from mutual_dissent.views.four_layers import (
    NOT_YET,
    closing_fields,
    confidence_step,
    lines,
    part_fields,
)
from mutual_dissent.views.panel.names import letters, replace_letters, text_with_names
from mutual_dissent.views.readiness import only_read
from mutual_dissent.views.remarks.citations import cited_sources
from mutual_dissent.views.remarks.lookups import count_evidence, lookups


async def list_sessions(call: Call, wanted: ListSessions) -> Json:
    """A page of the stored debates."""
    if wanted.forecasts:
        return await _forecasts(call, wanted)
    store, size = call.md.store, wanted.page_size
    text, status = wanted.search, wanted.status
    rows = store.list(text=text, status=status, limit=size, offset=(wanted.page - 1) * size)
    total = store.count(text=text, status=status)
    page = SessionPage(
        sessions=tuple(map(_listed, rows)),
        page=wanted.page,
        page_size=size,
        total=total,
        has_more=wanted.page * size < total,
    )
    return fit_answer(page, "topics are cut; ask for smaller pages")


async def _forecasts(call: Call, wanted: ListSessions) -> Json:
    """A page of the forecasts that wait for their outcome, and how others fared."""
    if wanted.search or wanted.status:
        raise BadInput("forecasts are listed whole; leave out search and status")
    found = await asyncio.to_thread(read_forecasts, call.md.store)
    first = (wanted.page - 1) * wanted.page_size
    shown = found.forecasts[first : first + wanted.page_size]
    rows = {r.transcript_id: r for r in call.md.store.some([f.transcript_id for f in shown])}
    page = SessionPage(
        sessions=tuple(
            replace(_listed(row), due=f.due, forecast=f.forecast or None)
            for f in shown
            if (row := rows.get(f.transcript_id))
        ),
        page=wanted.page,
        page_size=wanted.page_size,
        total=len(found.forecasts),
        has_more=first + wanted.page_size < len(found.forecasts),
        forecast_record=camel(found.record),
    )
    return fit_answer(page, "topics are cut; ask for smaller pages")


def _listed(row: ListedDebate) -> ListedRoundtable:
    return ListedRoundtable(
        session_id=row.transcript_id,
        topic=one_line(row.query, 200),
        status=row.status,
        mode=row.mode,
        agents=lines(row.panel),
        rounds=row.rounds,
        agreement_score=row.agreement,
        cost_usd=row.cost_usd,
        created_at=row.created_at.isoformat(),
        updated_at=row.updated_at.isoformat(),
    )


async def get_consensus(call: Call, wanted: GetConsensus) -> Json:
    """Return the consensus of a round, when it has ended or the time is up."""
    number = wanted.round_number
    t = await watch_debate(
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
    result = _with_consensus(shown, by_round.get(number, NOT_YET))
    return fit_answer(result, "texts are cut; get_round_details has the answers themselves")


def _with_consensus(shown: RoundtableResponse, consensus: Consensus) -> ConsensusResult:
    return ConsensusResult(
        **shallow(shown),
        agreement_level=consensus.agreement_level,
        clusters=tuple(
            AgentCluster(theme=plain(c.theme), agent_ids=c.members, summary=plain(c.summary))
            for c in consensus.clusters
        ),
        common_ground=lines(consensus.common_ground),
        disagreement_points=lines(consensus.disagreement_points),
        nuances=AgentNuances(
            partial_agreements=lines(consensus.nuances.partial),
            conditional_positions=lines(consensus.nuances.conditional),
            uncertainties=lines(consensus.nuances.uncertain),
        ),
        reasoning=plain(consensus.reasoning),
        analyzer=consensus.analyzer,
    )


async def get_thoughts(call: Call, wanted: GetThoughts) -> Json:
    """The thoughts of an agent, round by round."""
    t = call.sessions.transcript(wanted.session_id)
    seat = seat_of(t, wanted.agent_id)
    answers = [r for r in t.turns() if r.model_alias == seat]
    by_round = consensus_of(t)
    moved = movement(opinions(t), by_round) if by_round else None
    changes = {c.round_number: c for c in (moved.confidence if moved else ()) if c.seat == seat}
    result = Thoughts(
        session_id=t.transcript_id,
        agent_id=seat,
        agent_name=answers[-1].model_id if answers else seat,
        thoughts=tuple(_thought(t, r, changes.get(r.round_number)) for r in answers),
    )
    return fit_answer(result, "texts are cut; get_response_detail has each answer in full")


def _thought(t: Transcript, r: Response, change: ConfidenceChange | None) -> Thought:
    who = letters(t, r)
    return Thought(
        round_number=r.round_number,
        role=r.role,
        position=_position(t, r),
        reasoning=plain(text_with_names(t, r.reasoning or r.text, r)),
        key_points=lines(replace_letters(p, who) for p in key_points(r)),
        confidence=stated_confidence(r),
        questions=lines(replace_letters(q, who) for q in r.questions),
        confidence_change=confidence_step(change),
        error=_error(r),
        **closing_fields(t, r),
    )


def _position(t: Transcript, r: Response) -> str:
    """An answer in one sentence; empty where it takes no position."""
    return one_line(replace_letters(position(r, t.query), letters(t, r)), 600) if r.usable else ""


async def export_session(call: Call, wanted: ExportSession) -> Json:
    """A debate as a document, piece by piece."""
    t = call.sessions.transcript(wanted.session_id)
    text = call.documents.text(t, wanted.format)
    part = ExportPiece(
        session_id=t.transcript_id, format=wanted.format, **piece(text, wanted.offset)
    )
    return camel(part)


async def get_round_details(call: Call, wanted: GetRoundDetails) -> Json:
    """All answers of a round."""
    t = call.sessions.transcript(wanted.session_id)
    held = _round(t, wanted.round_number)
    consensus = consensus_of(t).get(held.round_number, NOT_YET)
    room = max(400, ROOM // max(1, len(held.responses)))
    responses = tuple(_in_round(t, r, room) for r in held.responses)
    hint = "answers are cut; get_response_detail has each of them in full"
    details = RoundDetails(
        session_id=t.transcript_id,
        round_number=held.round_number,
        round_type=held.round_type,
        rounds=tuple(r.round_number for r in t.rounds),
        responses=responses,
        agreement_score=consensus.agreement_level,
        common_ground=lines(consensus.common_ground),
        disagreement_points=lines(consensus.disagreement_points),
        hint=hint if any(r.truncated for r in responses) else None,
    )
    return fit_answer(details, hint)


def _in_round(t: Transcript, r: Response, room: int) -> RoundResponse:
    text = plain(text_with_names(t, r.text, r))
    return RoundResponse(
        agent_id=r.model_alias,
        agent_name=r.model_id,
        role=r.role,
        content=text[:room],
        truncated=len(text) > room,
        position=_position(t, r),
        confidence=stated_confidence(r),
        stance=plain(r.stance) if r.stance else None,
        error=_error(r),
        **part_fields(t, r),
    )


async def get_response_detail(call: Call, wanted: GetResponseDetail) -> Json:
    """Return one answer with all its details."""
    t = call.sessions.transcript(wanted.session_id)
    r = _answer(t, seat_of(t, wanted.agent_id), wanted.round_number)
    who = letters(t, r)
    detail = ResponseDetail(
        session_id=t.transcript_id,
        agent_id=r.model_alias,
        agent_name=r.model_id,
        round_number=r.round_number,
        role=r.role,
        position=_position(t, r),
        key_points=tuple(one_line(replace_letters(p, who), 300) for p in key_points(r)),
        confidence=stated_confidence(r),
        citations=tuple(
            Citation(url=plain(c.url)[:500], title=one_line(c.title, 200))
            for c in collect_citations([r])
        )[:20],
        tool_calls=count_evidence(r).tool_calls[:40],
        lookups=lookups(r) or None,
        finish=r.finish.value,
        error=_error(r),
        served_by=plain(r.served_model) if r.served_by_another and r.served_model else None,
        usage=Usage(
            input_tokens=r.input_tokens,
            output_tokens=r.output_tokens,
            cost_usd=r.cost_usd,
            latency_ms=r.latency_ms,
            attempts=r.tries,
        ),
        # The rest of the room is for what stands beside the text: sources, calls, closing lines.
        **piece(plain(text_with_names(t, r.text, r)), wanted.offset, ROOM - 6_000),
        **closing_fields(t, r),
        **part_fields(t, r),
    )
    looked_up = "texts are cut; export_session as json has all that was looked up"
    return fit_answer(detail, looked_up) if r.uses else camel(detail)


async def get_citations(call: Call, wanted: GetCitations) -> Json:
    """Return each source once, with the agents that name it."""
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
    sources = cited_sources(collect_citations(chosen), chosen)
    result = SessionCitations(session_id=t.transcript_id, total=len(sources), citations=sources)
    return fit_answer(result, "there are more; ask with roundNumber or agentId for fewer at once")


def _round(t: Transcript, number: int | None) -> Round:
    if number is None and t.rounds:
        return t.rounds[-1]
    return _check_round(t, number or 0)


def _check_round(t: Transcript, number: int) -> Round:
    round_ = t.round(number)
    if round_ is None:
        held = ", ".join(str(r.round_number) for r in t.rounds) or "none yet"
        raise BadInput(
            f"session {t.transcript_id[:8]} has no round {number}; its rounds are {held}"
        )
    return round_


def _answer(t: Transcript, seat: str, number: int | None) -> Response:
    answers = [r for r in t.turns() if r.model_alias == seat and number in (None, r.round_number)]
    if not answers:
        where = "yet" if number is None else f"in round {number}"
        raise BadInput(f"{seat} has not answered {where}; get_round_details shows who has")
    return answers[-1]


def _error(r: Response) -> str | None:
    return None if r.usable else one_line(r.error or r.finish.value, 500)
