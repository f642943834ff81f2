"""The tools that start a debate or control it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mutual_dissent.briefing.inputs.sent_files import sent_file
from mutual_dissent.briefing.inputs.sources import is_address
from mutual_dissent.core.brief import Attachment
from mutual_dissent.core.codec.camel import Json, camel
from mutual_dissent.core.errors import BadInput, NobodyHere
from mutual_dissent.core.events import Status
from mutual_dissent.core.figures.stats import stats
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.facts.accounts import answer_text
from mutual_dissent.surfaces.mcp.answers.next_steps import next_step, response, state
from mutual_dissent.surfaces.mcp.answers.results import Synthesis
from mutual_dissent.surfaces.mcp.answers.truncate import fit_answer, piece
from mutual_dissent.surfaces.mcp.arguments import (
    ContinueRoundtable,
    ControlSession,
    StartRoundtable,
    SynthesizeDebate,
)
from mutual_dissent.surfaces.mcp.progress import begin_debate, watch_debate
from mutual_dissent.surfaces.mcp.tool_call import Call
from mutual_dissent.views.account import account
from mutual_dissent.views.heading import turned_out
from mutual_dissent.views.panel.ledger_names import named_ledger
from mutual_dissent.views.readiness import analysis_of, only_read, up_to_answer

SOON = 2.0
"""Seconds to wait for an order to take effect."""
WHOLE = "export_session has the whole text"


async def start_roundtable(call: Call, wanted: StartRoundtable) -> Json:
    """Start a debate, and wait for it as long as requested."""
    async with begin_debate(call, _started(call, wanted)) as name:
        await call.listed_anew()
        return _layers(call, await watch_debate(call, name, wanted.wait))


async def _started(call: Call, wanted: StartRoundtable) -> str:
    """Start a debate, unless the call comes back from its user; return its id.

    Raises:
        NobodyHere: if the user sits on the panel, and the client cannot ask it.
    """
    if call.back_in:
        return call.back_in
    call.sessions.check_room()
    owner = call.caller.name
    brief = await call.sessions.brief(wanted.topic, owner=owner, **_options(call, wanted))
    if brief.me and call.user is None:
        raise NobodyHere
    return await call.sessions.begin(brief, owner=owner)


async def continue_roundtable(call: Call, wanted: ContinueRoundtable) -> Json:
    """Hold further rounds of a finished debate."""
    async with begin_debate(call, _gone_on(call, wanted)) as name:
        return _layers(call, await watch_debate(call, name, wanted.wait))


async def _gone_on(call: Call, wanted: ContinueRoundtable) -> str:
    """Begin the rounds, unless the call comes back from its user; return the debate's id."""
    if call.back_in:
        return call.back_in
    past = call.sessions.transcript(wanted.session_id)
    _check_finished(call, past)
    if past.brief.me and call.user is None:
        raise NobodyHere
    return await call.sessions.go_on(
        past.transcript_id,
        rounds=wanted.rounds,
        remark=_remark(wanted),
        synthesize=False,
        owner=call.caller.name,
        max_cost=call.limit_of(past),
    )


async def synthesize_debate(call: Call, wanted: SynthesizeDebate) -> Json:
    """Have the answer of a debate written; a written one is not paid for again."""
    past = call.sessions.transcript(wanted.session_id)
    known = past.synthesis
    if known and wanted.synthesizer in (None, known.model_alias):
        return _synthesis(call, past)
    # Of that one everything is there but the answer, which nobody could write: others may try.
    if past.closed_reason != "synthesis":
        _check_finished(call, past)
    writing = call.sessions.synthesize(
        past.transcript_id,
        synthesizer=wanted.synthesizer,
        owner=call.caller.name,
        max_cost=call.limit_of(past),
    )
    async with begin_debate(call, writing) as name:
        return _synthesis(call, await watch_debate(call, name, wanted.wait, only_read))


async def control_session(call: Call, wanted: ControlSession) -> Json:
    """Pause, resume or stop a debate, or put its outcome on record."""
    t = call.sessions.transcript(wanted.session_id)
    name = t.transcript_id
    match wanted.action:
        case "pause":
            await call.sessions.pause(name)
            t = call.sessions.transcript(name)
            pausing = "it pauses once the answers being written have come"
            return camel(replace(state(t, call.md.modes), next=pausing))
        case "stop":
            await call.sessions.stop(name)
            return camel(state(await call.sessions.wait(name, SOON), call.md.modes))
        case "resolve":
            if wanted.outcome is None:
                raise BadInput("resolve needs outcome: right, wrong, or the true value")
            _check_finished(call, t)
            t = await call.md.resolve(name, wanted.outcome, note=wanted.note)
            return camel(replace(state(t, call.md.modes), next=turned_out(t)))
        case _:
            if t.status is Status.COMPLETED:
                raise BadInput(f"session {name[:8]} is completed; continue_roundtable adds rounds")
            await call.sessions.resume(name, owner=call.caller.name, max_cost=call.limit_of(t))
            return camel(state(call.sessions.transcript(name), call.md.modes))


def _layers(call: Call, t: Transcript) -> Json:
    hint = "texts are cut; get_round_details, get_response_detail and export_session have the rest"
    return fit_answer(response(t, call.md.modes), hint)


def _options(call: Call, wanted: StartRoundtable) -> dict[str, Any]:
    options = wanted.options
    most = wanted.exit_criteria.max_rounds if wanted.exit_criteria else None
    if most and options.get("rounds", most) != most:
        raise BadInput("rounds and exitCriteria.maxRounds differ; give one of them")
    context = options.get("context") or ""
    # A preset has its mode, and so has the debate that this one goes on from.
    is_set = options.get("preset") or options.get("conversation")
    return {
        **({"rounds": most} if most else {}),
        **options,
        "mode": options.get("mode") or (None if is_set else call.caller.mode),
        "max_cost": call.caller.limit(options.get("max_cost")),
        **_context(context, wanted.pictures or ()),
        "synthesize": False,
    }


def _context(given: str, pictures: Sequence[str]) -> dict[str, Any]:
    """Return addresses as pages to attach, pictures as files, and anything else as a text."""
    shown = [sent_file(f"picture {n}", data, shown=True) for n, data in enumerate(pictures, 1)]
    if given and all(map(is_address, given.split())):
        return {"context": shown, "pages": given.split()}
    return {"context": [*([Attachment(name="context", text=given)] if given else []), *shown]}


def _remark(wanted: ContinueRoundtable) -> str | None:
    """Return the message to the panel; a host's statement is labelled as from outside it."""
    parts = []
    if wanted.host_statement:
        parts.append(
            "A statement of the host's own model, which does not sit on this panel; weigh it like "
            f"anybody's argument:\n{wanted.host_statement}"
        )
    if wanted.focus_question:
        parts.append(f"In this round, focus on this question: {wanted.focus_question}")
    return "\n\n".join(parts) or None


def _check_finished(call: Call, past: Transcript) -> None:
    """Raise BadInput with the next step if a debate is not over."""
    if past.status is not Status.COMPLETED:
        short = past.transcript_id[:8]
        raise BadInput(f"session {short} is {past.status.value}: {next_step(past, call.md.modes)}")


def _synthesis(call: Call, t: Transcript) -> Json:
    written = t.synthesis
    text = piece(answer_text(t) or "" if written else "", 0)
    words = account(up_to_answer(t))
    result = Synthesis(
        session_id=t.transcript_id,
        status=t.status,
        next=next_step(t, call.md.modes),
        hint=WHOLE if "next_offset" in text else None,
        agent_id=written.model_alias if written else None,
        content=text["content"],
        heading=words.headline,
        earlier="; ".join(words.earlier or ()) or None,
        ledger=named_ledger(t),
        analysis=analysis_of(t),
        cost_usd=stats(t).total.cost_usd,
    )
    return fit_answer(result, "texts are cut; export_session has the whole")
