"""A page that models write into has no power over the window that shows it, or over the machine."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from fakes.desktop import display, wait_until

pytestmark = pytest.mark.desktop

ASKED = {
    "plugin:event|emit": {"event": "hotkey-pressed", "payload": None},
    "plugin:event|listen": {"event": "hotkey-pressed", "target": {"kind": "Any"}, "handler": 1},
    "plugin:global-shortcut|register": {"shortcuts": ["Ctrl+Q"], "handler": "__CHANNEL__:1"},
    "plugin:global-shortcut|unregister_all": {},
    "plugin:window|close": {"label": "pages"},
    "plugin:webview|create_webview_window": {"options": {"label": "x", "url": "data:,"}},
    "plugin:app|version": {},
    "plugin:path|resolve_directory": {"directory": 1},
    "plugin:resources|close": {"rid": 1},
    "plugin:fs|read_file": {"path": "/etc/hostname"},
    "plugin:shell|execute": {"program": "true"},
    "plugin:opener|open_url": {"url": "http://127.0.0.1/"},
    "plugin:pytauri|pyfunc": {},
}
"""What a page could ask of the native side, if it were let."""

PAGE = """<!doctype html><title>Mutual Dissent</title><body><script>
const tell = (name, what) => fetch("/told", { method: "POST", body: JSON.stringify([name, what]) });
const put = (tag, fields) =>
  document.body.appendChild(Object.assign(document.createElement(tag), fields));
const far = "FAR", asked = ASKED;
const ways = [
  () => window.open(far + "open"),
  () => put("iframe", { src: far + "frame" }),
  () => put("a", { href: far + "blank", target: "_blank" }).click(),
  () => put("a", { href: far + "link" }).click(),
  () => put("form", { action: far + "form", method: "post" }).submit(),
  () => { location.href = far + "href"; },
  () => { location.href = "file:///etc/hostname"; },
  () => { location.href = "tauri://localhost/index.html"; },
  () => { location.href = "data:text/html,elsewhere"; },
];
(async () => {
  for (const [name, fields] of Object.entries(asked))
    await window.__TAURI_INTERNALS__.invoke(name, fields).then(
      () => tell(name, "obeyed"), (why) => tell(name, String(why)));
  for (const way of ways) {
    way();
    await new Promise((next) => setTimeout(next, 100));
  }
  await tell("here", location.href);
})();
</script>"""

WINDOW = """
import pathlib, sys
from mutual_dissent.surfaces.desktop.window import DesktopWindow
DesktopWindow(sys.argv[1], "Ctrl+Alt+M", pathlib.Path(sys.argv[2]), print).run()
"""


class Site(ThreadingHTTPServer):
    """A page, what it told us, and who else came."""

    def __init__(self, page: str = "") -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.page, self.came, self.told = page, [], {}
        self.url = f"http://127.0.0.1:{self.server_port}/"


class _Answers(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        self.server.came.append(self.path)
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.path == "/told":
            name, what = json.loads(body)
            self.server.told[name] = what
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(self.server.page.encode())

    do_POST = do_GET  # noqa: N815 - the name that the server looks for

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(site: Site) -> Iterator[Site]:
    thread = threading.Thread(target=site.serve_forever)
    thread.start()
    try:
        yield site
    finally:
        site.shutdown()
        thread.join()
        site.server_close()


def test_a_hostile_page_gets_nothing_from_the_window_and_leads_nowhere(tmp_path):
    with display(tmp_path) as screen, served(Site()) as far:
        page = PAGE.replace("FAR", far.url).replace("ASKED", json.dumps(ASKED))
        with served(Site(page)) as near:
            command = [sys.executable, "-c", WINDOW, near.url, str(tmp_path / "data")]
            with subprocess.Popen(command, env=screen.env) as process:
                try:
                    wait_until(lambda: "here" in near.told)
                    assert screen.shown()
                finally:
                    process.kill()
    assert near.told.pop("here") == near.url
    assert near.told == {name: f"Command {name} not allowed by ACL" for name in ASKED}
    assert far.came == []
