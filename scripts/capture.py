"""Take the pictures of the README: the real program in a terminal, drawn as SVG.

`make capture` runs it. The panel is a vendor on this machine that says what capture.json tells it,
so that nobody's key is used and no real model's words are made up. The pictures load nothing from
elsewhere: no fonts, no scripts.
"""

from __future__ import annotations

import io
import json
import os
import re
import select
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
COLUMNS, ROWS = 114, 34
PATIENCE = 60.0
QUIET = 0.03  # seconds without output after which a frame is whole; frames come every 0.08

SCRIPT = json.loads((ROOT / "scripts" / "capture.json").read_text("utf-8"))
COMMAND = ("dissent", "ask", SCRIPT["query"], "--panel", "ada,bob,cyd", "--seed", "3")

SETTINGS = """
[prices]
refresh = false

[endpoints.scripted-vendor]
base_url = "{url}/v1"

[model_aliases]
ada = {{ direct = "ada-1", vendor = "scripted-vendor" }}
bob = {{ direct = "bob-1", vendor = "scripted-vendor" }}
cyd = {{ direct = "cyd-1", vendor = "scripted-vendor" }}
"""

DARK = TerminalTheme(
    (22, 24, 29),
    (214, 217, 222),
    [
        (40, 44, 52),
        (224, 108, 117),
        (152, 195, 121),
        (229, 192, 123),
        (97, 175, 239),
        (198, 120, 221),
        (86, 182, 194),
        (171, 178, 191),
    ],
)
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


class Screen:
    """A terminal that knows what the live view sends: styles, cursor up, erase line."""

    CODE = re.compile(
        r"\x1b\[(?:(?P<up>\d+)A|(?P<erase>2?)K|\?(?:25|2026)[lh]|(?P<style>[0-9;]*m))|[\r\n]"
    )

    def __init__(self) -> None:
        """An empty screen."""
        self.lines = [""]
        self.row = 0

    def write(self, text: str) -> None:
        """Show more text."""
        at = 0
        for found in self.CODE.finditer(text):
            self.lines[self.row] += text[at : found.start()] + (found[0] if found["style"] else "")
            at = found.end()
            self._move(found)
        self.lines[self.row] += text[at:]

    def _move(self, found: re.Match[str]) -> None:
        if found[0] == "\n":
            self.row += 1
            self.lines += [""] * (self.row == len(self.lines))
        elif found["up"]:
            self.row = max(0, self.row - int(found["up"]))
        elif found["erase"] is not None:
            self.lines[self.row] = ""

    @property
    def drawn(self) -> str:
        """Everything on the screen, with its styles."""
        return "\n".join(self.lines).rstrip()

    @property
    def text(self) -> str:
        """The same without styles."""
        return Text.from_ansi(self.drawn).plain


class Watched:
    """The program on a terminal of its own, and what it shows."""

    def __init__(self, terminal: int) -> None:
        """Read what is written to `terminal`."""
        self.screen = Screen()
        self._terminal = terminal
        self._rest = b""
        self._ended = False

    def until(self, what: Callable[[str], bool]) -> str:
        """What the screen shows when a whole frame first looks so."""
        while not what(self.screen.text):
            assert not self._ended, f"it never came to that:\n{self.screen.text}"
            self._read()
        return self.screen.drawn

    def ending(self) -> str:
        """What the screen shows when the program has ended."""
        while not self._ended:
            self._read()
        return self.screen.drawn

    def _read(self) -> None:
        """Take in everything up to the next short silence."""
        wait = PATIENCE
        while select.select([self._terminal], [], [], wait)[0]:
            try:
                piece = os.read(self._terminal, 65_536)
            except OSError:  # how Linux says that the other side is closed
                piece = b""
            if not piece:
                self._ended = True
                return
            self._take(piece)
            wait = QUIET
        assert wait == QUIET, "the program is silent"

    def _take(self, piece: bytes) -> None:
        """Keep an unfinished character or control code for the next piece."""
        data = self._rest + piece
        cut = data.rfind(b"\x1b", len(data) - 12)
        whole = len(data) if cut < 0 or re.search(rb"[A-Za-z]", data[cut:]) else cut
        while whole and _splits_a_character(data, whole):
            whole -= 1
        self._rest = data[whole:]
        self.screen.write(data[:whole].decode())


def _splits_a_character(data: bytes, at: int) -> bool:
    try:
        data[:at].decode()
    except UnicodeDecodeError:
        return True
    return False


@contextmanager
def vendor() -> Iterator[str]:
    """A vendor on this machine that says what it is told; its address."""
    script = {
        "models": {model: [_turn(t) for t in texts] for model, texts in SCRIPT["said"].items()}
    }
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(script, file)
        file.flush()
        fake = ROOT / "tests" / "fakes" / "vendor.py"
        command = [sys.executable, str(fake), "--script", file.name]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
            assert process.stdout
            try:
                yield process.stdout.readline().strip()
            finally:
                process.terminate()


def _turn(text: str) -> dict[str, object]:
    words = len(text.split())
    bill = {"in": 400 + 3 * words, "out": int(words * 1.4), "cost": round(words * 2e-5, 4)}
    return {"text": text, "token_delay": 0.05, "usage": bill}


@contextmanager
def watched(home: Path) -> Iterator[Watched]:
    """The command, started on a terminal of a fixed size."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "MUTUAL_DISSENT_HOME": str(home)}
    env |= {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
    words = [sys.executable, "-m", "mutual_dissent", *COMMAND[1:]]
    with subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, env=env):  # noqa: S603
        os.close(theirs)
        yield Watched(ours)
    os.close(ours)


def svg(screen: str, name: str, title: str) -> str:
    """A screen as a picture that loads nothing."""
    page = Console(
        width=COLUMNS, record=True, file=io.StringIO(), force_terminal=True,
        color_system="truecolor", highlight=False,
    )  # fmt: skip
    page.print(Text(f"$ {shlex.join(COMMAND)}", style="bold"))
    page.print(Text.from_ansi(screen))
    bare = re.sub(r"@font-face \{\{.*?\}\}|<!--.*?-->", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    bare = bare.replace("Fira Code, monospace", FONT).replace("arial", FONT)
    drawn = page.export_svg(title=title, theme=DARK, code_format=bare, unique_id=name)
    return re.sub(r"[ \t]+$", "", drawn, flags=re.MULTILINE).strip() + "\n"


def in_the_middle(shown: str) -> bool:
    """Whether somebody is done with round 1 while others still write."""
    return "round 1 of" in shown and "done" in shown and shown.count("writing") == 2


def main() -> None:
    """Hold the debate once, and take both pictures."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, vendor() as url:
        home = Path(folder)
        (home / "config.toml").write_text(SETTINGS.format(url=url), "utf-8")
        with watched(home) as program:
            live = program.until(in_the_middle)
            answer = program.ending()
    for name, screen in {"live": live, "answer": answer}.items():
        picture = svg(screen, f"dissent-{name}", "dissent (answers and bill by a scripted vendor)")
        (IMAGES / f"{name}.svg").write_text(picture, "utf-8")
        print(f"docs/images/{name}.svg: {len(picture) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
