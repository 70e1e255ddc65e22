r"""In which colours the icon is drawn: a pure choice, and asking the desktop whether its panel is dark.

Windows keeps the taskbar's theme in the registry; macOS colours a template image itself. On Linux the settings portal
tells what the person prefers, which is not what colour the panel has: GNOME's is dark in its light style, Plasma has
light styles with a dark panel, too. So a preference for dark is believed and everything else gets the icon on a plate
of its own, which can be read on both.

Sources: ``HKCU\Software\Microsoft\Windows\CurrentVersion\Themes\Personalize``, value ``SystemUsesLightTheme`` (0 dark,
1 light); ``org.freedesktop.portal.Settings``, ``org.freedesktop.appearance`` ``color-scheme`` (0 none, 1 dark, 2 light).
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from enum import StrEnum

from libra.ground.program import environment_outside

_THEME_KEY = r"Software\Microsoft\Windows\CurrentVersion\Themes\Personalize"
_THEME_VALUE = "SystemUsesLightTheme"

_PORTAL = (
    "busctl", "--user", "--auto-start=no", "--timeout=1", "call", "org.freedesktop.portal.Desktop",
    "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings", "Read", "ss",
    "org.freedesktop.appearance", "color-scheme",
)  # fmt: skip
"""Asks a portal that runs, and starts none: the first call of one can take half a minute."""
_PORTAL_S = 3.0
"""When the question is given up, in seconds."""

AGAIN_S: Mapping[str, float] = {"win32": 2.0}
"""How often the desktop is asked, in seconds: reading a value costs nothing, starting a program does."""
_AGAIN_S = 300.0

_FIRST_S = 0.3
"""How long the first picture waits for the answer, so that it need not be drawn again at once."""


class Palette(StrEnum):
    """In which colours the icon is drawn; each value is the name of a folder in ``assets/icons``.

    Attributes:
        COLOURED: White scales on a plate in the state's colour: for any panel.
        LIGHT: Dark scales, for a light panel.
        DARK: Light scales, for a dark panel.
        TEMPLATE: Black on nothing: macOS draws it in the colour of its menu bar.
    """

    COLOURED = "coloured"
    LIGHT = "light"
    DARK = "dark"
    TEMPLATE = "template"


def palette(platform: str, *, dark: bool | None) -> Palette:
    """Return the colours for a system.

    Args:
        platform: As ``sys.platform`` names it.
        dark: What the desktop says of its panel (Windows) or of the person's preference (elsewhere); None where it
            says nothing.
    """
    if platform == "darwin":
        return Palette.TEMPLATE
    if dark:
        return Palette.DARK
    return Palette.LIGHT if platform == "win32" and dark is False else Palette.COLOURED


def prefers_dark(reply: str) -> bool | None:
    """Return what the portal's answer says, as busctl prints it (``v v u 1``); None for no preference or no answer."""
    return {"1": True, "2": False}.get(reply.strip().rpartition("u ")[2])


def ask() -> bool | None:
    """Ask this desktop whether it is dark; None where it does not tell. Takes up to three seconds on Linux."""
    if sys.platform == "win32":
        import winreg

        try:
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, _THEME_KEY) as key:
                return not winreg.QueryValueEx(key, _THEME_VALUE)[0]
        except OSError:
            return None
    if sys.platform == "darwin" or not os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return None
    try:
        told = subprocess.run(  # noqa: S603 - fixed words
            _PORTAL,
            capture_output=True,
            text=True,
            timeout=_PORTAL_S,
            check=False,
            env=environment_outside(os.environ),
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return prefers_dark(told.stdout)


class Panel:
    """What the desktop last said of itself; it is asked beside the icon's loop, which never waits for the answer.

    Args:
        asking: Returns what the desktop says, as :func:`ask` does; None to ask nothing.
        platform: As ``sys.platform`` names it.
    """

    def __init__(self, asking: Callable[[], bool | None] | None, platform: str = sys.platform) -> None:
        self._ask = asking
        self._platform = platform
        self._dark: bool | None = None
        self._due_s: float | None = None
        self._asking: threading.Thread | None = None

    def palette(self, now_s: float) -> Palette:
        """Return the colours by the last answer, and ask again if that is due.

        Args:
            now_s: A clock that only goes forward, in seconds.
        """
        if self._ask is not None and (self._due_s is None or now_s >= self._due_s):
            self._due_s = now_s + AGAIN_S.get(self._platform, _AGAIN_S)
            self._begin(self._ask)
        return palette(self._platform, dark=self._dark)

    def _begin(self, asking: Callable[[], bool | None]) -> None:
        """Ask on a thread of its own, unless the last question still stands."""

        def note() -> None:
            self._dark = asking()

        first = self._asking is None
        if self._asking is not None and self._asking.is_alive():
            return
        self._asking = threading.Thread(target=note, name="libra-panel", daemon=True)
        self._asking.start()
        if first:
            self._asking.join(_FIRST_S)
