"""Asks the user who sits on a panel, through a client that offers elicitation.

In earlier revisions of the protocol the client is sent a request while the call waits. Since
2026-07-28 the call itself ends with the question, and comes back with what was filled in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp_types import (
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)

from mutual_dissent.core.values.sheet import Reply, SheetField
from mutual_dissent.hosting.desk import OpenRequest, time_given
from mutual_dissent.text.sanitize import plain
from mutual_dissent.views.phrases import round_name

BY_RESULT = "2026-07-28"
"""The first revision in which a call ends with its question."""

MOST_SHOWN = 6_000
"""Characters of one answer that a client is given to show."""


class InputNeeded(Exception):
    """The call ends with a question to the user, and comes back with the answer."""

    def __init__(self, request: OpenRequest) -> None:
        super().__init__(request.key)
        self.request = request


@dataclass(frozen=True, slots=True)
class UserChannel:
    """Way to the user of a client: in this call, or by its result."""

    context: Context[Any, Any]

    @property
    def is_open(self) -> bool:
        """Return whether the client asks its user in forms; before there were modes it said so."""
        known = self.context.client_capabilities
        offered = known.elicitation if known else None
        # `{}` is a client from before there were two modes: it knows forms.
        return offered is not None and (offered.form is not None or offered.url is None)

    @property
    def by_result(self) -> bool:
        """Return whether the question is the result of the call."""
        # Revisions are days, "2025-11-25": they compare as texts.
        return (self.context.protocol_version or "") >= BY_RESULT

    async def ask(self, request: OpenRequest, problem: str = "") -> Reply | None:
        """The reply of the user, None if it declines or cannot be asked."""
        if self.by_result:
            raise InputNeeded(request)
        form = _form(request, problem)
        try:
            said = await self.context.session.elicit_form(
                form.message, form.requested_schema, self.context.request_id
            )
        except MCPError:
            return None
        return reply_of(said)

    def answer(self) -> tuple[str, str, Reply | None] | None:
        """Session, key and reply that came back with this call, if it is one that comes back."""
        state, said = self.context.request_state, self.context.input_responses
        if not state:
            return None
        # An id has no slash; a key, "0/initial/me", has some.
        session, _, key = state.partition("/")
        found = (said or {}).get(key)
        return session, key, reply_of(found) if isinstance(found, ElicitResult) else None


def question(request: OpenRequest) -> InputRequiredResult:
    """The question as the result of a call."""
    asked = ElicitRequest(params=_form(request))
    state = f"{request.session_id}/{request.key}"
    return InputRequiredResult(input_requests={request.key: asked}, request_state=state)


def reply_of(said: ElicitResult) -> Reply | None:
    """The reply as text, None where the user declined."""
    if said.action != "accept":
        return None
    content: Mapping[str, Any] = said.content or {}
    # A confidence of 0 is an answer; what was left empty is none.
    given = {k: v for k, v in content.items() if v is not False and v not in (None, "", [])}
    return {k: f"{v:g}" if isinstance(v, float) else str(v) for k, v in given.items()}


def _form(request: OpenRequest, problem: str = "") -> ElicitRequestFormParams:
    fields = request.sheet.fields
    schema = {
        "type": "object",
        "properties": {f.name: _property(f) for f in fields},
        "required": [f.name for f in fields if f.needed and not f.value],
    }
    return ElicitRequestFormParams(message=_message(request, problem), requested_schema=schema)


def _property(field: SheetField) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "string", "title": field.words}
    if field.kind == "percent":
        found |= {"type": "number", "minimum": 0, "maximum": 100}
    if field.kind == "choice":
        found["enum"] = list(field.choices)
    if field.value:
        found["description"] = "left empty, what you said before stands"
    return found


def _message(request: OpenRequest, problem: str) -> str:
    """The request as text: what it is about, what is to be done, and what may be read."""
    sheet = request.sheet
    where = round_name(request.round_number, request.role)
    head = f"You sit on this panel as {sheet.label} ({where}). {time_given(request)}"
    shown = (
        f"## {'Your last answer' if s.label == 'you' else s.label}\n{s.text[:MOST_SHOWN]}"
        for s in sheet.shown
    )
    parts = (problem, head, sheet.query, sheet.part, sheet.task, *shown)
    return plain("\n\n".join(p for p in parts if p))
