"""A menu of our own on plain X11, where pystray has none: a window without a frame that holds the pointer while it is open.

It lives on the icon's connection and thread (:mod:`libra.desktop.tray`), and only draws what :mod:`libra.desktop.menu` says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from libra.desktop.menu import SEPARATOR, Item

_FONTS = ("9x15", "fixed")
"""Of the X server's own, the first that is there; every server has the second."""
_PAD = 6
_SIDE = 14
_GAP = 9
_GROUND, _TEXT, _TOLD, _LINE, _MARKED, _ON_MARKED = 0xF7F7F5, 0x1D1F22, 0x6B7078, 0xD0D2D6, 0x2F7DD1, 0xFFFFFF
_ESCAPE, _RETURN, _UP, _DOWN = 0xFF1B, 0xFF0D, 0xFF52, 0xFF54


@dataclass(frozen=True, slots=True)
class Row:
    """One line as it is drawn.

    Attributes:
        item: What it stands for.
        text: Its text; empty for a line across.
        y, height: In pixels from the top.
    """

    item: Item
    text: str
    y: int
    height: int

    @property
    def live(self) -> bool:
        """Whether it can be clicked."""
        return self.item.action is not None


def rows(items: Sequence[Item], line_height: int) -> list[Row]:
    """Return the lines of a menu, a submenu's below its own title; nothing here opens a second window."""
    flat: list[tuple[Item, str]] = []
    for item in items:
        flat.append((item, _text(item)))
        flat += [(under, f"    {_text(under)}") for under in item.under]
    out, y = [], _PAD
    for item, text in flat:
        height = _GAP if item == SEPARATOR else line_height
        out.append(Row(item, text, y, height))
        y += height
    return out


def _text(item: Item) -> str:
    mark = {None: "", True: "[x] ", False: "[ ] "}[item.checked]
    # The server's fonts have the letters of Latin 1.
    return (mark + item.label).replace("…", "...").encode("latin-1", "replace").decode("latin-1")


class XMenu:
    """The menu while it is open, and nothing while it is not.

    Args:
        display: The connection to the X server.
        click: Told the line that was chosen.
    """

    def __init__(self, display: Any, click: Callable[[Item], None]) -> None:
        self._display = display
        self._click = click
        self._window: Any = None
        self._rows: list[Row] = []
        self._marked: Row | None = None
        self._width = 0
        self._font = self._load_font()
        about = self._font.query()
        self._ascent = about.font_ascent
        self._line = about.font_ascent + about.font_descent + _PAD

    def _load_font(self) -> Any:
        for name in _FONTS[:-1]:
            if self._display.list_fonts(name, 1):
                return self._display.open_font(name)
        return self._display.open_font(_FONTS[-1])

    def open(self, x: int, y: int, items: Sequence[Item]) -> None:
        """Show it at a place of the screen, as far as it fits there."""
        from Xlib import X

        self.close()
        self._rows = rows(items, self._line)
        widest = max(
            self._font.query_text_extents(row.text.encode("latin-1")).overall_width for row in self._rows
        )
        self._width = widest + 2 * _SIDE
        height = self._rows[-1].y + self._rows[-1].height + _PAD
        screen = self._display.screen()
        left = max(min(x, screen.width_in_pixels - self._width), 0)
        top = max(min(y, screen.height_in_pixels - height), 0)
        self._window = screen.root.create_window(
            left, top, self._width, height, 1, screen.root_depth, override_redirect=True, background_pixel=_GROUND,
            border_pixel=_LINE, event_mask=X.ExposureMask | X.PointerMotionMask | X.ButtonPressMask | X.KeyPressMask,
        )  # fmt: skip
        self._window.set_wm_name("Libra")
        self._window.map()
        self._window.raise_window()
        mask = X.PointerMotionMask | X.ButtonPressMask
        self._window.grab_pointer(1, mask, X.GrabModeAsync, X.GrabModeAsync, X.NONE, X.NONE, X.CurrentTime)
        self._window.grab_keyboard(1, X.GrabModeAsync, X.GrabModeAsync, X.CurrentTime)
        self._display.flush()

    def close(self) -> None:
        """Take it away."""
        from Xlib import X

        if self._window is None:
            return
        self._display.ungrab_pointer(X.CurrentTime)
        self._display.ungrab_keyboard(X.CurrentTime)
        self._window.destroy()
        self._display.flush()
        self._window, self._marked, self._rows = None, None, []

    def takes(self, event: Any) -> bool:
        """Handle an event that is the menu's; return False for all others."""
        from Xlib import X

        if self._window is None:
            return False
        if getattr(event, "window", None) != self._window:
            # A press on the icon itself while the menu is open closes it, like one anywhere else.
            if event.type == X.ButtonPress:
                self.close()
            return bool(event.type == X.ButtonPress)
        if event.type == X.Expose:
            self._draw()
        elif event.type == X.MotionNotify:
            self._mark(self._at(event.event_x, event.event_y))
        elif event.type == X.ButtonPress:
            self._choose(self._at(event.event_x, event.event_y))
        elif event.type == X.KeyPress:
            self._key(self._display.keycode_to_keysym(event.detail, 0))
        return True

    def _at(self, x: int, y: int) -> Row | None:
        if not 0 <= x < self._width:
            return None
        return next((row for row in self._rows if row.live and row.y <= y < row.y + row.height), None)

    def _choose(self, row: Row | None) -> None:
        """Close, and do what was chosen; a press beside the lines only closes."""
        self.close()
        if row is not None:
            self._click(row.item)

    def _key(self, symbol: int) -> None:
        live = [row for row in self._rows if row.live]
        if symbol == _ESCAPE:
            self.close()
        elif symbol == _RETURN:
            self._choose(self._marked)
        elif symbol in (_UP, _DOWN) and live:
            step = 1 if symbol == _DOWN else -1
            at = live.index(self._marked) + step if self._marked in live else (0 if step > 0 else -1)
            self._mark(live[at % len(live)])

    def _mark(self, row: Row | None) -> None:
        if row != self._marked:
            self._marked = row
            self._draw()

    def _draw(self) -> None:
        pen = self._window.create_gc(font=self._font, foreground=_TEXT, background=_GROUND)
        for row in self._rows:
            if not row.text:
                pen.change(foreground=_LINE)
                middle = row.y + row.height // 2
                self._window.line(pen, _SIDE, middle, self._width - _SIDE, middle)
                continue
            marked = row == self._marked
            pen.change(foreground=_MARKED if marked else _GROUND)
            self._window.fill_rectangle(pen, 0, row.y, self._width, row.height)
            pen.change(foreground=_ON_MARKED if marked else _TEXT if row.live else _TOLD)
            base = row.y + _PAD // 2 + self._ascent
            self._window.draw_text(pen, _SIDE, base, row.text.encode("latin-1"))
        pen.free()
        self._display.flush()
