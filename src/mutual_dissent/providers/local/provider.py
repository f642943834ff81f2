"""The embedded model as a provider: real answers without any key, written in this process."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import orjson

from mutual_dissent.core.errors import DissentError, clip
from mutual_dissent.core.panel import Route
from mutual_dissent.core.ports import OnText
from mutual_dissent.core.response import Ask, ErrorKind, Finish, Response
from mutual_dissent.providers.dialects.base import PartialAnswer
from mutual_dissent.providers.dialects.finish import verdict
from mutual_dissent.providers.dialects.openai import OPENAI_CHAT
from mutual_dissent.providers.endpoints import Endpoint
from mutual_dissent.providers.local import llama, weights
from mutual_dissent.providers.local.options import WINDOW, LocalOptions
from mutual_dissent.providers.responses import answer, failure

T = TypeVar("T")

HERE = Endpoint(vendor="local", dialect="openai-chat", base_url="", needs_key=False)
SCHEMA_TOKENS = 256
"""The least limit of an answer in JSON: half an object is worth nothing."""


class Local:
    """Asks the embedded model. It is loaded by the first ask or warm-up, and stays loaded."""

    def __init__(self, options: LocalOptions, models: Path) -> None:
        """Set up; nothing is loaded yet.

        Args:
            options: how the model is run.
            models: the user's folder for weights.
        """
        self._options, self._models = options, models
        self._loop: asyncio.AbstractEventLoop | None = None
        self._slots: dict[str, asyncio.Semaphore] = {}
        self._answering: set[Telling] = set()

    async def ask(self, ask: Ask, on_text: OnText) -> Response:
        """Return the answer to one ask, or a response that says why there is none.

        Its time is for writing: loading, waiting for its turn and reading the prompt do not count.
        """
        name = ask.panelist.model_id
        if name not in weights.TABLE and weights.find(self._models, name) is None:
            return failure(ask, ErrorKind.UNKNOWN_MODEL, _not_embedded(name, self._models))
        telling = Telling(on_text)
        try:
            model = await self._model(name)
            async with self._slot(name), telling.within(ask.timeout):
                await self._tell(model, self._body(ask), telling)
        except DissentError as e:
            return failure(ask, ErrorKind.BAD_REQUEST, str(e))
        except TimeoutError:
            return telling.late(ask)
        return telling.response(ask)

    async def warm_up(self, routes: Sequence[Route]) -> None:
        """Load the models that will be asked; a failure is left to the ask that meets it."""
        for name in dict.fromkeys(r.model_id for r in routes):
            with suppress(DissentError):
                await self._model(name)

    async def aclose(self) -> None:
        """Stop what is being written; the model stays loaded for the process."""
        for telling in self._answering:
            telling.stopped = True

    async def _model(self, name: str) -> llama.Llama:
        return await in_thread(lambda: self._load(name))

    def _load(self, name: str) -> llama.Llama:
        path = weights.find(self._models, name)
        if path is None:
            raise DissentError(_not_here(name))
        return llama.load(path, self._options, self._options.at_once(name), weights.check)

    def _slot(self, name: str) -> asyncio.Semaphore:
        """Return the queue for a model's answers at once; it belongs to its event loop."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._slots = loop, {}
        return self._slots.setdefault(name, asyncio.Semaphore(self._options.at_once(name)))

    def _body(self, ask: Ask) -> str:
        usual = self._options.most_tokens(ask.panelist.model_id)
        most = max(usual, SCHEMA_TOKENS) if ask.schema else usual
        full = replace(
            ask,
            max_tokens=ask.max_tokens or most,
            temperature=self._options.temperature if ask.temperature is None else ask.temperature,
        )
        body = OPENAI_CHAT.request(full, HERE).body
        # Progress lets the time start again with each batch of the prompt, and a stop be noticed.
        return orjson.dumps({**body, "return_progress": True}).decode()

    async def _tell(self, model: llama.Llama, body: str, telling: Telling) -> None:
        self._answering.add(telling)
        telling.begin()
        try:
            await in_thread(lambda: model.complete(body, telling.take_chunk))
            telling.drain()
        except ValueError as e:
            raise DissentError(f"the embedded model cannot do this: {clip(str(e), 200)}") from None
        finally:
            telling.stopped = True
            self._answering.discard(telling)


class Telling:
    """One answer on its way: chunks come in the model's thread, text goes out in the event loop."""

    def __init__(self, on_text: OnText) -> None:
        self.stopped = False
        self._limit = asyncio.timeout(None)
        self._seconds = 0.0
        self._on_text = on_text
        self._loop = asyncio.get_running_loop()
        self._chunks: deque[str] = deque()
        self._called = False
        self._reading = PartialAnswer()
        self._too_long: int | None = None
        self._started = time.monotonic()
        self._first: float | None = None

    def within(self, seconds: float) -> asyncio.Timeout:
        """Return a limit that counts from the last progress in the prompt, and then for writing."""
        self._seconds, self._limit = seconds, asyncio.timeout(seconds)
        return self._limit

    def begin(self) -> None:
        """Start the model's time: loading and waiting are not its own."""
        self._started = time.monotonic()

    def take_chunk(self, chunk: str) -> bool:
        """Take a chunk in the model's thread; return whether to stop."""
        # One wake-up of the loop takes all chunks that came meanwhile; a deque needs no lock.
        self._chunks.append(chunk)
        if not self._called and not self.stopped:
            self._called = True
            try:
                self._loop.call_soon_threadsafe(self.drain)
            except RuntimeError:  # the loop is gone, and with it the caller
                self.stopped = True
        return self.stopped

    def drain(self) -> None:
        """Pass on everything heard so far as one piece."""
        self._called = False
        pieces = []
        while self._chunks:
            pieces.append(self._read(self._chunks.popleft()))
        if text := "".join(pieces):
            self._first = self._first or time.monotonic()
        if text and not self.stopped:
            self._on_text(text)
        elif self._first is None and not self._limit.expired():
            self._limit.reschedule(self._loop.time() + self._seconds)  # it still reads its prompt

    def response(self, ask: Ask) -> Response:
        """Return the response to the ask."""
        if self._too_long is not None:
            return failure(ask, ErrorKind.BAD_REQUEST, _overflow(self._too_long))
        if error := self._reading.error:
            sentence = f"the embedded model failed: {clip(error.message, 200)}"
            return self._answer(ask, Finish.FAILED, error.kind, sentence)
        finish = verdict(self._reading)
        if finish in (Finish.COMPLETE, Finish.TRUNCATED):
            return self._answer(ask, finish)
        kind = ErrorKind.CANCELLED if finish is Finish.INCOMPLETE else ErrorKind.BAD_RESPONSE
        return self._answer(ask, finish, kind, f"the embedded model's answer is {finish}")

    def late(self, ask: Ask) -> Response:
        """Return the response when time is up; a partial answer is kept."""
        finish = Finish.INCOMPLETE if self._reading.text else Finish.FAILED
        sentence = (
            f"the embedded model did not finish in {ask.timeout:g} s; give it more with a "
            "longer call timeout, or set local.busy_machine if other programs use the cores"
        )
        return self._answer(ask, finish, ErrorKind.TIMEOUT, sentence)

    def _read(self, chunk: str) -> str:
        if "exceed_context_size" in chunk and self._overflowed(chunk):
            return ""
        return OPENAI_CHAT.read_event(self._reading, "", chunk)

    def _overflowed(self, chunk: str) -> bool:
        error = orjson.loads(chunk).get("error")
        if not isinstance(error, dict):
            return False  # the model itself said the word
        self._too_long = int(error.get("n_prompt_tokens") or WINDOW)
        return True

    def _answer(
        self, ask: Ask, finish: Finish, kind: ErrorKind | None = None, error: str | None = None
    ) -> Response:
        reading = self._reading
        reading.served_model = ask.panelist.model_id
        reading.vendor_cost_usd = 0.0  # it runs on the user's own machine
        first = self._first
        return answer(
            ask,
            reading,
            "".join(reading.text),
            finish,
            latency_ms=_ms(time.monotonic() - self._started),
            first_token_ms=None if first is None else _ms(first - self._started),
            attempts=(),
            error=error,
            error_kind=kind,
        )


async def in_thread(work: Callable[[], T]) -> T:
    """Run work in a daemon thread, which never delays the end of the process."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        finished: Future[T] = Future()
        try:
            finished.set_result(work())
        except Exception as e:  # noqa: BLE001 - it is raised again where it is awaited
            finished.set_exception(e)
        with suppress(RuntimeError):  # the loop is gone, and with it the caller
            loop.call_soon_threadsafe(settle, finished)

    def settle(finished: Future[T]) -> None:
        if done.cancelled():
            return
        if problem := finished.exception():
            done.set_exception(problem)
        else:
            done.set_result(finished.result())

    threading.Thread(target=run, name="embedded-model", daemon=True).start()
    return await done


def _overflow(tokens: int) -> str:
    return (
        f"the request has {tokens:,} tokens and the embedded model takes {WINDOW:,} with its "
        "answer; shorten the query or its context, or seat a model that takes more"
    )


def _not_here(name: str) -> str:
    step = weights.TABLE[name].next_step if name in weights.TABLE else "pull it again"
    return f"the weights of the embedded model {clip(name)} are not here; {step}"


def _not_embedded(name: str, models: Path) -> str:
    known = dict.fromkeys([*weights.names(models), weights.SMALL])
    listed = ", ".join(f"local:{n}" for n in known)
    return f"no embedded model is called {clip(name)!r}; there is {clip(listed, 200)}"


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1000))
