"""Parsing of requests: the user's last message is the query, settings become options.

System messages are the user's instructions, and earlier user messages are the user's own words;
answers, tools that they called and what those gave back are quoted. Nothing is dropped in silence:
a field that would change the answer and is not supported is refused; a field without effect is
named in the answer's `ignored`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from mutual_dissent.app import MutualDissent
from mutual_dissent.briefing.presets import OF_THE_MODE
from mutual_dissent.briefing.seating import NOBODY
from mutual_dissent.core.brief import Attachment, Earlier, FileBytes
from mutual_dissent.core.errors import clip
from mutual_dissent.core.tool import ClientTools, JsonReply
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.http.backend import Caller
from mutual_dissent.surfaces.openai.errors import UnsupportedRequest
from mutual_dissent.surfaces.openai.models import DEFAULT, SINGLE, find_model
from mutual_dissent.surfaces.openai.pictures import picture_in
from mutual_dissent.surfaces.openai.templates import Chore, about_documents, chore_of
from mutual_dissent.surfaces.openai.tools import (
    chat_tools,
    choice_of,
    client_tools,
    json_reply,
    response_tools,
)
from mutual_dissent.surfaces.openai.turns import (
    ClientTalk,
    call_turn,
    conversation,
    debate_of,
    given_back,
    stored_turns,
    text_of,
)
from mutual_dissent.surfaces.rest.brief import limit_of
from mutual_dissent.surfaces.rest.input.json_body import validate_body
from mutual_dissent.surfaces.rest.input.requests import Debate

Json = Mapping[str, Any]

EXTRAS = "dissent"
"""Field for the options of `POST /api/chat`, for which OpenAI's shape has no place."""
MOST_IGNORED = 20

_SPEAKERS: dict[str, Literal["instructions", "user", "assistant"]] = {
    "user": "user", "assistant": "assistant", "system": "instructions", "developer": "instructions",
}  # fmt: skip
_TUNING: dict[str, Any] = {
    "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0, "logit_bias": {},
    "reasoning_effort": "none", "verbosity": "medium", "reasoning": {}, "truncation": "disabled",
    "top_k": 0, "min_p": 0, "repetition_penalty": 1, "prediction": {}, "user": "",
}  # fmt: skip
"""Parameters that no vendor is sent, and the value with which each has no effect."""

_HEEDED = frozenset({
    "model", "messages", "input", "instructions", "previous_response_id", "stream",
    "stream_options", "max_tokens", "max_completion_tokens", "max_output_tokens", "temperature",
    "seed", "text", "response_format", "modalities", EXTRAS,
    "n", "logprobs", "top_logprobs", "stop", "audio", "functions", "function_call", "tools",
    "tool_choice", "parallel_tool_calls", "max_tool_calls", "background", "prompt", "conversation",
    "metadata", "store", "include", "service_tier", "safety_identifier", "prompt_cache_key",
})  # fmt: skip
"""Fields that are obeyed, refused, or irrelevant to the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """A request that can be met.

    Attributes:
        model: the name under which it is answered.
        chore: the client's own request (a title, tags), which is not worth a debate.
        alone: whether one model answers although the client asked for a panel.
        ignored: fields that had no effect.
        follows: the debate whose calls the client comes back from, if it is known.
        free: the tools that take free text instead of arguments.
    """

    model: str
    query: str
    options: dict[str, Any]
    stream: bool = False
    usage: bool = False
    chore: Chore | None = None
    alone: bool = False
    ignored: tuple[str, ...] = ()
    follows: str = ""
    free: frozenset[str] = frozenset()
    body: Json = field(default_factory=dict)

    @property
    def checked(self) -> bool:
        """Tell whether the answer is for a program: it is checked whole before it is sent."""
        return bool(self.options.get("client") or self.options.get("reply"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientWishes:
    """Offers and wishes of a client's program, beside the conversation itself."""

    tools: ClientTools | None = None
    reply: JsonReply | None = None
    free: frozenset[str] = frozenset()
    ignored: tuple[str, ...] = ()


def wanted_chat(body: Any, md: MutualDissent, caller: Caller) -> ChatRequest:
    """Parse a chat completion request.

    Raises:
        Refused: if it cannot be had.
        UserError: if something in it is not known.
    """
    fields = _object(body)
    _refuse(fields, n=1, logprobs=None, stop=None, audio=None, functions=None)
    if _list(fields, "modalities") not in ([], ["text"]):
        raise UnsupportedRequest(
            "a panel answers in text alone; leave out modalities", "modalities"
        )
    messages = fields.get("messages")
    if not isinstance(messages, list) or not messages:
        raise UnsupportedRequest("messages is a list with at least one message", "messages")
    entries = _list(fields, "tools")
    tools = client_tools(
        list(chat_tools(entries)),
        choice_of(fields.get("tool_choice")),
        parallel=fields.get("parallel_tool_calls") is not False,
    )
    wishes = ClientWishes(
        tools=tools,
        reply=json_reply(fields.get("response_format"), "response_format"),
        free=frozenset(e["custom"]["name"] for e in entries if e.get("type") == "custom"),
    )
    usage = _bool(_object(fields.get("stream_options") or {}, "stream_options"), "include_usage")
    return chat_request(fields, _chat_turns(messages), md, caller, usage=usage, wishes=wishes)


def wanted_response(body: Any, md: MutualDissent, caller: Caller) -> ChatRequest:
    """Parse a request for a response.

    Raises:
        Refused: if it cannot be had.
        UserError: if something in it is not known.
    """
    fields = _object(body)
    _refuse(fields, background=None, prompt=None, conversation=None, stop=None)
    content = fields.get("input")
    items: list[Any] = (
        [{"role": "user", "content": content}] if isinstance(content, str) else content or []
    )
    if not isinstance(items, list) or not items:
        raise UnsupportedRequest("input is a text or a list with at least one item", "input")
    earlier = _text_field(fields, "previous_response_id").removeprefix("resp_")
    # Results without the calls that they are of: those are in the debate that made them.
    given = any(str(_object(i, "input").get("type")).endswith("_output") for i in items)
    past = md.store.transcript(md.store.find(earlier)) if earlier and given else None
    talk = _response_turns(items, _text_field(fields, "instructions"), past)
    found, free, unknown = response_tools(_list(fields, "tools"))
    wishes = ClientWishes(
        tools=client_tools(
            found,
            choice_of(fields.get("tool_choice")),
            parallel=fields.get("parallel_tool_calls") is not False,
        ),
        reply=json_reply(_object(fields.get("text") or {}).get("format"), "text.format"),
        free=free,
        # Every debate is on record; whoever wants none of it can delete the response.
        ignored=(*unknown, *(["store"] if fields.get("store") is False else [])),
    )
    request = chat_request(fields, talk, md, caller, usage=True, wishes=wishes)
    if earlier and not past:
        request.options["conversation"] = earlier
    return request


def _chat_turns(messages: Sequence[Any]) -> ClientTalk:
    """The conversation of a chat completion's messages."""
    turns: list[Earlier] = []
    pictures: list[FileBytes] = []
    names: dict[str, str] = {}
    follows = ""
    for i, message in enumerate(messages):
        where = f"messages[{i}]"
        fields = _object(message, where)
        if fields.get("role") in ("tool", "function"):
            id_ = str(fields.get("tool_call_id") or "")
            name = names.get(id_) or str(fields.get("name") or "")[:128]
            turns.append(given_back(name, text_of(fields.get("content"), where, pictures)))
            follows = debate_of(id_) or follows
            continue
        turns.append(_turn(fields, where, pictures))
        for call in _list(fields, "tool_calls"):
            entry = _object(call, where)
            inner = _object(entry.get("function") or entry.get("custom") or {}, where)
            names[str(entry.get("id") or "")] = str(inner.get("name") or "")[:128]
            turns.append(call_turn(inner.get("name"), inner.get("arguments") or inner.get("input")))
    return replace(conversation(turns, follows), pictures=tuple(pictures))


_CALLS = ("function_call", "custom_tool_call", "local_shell_call")
_SILENT_ITEMS = ("reasoning", "item_reference", "web_search_call", "additional_tools")


def _response_turns(items: Sequence[Any], instructions: str, past: Transcript | None) -> ClientTalk:
    """The conversation of the items of a response's input, behind the debate that they go on."""
    own = Earlier(speaker="instructions", text=instructions)
    turns, pictures = [own] if instructions else [], list[FileBytes]()
    names: dict[str, str] = {}
    if past:
        before, names = stored_turns(past)
        turns += [turn for turn in before if turn != own]
    follows = past.transcript_id if past else ""
    for i, item in enumerate(items):
        where = f"input[{i}]"
        fields = _object(item, where)
        kind = str(fields.get("type") or "message")
        id_ = str(fields.get("call_id") or "")
        if kind == "message":
            turns.append(_turn(fields, where, pictures))
        elif kind in _CALLS:
            names[id_] = str(fields.get("name") or kind)[:128]
            given = fields.get("arguments") or fields.get("input") or fields.get("action")
            turns.append(call_turn(names[id_], given))
        elif kind.endswith("_output"):
            turns.append(
                given_back(names.get(id_, ""), text_of(fields.get("output"), where, pictures))
            )
            follows = debate_of(id_) or follows
        elif kind not in _SILENT_ITEMS:
            raise UnsupportedRequest(
                f"input[{i}]: items of type {kind[:40]!r} cannot be used", "input"
            )
    if not turns:
        raise UnsupportedRequest("input is a text or a list with at least one item", "input")
    return replace(conversation(turns, follows, "input"), pictures=tuple(pictures))


def chat_request(
    fields: Json,
    talk: ClientTalk,
    md: MutualDissent,
    caller: Caller,
    *,
    usage: bool,
    wishes: ClientWishes = ClientWishes(),  # noqa: B008 - it never changes
    chore: Chore | None = None,
) -> ChatRequest:
    """The request of a conversation, with what its client's program wants.

    Args:
        chore: the client's own request, where it is already known to be one.

    Raises:
        UnsupportedRequest: if it cannot be had.
        UserError: if something in it is not known.
    """
    chore = chore or chore_of(talk.query)
    if not (name := _text_field(fields, "model")):
        raise UnsupportedRequest(
            "model is missing; GET /v1/models lists them", "model", code="missing"
        )
    model = find_model(name, md)
    options = dict(find_model(SINGLE, md).options if chore else model.options)
    # A model that was named stands; the token's own mode is for the general name.
    if model.name == DEFAULT and caller.mode and not chore:
        options["mode"] = caller.mode
    extras = {} if chore else _object(fields.get(EXTRAS) or {}, EXTRAS)
    if "message" in extras:
        raise UnsupportedRequest(
            "the question is the last message; leave it out here", f"{EXTRAS}.message"
        )
    debate = validate_body({**extras, "message": talk.query}, Debate)
    # Of the final answer alone: applied to every call, it would cut ballots and forms.
    names = ("max_completion_tokens", "max_output_tokens", "max_tokens")
    named = next((n for n in names if fields.get(n) is not None), "max_tokens")
    if chore:
        options["reply"] = wishes.reply
    else:
        options |= _for_program({**options, **debate.options}, wishes, md)
    options |= {
        "answer_tokens": _whole(fields.get(named), named, least=1),
        "temperature": _number(fields, "temperature"),
        "seed": _whole(fields.get("seed"), "seed"),
        **debate.options,
        "max_cost": limit_of(debate.options, caller),
    }
    if talk.pictures and not chore:
        options["context"] = (*options.get("context", ()), *talk.pictures)
    query, complete = _with_earlier(talk.query, talk.earlier, options)
    return ChatRequest(
        model=model.name,
        query=query,
        options={k: v for k, v in complete.items() if v is not None},
        stream=_bool(fields, "stream"),
        usage=usage,
        chore=chore,
        alone=options.get("mode") == "single" and model.name != SINGLE and "mode" not in extras,
        ignored=(*_ignored(fields, chore), *wishes.ignored)[:MOST_IGNORED],
        follows=talk.follows,
        free=wishes.free,
        body=fields,
    )


AGENTS_MODE = "escalate"
"""The procedure where a program offers tools and nothing else is said: it asks many times, and two
who would do the same are enough."""


def _for_program(
    options: Mapping[str, Any], wishes: ClientWishes, md: MutualDissent
) -> dict[str, Any]:
    """The options that follow from what a program offers and wants."""
    found: dict[str, Any] = {"client": wishes.tools, "reply": wishes.reply}
    if wishes.tools:
        # Every step of an agent is a debate: nobody reads them on, and none is about another.
        found |= {"analyst": NOBODY, "recall": "off"}
        if not options.keys() & {"mode", *OF_THE_MODE} and _is_plain(options, md):
            found["mode"] = AGENTS_MODE
    return found


def _is_plain(options: Mapping[str, Any], md: MutualDissent) -> bool:
    """Return whether neither a preset nor the configuration says which mode is to be held."""
    usual = md.settings.defaults
    preset = md.settings.presets.get(options.get("preset") or usual.preset or "")
    return usual.is_usual("mode") and (preset is None or not preset.values)


def _with_earlier(
    text: str, earlier: Sequence[Earlier], options: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Return the query, and the options with the earlier messages."""
    question = about_documents(text)
    before = (*options.get("earlier", ()), *earlier)
    if question is None:
        return text, {**options, "earlier": before}
    documents = Attachment(name="documents", text=question.documents)
    use = Earlier(speaker="instructions", text=question.instructions)
    context = (*options.get("context", ()), documents)
    return question.query, {**options, "earlier": (*before, use), "context": context}


def _ignored(fields: Json, chore: Chore | None) -> tuple[str, ...]:
    """Return the fields that were sent and had no effect."""
    tuned = [f for f, off in _TUNING.items() if fields.get(f) not in (None, off)]
    unknown = [clip(f, 60) for f, v in fields.items() if v is not None and not _is_known(f)]
    unused = [EXTRAS] if chore and fields.get(EXTRAS) else []
    return tuple((*tuned, *unused, *unknown)[:MOST_IGNORED])


def _is_known(field_name: str) -> bool:
    return field_name in _HEEDED or field_name in _TUNING


def _turn(message: Any, where: str, pictures: list[FileBytes]) -> Earlier:
    """Return the turn of a message; its pictures are added to `pictures`, their names stay."""
    fields = _object(message, where)
    role = str(fields.get("role"))
    if role not in _SPEAKERS:
        raise UnsupportedRequest(f"{where}: {role[:40]!r} cannot speak here; known are "
                      f"{', '.join(_SPEAKERS)}", where)  # fmt: skip
    return Earlier(speaker=_SPEAKERS[role], text=_content(fields.get("content"), where, pictures))


def _content(content: Any, where: str, pictures: list[FileBytes]) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise UnsupportedRequest(f"{where}: content is a text or a list of parts", where)
    return "\n".join(_part(part, where, pictures) for part in content)


def _part(part: Any, where: str, pictures: list[FileBytes]) -> str:
    fields = _object(part, where)
    if picture := picture_in(fields, where, len(pictures) + 1):
        pictures.append(picture)
        return f"[{picture.name}]"
    if fields.get("type") in ("text", "input_text", "output_text", "refusal"):
        return str(fields.get("text") or fields.get("refusal") or "")
    raise UnsupportedRequest(
        f"{where}: a panel reads text and pictures alone, not {str(fields.get('type'))[:40]!r}",
        where,
    )


def _refuse(fields: Json, **allowed: Any) -> None:
    """Refuse unsupported fields that would change the answer."""
    for name, usual in allowed.items():
        value = fields.get(name)
        # Clients send such values for what they do not use.
        if value not in (usual, None, [], {}, False, ""):
            raise UnsupportedRequest(f"{name} is not supported by a panel; leave it out", name)


def _object(value: Any, where: str = "the body") -> Json:
    if not isinstance(value, Mapping):
        raise UnsupportedRequest(
            f"{where} must be an object", None if where == "the body" else where
        )
    return value


def _list(fields: Json, name: str) -> Sequence[Any]:
    value = fields.get(name) or []
    if not isinstance(value, list):
        raise UnsupportedRequest(f"{name} is a list", name)
    return value


def _text_field(fields: Json, name: str) -> str:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise UnsupportedRequest(f"{name} is a text", name)
    return value or ""


def _bool(fields: Json, name: str) -> bool:
    value = fields.get(name)
    if value is not None and not isinstance(value, bool):
        raise UnsupportedRequest(f"{name} is true or false", name)
    return bool(value)


def _whole(value: Any, name: str, least: int = 0) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UnsupportedRequest(f"{name} is a whole number of {least} or more", name)
    return value


def _number(fields: Json, name: str) -> float | None:
    value = fields.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 2:
        raise UnsupportedRequest(f"{name} is a number from 0 to 2", name)
    return float(value)
