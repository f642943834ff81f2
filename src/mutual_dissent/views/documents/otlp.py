"""A debate as OpenTelemetry spans: OTLP's JSON with the semantic conventions for GenAI.

One trace for each debate: a span for the whole, one for each step, one for each call of a model.
Ids follow from the debate's own, so that the same debate is the same trace wherever it is sent.
What was asked and answered is in it only where that is wanted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any

from mutual_dissent.core.events import Status
from mutual_dissent.core.figures.stats import tally
from mutual_dissent.core.panel import EMBEDDED
from mutual_dissent.core.response import Finish, Response
from mutual_dissent.core.transcript import SAMPLE, Transcript
from mutual_dissent.text.sanitize import as_json, plain
from mutual_dissent.views.answer import answer

Json = dict[str, Any]

SERVICE = "mutual-dissent"
SCHEMA_URL = "https://opentelemetry.io/schemas/1.41.0"
MOST_TEXT = 32_000
"""Characters of a text; collectors refuse requests that are too large."""
# OTLP's numbers for the kind of a span and, below, for how it ended.
INTERNAL, CLIENT = 1, 3
OK, ERROR = 1, 2
PROVIDERS = {"google": "gcp.gemini", "xai": "x_ai", "mistral": "mistral_ai"}
"""Our vendors that the conventions call otherwise."""
FINISHES = {
    Finish.COMPLETE: "stop",
    Finish.EMPTY: "stop",
    Finish.TRUNCATED: "length",
    Finish.FILTERED: "content_filter",
    Finish.REFUSED: "refusal",
}
"""Ways in which an answer ended, as the conventions have them; others never came to an end."""
# All zeros are no valid id of a trace.
_TRACE_ID = re.compile(r"(?!0{32})[0-9a-f]{32}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_otlp(t: Transcript, *, content: bool = False, since: int = 0) -> str:
    """The spans of a debate as the JSON text of an OTLP request.

    Args:
        content: whether query, answers and the words of errors are in it.
        since: number of the event up to which a debate's spans were told before; what was bought
            after it is told, under a span of its own for the whole.
    """
    service = {"service.name": SERVICE, "service.version": t.version or None}
    spans = list(_spans(t, content=content, since=since))
    scope = {"scope": {"name": SERVICE, "version": t.version}, "schemaUrl": SCHEMA_URL}
    resource = {
        "resource": {"attributes": _attributes(service)},
        "scopeSpans": [{**scope, "spans": spans}],
    }
    return as_json(json.dumps({"resourceSpans": [resource]}, ensure_ascii=False))


@dataclass(frozen=True, slots=True)
class _ModelCall:
    """A call of a model. `name` tells it apart in its debate, `step` is what it was part of."""

    name: str
    step: str
    response: Response

    @property
    def end(self) -> datetime:
        return self.response.timestamp

    @property
    def start(self) -> datetime:
        took = timedelta(milliseconds=self.response.latency_ms or 0)
        return min([self.end - took, *(a.started_at for a in self.response.attempts)])


def _spans(t: Transcript, *, content: bool, since: int) -> Iterator[Json]:
    calls = list(_calls(t, since))
    root = f"debate/{since}" if since else "debate"
    span = partial(_span, t)
    yield span(
        root,
        None,
        f"invoke_workflow {t.brief.mode}",
        (_start(t, calls, since), _end(t, calls)),
        _of_debate(t, calls, content=content),
        status=_ending(t, content=content),
    )
    for step in dict.fromkeys(c.step for c in calls):
        own = [c for c in calls if c.step == step]
        name = f"{root}/{step}"
        times = min(c.start for c in own), max(c.end for c in own)
        yield span(name, root, f"step {step}", times, _of_step(own))
        for call in own:
            yield span(
                f"call/{call.name}",
                name,
                f"chat {call.response.model_id}",
                (call.start, call.end),
                _of_call(t, call, content=content),
                # The embedded model is no other service: nothing left this process.
                kind=INTERNAL if call.response.provider == EMBEDDED else CLIENT,
                status=_failure(call.response, content=content),
                events=_attempts(call.response),
            )


def _calls(t: Transcript, since: int) -> Iterator[_ModelCall]:
    """Calls that this debate made: not what an earlier one paid for, a person or code wrote."""
    replaced: dict[str, int] = {}
    for key, response in t.replaced:
        replaced[key] = number = replaced.get(key, 0) + 1
        if response.tries and not since:
            yield _ModelCall(f"{key}/replaced/{number}", _step(key, response), response)
    for key, response in t.responses():
        new = t.came.get(key, since + 1) > since
        if response.tries and new and key not in t.reused:
            yield _ModelCall(key, _step(key, response), response)


def _step(key: str, r: Response) -> str:
    role = key.split("/")[1] if r.role == SAMPLE and "/" in key else r.role
    return f"{r.round_number}/{role}" if r.round_number >= 0 else role


def _start(t: Transcript, calls: list[_ModelCall], since: int) -> datetime:
    first = [c.start for c in calls]
    return min(first) if since and first else min([t.created_at, *first])


def _end(t: Transcript, calls: list[_ModelCall]) -> datetime:
    """Return when it ended; what the user says of it later does not count."""
    last = max([t.created_at, *(c.end for c in calls)])
    return last if t.outcome else max(last, t.updated_at or last)


def _of_debate(t: Transcript, calls: list[_ModelCall], *, content: bool) -> Json:
    total, shown = tally(c.response for c in calls), answer(t)
    said = {
        "gen_ai.input.messages": _messages("user", t.query),
        "gen_ai.output.messages": _messages("assistant", shown.text, "stop") if shown else None,
    }
    return {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": t.brief.mode,
        "gen_ai.conversation.id": t.brief.conversation or t.transcript_id,
        "gen_ai.usage.input_tokens": total.input_tokens,
        "gen_ai.usage.output_tokens": total.output_tokens,
        "mutual_dissent.debate.id": t.transcript_id,
        "mutual_dissent.experiment": t.brief.experiment and t.brief.experiment.experiment_id,
        "mutual_dissent.panel": [p.seat for p in t.panelists],
        "mutual_dissent.status": str(t.status),
        "mutual_dissent.reason": t.closed_reason or None,
        "mutual_dissent.rounds": len(t.rounds),
        "mutual_dissent.agreement": t.agreement,
        "mutual_dissent.calls": total.calls,
        "mutual_dissent.cost_usd": total.cost_usd,
        "error.type": (t.closed_reason or "error") if t.status is Status.ERROR else None,
        **(said if content else {}),
    }


def _of_step(calls: list[_ModelCall]) -> Json:
    first, total = calls[0].response, tally(c.response for c in calls)
    return {
        "mutual_dissent.round": first.round_number,
        "mutual_dissent.role": calls[0].step.rpartition("/")[2],
        "mutual_dissent.calls": total.calls,
        "mutual_dissent.cost_usd": total.cost_usd,
    }


def _of_call(t: Transcript, call: _ModelCall, *, content: bool) -> Json:
    r = call.response
    vendor = r.provider or (r.routing.vendor if r.routing else "") or "unknown"
    finish = FINISHES.get(r.finish, "error")
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": PROVIDERS.get(vendor, vendor),
        "gen_ai.conversation.id": t.brief.conversation or t.transcript_id,
        "gen_ai.request.model": r.model_id,
        "gen_ai.request.temperature": t.brief.temperature,
        "gen_ai.response.model": r.served_model,
        "gen_ai.response.finish_reasons": [finish],
        "gen_ai.usage.input_tokens": r.input_tokens,
        "gen_ai.usage.output_tokens": r.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": r.cached_tokens,
        "gen_ai.usage.reasoning.output_tokens": r.reasoning_tokens,
        "error.type": None if r.usable else str(r.error_kind or r.finish),
        "mutual_dissent.key": call.name,
        "mutual_dissent.seat": r.model_alias,
        "mutual_dissent.role": r.role,
        "mutual_dissent.round": r.round_number,
        "mutual_dissent.first_token_ms": r.first_token_ms,
        "mutual_dissent.cost_usd": r.cost_usd,
        "gen_ai.output.messages": _messages("assistant", r.content, finish) if content else None,
    }


def _messages(role: str, text: str, finish: str | None = None) -> str:
    """One message, in the form that the conventions give to messages."""
    parts = [{"type": "text", "content": _short(text)}]
    end = {"finish_reason": finish} if finish else {}
    return json.dumps([{"role": role, "parts": parts, **end}], ensure_ascii=False)


def _short(text: str) -> str:
    return plain(text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…")


def _failure(r: Response, *, content: bool) -> Json:
    if r.usable:
        return {}
    return {"code": ERROR, "message": _short(r.error or "") if content else str(r.finish)}


def _ending(t: Transcript, *, content: bool) -> Json:
    if t.status is Status.ERROR:
        return {"code": ERROR, "message": _short(t.closed_text) if content else t.closed_reason}
    return {"code": OK} if t.status is Status.COMPLETED else {}


def _attempts(r: Response) -> list[Json]:
    """Tries that failed before the call ended, as events of its span."""
    return [
        {
            "name": "attempt failed",
            "timeUnixNano": _nanoseconds(a.started_at + timedelta(milliseconds=a.latency_ms)),
            "attributes": _attributes(
                {"error.type": str(a.error_kind), "http.response.status_code": a.status}
            ),
        }
        for a in r.attempts
    ]


def _span(
    t: Transcript,
    name: str,
    parent: str | None,
    title: str,
    times: tuple[datetime, datetime],
    attributes: Json,
    *,
    kind: int = INTERNAL,
    status: Json | None = None,
    events: list[Json] | None = None,
) -> Json:
    """A span; `name` is what its id is made of, `title` what people read."""
    return {
        "traceId": _trace_id(t.transcript_id),
        "spanId": _span_id(t.transcript_id, name),
        **({"parentSpanId": _span_id(t.transcript_id, parent)} if parent else {}),
        "name": plain(title),
        "kind": kind,
        "startTimeUnixNano": _nanoseconds(times[0]),
        "endTimeUnixNano": _nanoseconds(times[1]),
        "attributes": _attributes(attributes),
        "events": events or [],
        "status": status or {},
    }


def _trace_id(debate: str) -> str:
    """The debate's UUID without its dashes, which is what a trace's id looks like."""
    bare = debate.replace("-", "").lower()
    if _TRACE_ID.fullmatch(bare):
        return bare
    return sha256(debate.encode("utf-8", "replace")).hexdigest()[:32]


def _span_id(debate: str, name: str) -> str:
    return sha256(f"{debate}\0{name}".encode("utf-8", "replace")).hexdigest()[:16]


def _nanoseconds(at: datetime) -> str:
    """Nanoseconds since 1970, as the text that JSON has for long numbers."""
    return str((at - _EPOCH) // timedelta(microseconds=1) * 1_000)


def _attributes(values: Json) -> list[Json]:
    """Attributes as OTLP writes them, without those that are not known."""
    return [{"key": k, "value": _value(v)} for k, v in values.items() if v is not None]


def _value(value: object) -> Json:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            # In OTLP's JSON, numbers of 64 bits are texts.
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case list():
            return {"arrayValue": {"values": [_value(v) for v in value]}}
        case _:
            return {"stringValue": plain(str(value))}
