"""The user's own seat: a person is asked, and the answer has the same data as any panelist's."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import orjson

from mutual_dissent.core.panel import Route
from mutual_dissent.core.ports import Human, OnText, Provider
from mutual_dissent.core.response import Ask, ErrorKind, Finish, Response
from mutual_dissent.core.values.sheet import (
    ANSWER,
    BOTTOM,
    SHORT_ANSWER,
    AnswerSheet,
    Reply,
    SheetField,
    choice_in,
    share,
)
from mutual_dissent.prompts.answer_sheet import (
    BAD,
    CHANGED,
    CONFIDENCE,
    ESTIMATE,
    GOOD,
    ON,
    QUESTIONS,
    RANKING,
    STANCE,
)
from mutual_dissent.providers.responses import blank

PASSED = "sat this one out"
TOO_LATE = "gave no answer before the time was up"
NOT_THERE = "could not be asked here"


class PanelWithUser:
    """A provider that asks the user about its own seat, and another one about all others."""

    def __init__(self, others: Provider, human: Human | None, debate: str) -> None:
        """Ask `human` in the debate of that id; nobody where no surface can."""
        self._others, self._human, self._debate = others, human, debate

    async def ask(self, ask: Ask, on_text: OnText) -> Response:
        """Return the answer; a user who is silent or passes is absent, which is no failure."""
        if not ask.panelist.route.is_human:
            return await self._others.ask(ask, on_text)
        if self._human is None or ask.sheet is None:
            return absent(ask, NOT_THERE)
        began = time.monotonic()
        try:
            async with asyncio.timeout(max(0.0, min(ask.timeout, ask.within))):
                reply = await self._human.ask_user(self._debate, ask)
        except TimeoutError:
            return absent(ask, TOO_LATE)
        if reply is None:
            return absent(ask, PASSED)
        took = int((time.monotonic() - began) * 1000)
        content = write_answer(ask.sheet, reply)
        return replace(blank(ask), content=content, latency_ms=took, cost_usd=0.0)

    async def warm_up(self, routes: Sequence[Route]) -> None:
        """Prepare the others."""
        await self._others.warm_up([r for r in routes if not r.is_human])


def absent(ask: Ask, why: str) -> Response:
    """The response of a user who has not answered: not waited for, and asked again if wanted."""
    late = replace(blank(ask), finish=Finish.LATE, error=why, cost_usd=0.0)
    return replace(late, error_kind=ErrorKind.TIMEOUT if why == TOO_LATE else ErrorKind.CANCELLED)


def write_answer(sheet: AnswerSheet, reply: Reply) -> str:
    """The reply as any panelist writes it: prose with closing lines, or a form."""
    return _form(sheet, reply) if sheet.in_form else _prose(sheet, reply)


def _prose(sheet: AnswerSheet, reply: Reply) -> str:
    lines = [reply[ANSWER].strip()]
    known = {f.name: f for f in sheet.fields}
    if BOTTOM in known:
        lines += ["", f"BOTTOM LINE: {_bottom_line(reply)}"]
        lines.append(f"CONFIDENCE: {share(reply[CONFIDENCE]) or 0:.0%}")
    views = [f"{label} {_worded(choice)}" for label, choice in _views(sheet, reply)]
    lines += [f"ON THE OTHERS: {'; '.join(views)}"] if views else []
    if change := _choice(known.get(CHANGED), reply):
        lines.append(f"CHANGED: {_worded(change)}")
    return "\n".join(lines)


def _form(sheet: AnswerSheet, reply: Reply) -> str:
    known = {f.name: f for f in sheet.fields}
    fields: dict[str, Any] = {
        "position": _bottom_line(reply),
        "reasoning": reply[ANSWER].strip(),
        "key_points": [],
        "estimate": reply.get(ESTIMATE, ""),
        "confidence": share(reply[CONFIDENCE]),
        "on_the_others": [
            {"label": label, "relation": relation, "about": about}
            for label, (relation, about) in _views(sheet, reply)
        ],
        "citations": [],
    }
    if change := _choice(known.get(CHANGED), reply):
        fields["changed"] = _worded(change)
    if stance := _choice(known.get(STANCE), reply):
        fields["stance"] = stance[0]
    if critique := _critique(sheet, reply):
        fields["critique"] = critique
    if RANKING in reply:
        fields["ranking"] = [x.strip() for x in reply[RANKING].replace(">", ",").split(",")]
    if QUESTIONS in known:
        fields["questions"] = reply.get(QUESTIONS, "").splitlines()
    return orjson.dumps(fields).decode()


def _bottom_line(reply: Reply) -> str:
    """The sentence that was given, else a short answer itself, else its first sentence."""
    whole = " ".join(reply[ANSWER].split())
    if given := reply.get(BOTTOM, "").strip():
        return " ".join(given.split())
    return whole if len(whole) <= SHORT_ANSWER else whole.partition(". ")[0][:SHORT_ANSWER]


def _views(sheet: AnswerSheet, reply: Reply) -> list[tuple[str, tuple[str, str]]]:
    found = [(f.name, _choice(f, reply)) for f in sheet.fields if f.name.startswith(ON)]
    return [(name.removeprefix(ON), choice) for name, choice in found if choice]


def _critique(sheet: AnswerSheet, reply: Reply) -> list[dict[str, Any]]:
    labels = [f.name.removeprefix(GOOD) for f in sheet.fields if f.name.startswith(GOOD)]
    said = [(x, reply.get(f"{GOOD}{x}"), reply.get(f"{BAD}{x}")) for x in labels]
    return [
        {"label": x, "strengths": [good] if good else [], "weaknesses": [bad] if bad else []}
        for x, good, bad in said
        if good or bad
    ]


def _choice(field: SheetField | None, reply: Reply) -> tuple[str, str] | None:
    return choice_in(field, reply[field.name]) if field and field.name in reply else None


def _worded(choice: tuple[str, str]) -> str:
    return ": ".join(word for word in choice if word)
