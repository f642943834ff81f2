"""Turns of a conversation in which tools were called: what is asked, and what was done since."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from mutual_dissent.core.brief import Earlier, FileBytes
from mutual_dissent.core.tool import call_words
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.openai.errors import UnsupportedRequest
from mutual_dissent.surfaces.openai.pictures import picture_in
from mutual_dissent.views.remarks.repeated_calls import stop_repeating

_ID = re.compile(r"(?:call|toolu|fc|ctc)_([0-9a-f]{32})_\d{1,3}")
UNNAMED = "a tool"


@dataclass(frozen=True, slots=True)
class ClientTalk:
    """A conversation up to now.

    Attributes:
        query: what the user asked last.
        earlier: what was said before it and, marked as such, what was done about it since.
        follows: the id of the debate whose calls the last results answer; empty if none is known.
        pictures: what is shown in it, in order; their names stand in the text.
    """

    query: str
    earlier: tuple[Earlier, ...]
    follows: str = ""
    pictures: tuple[FileBytes, ...] = ()


def call_id(debate: str, n: int, prefix: str = "call") -> str:
    """The id of a call, by which its result leads back to the debate that made it."""
    return f"{prefix}_{debate.replace('-', '')}_{n}"


def debate_of(name: object) -> str:
    """The debate that made the call with this id; empty if none of ours did."""
    found = _ID.fullmatch(name) if isinstance(name, str) else None
    h = found[1] if found else ""
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}" if h else ""


def call_turn(name: object, arguments: object) -> Earlier:
    """A call that an earlier answer made."""
    shown = arguments if isinstance(arguments, str) else orjson.dumps(arguments or {}).decode()
    return Earlier(speaker="calls", text=f"{str(name or UNNAMED)[:128]} {shown}")


def given_back(name: str, text: str) -> Earlier:
    """Result of a call."""
    return Earlier(speaker="result", text=f"{name or UNNAMED}:\n{text}")


def stored_turns(t: Transcript) -> tuple[list[Earlier], dict[str, str]]:
    """The turns of a stored debate up to the calls that it made, and these by id -> tool."""
    before = [e for e in t.brief.earlier if not e.since]
    since = [e for e in t.brief.earlier if e.since]
    asked = Earlier(speaker="user", text=t.brief.query, debate=t.transcript_id)
    turns = [*before, asked, *since]
    names: dict[str, str] = {}
    if said := t.synthesis:
        if stopped := stop_repeating(t.brief, said.calls):
            turns.append(Earlier(speaker="assistant", text=stopped, debate=t.transcript_id))
            return turns, names
        if said.content != call_words(said.calls):
            turns.append(Earlier(speaker="assistant", text=said.content, debate=t.transcript_id))
        for n, call in enumerate(said.calls):
            turns.append(call_turn(call.name, call.json))
            names[call_id(t.transcript_id, n)] = call.name
    return turns, names


def conversation(
    turns: Sequence[Earlier], follows: str = "", where: str = "messages"
) -> ClientTalk:
    """The conversation of these turns: the user's last words are the query.

    Args:
        turns: what was said and done, in order.
        follows: the debate whose calls the last results answer.
        where: the field that holds them.

    Raises:
        UnsupportedRequest: if nobody has asked anything, or an answer stands last.
    """
    asked = [
        i for i, t in enumerate(turns) if t.speaker == "user" and t.text.strip() and not t.since
    ]
    # In a conversation of results alone, what the user said beside one is what there is.
    asked = asked or [i for i, t in enumerate(turns) if t.speaker == "user" and t.text.strip()]
    last = turns[-1]
    if not asked or last.speaker not in ("user", "result", "instructions"):
        raise UnsupportedRequest(
            "the last message must be a user's, with text in it, or the result of a tool",
            where,
        )
    at = asked[-1]
    if last.speaker == "instructions" and at < len(turns) - 1 and not _results(turns[at + 1 :]):
        # Instructions may stand behind the question; they are the user's as all others.
        before = [*turns[:at], *turns[at + 1 :]]
        return ClientTalk(turns[at].text, tuple(_kept(before)), follows)
    since = [replace(t, since=True) for t in turns[at + 1 :]]
    before = [replace(t, since=False) for t in turns[:at]]
    return ClientTalk(turns[at].text, tuple(_kept([*before, *since])), follows)


def _results(turns: Sequence[Earlier]) -> bool:
    return any(t.speaker in ("calls", "result") for t in turns)


def _kept(turns: Sequence[Earlier]) -> list[Earlier]:
    """The turns that say something."""
    return [t for t in turns if t.text.strip()]


def text_of(value: Any, where: str, pictures: list[FileBytes]) -> str:
    """The text of a tool's result, whatever a client wraps it in.

    Its pictures are added to `pictures`, their names stay; what else is no text is named.

    Raises:
        UnsupportedRequest: if a picture in it cannot be read.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(_part(part, where, pictures) for part in value)
    return "" if value is None else orjson.dumps(value).decode()


def _part(part: Any, where: str, pictures: list[FileBytes]) -> str:
    fields = part if isinstance(part, dict) else {}
    if isinstance(text := fields.get("text"), str):
        return text
    if shown := picture_in(fields, where, len(pictures) + 1):
        pictures.append(shown)
        return f"[{shown.name}]"
    return f"[something of type {str(fields.get('type'))[:40]}, which is not shown]"
