"""A debate is a trace that OpenTelemetry's own schema reads, and nobody's words are in it."""

from __future__ import annotations

import base64
import json
from datetime import timedelta

from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from fakes.debates import START, Fault, Said, panelist, transcript
from mutual_dissent.core.response import Attempt, ErrorKind
from mutual_dissent.views.documents.otlp import to_otlp
from mutual_dissent.views.documents.otlp_protobuf import to_protobuf

IDS = ("traceId", "spanId", "parentSpanId")
HOSTILE = "a secret word \x1b[31m\u202e\ud800 and more"


def spans(text: str) -> dict:
    """The spans by title, as the schema of OTLP reads both of its forms.

    Ids are hexadecimal in its JSON.
    """
    plain = json.loads(text)
    for span in plain["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        span |= {k: base64.b64encode(bytes.fromhex(span[k])).decode() for k in IDS if k in span}
    read = ParseDict(plain, ExportTraceServiceRequest())
    assert ExportTraceServiceRequest.FromString(to_protobuf(text)) == read
    assert read.resource_spans[0].resource.attributes[0].value.string_value == "mutual-dissent"
    return {
        told(s).get("mutual_dissent.key", s.name): s
        for s in read.resource_spans[0].scope_spans[0].spans
    }


def told(span) -> dict:
    found = {}
    for a in span.attributes:
        value = getattr(a.value, a.value.WhichOneof("value"))
        found[a.key] = [v.string_value for v in value.values] if hasattr(value, "values") else value
    return found


def test_a_trace_has_the_debate_its_steps_and_every_call_with_what_it_took():
    t = transcript(
        {"claude": ["4", "4"], "gpt": ["5", Fault()]},
        panel=[panelist("claude", "claude-x", "anthropic"), panelist("gpt", "gemini-x", "google")],
    )
    found = spans(to_otlp(t))
    root, step = found["invoke_workflow reflection"], found["step 0/initial"]
    call, failed = found["0/initial/gpt"], found["1/reflection/gpt"]
    assert {s.trace_id.hex() for s in found.values()} == {t.transcript_id.replace("-", "")}
    assert len({s.span_id for s in found.values()}) == len(found) == 1 + 3 + 5
    assert (step.parent_span_id, call.parent_span_id) == (root.span_id, step.span_id)
    assert not root.parent_span_id
    assert (call.name, call.kind) == ("chat gemini-x", call.SPAN_KIND_CLIENT)
    assert call.end_time_unix_nano - call.start_time_unix_nano == 2_100_000_000
    assert root.start_time_unix_nano == int(START.timestamp()) * 10**9
    assert all(s.end_time_unix_nano <= root.end_time_unix_nano for s in found.values())
    assert told(call) | {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "gcp.gemini",
        "gen_ai.request.model": "gemini-x",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 1,
        "gen_ai.conversation.id": t.transcript_id,
    } == told(call)
    assert told(failed)["error.type"] == "rate_limit"
    assert failed.status.code == failed.status.STATUS_CODE_ERROR
    assert told(root)["mutual_dissent.cost_usd"] == 0.0031 * 4
    assert to_otlp(t) == to_otlp(t)


def test_words_are_in_a_trace_only_where_they_are_wanted_and_then_sanitised():
    t = transcript(
        {"claude": [HOSTILE], "gpt": [Fault(text=HOSTILE)]}, synthesis=HOSTILE, query=HOSTILE
    )
    assert "secret word" not in to_otlp(t)
    text = to_otlp(t, content=True)
    found = spans(text)
    assert text.count("secret word") == 5
    assert not any(c in text for c in ("\x1b", "\u202e", "\ud800"))
    said = json.loads(told(found["0/initial/claude"])["gen_ai.output.messages"])
    assert said == [
        {
            "role": "assistant",
            "parts": [{"type": "text", "content": "a secret word ? and more"}],
            "finish_reason": "stop",
        }
    ]


def test_tries_that_failed_are_events_of_their_call_which_began_with_the_first():
    began = START - timedelta(seconds=30)
    tried = Attempt(
        started_at=began, latency_ms=500, error_kind=ErrorKind.OVERLOADED, error=HOSTILE, status=529
    )
    t = transcript({"claude": [Said("4", {"attempts": (tried,)})], "gpt": ["4"]})
    call = spans(to_otlp(t))["0/initial/claude"]
    (event,) = call.events
    assert told(event) == {"error.type": "overloaded", "http.response.status_code": 529}
    assert call.start_time_unix_nano == int(began.timestamp()) * 10**9


def test_what_goes_on_later_is_told_without_what_was_told_before():
    t = transcript({"claude": ["4", "4"], "gpt": ["5", "4"]})
    before = t.came["0/initial/gpt"]
    whole, later = spans(to_otlp(t)), spans(to_otlp(t, since=before))
    assert {"0/initial/claude", "0/initial/gpt"} == {
        k for k in whole.keys() - later.keys() if "step" not in k
    }
    root = "invoke_workflow reflection"
    assert later[root].trace_id == whole[root].trace_id
    assert later[root].span_id != whole[root].span_id
