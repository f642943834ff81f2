"""`dissent desktop` where there is no window to open: what it says, and what it does instead."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fakes.command_line import dissent, started, wait_until
from mutual_dissent.config.settings import load_settings
from mutual_dissent.core.errors import BadConfig
from mutual_dissent.surfaces.desktop.menu_entry import entry

PACKAGED = Path(__file__).parents[2] / "packaging" / "mutual-dissent.desktop"
WITHOUT = "import sys\nsys.modules['pytauri_wheel'] = None\n"
BROWSER = '#!/bin/sh\nprintf %s "$1" > "$OPENED"\n'


def test_without_the_extra_it_says_what_to_install_and_opens_the_browser(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(WITHOUT)
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(BROWSER)
    browser.chmod(0o700)
    env = {
        "PYTHONPATH": str(tmp_path),
        "BROWSER": str(browser),
        "OPENED": str(opened),
        "DISPLAY": ":54321",
    }
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with started("desktop", env=env, **pipes) as process:
        said = process.stderr.readline().decode()
        assert "pip install 'mutual-dissent[desktop]'" in said
        assert process.stderr.readline() == b"until then, the pages are served for a browser\n"
        wait_until(lambda: opened.exists() and opened.read_text().startswith("file://"))
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate()
    assert process.returncode == 130
    assert b"/?token=" in out


@pytest.mark.desktop
def test_a_display_that_is_not_there_is_said():
    pytest.importorskip("pytauri_wheel", reason="SKIPPED: pip install 'mutual-dissent[desktop]'")
    code = (
        "import os; from mutual_dissent.surfaces.desktop import requirements; "
        "print(requirements.lacking(os.environ))"
    )
    for name in ("", ":54321"):
        env = {"DISPLAY": name, "PATH": "", "PYTHONPATH": ":".join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, check=True
        )
        assert b"no display" in done.stdout


def test_the_entry_is_written_for_the_applications_menu(tmp_path):
    result = dissent("desktop", "--install-entry", XDG_DATA_HOME=str(tmp_path / "my data"))
    assert result.exit_code == 0
    written = tmp_path / "my data" / "applications" / "mutual-dissent.desktop"
    assert str(written) in result.stdout
    lines = dict(line.split("=", 1) for line in written.read_text().splitlines() if "=" in line)
    assert lines["Exec"].endswith(" desktop")
    assert Path(lines["Icon"]).read_bytes().startswith(b"<svg")


def test_the_packaged_entry_is_the_one_that_is_written():
    assert PACKAGED.read_text() == entry()


def test_odd_paths_are_quoted_as_the_standard_wants():
    text = entry(('/my "apps"/100%/$x', "desktop"))
    assert 'Exec="/my \\\\"apps\\\\"/100%%/\\\\$x" desktop\n' in text


@pytest.mark.parametrize("keys", ["Ctrl+Alt+D", "super+shift+space", "Alt+F12", "off"])
def test_a_hotkey_can_be_chosen_or_switched_off(own_home, keys):
    assert dissent("config", "set", "desktop.hotkey", keys).exit_code == 0
    assert load_settings().desktop.hotkey == keys


@pytest.mark.parametrize("keys", ["D", "Ctrl+", "Ctrl+Alt", "Ctrl+é", "Ctrl+A B", "Ctrl+A&x=1", ""])
def test_what_is_no_hotkey_is_refused_with_an_example(own_home, keys):
    own_home.mkdir()
    (own_home / "config.toml").write_text(f'[desktop]\nhotkey = "{keys}"\n')
    with pytest.raises(BadConfig, match="Super\\+Shift\\+Space"):
        load_settings()


def test_the_servers_process_ends_with_its_pipe(own_home):
    command = [sys.executable, "-m", "mutual_dissent.surfaces.desktop.server_process"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:
        assert b"/?token=" in process.stdout.readline()
        _, said = process.communicate()
    assert process.returncode == 0
    assert said == b""
