"""A wire to a server that can fall silent for a while, without anybody being told."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Self
from urllib.parse import parse_qs, urlsplit


class Wire:
    """Carries bytes to and from a server: one that listens in a folder, or at a port."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        folder = parse_qs(parts.query).get("host")
        self._there = f"{folder[0]}/.s.PGSQL.5432" if folder else (parts.hostname, parts.port)
        user = f"{parts.username}@" if parts.username else ""
        self._door = socket.create_server(("127.0.0.1", 0))
        self._sound = threading.Event()
        self._sound.set()
        self._ends: list[socket.socket] = []
        port = self._door.getsockname()[1]
        self.url = f"{parts.scheme}://{user}127.0.0.1:{port}{parts.path}"
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._sound.set()
        for end in (self._door, *self._ends):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def mute(self) -> None:
        """Carry nothing more; what was sent arrives later."""
        self._sound.clear()

    def unmute(self) -> None:
        """Carry what has piled up, and go on."""
        self._sound.set()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                here, _ = self._door.accept()
                family = socket.AF_UNIX if isinstance(self._there, str) else socket.AF_INET
                there = socket.socket(family)
                there.connect(self._there)
                self._ends += [here, there]
                for ends in ((here, there), (there, here)):
                    threading.Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while piece := source.recv(1 << 16):
                self._sound.wait()
                sink.sendall(piece)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)
