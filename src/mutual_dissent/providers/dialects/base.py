"""The interface of a wire dialect: writing a request, and reading an answer piece by piece."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from mutual_dissent.core.response import Ask, Citation, ErrorKind, Finish
from mutual_dissent.providers.dialects.frame import Frame
from mutual_dissent.providers.endpoints import Endpoint

# Characters of reasoning that are kept of an answer; unbounded, replies held up to 100 MB.
MOST_THOUGHT = 1_000_000
MOST_NAME = 200
# Characters of a refusal that are kept; it comes in as many pieces as the vendor likes.
MAX_REFUSAL = 10_000
MANY = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class WireRequest:
    """An HTTP POST, ready to be sent. `headers` hold the key."""

    url: str
    headers: dict[str, str] = field(repr=False)
    body: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorError:
    """A failure in the vendor's words, classified once. `retry_after` is in seconds.

    `refuses` has the parts of a request, schema or tools, that the words are about. `upstream` says
    that a gateway passes on an error of the vendor behind it, which is about that model alone.
    `unreached` is the way on which there was no connection at all.
    """

    kind: ErrorKind
    message: str
    status: int | None = None
    retry_after: float | None = None
    refuses: frozenset[str] = frozenset()
    upstream: bool = False
    unreached: Literal["", "direct", "proxy"] = ""


@dataclass(slots=True)
class PartialAnswer:
    """The answer as read so far: a dialect fills it, the call makes a Response of it.

    `finish` stays None until the vendor says how the answer ended: a stream that just stops is
    incomplete. `text` holds the pieces in order. `submitted` says that the answer was handed in by
    a tool: the arguments of its call are in the text. `thought` and `argued` count the characters
    of reasoning and of tools' arguments that came, also those that were too many to be kept.
    `searches` is how often the vendor says that it searched, None where it does not say.
    `at_work` says that the vendor has begun and thinks or searches, without a word meanwhile.
    `frame` is what surrounds the text of an event that holds nothing else.
    """

    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    finish: Finish | None = None
    finish_reason: str = ""
    refusal: str = ""
    served_model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    vendor_cost_usd: float | None = None
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    submitted: bool = False
    thought: int = 0
    argued: int = 0
    citations: list[Citation] = field(default_factory=list)
    cited_for: dict[str, list[str]] = field(default_factory=dict)
    searches: int | None = None
    error: VendorError | None = None
    at_work: bool = False
    frame: Frame | None = None
    state: dict[str, Any] = field(default_factory=dict)  # a dialect's own notes between events

    def think(self, thought: object) -> None:
        """Take in a piece of reasoning, if it is one."""
        if type(thought) is str and thought:
            self.thought += len(thought)
            if self.thought <= MOST_THOUGHT:
                add(self.reasoning, thought)

    def refuse(self, piece: str) -> None:
        """Take in a piece of a refusal."""
        if len(self.refusal) < MAX_REFUSAL:
            self.refusal = (self.refusal + piece)[:MAX_REFUSAL]

    def serve(self, model: object) -> None:
        """Take in the name of the model that answers, if it is one."""
        if type(model) is str and model:
            self.served_model = model[:MOST_NAME]


def add(pieces: list[str], piece: str) -> None:
    """Add to a text in pieces; many small ones become one, for each costs memory."""
    pieces.append(piece)
    if len(pieces) >= MANY:
        pieces[:] = ["".join(pieces)]


class Dialect(Protocol):
    """One wire format. Pure: it writes and reads, it never connects."""

    def request(self, ask: Ask, endpoint: Endpoint) -> WireRequest:
        """Return the streaming request for an ask."""
        ...

    def read_event(self, reading: PartialAnswer, name: str, data: str) -> str:
        """Take in one server-sent event; return the new text in it, if any.

        Malformed events set `reading.error`; nothing a vendor sends raises.
        """
        ...

    def read_body(self, reading: PartialAnswer, body: Any) -> None:
        """Take in a whole JSON answer, given instead of a stream."""
        ...

    def read_error(self, status: int, body: Any) -> VendorError:
        """Classify an error body (parsed JSON, or its text) that came with this status."""
        ...
