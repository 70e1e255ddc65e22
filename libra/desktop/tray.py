"""The tray icon: draws what :func:`libra.desktop.menu.menu` says and calls what the app handed in.

``import pystray`` raises without a display, and it loads Pillow: it stands inside functions, so that the same
program runs headless.
"""

from __future__ import annotations

import logging
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from libra.desktop.menu import Action, Desk, IconState, Item, Menu, menu, problems
from libra.desktop.news import News
from libra.desktop.palette import Palette, Panel, ask
from libra.desktop.xmenu import XMenu
from libra.ground.paths import shipped
from libra.ground.program import environment_outside

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["Action", "Actions", "Desk", "IconState", "Item", "Menu", "Tray", "available", "menu"]

_log = logging.getLogger(__name__)

_REFRESH_S = 2.0
"""How often the state is asked for: no back end of pystray tells that a menu is about to open."""

_STOP_NOTICED_S = 1.0
"""How soon the plain X11 loop notices that it should end, in seconds."""


@dataclass(frozen=True, slots=True)
class Actions:
    """What clicks do. Each is called on the tray's thread and should return soon.

    Attributes:
        pause: Called with seconds, or None to pause until resumed, and a project, or None for everything.
        resume: Ends the pause of a project, or with None that of everything.
        off_record: Forgets a session, or with None the last minutes.
        compact: Starts a compaction.
        open_page: Shows the page.
        open_folder: Shows the data folder.
        at_login: Starts Libra at login from now on, or no more.
        connect: Connects the agents that are here.
        quit: Asks the app to stop; the app then calls :meth:`Tray.stop`.
    """

    pause: Callable[[int | None, str | None], object]
    resume: Callable[[str | None], object]
    off_record: Callable[[str | None], object]
    compact: Callable[[], object]
    open_page: Callable[[], object]
    open_folder: Callable[[], object]
    at_login: Callable[[bool], object]
    connect: Callable[[], object]
    quit: Callable[[], object]

    def perform(self, item: Item) -> None:
        """Call what a menu line stands for; a line that only tells something does nothing."""
        calls: dict[Action, Callable[[], object]] = {
            Action.PAUSE: lambda: self.pause(item.seconds, item.about),
            Action.RESUME: lambda: self.resume(item.about),
            Action.OFF_RECORD: lambda: self.off_record(item.about),
            Action.COMPACT: self.compact,
            Action.OPEN_PAGE: self.open_page,
            Action.OPEN_FOLDER: self.open_folder,
            Action.AT_LOGIN: lambda: self.at_login(not item.checked),
            Action.CONNECT: self.connect,
            Action.QUIT: self.quit,
        }
        if item.action is not None:
            calls[item.action]()


def available() -> tuple[bool, str]:
    """Say whether an icon can be shown here, and why not, or what it will lack.

    Returns:
        ``(True, "")``; ``(True, note)`` if it is another than the desktop's own; ``(False, reason)``.
    """
    if _lacks_display():
        return False, "no display: neither DISPLAY nor WAYLAND_DISPLAY is set"
    _quieten()
    try:
        import pystray
    except Exception as error:  # noqa: BLE001 - each back end fails in its own way without a display
        return False, f"no tray here: {type(error).__name__}: {error}"
    return True, "" if pystray.Icon.HAS_MENU else "an icon with a menu of our own (plain X11)"


def host_there() -> bool | None:
    """Say whether something on this X display takes icons in; None where that cannot be told (other systems, Wayland)."""
    if sys.platform in {"win32", "darwin"} or not os.environ.get("DISPLAY"):
        return None
    try:
        from Xlib import X
        from Xlib.display import Display

        display = Display()
        try:
            owner = display.get_selection_owner(
                display.intern_atom(f"_NET_SYSTEM_TRAY_S{display.get_default_screen()}")
            )
        finally:
            display.close()
    except Exception:  # noqa: BLE001 - whatever a display raises, it is not known then
        return None
    return bool(owner != X.NONE)


def advice(env: Mapping[str, str], *, host: bool | None) -> str | None:
    """Return what to do where nothing shows icons; None where something does, or may.

    Args:
        env: The environment: it names the desktop.
        host: From :func:`host_there`.
    """
    if host is not False:
        return None
    if "GNOME" in env.get("XDG_CURRENT_DESKTOP", "").upper().split(":"):
        return (
            "GNOME shows icons with the extension AppIndicator and KStatusNotifierItem Support"
            " (Debian, Ubuntu: gnome-shell-extension-appindicator); until then `libra open` shows the page"
        )
    return "add a system tray to the panel (XEmbed or StatusNotifier); until then `libra open` shows the page"


class Tray:
    """The icon while it is shown. It keeps no state of Libra, only what it drew last.

    Args:
        status: Returns the result of the method ``status``.
        actions: What clicks do.
        desk: Returns what this desktop has beside the app.
        refresh_s: Seconds between two looks at the state.
    """

    def __init__(
        self,
        status: Callable[[], Mapping[str, Any]],
        actions: Actions,
        desk: Callable[[], Desk] = Desk,
        *,
        refresh_s: float = _REFRESH_S,
    ) -> None:
        self._status = status
        self._actions = actions
        self._desk = desk
        self._news = News()
        self._problems: tuple[str, ...] = ()
        self._refresh_s = refresh_s
        self._stop = threading.Event()
        self._panel = Panel(None)
        self._drawn: Menu | None = None
        self._pictured: tuple[Palette, IconState] | None = None
        self._images: dict[tuple[Palette, IconState], Image] = {}
        self.shown = threading.Event()
        """Set once the icon was drawn for the first time."""

    def run(self) -> None:
        """Show the icon until :meth:`stop`; call it on the main thread (macOS demands it).

        Raises:
            Exception: Whatever the desktop's back end raises when it cannot start; ask :func:`available` first.
        """
        _quieten()
        import pystray

        try:
            self._show(pystray)
        except Exception as error:
            if self._stop.is_set() or not pystray.Icon.HAS_MENU or not os.environ.get("DISPLAY"):
                raise
            _log.warning(
                "the desktop's own icon failed (%s): a plain one takes its place", type(error).__name__
            )
            self._show(_plain())

    def _show(self, pystray: Any) -> None:
        first = self._look()
        # The plain X11 back end drops how opaque a pixel is: only a plate looks well there.
        self._panel = Panel(ask if pystray.Icon.HAS_MENU else None)
        self._pictured = (self._panel.palette(time.monotonic()), first.icon_state)
        icon = pystray.Icon(
            "libra", self._image(*self._pictured), first.title, pystray.Menu(lambda: self._entries(pystray))
        )
        self._drawn = first
        if self._pictured[0] is Palette.TEMPLATE:
            as_template(icon)
        failed = threading.Event()
        follow = (
            (lambda shown: None if failed.is_set() else self._follow(shown))
            if icon.HAS_MENU
            else self._mend_xorg(icon)
        )
        try:
            icon.run(setup=follow)
        except Exception as error:
            failed.set()
            # One that fails before it was ready leaves the thread of its setup waiting, and the process would never end.
            icon._Icon__queue.put(None)  # noqa: SLF001 - pystray 0.19.5, ``_base.Icon._start_setup``
            if not self._stop.is_set():
                raise
            # GTK's back end hides notifications at the end, which fails on a desktop that has none.
            _log.info("the icon's back end ended with %s", type(error).__name__)

    def stop(self) -> None:
        """Take the icon away; may be called from any thread, more than once, also before :meth:`run`."""
        self._stop.set()

    def _follow(self, icon: Any) -> None:
        """Keep the icon true; runs on the thread that pystray starts beside its loop."""
        try:
            icon.visible = True
            self.shown.set()
            while not self._stop.wait(self._refresh_s):
                self._refresh(icon)
        finally:
            icon.stop()

    def _mend_xorg(self, icon: Any) -> Callable[[Any], None]:
        """Make pystray's plain X11 back end, which has no menu, hear clicks and always end.

        Its window asks for no button events, so that a click on the icon is never reported. And it talks to the
        X server from two threads over one connection of python-xlib, where a message that the loop waits for
        can stay unread for ever: here all talk happens on the loop's thread.

        Source: pystray 0.19.5, ``_xorg.Icon._create_window``, ``_rewrite_implementation`` and ``_events``.

        Returns:
            What to hand to pystray as its setup: a function that does nothing.
        """
        from Xlib import X

        icon._window.change_attributes(event_mask=X.ExposureMask | X.StructureNotifyMask | X.ButtonPressMask)  # noqa: SLF001
        icon._thread = threading.current_thread()  # noqa: SLF001 - a call from this thread is made at once
        icon._events = lambda: self._xorg_events(icon)  # noqa: SLF001
        return lambda _icon: None

    def _xorg_events(self, icon: Any) -> Iterator[Any]:
        """Yield the X server's events until :meth:`stop`, and keep the icon true between them."""
        from Xlib import X

        display, window = icon._display, icon._window  # noqa: SLF001 - see _mend_xorg
        shown = XMenu(display, self._click)
        icon.visible = True
        self.shown.set()
        due = time.monotonic() + self._refresh_s
        while not self._stop.is_set():
            while display.pending_events():
                event = display.next_event()
                if shown.takes(event):
                    continue
                if event.type == X.ButtonPress and event.detail == X.Button3 and event.window == window:
                    shown.open(event.root_x, event.root_y, (self._drawn or self._look()).items)
                    continue
                yield event
            if time.monotonic() >= due:
                self._refresh(icon)
                due = time.monotonic() + self._refresh_s
                continue  # what was asked of the server may have brought events along
            select.select([display.fileno()], [], [], min(self._refresh_s, _STOP_NOTICED_S))
        shown.close()
        icon.stop()

    def _refresh(self, icon: Any) -> None:
        now, before = self._look(), self._drawn
        self._tell(icon)
        picture = (self._panel.palette(time.monotonic()), now.icon_state)
        if picture != self._pictured:
            self._pictured = picture
            icon.icon = self._image(*picture)
        if now == before:  # an open menu stays open
            return
        self._drawn = now
        icon.title = now.title
        icon.update_menu()

    def _look(self) -> Menu:
        try:
            status, desk = self._status(), self._desk()
        except Exception as error:  # noqa: BLE001 - the icon must outlive a part of the app that fails
            _log.warning("status failed: %s", type(error).__name__)
            status, desk = {"error": f"status failed ({type(error).__name__}); see the log"}, Desk()
        self._problems = problems(status)
        return menu(status, desk)

    def _tell(self, icon: Any) -> None:
        """Say a new problem once; several at a time are one message."""
        fresh = self._news.fresh(self._problems, time.monotonic())
        if not fresh:
            return
        try:
            notify(icon, "Libra has a problem", "\n".join(fresh))
        except Exception as error:  # noqa: BLE001 - the menu shows the problem, too
            _log.info("the desktop shows no messages: %s", type(error).__name__)

    def _entries(self, pystray: Any) -> list[Any]:
        drawn = self._drawn or self._look()
        return [self._entry(pystray, item) for item in drawn.items]

    def _entry(self, pystray: Any, item: Item) -> Any:
        if not item.label:
            return pystray.Menu.SEPARATOR
        if item.under:
            return pystray.MenuItem(item.label, pystray.Menu(*(self._entry(pystray, i) for i in item.under)))
        checked = None if item.checked is None else lambda _drawn: bool(item.checked)
        return pystray.MenuItem(
            item.label,
            lambda: self._click(item),
            checked=checked,
            enabled=item.action is not None,
            default=item.default,
        )

    def _click(self, item: Item) -> None:
        try:
            self._actions.perform(item)
        except Exception as error:  # noqa: BLE001 - a failed click must not end the icon's loop
            _log.warning("%s failed: %s", item.action, type(error).__name__)

    def _image(self, palette: Palette, state: IconState) -> Image:
        wanted = (palette, state)
        if wanted not in self._images:
            from PIL import Image

            with Image.open(shipped("assets") / "icons" / palette / f"{state.value}.png") as file:
                self._images[wanted] = file.convert("RGBA")
        return self._images[wanted]


def as_template(icon: Any) -> None:
    """Have macOS draw each picture of this icon in the colour of its menu bar, which pystray does not ask for.

    Source: pystray 0.19.5, ``_darwin.Icon._assert_image``: makes a new ``NSImage`` for each picture.
    """
    theirs = icon._assert_image  # noqa: SLF001 - no other way

    def ours() -> None:
        theirs()
        icon._icon_image.setTemplate_(True)  # noqa: SLF001 - AppKit's own

    icon._assert_image = ours  # noqa: SLF001


def notify(icon: Any, title: str, text: str) -> None:
    """Show a message by the icon's back end, or where that has none by the desktop's own program.

    Raises:
        OSError: There is no such program.
        Exception: Whatever the back end raises.
    """
    if icon.HAS_NOTIFICATION:
        icon.notify(text, title)
    else:
        words = ["notify-send", "--app-name=Libra", "--icon=dialog-warning", "--", title, text]
        quiet = subprocess.DEVNULL
        subprocess.Popen(words, stdout=quiet, stderr=quiet, env=environment_outside(os.environ))  # noqa: S603


def _lacks_display() -> bool:
    """Return True on a Unix desktop system whose session has no display."""
    if sys.platform in {"win32", "darwin"}:
        return False
    return not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _plain() -> Any:
    """Return pystray with its plain X11 back end, for desktops whose own one cannot run, such as GTK's without a session bus."""
    os.environ["PYSTRAY_BACKEND"] = "xorg"
    for name in [name for name in sys.modules if name.partition(".")[0] == "pystray"]:
        del sys.modules[name]
    import pystray

    del os.environ["PYSTRAY_BACKEND"]  # for this process alone, not for those that it starts
    return pystray


def _quieten() -> None:
    """Keep pystray's own log, a traceback for each failed redraw, off the terminal."""
    theirs = logging.getLogger("pystray")
    theirs.propagate = False
    if not theirs.handlers:
        theirs.addHandler(logging.NullHandler())
