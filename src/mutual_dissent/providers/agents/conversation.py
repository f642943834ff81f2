"""The Agent Client Protocol from the client's side: one question to an agent, and its answer.

The agent gets no file system, no terminal and no permission. What it does with tools of its own,
in the empty folder that it works in, it does without being allowed anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import orjson

from mutual_dissent.core.response import ErrorKind
from mutual_dissent.providers.agents.output import Hearing
from mutual_dissent.providers.agents.words import classify_failure
from mutual_dissent.providers.dialects.base import VendorError
from mutual_dissent.providers.dialects.finish import note_finish
from mutual_dissent.providers.dialects.json_values import count, mapping, objects, string

VERSION = 1
INITIALIZE, NEW, PROMPT = 1, 2, 3
"""Ids of our requests, in the order in which they are made."""
MOST_REQUESTS = 1_000
"""Requests of an agent that are answered in one turn."""
NEEDS_LOGIN, UNKNOWN_METHOD = -32000, -32601
ENDINGS = ("end_turn", "max_tokens", "refusal")
"""Reasons for which a turn ends with an answer, or with the agent's refusal of one."""
INFO = {"name": "mutual-dissent", "title": "Mutual Dissent", "version": "1"}
HELLO = {
    "protocolVersion": VERSION,
    "clientCapabilities": {
        "fs": {"readTextFile": False, "writeTextFile": False},
        "terminal": False,
    },
    "clientInfo": INFO,
}

Write = Callable[[bytes], None]
Message = Mapping[str, Any]


class AgentTalk(Hearing):
    """An answer that is talked for: every message of the agent may have one of ours follow."""

    _write: Write
    _folder = _text = _session = ""
    _asked = 0

    def begin(self, write: Write, folder: str, text: str) -> None:
        """Make contact; the question follows once the agent is ready for it."""
        self._write, self._folder, self._text = write, folder, text
        self._request(INITIALIZE, "initialize", HELLO)

    def event(self, message: dict[str, Any]) -> None:
        """Take in a message of the agent."""
        method = message.get("method")
        if method is None:
            self._answer(message)
        elif "id" in message:
            self._refuse(message, string(method))
        elif method == "session/update":
            self._update(mapping(mapping(message.get("params")).get("update")))

    def _answer(self, message: Message) -> None:
        """Take in the answer to a request of ours, and make the next one."""
        if "error" in message:
            self._fail(mapping(message.get("error")))
            return
        result = mapping(message.get("result"))
        match message.get("id"):
            case 1:
                self._meet(result)
            case 2:
                self._session = string(result.get("sessionId"))
                block = {"type": "text", "text": self._text}
                params = {"sessionId": self._session, "prompt": [block]}
                self._request(PROMPT, "session/prompt", params)
            case 3:
                self._close(result)

    def _meet(self, result: Message) -> None:
        if result.get("protocolVersion") != VERSION:
            said = f"speaks another version of the protocol than {VERSION}"
            self.reading.error = VendorError(kind=ErrorKind.BAD_RESPONSE, message=said)
            return
        self._request(NEW, "session/new", {"cwd": self._folder, "mcpServers": []})

    def _close(self, result: Message) -> None:
        usage = mapping(result.get("usage"))
        self.reading.input_tokens = count(usage.get("inputTokens"))
        self.reading.output_tokens = count(usage.get("outputTokens"))
        self.reading.cached_tokens = count(usage.get("cachedReadTokens"))
        self.reading.reasoning_tokens = count(usage.get("thoughtTokens"))
        reason = string(result.get("stopReason"))
        if reason in ENDINGS:
            note_finish(self.reading, reason)
        else:
            self.reading.error = classify_failure(f"its turn ended with {reason or 'no reason'}")

    def _fail(self, error: Message) -> None:
        words = string(error.get("message")) or "an error without a word"
        detail = string(mapping(error.get("data")).get("details")) or string(error.get("data"))
        failed = classify_failure(f"{words}: {detail}" if detail else words)
        if error.get("code") == NEEDS_LOGIN:
            failed = VendorError(kind=ErrorKind.AUTH, message=words)
        self.reading.error = failed

    def _update(self, update: Message) -> None:
        content = mapping(update.get("content"))
        if update.get("sessionUpdate") == "agent_message_chunk" and content.get("type") == "text":
            self.say(string(content.get("text")))

    def _refuse(self, message: Message, method: str) -> None:
        """Answer a request of the agent: nothing is permitted, nothing else is offered."""
        self._asked += 1
        if self._asked > MOST_REQUESTS:
            self.flood = f"made more than {MOST_REQUESTS} requests"
            return
        answer: dict[str, Any]
        if method == "session/request_permission":
            answer = {"result": {"outcome": _denial(mapping(message.get("params")))}}
        else:
            answer = {"error": {"code": UNKNOWN_METHOD, "message": "this is not offered"}}
        self._send({"id": message.get("id"), **answer})

    def _request(self, id_: int, method: str, params: Mapping[str, Any]) -> None:
        self._send({"id": id_, "method": method, "params": params})

    def _send(self, message: Mapping[str, Any]) -> None:
        self._write(orjson.dumps({"jsonrpc": "2.0", **message}) + b"\n")

    @property
    def _is_enough(self) -> bool:
        return super()._is_enough or self.reading.finish is not None


def _denial(params: Message) -> dict[str, Any]:
    """The outcome of a request for permission: the choice that refuses it, else none."""
    for choice in objects(params.get("options")):
        if string(choice.get("kind")) == "reject_once" and string(choice.get("optionId")):
            return {"outcome": "selected", "optionId": string(choice.get("optionId"))}
    return {"outcome": "cancelled"}
