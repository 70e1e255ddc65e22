"""The tray itself: on a real X server with a system tray of ours, and where there is no display at all."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from libra.desktop.menu import Action, Desk, IconState, Item, menu
from libra.desktop.palette import Palette, Panel
from libra.desktop.tray import Actions, Tray, as_template
from libra.desktop.xmenu import Row, rows
from libra.ground.paths import shipped
from tests.desktop.display import virtual_display

WAIT_S = 20.0

CHILD = """
import sys, threading
from libra.desktop.tray import Actions, Tray, available

def say(word):
    print(word, flush=True)

state = {"ready": True, "degraded": []}
tray = Tray(lambda: state, Actions(
    pause=lambda s, p: say(f"pause {s} {p}"), resume=lambda p: say("resume"), compact=lambda: say("compact"),
    off_record=lambda s: say(f"off {s}"), open_page=lambda: say("page"), at_login=lambda on: say(f"login {on}"),
    connect=lambda: say("connect"), open_folder=lambda: say("open_folder"), quit=lambda: say("quit")), refresh_s=0.05)

def listen():
    for line in sys.stdin:
        if line.strip() == "degrade":
            state["degraded"] = ["embedding"]
        else:
            tray.stop()

print(available(), flush=True)
threading.Thread(target=listen, daemon=True).start()
tray.run()
say("ended")
"""


class SystemTray:
    """The other side of the tray protocol: takes the icon's window in and can be asked what it shows."""

    def __init__(self, display_name: str) -> None:
        from Xlib import X
        from Xlib.display import Display

        self.display = Display(display_name)
        screen = self.display.screen()
        self.window = screen.root.create_window(
            0, 0, 64, 64, 0, screen.root_depth, event_mask=X.PropertyChangeMask
        )
        self.window.map()
        self.window.set_selection_owner(self.display.intern_atom("_NET_SYSTEM_TRAY_S0"), X.CurrentTime)
        self.display.sync()

    def close(self) -> None:
        """Leave the X server; the library itself would leave its socket to the garbage collector."""
        self.display.close()
        self.display.display.socket.close()

    def docked(self) -> Any:
        """Wait for an icon's request to be taken in, and return its window."""
        from Xlib import X

        opcode = self.display.intern_atom("_NET_SYSTEM_TRAY_OPCODE")
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            if not self.display.pending_events():
                self.display.sync()
                continue
            event = self.display.next_event()
            if event.type == X.ClientMessage and event.client_type == opcode:
                icon = self.display.create_resource_object("window", event.data[1][2])
                icon.configure(width=64, height=64)
                icon.reparent(self.window, 0, 0)
                icon.map()
                self.display.sync()
                return icon
        pytest.fail("no icon asked to be taken in")

    def wait_for_colour(self, icon: Any, rgb: tuple[int, int, int]) -> None:
        """Wait until the icon's plate has this colour, give or take a little."""
        from Xlib import X

        seen: tuple[int, ...] = ()
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            raw = icon.get_image(32, 4, 1, 1, X.ZPixmap, 0xFFFFFFFF).data
            seen = (raw[2], raw[1], raw[0])
            if all(abs(a - b) < 12 for a, b in zip(seen, rgb, strict=True)):
                return
        pytest.fail(f"the icon shows {seen}, not {rgb}")

    def click(self, window: Any, button: int = 1, at: tuple[int, int] = (10, 10)) -> None:
        """Press and release a button on a window, as a person's mouse does."""
        from Xlib import X
        from Xlib.ext import xtest

        place = window.translate_coords(self.display.screen().root, 0, 0)
        xtest.fake_input(self.display, X.MotionNotify, x=at[0] - place.x, y=at[1] - place.y)
        xtest.fake_input(self.display, X.ButtonPress, button)
        xtest.fake_input(self.display, X.ButtonRelease, button)
        self.display.sync()

    def key(self, symbol: int) -> None:
        """Press and release a key."""
        from Xlib import X
        from Xlib.ext import xtest

        code = self.display.keysym_to_keycode(symbol)
        xtest.fake_input(self.display, X.KeyPress, code)
        xtest.fake_input(self.display, X.KeyRelease, code)
        self.display.sync()

    def menu(self, *, there: bool = True) -> Any:
        """Wait until the menu's window is there (and drawn), or gone."""
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            found = [w for w in self.display.screen().root.query_tree().children if named_libra(w)]
            if bool(found) == there:
                return found[0] if found else None
        pytest.fail("the menu did not open" if there else "the menu did not close")


def named_libra(window: Any) -> bool:
    """Say whether a window is the menu; one that goes away meanwhile is not."""
    from Xlib.error import BadWindow

    try:
        return bool(window.get_wm_name() == "Libra")
    except BadWindow:
        return False


@pytest.fixture(scope="module")
def x_server() -> Iterator[str]:
    """Yield the name of a display on a virtual X server."""
    with virtual_display() as (name, _process):
        yield name


@pytest.fixture
def system_tray(x_server: str) -> Iterator[SystemTray]:
    """Yield a system tray that waits for icons."""
    tray = SystemTray(x_server)
    yield tray
    tray.close()


def environment(**changes: str) -> dict[str, str]:
    """Return this process's environment without any display or desktop, and with the checkout importable."""
    desktop = {"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"}
    kept = {k: v for k, v in os.environ.items() if k not in desktop}
    return kept | {"PYTHONPATH": str(Path(__file__).parents[2])} | changes


@contextmanager
def killed_when_late(child: subprocess.Popen[str]) -> Iterator[None]:
    """End a child that says nothing any more, so that reading from it fails the test instead of hanging it."""
    timer = threading.Timer(2 * WAIT_S, child.kill)
    timer.start()
    try:
        yield
    except BaseException:
        child.kill()  # else its end would be waited for
        raise
    finally:
        timer.cancel()


@contextmanager
def shown_on(x_server: str, code: str = CHILD) -> Iterator[subprocess.Popen[str]]:
    """Show the icon in a process of its own, which is ended if it does not end."""
    with (
        subprocess.Popen(
            [sys.executable, "-c", code],
            env=environment(DISPLAY=x_server, PYSTRAY_BACKEND="xorg"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as child,
        killed_when_late(child),
    ):
        yield child


def test_the_menu_opens_and_its_lines_are_clicked(x_server: str, system_tray: SystemTray) -> None:
    """On plain X11 the right button opens the menu; mouse and keyboard choose from it, Escape and a click beside close it."""
    with shown_on(x_server) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.readline()
        icon = system_tray.docked()
        system_tray.wait_for_colour(icon, (0x2F, 0x7D, 0xD1))
        line = next(row for row in rows(menu({"ready": True}).items, 18) if row.item.action is Action.COMPACT)
        for choose in (
            lambda shown: system_tray.click(shown, at=(40, line_of(shown, line))),
            lambda _shown: (*(system_tray.key(0xFF54) for _ in range(5)), system_tray.key(0xFF0D)),
        ):
            system_tray.click(icon, button=3)
            choose(system_tray.menu())
            assert child.stdout.readline() == "compact\n"
            system_tray.menu(there=False)
        for leave in (
            lambda _s: system_tray.key(0xFF1B),
            lambda shown: system_tray.click(shown, at=(-20, -20)),
        ):
            system_tray.click(icon, button=3)
            leave(system_tray.menu())
            system_tray.menu(there=False)
        print("stop", file=child.stdin, flush=True)
        assert child.stdout.readline() == "ended\n"
        assert child.stderr.read() == ""


def line_of(shown: Any, row: Row, items: tuple[Item, ...] | None = None) -> int:
    """Return the middle of a row in a window whose font may differ from the one that the row was laid out for."""
    height = shown.get_geometry().height
    whole = rows(items or menu({"ready": True}).items, 18)
    return int((row.y + row.height / 2) * height / (whole[-1].y + whole[-1].height + 6))


def test_icon_is_shown_follows_the_state_and_hears_a_click(x_server: str, system_tray: SystemTray) -> None:
    """On a real X server: the icon docks, changes colour with the state, a click arrives, stop ends it."""
    with shown_on(x_server) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline().startswith("(True, 'an icon with a menu of our own")
        icon = system_tray.docked()
        system_tray.wait_for_colour(icon, (0x2F, 0x7D, 0xD1))
        print("degrade", file=child.stdin, flush=True)
        system_tray.wait_for_colour(icon, (0xD9, 0x9A, 0x1C))
        system_tray.click(icon)
        assert child.stdout.readline() == "open_folder\n"
        print("stop", file=child.stdin, flush=True)
        assert child.stdout.readline() == "ended\n"
        assert child.wait(WAIT_S) == 0
        assert child.stderr.read() == ""


NO_BUS = """
import os, queue, sys, threading

if os.environ.get("PYSTRAY_BACKEND") == "xorg":  # the real one
    sys.path.remove(os.path.dirname(os.path.dirname(__file__)))
    del sys.modules["pystray"]
    import pystray
else:
    class Menu:
        SEPARATOR = None
        def __init__(self, *_):
            pass

    class MenuItem(Menu):
        pass

    class Icon:
        HAS_MENU = HAS_NOTIFICATION = True
        def __init__(self, *_):
            self._Icon__queue = queue.Queue()
        def run(self, setup):
            threading.Thread(target=lambda: (self._Icon__queue.get(), setup(self))).start()
            raise OSError("no session bus")
"""
"""A pystray whose back end for the desktop fails as GTK's does where there is no session bus: before it was ready."""


def test_where_the_desktops_own_icon_fails_a_plain_one_is_shown(
    x_server: str, system_tray: SystemTray, tmp_path: Path
) -> None:
    """Without a session bus GTK's back end fails: there was no icon at all, and a program that could not be ended."""
    (tmp_path / "pystray").mkdir()
    (tmp_path / "pystray" / "__init__.py").write_text(NO_BUS, "utf-8")
    path = os.pathsep.join([str(tmp_path), environment()["PYTHONPATH"]])
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD],
        env=environment(DISPLAY=x_server, PYTHONPATH=path),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with child, killed_when_late(child):
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.readline() == "(True, '')\n"
        system_tray.wait_for_colour(system_tray.docked(), (0x2F, 0x7D, 0xD1))
        print("stop", file=child.stdin, flush=True)
        assert child.stdout.readline() == "ended\n"
        assert child.wait(WAIT_S) == 0


def test_every_line_of_the_menu_is_clicked(x_server: str, system_tray: SystemTray) -> None:
    """Else a line of the menu could do nothing, or what its neighbour is for."""
    status = {
        "ready": True,
        "degraded": [],
        "talk": {"key": "claude-code:s1", "host": "claude-code", "project": "/home/dev/harbour"},
    }
    desk = Desk(page=True, at_login=False, agents=(("Claude Code", False),))
    shown = menu(status, desk)
    wanted = {
        "For 15 minutes": "pause 900 None", "For 1 hour": "pause 3600 None", "Until resumed": "pause None None",
        "Project harbour, until resumed": "pause None /home/dev/harbour", "Forget the last 10 minutes": "off None",
        "Forget this session (claude-code, harbour)": "off claude-code:s1", "Compact now": "compact", "Open Libra": "page",
        "Open data folder": "open_folder", "Start at login": "login True", "Connect agents": "connect", "Quit": "quit",
    }  # fmt: skip
    clickable = [line for item in shown.items for line in (item, *item.under) if line.action is not None]
    assert [line.label for line in clickable] == [*_in_order(shown.items)]
    assert {line.label for line in clickable} == set(wanted)
    code = CHILD.replace('state = {"ready": True, "degraded": []}', f"from libra.desktop.menu import Desk\nstate = {status!r}").replace(
        "refresh_s=0.05", f"desk=lambda: {desk!r}, refresh_s=0.05"
    )  # fmt: skip
    with shown_on(x_server, code) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdout.readline()
        icon = system_tray.docked()
        system_tray.wait_for_colour(icon, (0x2F, 0x7D, 0xD1))
        laid = [row for row in rows(shown.items, 18) if row.item.action is not None]
        assert [row.item.label for row in laid] == [line.label for line in clickable]
        for row in laid:
            system_tray.click(icon, button=3)
            window = system_tray.menu()
            system_tray.click(window, at=(40, line_of(window, row, shown.items)))
            assert child.stdout.readline() == f"{wanted[row.item.label]}\n"
            system_tray.menu(there=False)
        print("stop", file=child.stdin, flush=True)
        assert child.stdout.readline() == "ended\n"


def _in_order(items: tuple[Item, ...]) -> Iterator[str]:
    """Yield the labels of what can be clicked, top to bottom."""
    for item in items:
        if item.action is not None:
            yield item.label
        yield from _in_order(item.under)


def test_a_dark_desktop_is_asked_by_its_portal(tmp_path: Path) -> None:
    """Who told the desktop to be dark is heard; without a session bus, or a portal, the answer is none and no error."""
    code = "from libra.desktop.palette import ask; print(ask())"
    portal = tmp_path / "busctl"
    portal.write_text(
        '#!/bin/sh\ncase "$*" in *"Read ss org.freedesktop.appearance color-scheme") echo v v u 1 ;; esac\n',
        "utf-8",
    )
    portal.chmod(0o755)
    bus = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"}
    for changes, expected in (
        (bus | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}, "True"),
        ({"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}, "None"),
        (bus, "None"),
        (bus | {"PATH": str(tmp_path / "empty")}, "None"),
    ):
        out = subprocess.run(
            [sys.executable, "-c", code],
            env=environment(**changes),
            capture_output=True,
            text=True,
            timeout=WAIT_S,
            check=True,
        )
        assert out.stdout.strip() == expected


def test_the_icon_is_drawn_again_when_only_the_desktop_changes() -> None:
    """Who switches the desktop to dark while Libra's state stays the same sees the light scales; nothing else is touched."""

    class Shown:
        icon: Any = None

    nothing = Actions(**{action.value: lambda *_: None for action in Action})
    tray, icon = Tray(lambda: {"ready": True}, nothing), Shown()
    tray._drawn = tray._look()
    tray._panel = Panel(lambda: None, "linux")
    tray._refresh(icon)
    assert icon.icon.getpixel((32, 4)) == (0x2F, 0x7D, 0xD1, 255)  # the plate
    tray._panel = Panel(lambda: True, "linux")
    tray._refresh(icon)
    assert icon.icon.getpixel((32, 4))[3] == 0
    assert icon.icon.getpixel((13, 37)) == (0x6C, 0xB2, 0xFF, 255)  # a pan
    icon.icon = None
    tray._refresh(icon)
    assert icon.icon is None


def test_without_a_display_the_reason_is_told() -> None:
    """Headless: available() says no and why, and neither pystray nor Pillow is loaded by asking."""
    code = (
        "import sys; from libra.desktop.tray import available; print(available());"
        "print(sorted({'pystray', 'PIL'} & set(sys.modules)))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=True,
    )
    assert out.stdout.splitlines() == [
        "(False, 'no display: neither DISPLAY nor WAYLAND_DISPLAY is set')",
        "[]",
    ]


def test_a_display_that_does_not_answer_is_no_tray() -> None:
    """A DISPLAY that leads nowhere is told as a reason, never raised."""
    out = subprocess.run(
        [sys.executable, "-c", "from libra.desktop.tray import available; print(available())"],
        env=environment(DISPLAY=":9871", PYSTRAY_BACKEND="xorg"),
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=True,
    )
    assert out.stdout.startswith("(False, 'no tray here: ")


def test_each_click_calls_what_the_app_handed_in() -> None:
    """Every action reaches its callable, with the seconds of a pause."""
    calls: list[Any] = []

    def note(name: str) -> Any:
        return lambda *told: calls.append((name, *told))

    actions = Actions(**{action.value: note(action.value) for action in Action})
    actions.perform(Item("told"))
    for item in (
        Item("p", Action.PAUSE, 900),
        Item("p", Action.PAUSE, None, about="harbor"),
        Item("r", Action.RESUME, about="harbor"),
        Item("o", Action.OFF_RECORD, about="s1"),
        Item("l", Action.AT_LOGIN, checked=True),
        *(
            Item("x", action)
            for action in (Action.COMPACT, Action.OPEN_PAGE, Action.OPEN_FOLDER, Action.CONNECT, Action.QUIT)
        ),
    ):
        actions.perform(item)
    assert calls == [
        ("pause", 900, None), ("pause", None, "harbor"), ("resume", "harbor"), ("off_record", "s1"), ("at_login", False),
        ("compact",), ("open_page",), ("open_folder",), ("connect",), ("quit",),
    ]  # fmt: skip


def test_a_failing_status_is_drawn_as_an_error() -> None:
    """The icon outlives a status that raises, and shows its error state without its content."""

    def fails() -> dict[str, Any]:
        msg = "what a person said"
        raise OSError(msg)

    nothing = Actions(**{action.value: lambda *_: None for action in Action})
    drawn = Tray(fails, nothing)._look()
    assert drawn.icon_state is IconState.ERROR
    assert "OSError" in drawn.title
    assert "person said" not in drawn.title


def test_every_state_has_a_picture() -> None:
    """The files that the tray opens are there for each palette and state, small and square, and no two are the same."""
    from PIL import Image

    for palette, size_px in (
        (Palette.COLOURED, 64),
        (Palette.LIGHT, 64),
        (Palette.DARK, 64),
        (Palette.TEMPLATE, 44),
    ):
        seen = set()
        for state in IconState:
            path = shipped("assets") / "icons" / palette / f"{state.value}.png"
            assert path.stat().st_size < 8_000
            with Image.open(path) as picture:
                assert picture.size == (size_px, size_px)
                seen.add(picture.convert("RGBA").tobytes())
        assert len(seen) == len(IconState), f"{palette}: two states look alike"


def test_macos_is_told_that_each_picture_is_a_template() -> None:
    """On a Mac the icon is black on a black menu bar unless every new picture of pystray's is marked as a template."""

    class Made:
        template = False

        def setTemplate_(self, on: bool) -> None:  # noqa: FBT001 - AppKit's
            self.template = on

    class Darwin:
        _icon_image: Made

        def _assert_image(self) -> None:
            self._icon_image = Made()

    icon = Darwin()
    as_template(icon)
    for _ in range(2):
        icon._assert_image()
        assert icon._icon_image.template is True
