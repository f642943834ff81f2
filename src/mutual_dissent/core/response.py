"""Asks to models, and their responses."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from mutual_dissent.core.closing import Closing
from mutual_dissent.core.codec.camel import Shape
from mutual_dissent.core.panel import HUMAN, RUN_HERE, Panelist, Route
from mutual_dissent.core.tool import MOST_USES, Exchange, SearchWay, Tool, ToolCall, Use, call_words
from mutual_dissent.core.values.defects import Defect, FindingVerdict
from mutual_dissent.core.values.matrix import Matrix
from mutual_dissent.core.values.picture import Picture, picture_tokens
from mutual_dissent.core.values.sheet import AnswerSheet

SYNTHESIS_ROUND = -1
REJECTED = "cannot be used: "
"""The beginning of the flag of a final answer that the user's program could not use."""
UNUSABLE = "proposal that cannot be used"
"""The flag of a panelist's proposal that names no tool, or has arguments that do not fit."""
BY_CODE = "code"
"""The author of an answer that no model wrote."""
SMALL = 2_000
"""Tokens that every model takes: for less, nobody need look up how much it can read."""


class Finish(StrEnum):
    """Way in which an answer ended."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"  # the stream broke off: the partial text is kept, not used
    REFUSED = "refused"
    FILTERED = "filtered"
    EMPTY = "empty"
    TRUNCATED = "truncated"  # cut at a length limit, the vendor's or ours: kept and used
    FAILED = "failed"
    LATE = "late"  # not waited for: it may still have come, and nothing says that it failed
    UNSENT = "unsent"  # the request never went out: nothing was asked, nothing can be billed


class ErrorKind(StrEnum):
    """Kind of failure of a call."""

    AUTH = "auth"
    FORBIDDEN = "forbidden"  # the key is good, and not for this model
    CREDITS = "credits"
    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    BAD_REQUEST = "bad_request"
    UNKNOWN_MODEL = "unknown_model"
    BAD_RESPONSE = "bad_response"
    REFUSED = "refused"
    FILTERED = "filtered"
    CANCELLED = "cancelled"
    UNSEEN = "unseen"  # not asked: it sees no pictures, and nobody could say what is on them


WORTH_ANOTHER_TRY = frozenset(
    {
        ErrorKind.AUTH,
        ErrorKind.FORBIDDEN,
        ErrorKind.CREDITS,
        ErrorKind.RATE_LIMIT,
        ErrorKind.OVERLOADED,
        ErrorKind.TIMEOUT,
        ErrorKind.CONNECTION,
        ErrorKind.BAD_RESPONSE,
        ErrorKind.CANCELLED,
        ErrorKind.UNSEEN,
    }
)
"""Failures that may be over when a debate is resumed. Others would only be paid for again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One request to one panelist, complete and free of any vendor's dialect.

    The text is in three parts so that every request of a debate begins with the same bytes, which
    vendors then bill as cached: `system` and `head` (attached context and query) are common to all,
    `tail` (persona, role, private context, what others said, what to do) is this ask's own.

    Attributes:
        key: names this ask within its debate, the same on every run: `1/reflection/claude`.
        role: what kind of answer is wanted: `initial`, `reflection`, `synthesis`, `judge`, ...
        prompt: the name of the prompt file that `tail` was filled from.
        about: the key of the response that this ask is about, if it is about one.
        pictures: what it is shown before the text.
        labels: label shown to this panelist -> seat it stands for.
        schema: a JSON schema that the answer must follow, if any.
        submits: whether the answer is handed in by a tool with that schema, since the model takes
            none for its text; its provider finds out.
        tools: what the model may call while it answers.
        search: how its model searches the web, if it may: by our tools, or by its vendor's search.
        most_uses: how many calls of them the answer may take.
        exchanges: the tools that it has called so far, with what they gave back.
        calls_out: whether the tools are those of the user's program: a call is the answer then.
        choice: `required` where a tool must be called, or the name of the one; empty where it is
            free.
        parallel: whether several tools may be called at once.
        max_tokens: the most tokens it may answer with; sent only if set.
        temperature: sampling temperature; sent only if set.
        seed: sampling seed; sent only if set.
        timeout: seconds that the whole call may take from when it is sent, retries included.
        within: seconds in which it must be over, whatever it waits for.
        grace: seconds that are left once enough others have answered; None for no such limit.
        strict_model: whether an answer by another model than the one asked for is a failure.
        insists: whether it is sent even if its key or its model was refused a moment ago.
        sample: which of several samples of one turn it is, from 1; 0 where it is the only one.
        sheet: the same for a person, if the seat is the user's.
    """

    key: str
    panelist: Panelist
    round_number: int
    role: str
    prompt: str
    system: str
    head: str
    tail: str
    about: str = ""
    pictures: tuple[Picture, ...] = ()
    labels: dict[str, str] = field(default_factory=dict)
    schema: dict[str, Any] | None = None
    submits: bool = False
    tools: tuple[Tool, ...] = ()
    search: SearchWay | None = None
    most_uses: int = MOST_USES
    exchanges: tuple[Exchange, ...] = ()
    calls_out: bool = False
    choice: str = ""
    parallel: bool = True
    max_tokens: int | None = None
    temperature: float | None = None
    seed: int | None = None
    timeout: float = 120.0
    within: float = math.inf
    grace: float | None = None
    strict_model: bool = False
    insists: bool = False
    sample: int = 0
    sheet: AnswerSheet | None = None

    @property
    def text(self) -> str:
        """The user's part of the request, as it is sent."""
        return self.head + self.tail

    @property
    def request_hash(self) -> str:
        """Hash of the request and its model: an answer is reused only for the same hash."""
        route = self.panelist.route
        parts = [route.vendor, route.model_id, self.system, self.text, repr(self.schema)]
        # Only if set, so that hashes from before there were efforts stay the same.
        if route.effort:
            parts.append(route.effort)
        if self.tools:
            parts += [repr(self.tools), repr(self.exchanges)]
        if self.own_search:
            parts.append(f"searched by {self.own_search.by}")
        parts += [p.sha256 for p in self.pictures]
        whole = "\0".join([*parts, ""]).encode("utf-8", "surrogatepass")
        return hashlib.sha256(whole).hexdigest()[:32]

    @property
    def own_search(self) -> SearchWay | None:
        """The search of its vendor, if it is to use that."""
        return self.search if self.search and self.search.own else None

    @property
    def tools_spent(self) -> bool:
        """Return whether it has called as many tools as one answer may: now it is to answer."""
        return sum(len(e.uses) for e in self.exchanges) >= self.most_uses

    @property
    def input_estimate(self) -> int:
        """About how many tokens the request has, at 3.5 characters a token."""
        said = sum(len(e.text) + sum(len(u.result) for u in e.uses) for e in self.exchanges)
        written = len(self.system) + len(self.head) + len(self.tail)
        if self.calls_out:
            said += sum(len(t.description) + len(repr(t.parameters)) for t in self.tools)
        return tokens_in(written + said) + picture_tokens(self.pictures) + 8


ESTIMATED = "cost estimated from what was received"
"""The flag of an answer whose vendor did not say what it took."""

UNSEARCHED = "asked without a search, which its vendor refused"
"""The flag of an answer that was to be searched for, and was not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One try at a call that did not end it: kept, so that the ledger shows what may be billed.

    `cost_usd` is estimated from what was received; None where nothing was, or no price is known.
    """

    started_at: datetime
    latency_ms: int
    error_kind: ErrorKind
    error: str
    status: int | None = None
    partial: str = ""
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation(Shape):
    """A source that a model or its vendor named."""

    url: str
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSpread(Shape):
    """Samples of one seat, of which one is its answer.

    Attributes:
        asked: how many were asked for; `usable` how many came.
        chosen: the number of the one that is the seat's answer.
        answers: closed answers -> how many samples gave each, most first; empty where they are
            open, so that the first sample is the answer.
    """

    asked: int
    usable: int
    chosen: int = 1
    answers: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The choice of a panelist's answer as the final one, made without a call.

    Attributes:
        about: the key of the answer that is chosen.
        reason: why it is, in a clause.
    """

    about: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """Result of a call: an answer, or the reason why there is none.

    Where a mode asks for structure, the fields from `position` on hold what could be read of it;
    what could not is None and named in `flags`. `ballot` has the seats, best first, ties together;
    `cost_usd` includes the attempts that failed before; where `flags` say so, it is estimated.
    `stated_stance` is, in debates of earlier versions, what was said where `stance` was replaced by
    the assigned one. `requests` has what it says that only the user can tell. `closing` has the
    lines that close it, which are no part of `content`. `uses` has what was looked up with our
    tools before it was written, and what came back; `tool_calls` what it calls itself; `searches`
    how often its vendor says that it has searched by itself; `calls` the tools of the user's
    program that a final answer calls, or a panelist would call. `samples`
    are those that it was chosen from: it cost nothing more than they did. `chosen` says of a final
    answer that nobody wrote it anew: it is a panelist's, and was paid for there. `findings` and
    `verdicts` are those of a review. An answer without a `model_id` was put together by code.
    """

    model_id: str
    model_alias: str
    round_number: int
    role: str
    content: str
    timestamp: datetime
    token_count: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    latency_ms: int | None = None
    error: str | None = None
    provider: str | None = None
    routing: Route | None = None
    analysis: dict[str, Any] = field(default_factory=dict)
    persona: str | None = None
    finish: Finish = Finish.COMPLETE
    error_kind: ErrorKind | None = None
    served_model: str | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    first_token_ms: int | None = None
    attempts: tuple[Attempt, ...] = ()
    cost_usd: float | None = None
    citations: tuple[Citation, ...] = ()
    cited_for: dict[str, tuple[str, ...]] = field(default_factory=dict)
    searches: int | None = None
    tool_calls: tuple[dict[str, Any], ...] = ()
    calls: tuple[ToolCall, ...] = ()
    uses: tuple[Use, ...] = ()
    agent_role: str | None = None
    perspective: str | None = None
    team: str | None = None
    position: str | None = None
    reasoning: str | None = None
    key_points: tuple[str, ...] = ()
    confidence: float | None = None
    stance: str | None = None
    stated_stance: str | None = None
    critique: dict[str, Any] | None = None
    ballot: tuple[tuple[str, ...], ...] | None = None
    questions: tuple[str, ...] = ()
    requests: tuple[str, ...] = ()
    closing: Closing | None = None
    findings: tuple[Defect, ...] = ()
    verdicts: tuple[FindingVerdict, ...] = ()
    matrix: Matrix | None = None
    flags: tuple[str, ...] = ()
    samples: SampleSpread | None = None
    chosen: Selection | None = None

    @property
    def bottom_line(self) -> str:
        """The position in its author's one sentence; empty where none was given."""
        if self.closing is not None:
            return self.closing.bottom_line
        return " ".join((self.position or "").split())

    @property
    def text(self) -> str:
        """Text for readers: the structured answer in plain words, or the content as it is."""
        if self.position is None:
            called = call_words(self.calls)
            # A panelist's proposal is told beside its text; what the panel does is part of it.
            if self.role == "synthesis" and called not in ("", self.content):
                return "\n\n".join(p for p in (self.content, called) if p)
            return self.content or called
        points = "".join(f"\n- {p}" for p in self.key_points)
        parts = (self.position, self.reasoning or "", points.strip("\n"))
        return "\n\n".join(p for p in parts if p)

    @property
    def usable(self) -> bool:
        """Return whether it is an opinion that others may read."""
        return self.error is None and self.finish in (Finish.COMPLETE, Finish.TRUNCATED)

    @property
    def may_be_over(self) -> bool:
        """Return whether it is no answer, for a reason that may have passed by now."""
        broke_off = self.finish is Finish.INCOMPLETE
        return not self.usable and (broke_off or self.error_kind in WORTH_ANOTHER_TRY)

    @property
    def by_code(self) -> bool:
        """Return whether code put it together: nobody was asked, and there is no price to know."""
        return self.model_alias == BY_CODE and not self.model_id

    @property
    def tries(self) -> int:
        """Return how often the request went out for it."""
        asked = self.samples is None and self.chosen is None and bool(self.model_id)
        # Chosen, sampled and code's own answers took no request of theirs; a person is not called.
        sent = self.finish is not Finish.UNSENT and asked and self.provider != HUMAN
        return len(self.attempts) + sent

    @property
    def served_by_another(self) -> bool:
        """Return whether the vendor says that another model answered than the one asked for."""
        if self.served_model is None or self.provider in RUN_HERE:
            return False
        return not same_model(self.model_id, self.served_model)


def adopt(response: Response, selection: Selection, at: datetime) -> Response:
    """A panelist's answer as the final one, without what it took: that is counted once."""
    return replace(
        response, role="synthesis", round_number=SYNTHESIS_ROUND, timestamp=at, chosen=selection,
        token_count=None, input_tokens=None, output_tokens=None, cached_tokens=None,
        reasoning_tokens=None, latency_ms=None, first_token_ms=None, cost_usd=None, attempts=(),
        requests=(), analysis={},
    )  # fmt: skip


def tokens_in(characters: int) -> int:
    """About how many tokens so many characters have."""
    return int(characters / 3.5)


def storable(response: Response) -> Response:
    """The response with what no file can hold (lone surrogates) replaced visibly."""
    try:
        response.content.encode()
        (response.error or "").encode()
    except UnicodeEncodeError:
        error = response.error and response.error.encode("utf-8", "replace").decode()
        content = response.content.encode("utf-8", "replace").decode()
        return replace(response, content=content, error=error)
    return response


def same_model(asked: str, served: str) -> bool:
    """Compare a served id with the asked one, but for a maker's prefix, a date or a variant's tag.

    Vendors answer `gpt-4o` with `gpt-4o-2024-08-06`, `claude-sonnet-4-5` with a dated id, and
    OpenRouter adds or drops `openai/` and `:free`. `-latest` may resolve to any version.
    """
    a, s = _bare(asked), _bare(served)
    if a == s or not s:
        return True
    if a.endswith("-latest"):
        return s.startswith(a.removesuffix("-latest"))
    rest = s.removeprefix(a) if s.startswith(a) else a.removeprefix(s) if a.startswith(s) else None
    return rest is not None and rest[:1] in "-@" and _is_version(rest[1:])


def _bare(model_id: str) -> str:
    name = model_id.lower().removeprefix("models/").rpartition("/")[2].partition(":")[0]
    # "claude-sonnet-5.5" at OpenRouter is "claude-sonnet-5-5" at its maker.
    return name.replace(".", "-")


def _is_version(tail: str) -> bool:
    """Return whether what follows a model's name only dates or numbers it: `20250929`, `001`."""
    digits = tail.replace("-", "")
    # Six digits are a date, "001" is a revision; but "gpt-4" and "gpt-4.1" are two models.
    return (digits.isdigit() and (len(digits) >= 6 or digits.startswith("0"))) or tail == "latest"
