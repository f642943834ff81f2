"""`dissent desktop` on a screen of its own: window, tray, hotkey, one instance, no orphan."""

from __future__ import annotations

import re
import signal

import psutil
import pytest

from fakes.command_line import program
from fakes.desktop import desktop, display, wait_until
from fakes.patience import LONG
from mutual_dissent.surfaces.desktop.menu_entry import entry

pytestmark = pytest.mark.desktop

HOTKEY = "ctrl+alt+m"


@pytest.fixture
def screen(tmp_path):
    """A display and a message bus."""
    (tmp_path / "screen").mkdir()
    with display(tmp_path / "screen") as found:
        yield found


@pytest.fixture(scope="module")
def window(tmp_path_factory):
    """One window on a display of its own, for the tests that leave it open."""
    folder = tmp_path_factory.mktemp("desk")
    with display(folder) as found, desktop(found, folder / "home") as window:
        yield window


def hidden(window) -> None:
    """Close the window, as somebody does who is done for now."""
    (shown,) = window.display.shown()
    window.display.close(shown)
    wait_until(lambda: not window.display.shown())


def asked(window) -> int:
    """How often the page was opened: each time, its script asks for the models, and is let in."""
    found = re.search(r'requests_total{.*"/api/models",status="200"} (\d+)', window.numbers())
    return int(found[1]) if found else 0


def test_the_window_shows_the_page_which_its_own_server_serves(window):
    wait_until(lambda: asked(window))
    wait_until(lambda: window.display.colours() > 100)


def test_menus_know_the_window_by_the_name_in_its_entry(window):
    assert f"StartupWMClass={window.display.kind()}\n" in entry()


def test_closing_hides_the_window_and_the_hotkey_brings_it_back(window):
    hidden(window)
    assert window.process.poll() is None
    assert window.servers()
    # The key is registered by a page that is loaded when the window is: it may take a moment.
    wait_until(lambda: (window.display.press(HOTKEY), window.display.shown())[1])


def test_the_tray_brings_the_window_back(window):
    hidden(window)
    window.display.choose("Show")
    wait_until(window.display.shown)


def test_the_tray_opens_the_page_for_a_new_debate(window):
    wait_until(lambda: asked(window))
    before = asked(window)
    hidden(window)
    window.display.choose("New debate")
    wait_until(window.display.shown)
    wait_until(lambda: asked(window) > before)


def test_a_second_start_shows_the_first_window(window):
    hidden(window)
    env = {**window.display.env, "MUTUAL_DISSENT_HOME": str(window.home)}
    second = program("desktop", **env)
    assert second.returncode == 0
    assert b"open already" in second.stderr
    assert window.display.shown()
    assert len(window.servers()) == 1


def test_a_hotkey_that_another_program_has_is_said(window, own_home):
    with desktop(window.display, own_home) as second:
        said = next(line for line in second.process.stderr if b"hotkey" in line)
        assert b"choose another: dissent config set desktop.hotkey KEYS" in said
        second.process.terminate()
        assert second.process.wait(LONG) == 143


def test_the_start_address_stands_on_no_command_line(window):
    for process in window.everyone():
        assert not any("token=" in word for word in process.cmdline())


def test_what_the_window_keeps_is_for_its_owner_alone(window):
    cache = window.home.parent / ".cache" / "mutual-dissent"
    wait_until(cache.exists)
    for folder in (cache, window.home):
        assert folder.stat().st_mode & 0o077 == 0


def test_quit_in_the_tray_ends_the_window_and_its_server(window):
    everyone = window.everyone()
    assert len(everyone) > 2
    window.display.choose("Quit")
    assert window.process.wait(LONG) == 0
    assert not psutil.wait_procs(everyone, LONG)[1]
    assert not (window.home / "desktop.bell").exists()


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)],
)
def test_no_end_leaves_an_orphan(screen, own_home, number, code):
    with desktop(screen, own_home) as found:
        everyone = found.everyone()
        found.process.send_signal(number)
        assert found.process.wait(LONG) == code
        assert not psutil.wait_procs(everyone, LONG)[1]


def test_a_window_whose_server_died_says_so_and_ends(screen, own_home):
    with desktop(screen, own_home) as found:
        (server,) = found.servers()
        server.kill()
        _, said = found.process.communicate(timeout=LONG)
    assert found.process.returncode == 1
    assert said.decode().splitlines()[-1] == (
        "dissent: the server has ended, and with it the window; start it again"
    )
