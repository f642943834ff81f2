"""The runtime of the embedded model: loaded once a process, quiet, and gone before the process is.

Learned the hard way: a process that ends while an answer is being written crashes, so an exit
first cancels and waits. A running request notices a cancellation only between two batches, so the
batches are small and progress through the prompt is reported. The runtime also listens on a port
of this machine, so it gets a random key that is given to no client.
"""

from __future__ import annotations

import atexit
import os
import secrets
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mutual_dissent.core.errors import DissentError
from mutual_dissent.providers.local.options import WINDOW, LocalOptions

SILENT = -1
BATCH = 64
EXIT_SECONDS = 10.0

OnChunk = Callable[[str], bool]
"""Takes one JSON chunk in the runtime's thread; returns whether to stop."""


class Llama:
    """Loaded weights that complete chats, several at once."""

    def __init__(self, path: Path, options: LocalOptions, at_once: int) -> None:
        self._server: Any = _server(path, options, at_once)
        self._idle = threading.Condition()
        self._running = 0
        self._closed = False

    def complete(self, body: str, on_chunk: OnChunk) -> None:
        """Answer one request of OpenAI's shape; blocks until it is done or stopped.

        Raises:
            ValueError: if the request cannot be worked on.
        """
        with self._idle:
            if self._closed:
                return
            self._running += 1
            server = self._server
        try:
            server.handle_chat_completions(body, lambda chunk: self._closed or on_chunk(chunk))
        finally:
            # Else this frame would hold the memory that `close` means to free.
            del server
            with self._idle:
                self._running -= 1
                self._idle.notify_all()

    def close(self) -> None:
        """Stop what is running, wait for it, and free the memory."""
        with self._idle:
            self._closed = True
            if self._idle.wait_for(lambda: self._running == 0, EXIT_SECONDS):
                self._server = None


_lock = threading.Lock()
_loaded: dict[str, Llama] = {}


def load(path: Path, options: LocalOptions, at_once: int, check: Callable[[Path], None]) -> Llama:
    """Return the loaded model; the first call of a process loads it, with its own options.

    Args:
        path: the weights.
        options: how to run them.
        at_once: the most answers at once.
        check: raises if the weights are not the right ones; called before they are loaded.

    Raises:
        DissentError: if the runtime is missing or the weights cannot be loaded.
    """
    with _lock:
        if str(path) not in _loaded:
            check(path)
            if not _loaded:
                atexit.register(unload)
            _loaded[str(path)] = Llama(path, options, at_once)
        return _loaded[str(path)]


def unload() -> None:
    """Stop and free every loaded model."""
    with _lock:
        while _loaded:
            _loaded.popitem()[1].close()


def _server(path: Path, options: LocalOptions, at_once: int) -> Any:
    if options.busy_machine:
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # read when the runtime is imported
    try:
        import xllamacpp
    except ImportError:
        raise DissentError(
            "the embedded model's runtime is not installed; "
            'run `pip install "mutual-dissent[local]"`'
        ) from None
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_parallel = at_once
    # The runtime divides its context among the answers that it writes at once.
    params.n_ctx = WINDOW * at_once
    params.n_batch = params.n_ubatch = BATCH
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.thread_count
    params.verbosity = SILENT
    params.api_keys = [secrets.token_hex(16)]
    params.ui = params.endpoint_slots = params.fit_params = False
    params.cache_ram_mib = 0
    try:
        return xllamacpp.Server(params)
    except RuntimeError:
        # In MB: the weights, the runtime itself, and the context of each answer.
        needed = path.stat().st_size // 1_000_000 + 50 + 95 * at_once
        raise DissentError(
            f"the embedded model could not be loaded from {path}; it needs about {needed} MB of "
            "memory; if there is enough, pull it again"
        ) from None
