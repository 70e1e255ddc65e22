"""In which colours the icon is drawn, and asking the desktop without waiting for it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

import pytest

from libra.desktop.menu import IconState
from libra.desktop.palette import AGAIN_S, Palette, Panel, palette, prefers_dark
from libra.ground.paths import shipped
from libra.ground.program import environment_outside

WAIT_S = 20.0


@pytest.mark.parametrize(
    ("platform", "dark", "expected"),
    [
        ("win32", True, Palette.DARK),
        ("win32", False, Palette.LIGHT),
        ("win32", None, Palette.COLOURED),
        ("linux", True, Palette.DARK),
        ("linux", False, Palette.COLOURED),
        ("linux", None, Palette.COLOURED),
        ("freebsd14", None, Palette.COLOURED),
        ("darwin", True, Palette.TEMPLATE),
        ("darwin", None, Palette.TEMPLATE),
    ],
)
def test_the_colours_fit_the_panel(platform: str, *, dark: bool | None, expected: Palette) -> None:
    """The icon can be seen: never dark scales where the panel may be dark, as GNOME's is in its light style."""
    assert palette(platform, dark=dark) is expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("v v u 1\n", True),
        ("v v u 2\n", False),
        ("v v u 0\n", None),
        ("v v u 11\n", None),
        ("", None),
        ('v s "1"\n', None),
    ],
)
def test_what_the_portal_says_is_read(reply: str, *, expected: bool | None) -> None:
    """No preference, or an answer of another kind, is none: the icon on a plate is shown."""
    assert prefers_dark(reply) is expected


def ended(panel: Panel) -> None:
    """Wait until the panel's question has been answered."""
    assert panel._asking is not None
    panel._asking.join(WAIT_S)


def test_a_desktop_that_does_not_answer_holds_nothing_up() -> None:
    """The icon comes on its plate at once, asks no second time meanwhile, and changes when the answer is there."""
    answer = threading.Event()
    asked = []

    def slow() -> bool:
        asked.append(1)
        answer.wait(WAIT_S)
        return True

    panel = Panel(slow, "linux")
    assert panel.palette(0.0) is Palette.COLOURED
    assert panel.palette(1e6) is Palette.COLOURED
    assert len(asked) == 1
    answer.set()
    ended(panel)
    assert panel.palette(1e6 + 1) is Palette.DARK


def test_a_change_of_the_theme_is_followed() -> None:
    """Who switches the taskbar to dark sees light scales soon; the desktop is not asked at every look."""
    told = iter((False, True))
    asking: Callable[[], bool | None] = lambda: next(told)  # noqa: E731
    panel = Panel(asking, "win32")
    assert panel.palette(0.0) is Palette.LIGHT
    assert panel.palette(AGAIN_S["win32"] / 2) is Palette.LIGHT
    panel.palette(AGAIN_S["win32"])
    ended(panel)
    assert panel.palette(AGAIN_S["win32"] + 0.1) is Palette.DARK


def luminance(rgb: tuple[int, ...]) -> float:
    """Return the relative luminance of a colour (WCAG 2.2)."""
    parts = [c / 255 for c in rgb]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(
    ("folder", "panel"), [(Palette.LIGHT, (0xF3, 0xF3, 0xF3)), (Palette.DARK, (0x20, 0x20, 0x20))]
)
def test_every_part_stands_out_from_its_panel(folder: Palette, panel: tuple[int, int, int]) -> None:
    """Scales, pans and badge can be made out by weak eyes: 3 : 1 at least against Windows' taskbar (WCAG 1.4.11)."""
    from PIL import Image

    ground = luminance(panel)
    for state in IconState:
        with Image.open(shipped("assets") / "icons" / folder / f"{state.value}.png") as file:
            counted = file.convert("RGBA").getcolors(64 * 64) or []
        solid = {colour[:3] for _, colour in counted if isinstance(colour, tuple) and colour[3] == 255}
        assert solid
        for colour in solid:
            light, dark = sorted((luminance(colour), ground), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 3, f"{state}: {colour}"


def test_the_systems_programs_do_not_get_the_libraries_of_the_one_file_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else the question to the portal, a message or the file manager fails in the download and works from source."""
    own = {"LD_LIBRARY_PATH": "/tmp/_MEI1", "LANG": "C"}  # noqa: S108 - only a value
    assert environment_outside(own) == own
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert environment_outside(own) == {"LANG": "C"}
    assert environment_outside(own | {"LD_LIBRARY_PATH_ORIG": "/opt/lib"}) == {
        "LANG": "C",
        "LD_LIBRARY_PATH": "/opt/lib",
    }
