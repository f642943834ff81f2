"""Real traffic: every recording must be read as what its body says, also when it is cut anywhere.

What is expected is computed here from the body, plainly and without the project's own reading.
"""

from __future__ import annotations

import copy
import json

import pytest

from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.response import Ask, ErrorKind, Finish
from mutual_dissent.core.values.picture import Picture
from mutual_dissent.providers.dialects import DIALECTS
from mutual_dissent.providers.dialects.base import PartialAnswer
from mutual_dissent.providers.dialects.finish import verdict
from mutual_dissent.providers.dialects.json_values import decode_body
from mutual_dissent.providers.endpoints import Endpoint
from mutual_dissent.providers.http.stream import SSE

pytestmark = pytest.mark.shared

ENDINGS = {
    "stop": Finish.COMPLETE,
    "tool_calls": Finish.COMPLETE,
    "length": Finish.TRUNCATED,
    "end_turn": Finish.COMPLETE,
    "stop_sequence": Finish.COMPLETE,
    "tool_use": Finish.COMPLETE,
    "max_tokens": Finish.TRUNCATED,
    "refusal": Finish.REFUSED,
    "pause_turn": Finish.INCOMPLETE,
    "model_context_window_exceeded": Finish.TRUNCATED,
    "STOP": Finish.COMPLETE,
    "MAX_TOKENS": Finish.TRUNCATED,
    "SAFETY": Finish.FILTERED,
    "content_filter": Finish.FILTERED,
    "RECITATION": Finish.FILTERED,
    "PROHIBITED_CONTENT": Finish.FILTERED,
}


@pytest.fixture(scope="module")
def recordings(shared):
    path = shared / "recordings" / "recordings.jsonl"
    if not path.is_file():
        pytest.skip("SKIPPED: ../shared/recordings is not here")
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def streams(recordings):
    return [r for r in recordings if r["response_text"] is not None]


def bodies(recordings):
    return [r for r in recordings if r["response_json"] is not None]


# --- what a body says ---------------------------------------------------------------------------


def said(wire, body):
    """(text, reasoning, finish, usage, calls, model) of a whole body."""
    return {"openai-chat": said_openai, "anthropic": said_anthropic, "google": said_google}[wire](
        body
    )


def said_openai(body):
    choice = body["choices"][0]
    message = choice["message"]
    content = message.get("content") or ""
    if isinstance(content, list):
        content = "".join(p["text"] for p in content if p["type"] == "text")
    calls = [
        (c.get("id") or "", c["function"]["name"], plain_arguments(c["function"]["arguments"]))
        for c in message.get("tool_calls") or []
    ]
    return (
        content,
        ENDINGS[choice["finish_reason"]],
        usage_openai(body["usage"]),
        calls,
        body["model"],
    )


def usage_openai(usage):
    details = usage.get("prompt_tokens_details") or {}
    cached = details.get("cached_tokens")
    for key in ("prompt_cache_hit_tokens", "cached_tokens", "num_cached_tokens"):
        cached = usage.get(key) if cached is None else cached
    thought = (usage.get("completion_tokens_details") or {}).get("reasoning_tokens")
    return usage["prompt_tokens"], usage["completion_tokens"], cached, thought


def said_anthropic(body):
    text = "".join(b["text"] for b in body["content"] if b["type"] == "text")
    calls = [(b["id"], b["name"], b["input"]) for b in body["content"] if b["type"] == "tool_use"]
    return text, ENDINGS[body["stop_reason"]], usage_anthropic(body["usage"]), calls, body["model"]


def usage_anthropic(usage):
    cached = usage.get("cache_read_input_tokens")
    total = usage["input_tokens"] + (cached or 0) + (usage.get("cache_creation_input_tokens") or 0)
    thought = (usage.get("output_tokens_details") or {}).get("thinking_tokens")
    return total, usage["output_tokens"], cached, thought


def said_google(body):
    candidate = body["candidates"][0]
    parts = candidate.get("content", {}).get("parts", [])
    text = "".join(p["text"] for p in parts if "text" in p and not p.get("thought"))
    calls = [
        (c.get("id", ""), c["name"], c.get("args", {}))
        for c in (p["functionCall"] for p in parts if "functionCall" in p)
    ]
    usage = usage_google(body["usageMetadata"])
    return text, ENDINGS[candidate["finishReason"]], usage, calls, body["modelVersion"]


def usage_google(usage):
    thought = usage.get("thoughtsTokenCount")
    spoken = usage.get("candidatesTokenCount", 0) + (thought or 0)
    asked = usage["promptTokenCount"] + usage.get("toolUsePromptTokenCount", 0)
    return asked, spoken, usage.get("cachedContentTokenCount"), thought


def plain_arguments(text):
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return text
    return value if isinstance(value, dict) else text


# --- what a stream says -------------------------------------------------------------------------


def chunks(text):
    """The JSON of each event, by plain splitting: (event name, object)."""
    found = []
    for block in text.replace("\r\n", "\n").split("\n\n"):
        lines = block.split("\n")
        name = "".join(x[7:] for x in lines if x.startswith("event: "))
        data = "\n".join(x[6:] for x in lines if x.startswith("data: "))
        if data and data != "[DONE]":
            found.append((name, json.loads(data)))
    return found


def streamed(wire, text):
    """The same as `said`, put together from the chunks; None for a finish that never came."""
    made = {"openai-chat": openai_chunks, "anthropic": anthropic_chunks, "google": google_chunks}
    return made[wire]([event for _, event in chunks(text)])


def openai_chunks(events):
    text, finish, usage, calls, model = "", None, None, {}, None
    for event in events:
        model = event.get("model", model)
        if event.get("usage"):
            usage = usage_openai(event["usage"])
        for choice in event.get("choices", []):
            delta = choice["delta"]
            text += delta.get("content") or ""
            for c in delta.get("tool_calls") or []:
                call = calls.setdefault(c["index"], ["", "", ""])
                call[0] += c.get("id") or ""
                call[1] += c["function"].get("name") or ""
                call[2] += c["function"].get("arguments") or ""
            if choice["finish_reason"]:
                finish = ENDINGS[choice["finish_reason"]]
    done = [(i, n, plain_arguments(a)) for i, n, a in calls.values()]
    return text, finish, usage or (None,) * 4, done, model


def anthropic_chunks(events):
    message = {"content": [], "stop_reason": None}
    for event in events:
        match event["type"]:
            case "message_start":
                message = copy.deepcopy(event["message"])
            case "content_block_start":
                message["content"].append({**event["content_block"], "json": ""})
            case "content_block_delta":
                block, delta = message["content"][event["index"]], event["delta"]
                if delta["type"] == "text_delta":
                    block["text"] += delta["text"]
                if delta["type"] == "input_json_delta":
                    block["json"] += delta["partial_json"]
            case "message_delta":
                message["stop_reason"] = event["delta"]["stop_reason"]
                message["usage"].update(event["usage"])
    for block in message["content"]:
        if block["json"]:
            block["input"] = json.loads(block["json"])
    return said_anthropic(message)


def google_chunks(events):
    whole = copy.deepcopy(events[-1])
    whole["candidates"][0]["content"] = {
        "parts": [
            part
            for event in events
            for part in event["candidates"][0].get("content", {}).get("parts", [])
        ]
    }
    return said_google(whole)


# --- what was read ------------------------------------------------------------------------------


def read(reading):
    usage = (
        reading.input_tokens,
        reading.output_tokens,
        reading.cached_tokens,
        reading.reasoning_tokens,
    )
    calls = [(c["id"], c["name"], c["arguments"]) for c in reading.tool_calls]
    return "".join(reading.text), reading.finish, usage, calls, reading.served_model


def read_stream(wire, raw):
    sse, reading = SSE(), PartialAnswer()
    told = []
    for name, data in [*sse.feed(raw), *sse.close()]:
        told.append(DIALECTS[wire].read_event(reading, name, data))
    assert "".join(told) == "".join(reading.text), "what is told live is what is kept"
    return reading


def test_there_are_as_many_recordings_as_promised(recordings):
    assert (len(recordings), len(streams(recordings))) == (429, 34)


def test_every_recorded_body_is_read_as_what_it_says(recordings):
    for r in bodies(recordings):
        if r["status"] < 400:
            reading = PartialAnswer()
            DIALECTS[r["wire"]].read_body(reading, r["response_json"])
            assert reading.error is None, r["id"]
            assert read(reading) == said(r["wire"], r["response_json"]), r["id"]


def test_every_recorded_stream_is_read_as_what_it_says(recordings):
    for r in streams(recordings):
        reading = read_stream(r["wire"], r["response_text"].encode())
        assert read(reading) == streamed(r["wire"], r["response_text"]), r["id"]
        broke = any(name == "error" for name, _ in chunks(r["response_text"]))
        assert (reading.error is not None) == broke, r["id"]


def test_usage_is_counted_as_the_price_table_counts_it(recordings):
    from genai_prices.data_snapshot import get_snapshot

    flavors = {
        "openai": "chat",
        "anthropic": "default",
        "google": "default",
        "groq": "default",
        "openrouter": "chat",
        "deepseek": "chat",
    }
    compared = 0
    for r in bodies(recordings):
        if r["status"] >= 400 or r["vendor"] not in flavors:
            continue
        reading = PartialAnswer()
        DIALECTS[r["wire"]].read_body(reading, r["response_json"])
        provider = next(p for p in get_snapshot().providers if p.id == r["vendor"])
        _, priced = provider.extract_usage(r["response_json"], api_flavor=flavors[r["vendor"]])
        assert (reading.input_tokens, reading.output_tokens, reading.cached_tokens or 0) == (
            priced.input_tokens,
            priced.output_tokens,
            priced.cache_read_tokens or 0,
        ), r["id"]
        compared += 1
    assert compared > 300


def test_answers_without_text_are_empty_and_others_end_as_said(recordings):
    for r in bodies(recordings):
        if r["status"] < 400:
            reading = PartialAnswer()
            DIALECTS[r["wire"]].read_body(reading, r["response_json"])
            text, finish, _, calls, _ = said(r["wire"], r["response_json"])
            assert verdict(reading) is (finish if text.strip() else Finish.EMPTY), r["id"]
            if calls and not text.strip():
                assert verdict(reading, tools_wanted=True) is finish


def test_recorded_errors_are_classified_and_quoted(recordings):
    failed = [r for r in bodies(recordings) if r["status"] >= 400]
    assert len(failed) == 7
    for r in failed:
        error = DIALECTS[r["wire"]].read_error(r["status"], r["response_json"])
        kind = ErrorKind.UNKNOWN_MODEL if r["status"] == 404 else ErrorKind.BAD_REQUEST
        assert (error.kind, error.status) == (kind, r["status"]), r["id"]
        assert error.message[:100] == r["response_json"]["error"]["message"][:100]
        assert len(error.message) <= 200


def test_errors_in_the_middle_of_recorded_streams_are_seen(recordings):
    broken = 0
    for r in streams(recordings):
        for name, event in chunks(r["response_text"]):
            if name == "error":
                reading = read_stream(r["wire"], r["response_text"].encode())
                assert reading.error is not None
                assert reading.error.kind is ErrorKind.BAD_REQUEST
                assert reading.error.status == event["error"]["status_code"]
                assert verdict(reading) in (Finish.INCOMPLETE, Finish.FAILED)
                broken += 1
    assert broken == 2


@pytest.mark.slow
def test_a_stream_cut_at_any_byte_gives_a_prefix_and_never_a_complete_answer(recordings):
    for r in streams(recordings):
        cut_everywhere(r["wire"], r["response_text"].encode())


def ended_here(sse):
    """What a parser would still give if the stream ended now; the parser itself goes on."""
    ended = copy.copy(sse)
    ended._data = list(sse._data)
    return ended.close()


def cut_everywhere(wire, raw):
    """Feed byte by byte; at each byte, end a copy of the parser there and look at the result."""
    dialect, sse, reading = DIALECTS[wire], SSE(), PartialAnswer()
    full = "".join(read_stream(wire, raw).text)
    length = 0
    for i in range(len(raw)):
        for name, data in sse.feed(raw[i : i + 1]):
            length += len(dialect.read_event(reading, name, data))
        assert full[:length] == "".join(reading.text) if i % 997 == 0 else True
        last = ended_here(sse)
        if not last:
            continue
        (name, data), ended = last[0], reading.finish
        probe = PartialAnswer(finish=ended, text=[full[:length]])
        fresh = dialect.read_event(probe, name, data)
        assert full.startswith(full[:length] + fresh)
        if ended is None and probe.finish is not None:
            # Only a whole last event may say so: one that lacks just its blank line.
            assert json.loads(data)
        if ended is None and probe.finish is None:
            assert verdict(probe) in (Finish.INCOMPLETE, Finish.FAILED)
    assert "".join(reading.text) == full


def test_a_body_cut_at_fifty_places_is_no_answer(recordings):
    for r in bodies(recordings):
        raw = json.dumps(r["response_json"]).encode()
        assert decode_body(raw) == r["response_json"]
        for i in range(50):
            assert decode_body(raw[: len(raw) * i // 50]) is None


def parts_of(value):
    """Every object of a type in a request."""
    if isinstance(value, dict):
        yield from [value] if "type" in value else []
        for inner in value.values():
            yield from parts_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from parts_of(inner)


def test_pictures_stand_where_those_of_recorded_requests_do(recordings):
    shown = Picture(media_type="image/png", sha256="0", width=1, height=1, size=1, _raw=b"x")
    seat = Panelist(seat="a", route=Route(vendor="v", model_id="m"))
    ask = Ask(
        key="k", panelist=seat, round_number=0, role="initial", prompt="p", system="", head="h",
        tail="t", pictures=(shown,),
    )  # fmt: skip
    seen = set()
    for wire, kind, inner in (
        ("openai-chat", "image_url", "image_url"), ("anthropic", "image", "source"),
    ):  # fmt: skip
        endpoint = Endpoint(vendor="v", dialect=wire, base_url="http://h")
        body = DIALECTS[wire].request(ask, endpoint).body
        (ours,) = [p for p in parts_of(body) if p["type"] == kind]
        for r in (r for r in recordings if r["wire"] == wire and r["status"] == 200):
            for theirs in (p for p in parts_of(r["request"]) if p["type"] == kind):
                assert theirs.keys() == ours.keys()
                assert ours[inner].keys() & theirs[inner].keys()
                seen.add(wire)
    assert seen == {"openai-chat", "anthropic"}  # Google's have none
