"""What a client asks for: its messages as a query with context, its settings as options.

Nothing is dropped in silence: what would change the answer and cannot be had is refused, what only
would tune it is named in the answer's `ignored`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.brief import Attachment
from mutual_dissent.surfaces.openai.catalogue import SINGLE, model_named
from mutual_dissent.surfaces.openai.errors import Refused
from mutual_dissent.surfaces.server.hosted import Caller

Json = Mapping[str, Any]

CHORE = "### Task:"
"""How chat clients begin what they ask on their own account: a title, tags, suggestions."""

_SPEAKERS = {"user": "User", "assistant": "Assistant", "system": "Instructions",
             "developer": "Instructions"}  # fmt: skip
_TUNING: dict[str, Any] = {
    "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0, "logit_bias": {},
    "reasoning_effort": "none", "verbosity": "medium", "reasoning": {}, "truncation": "disabled",
    "top_k": 0, "min_p": 0, "repetition_penalty": 1, "prediction": {},
}  # fmt: skip
"""What tunes a model, and the value with which it does nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A request that can be met.

    Attributes:
        model: the name under which it is answered.
        chore: whether a client asks for itself, which is not worth a debate.
        ignored: fields that had no effect.
    """

    model: str
    query: str
    options: dict[str, Any]
    stream: bool = False
    usage: bool = False
    chore: bool = False
    ignored: tuple[str, ...] = ()
    body: Json = field(default_factory=dict)


def wanted_chat(body: Any, md: MutualDissent, caller: Caller) -> Wanted:
    """What a chat completion request asks for.

    Raises:
        Refused: if it cannot be had.
        UserError: if something in it is not known.
    """
    fields = _object(body)
    _refuse(fields, n=1, logprobs=None, stop=None, audio=None, functions=None, tools=None)
    _only_text(fields.get("response_format"), "response_format")
    if _list(fields, "modalities") not in ([], ["text"]):
        raise Refused("a panel answers in text alone; leave out modalities", "modalities")
    messages = fields.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refused("messages is a list with at least one message", "messages")
    turns = [_turn(m, f"messages[{i}]") for i, m in enumerate(messages)]
    return _wanted(fields, turns, md, caller, _bool(
                   _object(fields.get("stream_options") or {}, "stream_options"),
                   "include_usage"))  # fmt: skip


def wanted_response(body: Any, md: MutualDissent, caller: Caller) -> Wanted:
    """What a request for a response asks for.

    Raises:
        Refused: if it cannot be had.
        UserError: if something in it is not known.
    """
    fields = _object(body)
    _refuse(fields, tools=None, background=None, prompt=None, conversation=None, stop=None)
    _only_text(_object(fields.get("text") or {}).get("format"), "text.format")
    given = fields.get("input")
    items: list[Any] = (
        [{"role": "user", "content": given}] if isinstance(given, str) else given or []
    )
    if not isinstance(items, list) or not items:
        raise Refused("input is a text or a list with at least one item", "input")
    turns = [_turn(m, f"input[{i}]") for i, m in enumerate(items) if _is_message(m, i)]
    if instructions := _text_field(fields, "instructions"):
        turns.insert(0, ("Instructions", instructions))
    found = _wanted(fields, turns, md, caller, usage=True)
    if earlier := _text_field(fields, "previous_response_id"):
        found.options["conversation"] = earlier.removeprefix("resp_")
    return found


def _wanted(
    fields: Json, turns: list[tuple[str, str]], md: MutualDissent, caller: Caller, usage: bool
) -> Wanted:
    speaker, query = turns[-1]
    if speaker != "User" or not query.strip():
        raise Refused("the last message must be a user's, with text in it", "messages")
    chore = query.startswith(CHORE)
    if not (name := _text_field(fields, "model")):
        raise Refused("model is missing; GET /v1/models lists them", "model", code="missing")
    model = model_named(name, md)
    options = dict(model_named(SINGLE, md).options if chore else model.options)
    if not options and caller.mode:
        options["mode"] = caller.mode
    if len(turns) > 1:
        said = "\n\n".join(f"{who}:\n{text}" for who, text in turns[:-1])
        options["context"] = (Attachment(name="the conversation so far", text=said),)
    limit = fields.get("max_completion_tokens") or fields.get("max_output_tokens")
    options |= {
        "max_tokens": _whole(limit or fields.get("max_tokens"), "max_tokens"),
        "temperature": _number(fields, "temperature"),
        "seed": _whole(fields.get("seed"), "seed"),
        "max_cost": caller.limit(None),
    }
    return Wanted(
        model=model.name,
        query=query,
        options={k: v for k, v in options.items() if v is not None},
        stream=_bool(fields, "stream"),
        usage=usage,
        chore=chore,
        ignored=tuple(f for f, off in _TUNING.items() if fields.get(f) not in (None, off)),
        body=fields,
    )


def _turn(message: Any, where: str) -> tuple[str, str]:
    """Who speaks, and what; a tool's words have no place where no tool was offered."""
    fields = _object(message, where)
    role = str(fields.get("role"))
    if role not in _SPEAKERS:
        raise Refused(f"{where}: {role[:40]!r} cannot speak here; known are "
                      f"{', '.join(_SPEAKERS)}", where)  # fmt: skip
    return _SPEAKERS[role], _content(fields.get("content"), where)


def _is_message(item: Any, i: int) -> bool:
    """Whether an item is said by somebody; reasoning of an earlier response is not."""
    kind = _object(item, f"input[{i}]").get("type", "message")
    if kind not in ("message", "reasoning"):
        raise Refused(f"input[{i}]: items of type {str(kind)[:40]!r} cannot be used", "input")
    return bool(kind == "message")


def _content(content: Any, where: str) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise Refused(f"{where}: content is a text or a list of parts", where)
    return "\n".join(_part(part, where) for part in content)


def _part(part: Any, where: str) -> str:
    fields = _object(part, where)
    if fields.get("type") in ("text", "input_text", "output_text", "refusal"):
        return str(fields.get("text") or fields.get("refusal") or "")
    raise Refused(f"{where}: a panel reads text alone, not {str(fields.get('type'))[:40]!r}", where)


def _only_text(form: Any, where: str) -> None:
    kind = _object(form or {}, where).get("type", "text")
    if kind != "text":
        raise Refused(
            f"{where}: a panel's answer is text with its dissent, so {str(kind)[:40]!r} cannot be "
            f"had; leave it out, or ask a vendor's model directly", where
        )  # fmt: skip


def _refuse(fields: Json, **allowed: Any) -> None:
    """Refuse what would change the answer and cannot be had."""
    for name, usual in allowed.items():
        value = fields.get(name)
        if value not in (usual, None, [], {}, False, ""):
            raise Refused(f"{name} is not supported by a panel; leave it out", name)


def _object(value: Any, where: str = "the body") -> Json:
    if not isinstance(value, Mapping):
        raise Refused(f"{where} must be an object", None if where == "the body" else where)
    return value


def _list(fields: Json, name: str) -> Sequence[Any]:
    value = fields.get(name) or []
    if not isinstance(value, list):
        raise Refused(f"{name} is a list", name)
    return value


def _text_field(fields: Json, name: str) -> str:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise Refused(f"{name} is a text", name)
    return value or ""


def _bool(fields: Json, name: str) -> bool:
    value = fields.get(name)
    if value is not None and not isinstance(value, bool):
        raise Refused(f"{name} is true or false", name)
    return bool(value)


def _whole(value: Any, name: str) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise Refused(f"{name} is a whole number of 0 or more", name)
    return value


def _number(fields: Json, name: str) -> float | None:
    value = fields.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 2:
        raise Refused(f"{name} is a number from 0 to 2", name)
    return float(value)
