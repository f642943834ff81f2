"""A collector or webhook: keeps what is posted to it, and answers as told."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True)
class Post:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Receiver:
    """Answers with one status after the other, the last one for ever; None is no answer at all."""

    def __init__(self, *statuses: int | None) -> None:
        self._statuses = list(statuses or (200,))
        self.posts: list[Post] = []
        self._leaving = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {k.lower(): v for k, v in self.headers.items()}
                receiver.posts.append(Post(self.path, headers, body))
                if (status := receiver._next()) is None:
                    receiver._leaving.wait()
                    return
                self.send_response(status)
                self.send_header("Location", "/elsewhere")
                body = b"" if status == 204 else b"{}"
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def _next(self) -> int | None:
        return self._statuses.pop(0) if len(self._statuses) > 1 else self._statuses[0]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._leaving.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
