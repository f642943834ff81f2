"""The native window, its tray icon and its hotkey, on Tauri.

The pages show text that models write, so their window has no capability: Tauri refuses its calls.
Only a hidden window, whose page is a file of ours, may register hotkeys.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from pytauri import AppHandle, Listener, RunEvent, RunEventType, WebviewUrl, WindowEvent
from pytauri.menu import Menu, MenuItem
from pytauri.tray import TrayIcon
from pytauri.webview import WebviewWindow, WebviewWindowBuilder
from pytauri_plugins import global_shortcut
from pytauri_wheel.lib import builder_factory, context_factory

SHELL = Path(__file__).parent.absolute() / "shell"
TITLE = "Mutual Dissent"
SIZE, LEAST = (1280.0, 860.0), (420.0, 480.0)
BACKGROUND = (18, 21, 28, 255)
MENU = {"show": "Show", "new": "New debate", "quit": "Quit"}


class DesktopWindow:
    """A window on one address; its methods may be called from any thread.

    Args:
        start: the address of the page, with its token.
        hotkey: the keys that show the window, or `off`.
        data: the folder for the browser's storage.
        say: shows the user a message.
    """

    def __init__(self, start: str, hotkey: str, data: Path, say: Callable[[str], None]) -> None:
        self._start, self._hotkey, self._say = start, hotkey, say
        # Pages can call no Tauri command of ours: none is registered.
        self._app = builder_factory().build(
            context_factory(SHELL), invoke_handler=None, plugins=[global_shortcut.Builder.build()]
        )
        self._handle = self._app.handle()
        self._page = self._pages(data)
        self._tray = self._icon()
        self._code, self._is_over = 0, False
        if hotkey != "off":
            self._keys = self._hidden(data)

    def run(self) -> int:
        """Show it until the user quits; return the exit code. Only in the thread that made it."""
        self._app.run_return(self._on_event)  # its own result is 0 whatever code `exit` got
        self._is_over = True
        return self._code

    def show(self) -> None:
        """Bring it to the front."""
        if self._is_over:
            return
        self._page.unminimize()
        self._page.show()
        self._page.set_focus()

    def new_debate(self) -> None:
        """Show the page where a question is asked."""
        self._page.navigate(urljoin(self._start, "/"))
        self.show()

    def quit(self, code: int = 0) -> None:
        """End `run`; later calls do nothing, where Tauri would end the whole process."""
        if self._is_over:
            return
        self._code = code
        self._handle.exit(code)

    def _pages(self, data: Path) -> WebviewWindow:
        return WebviewWindowBuilder.build(
            self._app,
            "pages",
            WebviewUrl.External(self._start),
            title=TITLE,
            inner_size=SIZE,
            min_inner_size=LEAST,
            visible=False,  # until it can take messages
            background_color=BACKGROUND,
            data_directory=data,
            on_navigation=lambda url: is_ours(url, self._start),
            on_document_title_changed=lambda window, title: window.set_title(title or TITLE),
        )

    # Only a page can register a hotkey. Pages with models' words have no power (decision 16), so
    # that one of our own does it, out of sight.
    def _hidden(self, data: Path) -> WebviewWindow:
        listen = {
            "hotkey-pressed": lambda _: self.show(),
            "hotkey-refused": lambda event: self._say(
                f"the hotkey {self._hotkey} cannot be had ({event.payload}); "
                "choose another: dissent config set desktop.hotkey KEYS"
            ),
        }
        for name, act in listen.items():
            Listener.listen(self._handle, name, act)
        page = WebviewUrl.App(f"index.html#{self._hotkey}")
        return WebviewWindowBuilder.build(
            self._app, "keys", page, title=TITLE, visible=False, data_directory=data
        )

    def _icon(self) -> TrayIcon:
        items = [MenuItem.with_id(self._handle, id_, text, True) for id_, text in MENU.items()]
        tray = TrayIcon.with_id(self._handle, "tray")
        tray.set_icon(self._handle.default_window_icon())
        tray.set_tooltip(TITLE)
        tray.set_menu(Menu.with_items(self._handle, items))
        self._handle.on_menu_event(self._on_menu)
        return tray

    def _on_menu(self, _handle: AppHandle, chosen: str) -> None:
        acts = {"show": self.show, "new": self.new_debate, "quit": self.quit}
        if act := acts.get(chosen):  # on other systems, programs have further menus
            act()

    def _on_event(self, _handle: AppHandle, event: RunEventType) -> None:
        match event:
            case RunEvent.Ready():
                self.show()
            case RunEvent.WindowEvent(event=WindowEvent.CloseRequested() as closing):
                closing.api.prevent_close()
                self._page.hide()  # to the tray
            case _:
                pass


def is_ours(url: str, start: str) -> bool:
    """Return whether a URL belongs to the window's own server; the window visits no other."""
    there, here = urlsplit(url.removeprefix("blob:")), urlsplit(start)
    return (there.scheme, there.netloc) == (here.scheme, here.netloc)
