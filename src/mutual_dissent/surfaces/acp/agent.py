"""The agent: sessions of an editor, each a conversation on record, with presets as its modes."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import Any

from mutual_dissent import __version__
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.brief import Brief, Earlier
from mutual_dissent.core.errors import NobodyHere, NotFound
from mutual_dissent.core.events import (
    Answered,
    Event,
    RoundEnded,
    RoundStarted,
    Token,
)
from mutual_dissent.core.figures.stats import stats
from mutual_dissent.core.transcript import Transcript, advance
from mutual_dissent.surfaces.acp.connection import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    NOT_FOUND,
    Connection,
    Json,
    Method,
    RpcFault,
)
from mutual_dissent.surfaces.acp.prompt import read_prompt
from mutual_dissent.text.sanitize import one_line, plain
from mutual_dissent.views.account import account
from mutual_dissent.views.answer import answer, fallback_answer
from mutual_dissent.views.heading import why_no_answer
from mutual_dissent.views.panel.names import names, text_with_names
from mutual_dissent.views.phrases import round_name
from mutual_dissent.views.readiness import up_to_answer
from mutual_dissent.views.remarks.answer_draft import AnswerDraft, course_text

VERSION = 1
"""The protocol's, the only one there is so far."""
MOST_SESSIONS = 1_000
USUAL = "default"
"""Mode of a session that is held as the configuration says."""
PRESET = "preset"
MESSAGE, THOUGHT, USER = "agent_message_chunk", "agent_thought_chunk", "user_message_chunk"


@dataclass(slots=True)
class _Session:
    """A conversation; `has_begun` once a debate of it is on record, else `said` has it all."""

    id: str
    preset: str = USUAL
    has_begun: bool = False
    said: tuple[Earlier, ...] = ()
    work: asyncio.Task[Json] | None = None


class EditorAgent:
    """Answers an editor."""

    def __init__(self, md: MutualDissent, connection: Connection) -> None:
        self._md, self._connection = md, connection
        self._sessions: dict[str, _Session] = {}
        self._is_met = False

    async def serve(self) -> None:
        """Serve until the editor closes its end; debates under way can be resumed."""
        requests: Mapping[str, Method] = {
            "initialize": self._initialize,
            "authenticate": self._nothing,
            "session/new": self._new,
            "session/load": self._load,
            "session/resume": self._resume,
            "session/prompt": self._prompt,
            "session/set_mode": self._set_mode,
            "session/set_config_option": self._set_option,
            "session/close": self._close,
        }
        await self._connection.serve(requests, {"session/cancel": self._cancel})

    async def _initialize(self, _: Json) -> Json:
        self._is_met = True
        return {
            "protocolVersion": VERSION,
            "agentInfo": {
                "name": "mutual-dissent",
                "title": "Mutual Dissent",
                "version": __version__,
            },
            "agentCapabilities": {
                "loadSession": True,
                "promptCapabilities": {"image": True, "audio": False, "embeddedContext": True},
                "mcpCapabilities": {"http": False, "sse": False},
                "sessionCapabilities": {"resume": {}, "close": {}},
            },
            "authMethods": [],
        }

    async def _nothing(self, _: Json) -> Json:
        return {}

    async def _new(self, _: Json) -> Json:
        self._check_met()
        session = self._keep(_Session(str(uuid.uuid4())))
        return {"sessionId": session.id, **self._choices(session)}

    async def _load(self, params: Json) -> Json:
        """Take up a conversation from the record, and tell what was said in it."""
        session, turns = await self._from_record(params)
        for t in turns:
            await self.say(session.id, USER, t.query)
            await self.say(session.id, MESSAGE, _final_text(t))
        return self._choices(session)

    async def _resume(self, params: Json) -> Json:
        session, _ = await self._from_record(params)
        return self._choices(session)

    async def _close(self, params: Json) -> Json:
        session = self._session(params)
        await self._cancel(params)
        self._sessions.pop(session.id, None)
        return {}

    async def _set_mode(self, params: Json) -> Json:
        self._choose(self._session(params), params.get("modeId"))
        return {}

    async def _set_option(self, params: Json) -> Json:
        session = self._session(params)
        if params.get("configId") != PRESET:
            raise RpcFault(INVALID_PARAMS, f"the only option is {PRESET!r}")
        self._choose(session, params.get("value"))
        return {"configOptions": self._choices(session)["configOptions"]}

    async def _cancel(self, params: Json) -> Json:
        """Stop the debate of a session; its answers so far stay on record."""
        work = self._session(params).work
        if work is not None:
            work.cancel()
        return {}

    async def _prompt(self, params: Json) -> Json:
        """Hold a debate; return why it ended."""
        session = self._session(params)
        query, attached = read_prompt(params.get("prompt"))
        if session.work is not None:
            raise RpcFault(INVALID_REQUEST, "a prompt of this session is under way; cancel it")
        session.work = asyncio.ensure_future(self._hold(session, query, attached))
        try:
            return await session.work
        except asyncio.CancelledError:
            if not session.work.cancelled():  # the client has left, and nobody waits
                session.work.cancel()
                await asyncio.wait([session.work])
                raise
            return {"stopReason": "cancelled"}
        finally:
            session.work = None

    async def _hold(self, session: _Session, query: str, attached: tuple[Any, ...]) -> Json:
        options: dict[str, Any] = {}
        if session.preset != USUAL:
            options["preset"] = session.preset
        is_kept = self._md.settings.defaults.save
        if session.has_begun:
            options["conversation"] = session.id
        elif session.said:
            options["earlier"] = session.said
        brief = await self._md.brief(query, context=attached, **options)
        if brief.me:
            raise NobodyHere
        if not session.has_begun:
            # The conversation is then called as the session is, and can be loaded by that name.
            brief = replace(brief, transcript_id=session.id)
        show = _Show(self, session, brief)
        async with aclosing(self._md.run(brief, save=is_kept)) as events:
            async for event in events:
                session.has_begun = session.has_begun or is_kept
                await show.take(event)
        if not is_kept:
            asked = Earlier(speaker="user", text=query)
            told = Earlier(speaker="assistant", text=_final_text(show.transcript))
            session.said = (*session.said, asked, told)
        return await show.end()

    async def _from_record(self, params: Json) -> tuple[_Session, list[Transcript]]:
        """The session of a stored conversation, and its debates in order."""
        self._check_met()
        name = params.get("sessionId")
        if not isinstance(name, str) or not _is_id(name):
            raise RpcFault(INVALID_PARAMS, "there is no such session; start a new one")
        store = self._md.store
        ids = await asyncio.to_thread(lambda: store.conversation(store.find(name)))
        turns = []
        for one in ids:
            with suppress(NotFound):  # deleted meanwhile
                turns.append(await asyncio.to_thread(store.transcript, one))
        session = self._sessions.get(name) or self._keep(_Session(name))
        session.has_begun = True
        last = (turns[-1].brief.preset if turns else None) or USUAL
        session.preset = last if last in self._md.settings.presets else USUAL
        return session, turns

    def _keep(self, session: _Session) -> _Session:
        if len(self._sessions) >= MOST_SESSIONS:
            idle = next((s.id for s in self._sessions.values() if s.work is None), None)
            if idle is None:
                raise RpcFault(INVALID_REQUEST, "too many sessions are open; close one first")
            del self._sessions[idle]
        self._sessions[session.id] = session
        return session

    def _session(self, params: Json) -> _Session:
        self._check_met()
        found = self._sessions.get(str(params.get("sessionId")))
        if found is None:
            raise RpcFault(NOT_FOUND, "there is no such session; begin one, or load it")
        return found

    def _check_met(self) -> None:
        if not self._is_met:
            raise RpcFault(INVALID_REQUEST, "the first request is initialize")

    def _choose(self, session: _Session, preset: object) -> None:
        if preset != USUAL and preset not in self._md.settings.presets:
            raise RpcFault(INVALID_PARAMS, f"there is no preset {str(preset)[:60]!r}")
        session.preset = str(preset)

    def _choices(self, session: _Session) -> Json:
        """Presets, as modes for editors that know those, and as an option for the others."""
        presets = self._md.settings.presets.values()
        usual = "As your configuration says."
        known = [(USUAL, usual), *((p.name, p.summary) for p in presets if p.name != USUAL)]
        modes = [{"id": n, "name": n.capitalize(), "description": text} for n, text in known]
        options = [
            {"value": m["id"], "name": m["name"], "description": m["description"]} for m in modes
        ]
        return {
            "modes": {"currentModeId": session.preset, "availableModes": modes},
            "configOptions": [
                {
                    "id": PRESET,
                    "name": "Preset",
                    "description": "Panel, mode and options of a debate.",
                    "category": "mode",
                    "type": "select",
                    "currentValue": session.preset,
                    "options": options,
                }
            ],
        }

    async def say(self, session: str, kind: str, text: str) -> None:
        """Have the editor show a text."""
        if text:
            content = {"type": "text", "text": plain(text)}
            await self.update(session, {"sessionUpdate": kind, "content": content})

    async def update(self, session: str, update: Json) -> None:
        """Tell the editor what happens in a session."""
        await self._connection.notify("session/update", {"sessionId": session, "update": update})


class _Show:
    """A debate as an editor shows it: its rounds as a plan, its course as thoughts, its answer."""

    def __init__(self, agent: EditorAgent, session: _Session, brief: Brief) -> None:
        self._agent, self._session, self._brief = agent, session, brief
        self._t: Transcript | None = None
        self._answer = AnswerDraft()
        self._restarts = 0
        self._steps: dict[str, str] = {}

    async def take(self, event: Event | Token) -> None:
        """Show something that happened."""
        if isinstance(event, Token):
            await self._token(event)
            return
        t = self._t = advance(self._t, event)
        match event:
            case Answered() if event.response.role == "synthesis":
                await self._pieces(self._answer.whole(t, event.response))
            case _:
                await self._say(THOUGHT, course_text(t, event))
        match event:
            case RoundStarted():
                await self._plan(event, "in_progress")
            case RoundEnded():
                await self._plan(event, "completed")
            case _:
                pass

    async def end(self) -> Json:
        """Show how it ended, and return why, with what it took."""
        t = up_to_answer(self.transcript)
        if instead := fallback_answer(t):
            await self._pieces(self._answer.break_off())
            await self._say(MESSAGE, text_with_names(t, instead.text, instead))
        await self._say(MESSAGE, _last_line(t))
        is_cut = t.synthesis is not None and t.synthesis.finish.value == "truncated"
        return {"stopReason": "max_tokens" if is_cut else "end_turn", **_spent(t)}

    @property
    def transcript(self) -> Transcript:
        """The debate so far."""
        assert self._t is not None, "every debate begins with Opened"
        return self._t

    async def _token(self, token: Token) -> None:
        if token.role != "synthesis" or self._t is None:
            return
        self._restarts += token.restart
        more = self._answer.more(self._t, token.key, self._restarts, token.text)
        await self._pieces(more)

    async def _pieces(self, pieces: Iterable[str]) -> None:
        for text in pieces:
            await self._say(MESSAGE, text)

    async def _plan(self, event: RoundStarted | RoundEnded, status: str) -> None:
        """Show the rounds so far; how many follow may depend on what is said in them."""
        place = round_name(event.round_number, event.role, self._brief.mode)
        if isinstance(event, RoundStarted):
            place = f"{place}: {names(self.transcript, event.seats)}"
        else:
            place = next((s for s in self._steps if s.startswith(f"{place}: ")), place)
        self._steps[one_line(place, 200)] = status
        entries = [
            {"content": step, "priority": "medium", "status": now}
            for step, now in self._steps.items()
        ]
        await self._agent.update(self._session.id, {"sessionUpdate": "plan", "entries": entries})

    async def _say(self, kind: str, text: str) -> None:
        await self._agent.say(self._session.id, kind, text)


def _final_text(t: Transcript) -> str:
    shown = answer(t)
    text = text_with_names(t, shown.text, shown) if shown else ""
    return f"{text}{_last_line(t)}"


def _last_line(t: Transcript) -> str:
    if answer(t) is None:
        return f"\n\nThere is no answer. {why_no_answer(t)}\n"
    return f"\n\n---\n*{account(t).headline}*\n"


def _spent(t: Transcript) -> Json:
    """Tokens and dollars of a debate; for the latter the protocol has no place of its own."""
    total = stats(t).total
    usage = {
        "inputTokens": total.input_tokens,
        "outputTokens": total.output_tokens,
        "totalTokens": total.input_tokens + total.output_tokens,
    }
    about = {"debate": t.transcript_id, "costUsd": total.cost_usd}
    return {"usage": usage, "_meta": {"mutual-dissent": about}}


def _is_id(name: str) -> bool:
    try:
        return str(uuid.UUID(name)) == name
    except ValueError:
        return False
