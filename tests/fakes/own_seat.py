"""A user who sits on a panel: fills in every sheet, or passes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mutual_dissent.hosting.desk import OpenRequest, UserDesk

ANSWER = "Spaces, since editors differ in how wide a tab is."


def filled_in(request: OpenRequest | dict[str, Any]) -> dict[str, str]:
    """Every field of a request, as the desk or JSON has it, filled in by somebody patient."""
    sheet = request["sheet"] if isinstance(request, dict) else request.sheet
    fields = sheet["fields"] if isinstance(sheet, dict) else sheet.fields
    return dict(_filled(f if isinstance(f, dict) else _plain(f)) for f in fields)


def _plain(field: Any) -> dict[str, Any]:
    return {n: getattr(field, n) for n in ("name", "kind", "choices", "words")}


def _filled(field: dict[str, Any]) -> tuple[str, str]:
    name = field["name"]
    figure = "40 % [20 to 60]" if field["words"].startswith("Your forecast") else ""
    known = {
        "answer": ANSWER, "bottom_line": "Spaces.", "confidence": "70", "changed": "nothing",
        "ranking": field["words"].rpartition("such as ")[2], "estimate": figure,
    }  # fmt: skip
    if name in known:
        return name, known[name]
    if field["kind"] == "choice":
        return name, "disagree: width" if "disagree" in field["choices"] else field["choices"][0]
    return name, "How wide is a tab?"


@asynccontextmanager
async def user(desk: UserDesk, *, passes: bool = False) -> AsyncIterator[list[OpenRequest]]:
    """Somebody at the desk; the list has what it was shown."""
    shown: list[OpenRequest] = []

    async def sit() -> None:
        while True:
            request = await desk.next()
            shown.append(request)
            reply = None if passes else filled_in(request)
            desk.answer(request.session_id, request.key, reply)
            await desk.wait_closed(request)

    task = asyncio.create_task(sit())
    try:
        yield shown
    finally:
        task.cancel()
        await asyncio.wait({task})
        if not task.cancelled():
            task.result()
