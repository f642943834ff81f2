"""`dissent desktop`: one window and its server, which end together."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable
from contextlib import ExitStack

from mutual_dissent.config.settings import Settings
from mutual_dissent.surfaces.desktop import server, signals, single_instance

Say = Callable[[str], None]


def open_window(settings: Settings, say: Say) -> int:
    """Show the window until the user quits, or the one already open; return the exit code.

    Raises:
        NotServed: if the server does not start, or ends while the window is open.
    """
    home = settings.home
    # The browser's cache holds answers and the start address: only its owner may read it.
    os.umask(0o077)
    with ExitStack() as stack:
        if not single_instance.is_first(home, stack):
            say("the window was open already; it is shown")
            return 0
        page, process = stack.enter_context(server.run_server())
        from mutual_dissent.surfaces.desktop.window import DesktopWindow

        window = DesktopWindow(
            page, settings.desktop.hotkey, home.ensure(home.root / "desktop"), say
        )
        stack.enter_context(single_instance.listen_for_others(home, window.show))
        stack.enter_context(signals.report_signals(lambda number: window.quit(128 + number)))
        _watch(process, window.quit)
        code = window.run()
        if process.poll() is not None:
            raise server.NotServed("the server has ended, and with it the window; start it again")
        return code


def _watch(process: subprocess.Popen[bytes], gone: Callable[[], None]) -> None:
    """Close the window when its server ends: it would be useless."""

    def wait() -> None:
        process.wait()
        gone()

    threading.Thread(target=wait, daemon=True).start()
