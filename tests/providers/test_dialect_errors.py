"""Failures are classified once, from any shape, and nothing that a vendor sends raises."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.providers.dialects import DIALECTS
from mutual_dissent.providers.dialects.base import PartialAnswer
from mutual_dissent.providers.dialects.finish import verdict
from mutual_dissent.providers.dialects.json_values import decode_body, decode_event

K = ErrorKind
INVALID = "invalid_request_error"
OPENAI, CLAUDE, GEMINI = "openai-chat", "anthropic", "google"


def openai(message="", **more):
    return {"error": {"message": message, **more}}


def anthropic(kind, message=""):
    return {"type": "error", "error": {"type": kind, "message": message}}


def google(code, status, message="", **more):
    return {"error": {"code": code, "message": message, "status": status, **more}}


BAD_GOOGLE_KEY = [
    {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
]

CASES = [
    # wire, status, body, kind
    (OPENAI, 401, openai("Incorrect API key provided", code="invalid_api_key"), K.AUTH),
    (OPENAI, 403, openai("Country not supported"), K.FORBIDDEN),
    (OPENAI, 402, openai("Insufficient credits", code=402), K.CREDITS),
    (OPENAI, 404, openai("`x` does not exist", code="model_not_found"), K.UNKNOWN_MODEL),
    (OPENAI, 400, openai("foo/bar is not a valid model ID", code=400), K.UNKNOWN_MODEL),
    (OPENAI, 400, openai("Invalid model 'sonar-x'", type="invalid_model"), K.UNKNOWN_MODEL),
    (OPENAI, 404, openai("No endpoints found for x", code=404), K.UNKNOWN_MODEL),
    (OPENAI, 400, openai("This model does not support temperature"), K.BAD_REQUEST),
    (OPENAI, 404, "page not found", K.UNKNOWN_MODEL),
    (OPENAI, 404, {"error": "model 'llama9' not found"}, K.UNKNOWN_MODEL),
    (OPENAI, 429, openai("Limit reached", code="rate_limit_exceeded"), K.RATE_LIMIT),
    (OPENAI, 429, openai("Over your quota", code="insufficient_quota"), K.CREDITS),
    (OPENAI, 400, openai("too long", code="context_length_exceeded"), K.BAD_REQUEST),
    (OPENAI, 400, openai("context window of model foo does not exist"), K.BAD_REQUEST),
    (OPENAI, 422, {"detail": [{"msg": "field required", "loc": ["x"]}]}, K.BAD_REQUEST),
    (OPENAI, 413, "too large", K.BAD_REQUEST),
    (OPENAI, 408, openai("timed out"), K.TIMEOUT),
    (OPENAI, 500, openai("The server had an error", type="server_error"), K.OVERLOADED),
    (OPENAI, 502, "<html>Bad gateway</html>", K.OVERLOADED),
    (OPENAI, 503, "", K.OVERLOADED),
    (OPENAI, 504, None, K.OVERLOADED),
    (OPENAI, 403, openai("flagged", metadata={"flagged_input": "x", "reasons": []}), K.FILTERED),
    (OPENAI, 400, openai("filtered", code="content_filter"), K.FILTERED),
    (OPENAI, 200, openai("Rate limited", code=429), K.RATE_LIMIT),
    (OPENAI, 200, openai("Rate limited", code="429"), K.RATE_LIMIT),
    (OPENAI, 200, openai("?"), K.BAD_RESPONSE),
    (CLAUDE, 401, anthropic("authentication_error", "invalid x-api-key"), K.AUTH),
    (CLAUDE, 403, anthropic("permission_error"), K.FORBIDDEN),
    (CLAUDE, 404, anthropic("not_found_error", "model: claude-x"), K.UNKNOWN_MODEL),
    (CLAUDE, 400, anthropic(INVALID, "Your credit balance is too low"), K.CREDITS),
    (CLAUDE, 400, anthropic(INVALID, "prompt is too long: 9 tokens"), K.BAD_REQUEST),
    (CLAUDE, 413, anthropic("request_too_large"), K.BAD_REQUEST),
    (CLAUDE, 429, anthropic("rate_limit_error"), K.RATE_LIMIT),
    (CLAUDE, 500, anthropic("api_error"), K.OVERLOADED),
    (CLAUDE, 529, anthropic("overloaded_error"), K.OVERLOADED),
    (CLAUDE, 200, anthropic("overloaded_error"), K.OVERLOADED),
    (CLAUDE, 200, anthropic("authentication_error"), K.AUTH),
    (GEMINI, 400, google(400, "INVALID_ARGUMENT", "bad", details=BAD_GOOGLE_KEY), K.AUTH),
    (GEMINI, 400, google(400, "INVALID_ARGUMENT", "API key not valid. Please"), K.AUTH),
    (GEMINI, 400, google(400, "INVALID_ARGUMENT", "seed must be int"), K.BAD_REQUEST),
    (GEMINI, 403, google(403, "PERMISSION_DENIED"), K.FORBIDDEN),
    (GEMINI, 404, google(404, "NOT_FOUND", "models/x is not found"), K.UNKNOWN_MODEL),
    (GEMINI, 429, google(429, "RESOURCE_EXHAUSTED", "Over your current quota"), K.RATE_LIMIT),
    (GEMINI, 503, [google(503, "UNAVAILABLE")], K.OVERLOADED),
    (GEMINI, 200, google(503, "UNAVAILABLE"), K.OVERLOADED),
]  # fmt: skip


BLOCKED = """<!DOCTYPE html>
<html class="no-js" lang="en-US"><head><title>Attention Required! | Cloudflare</title></head>
<body><h1>Sorry, you have been blocked</h1><p>You are unable to access x.ai</p></body></html>"""

CASES += [  # as vendors write them: what is about one model or about money is not about the key
    (OPENAI, 403, openai("Project `proj_a1` does not have access to model `gpt-9`",
                         type=INVALID, code="model_not_found"), K.FORBIDDEN),
    (OPENAI, 403, openai("The model `llama-9` is blocked at the organization level. Please have "
                         "the org admin enable this model in the org settings.",
                         type="permissions_error", code="model_permission_blocked_org"),
     K.FORBIDDEN),
    (OPENAI, 401, openai("Provider returned error", code=401, metadata={
        "raw": '{"error":{"message":"Unauthorized"}}', "provider_name": "Acme"}), K.FORBIDDEN),
    (OPENAI, 403, openai("Provider returned error", code=403, metadata={
        "raw": "Forbidden", "provider_name": "Acme"}), K.FORBIDDEN),
    (GEMINI, 403, google(403, "PERMISSION_DENIED", "You do not have permission to access tuned "
                         "model tunedModels/mine-9."), K.FORBIDDEN),
    (CLAUDE, 403, anthropic("permission_error", "Your API key does not have permission to use the "
                            "specified resource"), K.FORBIDDEN),
    (CLAUDE, 200, anthropic("permission_error"), K.FORBIDDEN),
    (OPENAI, 403, BLOCKED, K.CONNECTION),
    (OPENAI, 403, {"code": "The caller does not have permission to execute the specified operation",
                   "error": "Your newly created team doesn't have any credits yet. You can buy "
                   "credits on https://console.x.ai."}, K.CREDITS),
    (OPENAI, 403, openai("Key limit exceeded (total limit). Manage it using "
                         "https://openrouter.ai/settings/keys", code=403), K.CREDITS),
    # ... and what is about the key is
    (OPENAI, 400, {"code": "Client specified an invalid argument",
                   "error": "Incorrect API key provided: xa***9. You can obtain one."}, K.AUTH),
    (OPENAI, 401, openai("No auth credentials found", code=401), K.AUTH),
    (GEMINI, 403, google(403, "PERMISSION_DENIED", "Your API key was reported as leaked. Please "
                         "use another API key."), K.AUTH),
    (GEMINI, 403, google(403, "PERMISSION_DENIED", "Permission denied: Consumer 'api_key:x' has "
                         "been suspended.", details=[{"reason": "CONSUMER_SUSPENDED"}]), K.AUTH),
]  # fmt: skip


@pytest.mark.parametrize(("wire", "status", "body", "kind"), CASES)
def test_a_failure_gets_its_kind(wire, status, body, kind):
    error = DIALECTS[wire].read_error(status, body)
    assert error.kind is kind
    assert error.message
    assert status < 400 or error.status == status


def test_a_vendor_is_quoted_in_at_most_200_printable_characters():
    error = DIALECTS["openai-chat"].read_error(400, openai("a\x1b[31m\n\nb\u202e" + "x" * 9999))
    assert len(error.message) == 200
    assert error.message.isprintable()
    assert error.message.startswith("a�[31m b�xxx")


def test_a_gateways_error_quotes_the_vendor_behind_it():
    body = openai("Provider returned error", code=429, metadata={"raw": "model is busy"})
    assert DIALECTS["openai-chat"].read_error(429, body).message.endswith("model is busy")


def test_googles_wish_to_wait_is_heard():
    details = [{"reason": "x"}, {"@type": "RetryInfo", "retryDelay": "34.5s"}]
    body = google(429, "RESOURCE_EXHAUSTED", details=details)
    assert DIALECTS["google"].read_error(429, body).retry_after == 34.5


@pytest.mark.parametrize("wire", DIALECTS)
@pytest.mark.parametrize("body", [None, 3, "<html>no</html>", [], [1], {}, {"x": 1}, True])
def test_a_body_that_is_no_answer_is_a_bad_response(wire, body):
    reading = PartialAnswer()
    DIALECTS[wire].read_body(reading, body)
    assert reading.error is not None
    assert reading.error.kind is K.BAD_RESPONSE
    assert verdict(reading) is Finish.FAILED


BOMBS = {
    "deep": b"[" * 100_000 + b"]" * 100_000,
    "deep objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "deep, with what JSON forbids": b"[" * 100_000 + b"NaN" + b"]" * 100_000,
    "a million keys": b"{" + b",".join(b'"%d":1' % i for i in range(1_000_000)) + b"}",
    "a million lists": b"[" + b"[]," * 1_000_000 + b"1]",
    "too large": b'"' + b"x" * (17 * 1024 * 1024) + b'"',
}


@pytest.mark.parametrize("name", BOMBS)
def test_json_bombs_are_refused(name):
    assert decode_body(BOMBS[name]) is None


def test_numbers_that_json_forbids_cost_the_number_and_not_the_answer():
    raw = b'{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":%b}'
    for usage in (b'{"prompt_tokens":NaN}', b'{"prompt_tokens":-Infinity}', b"1e999",
                  b'{"prompt_tokens":' + b"9" * 400 + b"}"):  # fmt: skip
        reading = PartialAnswer()
        DIALECTS["openai-chat"].read_body(reading, decode_body(raw % usage))
        assert (verdict(reading), reading.input_tokens) == (Finish.COMPLETE, None)


def test_of_two_equal_keys_the_last_counts():
    assert decode_body(b'{"a":1,"a":2}') == {"a": 2}


# --- whatever a vendor sends --------------------------------------------------------------------

KEYS = st.sampled_from(
    """choices index delta message content text finish_reason usage prompt_tokens completion_tokens
    prompt_tokens_details cached_tokens completion_tokens_details reasoning_tokens total_tokens cost
    cost_details x_groq tool_calls function name arguments id function_call refusal reasoning
    reasoning_content reasoning_details annotations url_citation url title citations search_results
    executed_tools results error code type status metadata raw details reason retryDelay model
    content_block stop_reason stop_details explanation input input_tokens output_tokens
    cache_read_input_tokens output_tokens_details thinking_tokens thinking partial_json citation
    candidates parts functionCall args thought groundingMetadata groundingChunks web uri
    finishReason promptFeedback blockReason usageMetadata promptTokenCount candidatesTokenCount
    thoughtsTokenCount modelVersion urlContextMetadata urlMetadata citationMetadata object detail
    is_byok""".split()
)
WORDS = st.sampled_from(
    """text text_delta thinking thinking_delta input_json_delta citations_delta tool_use error
    content_block_delta content_block_start content_block_stop message_start message_delta
    web_search_tool_result web_fetch_tool_result refusal stop SAFETY overloaded_error 429 34s
    https://example.org {"a":1} [DONE]""".split()
)
LEAVES = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False)
    | WORDS | st.text(max_size=8)
)  # fmt: skip
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(max_size=4), inner, max_size=6)
    ),
    max_leaves=40,
)


@settings(max_examples=400, deadline=None)
@given(wire=st.sampled_from(sorted(DIALECTS)), bodies=st.lists(JSON, min_size=1, max_size=4))
def test_nothing_that_a_vendor_sends_raises(wire, bodies):
    dialect = DIALECTS[wire]
    streamed = PartialAnswer()
    for body in bodies:
        whole = PartialAnswer()
        dialect.read_body(whole, body)
        new = dialect.read_event(streamed, "error" if body is None else "", json.dumps(body))
        error = dialect.read_error(400, body)
        assert isinstance(new, str)
        assert error.message.isprintable()
        assert 0 < len(error.message) <= 200
        assert error.kind in ErrorKind
        assert verdict(whole) in Finish
    believable(streamed)
    assert verdict(streamed) in Finish


KINDS = {
    "anthropic": ["content_block_start", "content_block_delta", "content_block_stop", ""],
    "openai-responses": [
        f"response.{kind}"
        for kind in (
            "output_item.added", "output_text.delta", "function_call_arguments.delta",
            "refusal.delta", "reasoning_text.delta", "output_text.annotation.added",
            "output_item.done", "incomplete", "failed", "completed",
        )
    ],
}  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(
    wire=st.sampled_from(sorted(DIALECTS)),
    choice=JSON,
    usage=st.dictionaries(KEYS, JSON, max_size=8),
)
def test_nothing_inside_a_likely_answer_raises(wire, choice, usage):
    """The same, with the randomness where a reader looks deepest."""
    bodies = {
        "openai-chat": {"choices": [{"delta": choice, "message": choice}], "usage": usage},
        "anthropic": {
            "type": "content_block_start", "content_block": choice, "content": [choice],
            "delta": choice, "usage": usage,
        },
        "google": {"candidates": [{"content": {"parts": [choice]}}], "usageMetadata": usage},
        "openai-responses": {
            "item": choice, "delta": choice, "annotation": choice, "output_index": usage,
            "output": [choice], "status": "completed", "usage": usage,
            "response": {"output": [choice], "usage": usage, "incomplete_details": choice},
        },
    }  # fmt: skip
    whole, streamed = PartialAnswer(), PartialAnswer()
    DIALECTS[wire].read_body(whole, bodies[wire])
    for kind in KINDS.get(wire, [""]):
        event = {**bodies[wire], "type": kind} if kind else bodies[wire]
        DIALECTS[wire].read_event(streamed, kind, json.dumps(event))
    believable(whole)
    believable(streamed)


def believable(reading):
    assert all(isinstance(piece, str) for piece in [*reading.text, *reading.reasoning])
    for n in (reading.input_tokens, reading.output_tokens, reading.cached_tokens):
        assert n is None or (type(n) is int and 0 <= n <= 3 * 10**9)
    assert reading.vendor_cost_usd is None or 0 <= reading.vendor_cost_usd <= 2 * 10**6
    for call in reading.tool_calls:
        assert set(call) == {"id", "name", "arguments"}
    assert all(c.url.startswith("http") for c in reading.citations)


@settings(max_examples=200, deadline=None)
@given(data=st.text(max_size=60) | st.binary(max_size=60).map(lambda b: b.decode("latin-1")))
def test_no_text_in_an_event_raises(data):
    for dialect in DIALECTS.values():
        dialect.read_event(PartialAnswer(), "", data)
        dialect.read_event(PartialAnswer(), "error", data)
    assert decode_event(data) is None or isinstance(decode_event(data), dict)
