"""From the bytes of a file to plain values, however damaged: whole records are kept.

A file that is valid JSON is read as such. In any other, every whole object is searched for by
itself, so that damage in one place costs only the record it lies in. Quotes within a text are
escaped in JSON, so no text that a model wrote can pass for a record.
"""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

MAX_DEPTH = 60
MAX_FIELDS = 1_000_000
_MAX_FAILURES = 5_000
# Beyond it neighbouring whole numbers are the same to most readers of JSON.
_MAX_INTEGER = 2**53
_NAMES = (
    "schema_version", "transcript_id", "query", "panel", "synthesizer_id", "max_rounds",
    "created_at", "updated_at", "status", "closed", "brief", "notes", "asked", "pending",
    "bought_twice", "reused", "labels", "prompts", "metadata",
)  # fmt: skip

Plain = dict[str, Any]


def plain_from_bytes(data: bytes) -> tuple[Plain, list[str]]:
    """Return the file's fields, and what was lost; salvaged answers lie under `loose`."""
    if not data.strip():
        return {}, ["the file is empty"]
    if data.count(b'":') > MAX_FIELDS or data.count(b"[") + data.count(b"{") > MAX_FIELDS:
        return {}, [f"the file has more than {MAX_FIELDS:,} fields and was not read"]
    try:
        fields = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as e:
        return _salvage(data, e)
    if not isinstance(fields, dict):
        return {}, ["the file is JSON, but not a transcript"]
    try:
        return _clean(fields), []
    except _TooDeep:
        return {}, [f"the file is nested more than {MAX_DEPTH} levels deep and was not read"]


class _TooDeep(Exception):
    """The nesting is deeper than that of any real transcript."""


def _salvage(data: bytes, problem: orjson.JSONDecodeError) -> tuple[Plain, list[str]]:
    text = data.decode("utf-8-sig", "replace").strip()
    whole, end = _value_at(text, 0)
    if isinstance(whole, dict) and end == len(text):
        return whole, [f"the file is not strictly JSON ({problem.msg}); odd values were dropped"]
    if isinstance(whole, dict) and "rounds" in whole:
        left = len(text[end:].strip())
        stand = "1 character stands" if left == 1 else f"{left:,} characters stand"
        return whole, [f"{stand} after the end of the transcript"]
    fields: Plain = {}
    for name in _NAMES:
        value = _field(text, name)
        if value is not None:
            fields[name] = value
    answers = _answers(text)
    if not fields and not answers and text[:1] not in ("{", "["):
        return {}, ["it is not a transcript (not JSON)"]
    fields["loose"] = answers
    broken = len(_CONTENT.findall(text)) - len(answers)
    notes = [f"the file is damaged ({problem.msg}, near character {problem.pos})"]
    notes.append(f"{len(answers)} whole answers were salvaged")
    if broken > 0:
        notes.append(f"{broken} answers were not whole and were dropped")
    return fields, notes


_CONTENT = re.compile(r'(?<!\\)"content"\s*:')


def _field(text: str, name: str) -> Any:
    """Return the value of the first field of that name, if it is whole."""
    match = re.search(rf'(?<!\\)"{name}"\s*:\s*', text)
    return _value_at(text, match.end())[0] if match else None


def _answers(text: str) -> list[Plain]:
    """Return every whole object that is an answer, also within whole rounds."""
    answers: list[Plain] = []
    at, work, failures = text.find("{"), 0, 0
    # Attempts that fail may read far: together they read the text ten times at most.
    while at >= 0 and failures < _MAX_FAILURES and work <= 10 * len(text):
        value, end = _value_at(text, at)
        work += end - at
        failures += value is None
        answers += _answers_in(value)
        at = text.find("{", end if value is not None else at + 1)
    return answers


def _answers_in(value: Any) -> list[Plain]:
    if not isinstance(value, dict):
        return []
    if "content" in value and "model_id" in value:
        return [value]
    inner = value.get("responses")
    return [r for v in inner for r in _answers_in(v)] if isinstance(inner, list) else []


def _value_at(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON value at a place, and where it ends; None if it is not whole."""
    try:
        value, end = _DECODER.raw_decode(text, at)
        return _clean(value), end
    except json.JSONDecodeError as e:
        return None, max(e.pos, at)
    except (ValueError, RecursionError, _TooDeep):
        return None, at + MAX_DEPTH


def _integer(digits: str) -> int | None:
    return int(digits) if len(digits) < 20 else None


_DECODER = json.JSONDecoder(parse_int=_integer, parse_constant=lambda _: None)


def _clean(value: Any, depth: int = 0) -> Any:
    """Return the value without anything that could not be written again."""
    if depth > MAX_DEPTH:
        raise _TooDeep
    if isinstance(value, dict):
        return {_clean(k): _clean(v, depth + 1) for k, v in value.items()}
    if isinstance(value, list):
        return [_clean(v, depth + 1) for v in value]
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, int | float) and not -_MAX_INTEGER <= value <= _MAX_INTEGER:
        return None
    return value
