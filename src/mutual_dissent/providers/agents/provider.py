"""Agent programs as panelists: each ask is one run of an installed program, without tools."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mutual_dissent.core.errors import UserError, clip
from mutual_dissent.core.panel import Route
from mutual_dissent.core.ports import OnText
from mutual_dissent.core.response import Ask, ErrorKind, Finish, Response, same_model
from mutual_dissent.providers.agents.conversation import AgentTalk
from mutual_dissent.providers.agents.output import MOST_TEXT, Hearing
from mutual_dissent.providers.agents.process import (
    MOST_ERRORS,
    Running,
    fill_placeholders,
    surroundings,
    workplace,
)
from mutual_dissent.providers.agents.table import Program, ProgramOptions, missing
from mutual_dissent.providers.agents.words import classify_failure
from mutual_dissent.providers.dialects.base import VendorError
from mutual_dissent.providers.dialects.finish import verdict
from mutual_dissent.providers.http.rate_limit import Gate
from mutual_dissent.providers.messages import KEPT_OTHERWISE
from mutual_dissent.providers.redaction import excerpt
from mutual_dissent.providers.responses import answer, failure

# WORD JOINER: readers do not see it, and a path with it names no file.
JOINER = "\u2060"
_TOKENS = re.compile(r"(\s+)")
_MENTION = re.compile(r"(?<!\w)@")
_KINDS = {Finish.REFUSED: ErrorKind.REFUSED, Finish.FILTERED: ErrorKind.FILTERED}


class Programs:
    """Asks installed agent programs. A program chooses its model itself, unless one is named."""

    def __init__(
        self, options: ProgramOptions, env: Mapping[str, str], most_text: int = MOST_TEXT
    ) -> None:
        """Set up; nothing is started yet.

        Args:
            options: the known programs.
            env: the variables that they may read by name.
            most_text: bytes of text that are kept of an answer.
        """
        self._options, self._env, self._most = options, env, most_text
        self._gate: tuple[asyncio.AbstractEventLoop, Gate] | None = None

    async def ask(self, ask: Ask, on_text: OnText) -> Response:
        """Return the answer to one ask, or a response that says why there is none."""
        try:
            route = ask.panelist.route
            program, model = self._options.find(route.model_id, route.vendor)
        except UserError as e:
            return failure(ask, ErrorKind.UNKNOWN_MODEL, str(e))
        if why := self._options.bar_reason(program):
            return failure(ask, ErrorKind.BAD_REQUEST, why)
        path = self._options.path_of(program)
        if path is None:
            return failure(ask, ErrorKind.CONNECTION, missing(program))
        return await self._ask(ask, on_text, program, (path, *_words(program, model)))

    async def warm_up(self, routes: Sequence[Route]) -> None:
        """Do nothing: every answer is a run of its own."""

    async def _ask(
        self, ask: Ask, on_text: OnText, program: Program, command: tuple[str, ...]
    ) -> Response:
        call = _Call(ask, program, _hearing(program, on_text, self._most))
        deadline = asyncio.get_running_loop().time() + ask.timeout
        try:
            async with self._queue().until(deadline):
                with workplace(program, ask.system) as folder:
                    env = surroundings(program, self._env, self._options.withheld, folder)
                    await call.run(fill_placeholders(command, folder), folder, env, deadline)
        except TimeoutError:
            call.is_late = True
        except OSError as e:
            sentence = f"{call.who} could not be started: {e.strerror or e}"
            return failure(ask, ErrorKind.CONNECTION, sentence)
        return call.response()

    def _queue(self) -> Gate:
        """Return the queue that limits concurrent runs; it belongs to its event loop."""
        loop = asyncio.get_running_loop()
        if self._gate is None or self._gate[0] is not loop:
            self._gate = (loop, Gate(self._options.concurrency))
        return self._gate[1]


class _Call:
    """One run of a program, and its result."""

    def __init__(self, ask: Ask, program: Program, hearing: Hearing) -> None:
        self._ask, self._program, self._hearing = ask, program, hearing
        self.who = f"{program.vendor}:{clip(ask.panelist.model_id)}"
        self.is_late = False
        self._code: int | None = None
        self._errors = ""
        self._started = self._ended = time.monotonic()

    async def run(
        self, command: tuple[str, ...], folder: Path, env: dict[str, str], until: float
    ) -> None:
        self._started = time.monotonic()
        async with asyncio.timeout_at(until):
            running = await Running.start(command, folder, env, self._hearing.take)
            try:
                self._code = await self._exchange(running, folder)
            finally:
                await running.stop()
                self._ended = time.monotonic()
                self._errors = running.errors
        if running.is_flooded:
            self._hearing.flood = f"wrote more than {MOST_ERRORS // 1_000_000} MB of errors"
        if self._code is not None:
            self._hearing.end(self._code)

    async def _exchange(self, running: Running, folder: Path) -> int | None:
        """Tell the program what is asked, all at once or in its protocol."""
        if isinstance(self._hearing, AgentTalk):
            self._hearing.begin(running.say, str(folder / "work"), self._input())
            return await running.end()
        return await running.finish(self._input().encode("utf-8", "replace"))

    def response(self) -> Response:
        """Build the response of the run."""
        hearing, (finish, problem) = self._hearing, self._verdict()
        first = hearing.first
        return answer(
            self._ask,
            hearing.reading,
            "".join(hearing.reading.text),
            finish,
            latency_ms=_ms(max(self._started, self._ended) - self._started),
            first_token_ms=None if first is None else _ms(first - self._started),
            attempts=(),
            error=self._sentence(problem) if problem else None,
            error_kind=problem.kind if problem else None,
        )

    def _input(self) -> str:
        ask = self._ask
        text = ask.text if self._program.takes_system else f"{ask.system}\n\n{ask.text}"
        return harmless(text)

    def _verdict(self) -> tuple[Finish, VendorError | None]:
        reading = self._hearing.reading
        problem = self._problem()
        if problem is None:
            finish = verdict(reading)
            if finish in (Finish.COMPLETE, Finish.TRUNCATED):
                return finish, self._another_model()
            kind = _KINDS.get(finish, ErrorKind.BAD_RESPONSE)
            return finish, replace(_unusable(f"gave no answer: it is {finish}"), kind=kind)
        return Finish.INCOMPLETE if "".join(reading.text).strip() else Finish.FAILED, problem

    def _problem(self) -> VendorError | None:
        """Return why there is no answer, apart from what is in it."""
        hearing, reading = self._hearing, self._hearing.reading
        if reading.error:
            return replace(reading.error, message=f"failed: {reading.error.message}")
        if hearing.flood:
            return _unusable(hearing.flood)
        if self.is_late:
            return self._late()
        if reading.finish is not None:  # errors after the answer do not matter
            return None
        if self._code:
            words = self._errors or hearing.noise
            ended = _unusable(f"ended with exit code {self._code}{_colon(words)}")
            return replace(ended, kind=classify_failure(words).kind)
        return _unusable(f"wrote no answer that can be read{_colon(hearing.noise or self._errors)}")

    def _late(self) -> VendorError:
        trouble = self._hearing.reading.state.get("trouble")
        # The program went on trying; what it was refused for says more than that time was up.
        if isinstance(trouble, VendorError) and not self._hearing.reading.text:
            return replace(trouble, message=f"tried until its time was up: {trouble.message}")
        limit = f"{self._ask.timeout:g} s"
        message = f"did not finish in {limit}; give it more with a longer call timeout"
        return VendorError(kind=ErrorKind.TIMEOUT, message=message)

    def _another_model(self) -> VendorError | None:
        """Return what is wrong under `--strict-model`, where a model was named."""
        asked = self._ask.panelist.model_id.partition("/")[2]
        served = self._hearing.reading.served_model
        if not (self._ask.strict_model and asked and served) or same_model(asked, served):
            return None
        return _unusable(f"answered with {clip(served)}; {KEPT_OTHERWISE}")

    def _sentence(self, problem: VendorError) -> str:
        words = excerpt(problem.message, None, 300)
        if problem.kind is ErrorKind.AUTH:
            how = self._program.login or "log in with it"
            return f"{self.who} is not logged in: {words.removeprefix('failed: ')}; {how}"
        return f"{self.who} {words}"


def _hearing(program: Program, on_text: OnText, most: int) -> Hearing:
    kind = AgentTalk if program.output == "acp" else Hearing
    return kind(program.output, on_text, most)


def harmless(text: str) -> str:
    """Return the text with every mention of a file (`@/etc/passwd`) broken by an invisible joiner.

    Programs attach the files that a prompt mentions, and a panelist's prompt quotes other models. A
    name without a slash can only mean a file of the empty folder that the program works in.
    """
    if "@" not in text:
        return text
    return "".join(map(_unmentioned, _TOKENS.split(text)))


def _unmentioned(token: str) -> str:
    if "@" not in token or not any(mark in token for mark in "/\\~\"'"):
        return token
    return _MENTION.sub(f"@{JOINER}", token)


def _words(program: Program, model: str) -> tuple[str, ...]:
    """Return the command after its first word, with the model if one is named."""
    return (*program.command[1:], *((program.model_flag, model) if model else ()))


def _unusable(message: str) -> VendorError:
    return VendorError(kind=ErrorKind.BAD_RESPONSE, message=message)


def _colon(words: str) -> str:
    return f": {words}" if words else ""


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1000))
