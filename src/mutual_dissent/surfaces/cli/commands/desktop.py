"""`dissent desktop`: the pages in a window of their own, with a tray icon and a hotkey."""

from __future__ import annotations

import os
import sys

import click

from mutual_dissent.surfaces.cli.commands import serve
from mutual_dissent.surfaces.cli.options import examples
from mutual_dissent.surfaces.process.failure import report_failure, say


@click.command(
    "desktop",
    epilog=examples(
        "dissent desktop",
        "dissent desktop --install-entry",
        "dissent config set desktop.hotkey Super+Shift+Space",
    ),
)
@click.option(
    "--install-entry",
    is_flag=True,
    help="Write an entry for the applications menu (Linux), and open nothing.",
)
@click.pass_context
def command(ctx: click.Context, install_entry: bool) -> int:
    """Open the pages in a native window, with a tray icon and a hotkey.

    Closing the window leaves it in the tray; the hotkey, the tray or another `dissent desktop`
    brings it back, and Quit in the tray ends it with its server. Without the parts it needs, it
    says what to install, and the browser is opened instead.
    """
    from mutual_dissent.surfaces.desktop import menu_entry, requirements

    if install_entry:
        click.echo(f"The entry is {menu_entry.install(os.environ)}")
        return 0
    if sentence := requirements.lacking(os.environ):
        say(sentence)
        say("until then, the pages are served for a browser")
        return int(ctx.invoke(serve.command) or 0)
    return _open()


def _open() -> int:
    from mutual_dissent.config.settings import load_settings
    from mutual_dissent.surfaces.desktop.start import open_window

    try:
        code = open_window(load_settings(), say)
    except BaseException as e:  # noqa: BLE001 - reported as everywhere, then we end
        code = report_failure(e)
    sys.stdout.flush()
    # Threads of the window's library may wait for the interpreter; at a usual end they abort.
    os._exit(code)
