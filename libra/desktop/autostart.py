r"""Start at login: one small file of ours where the system looks for it, or on Windows one value of the registry.

Linux: ``~/.config/autostart/libra.desktop`` (XDG autostart); macOS: a launchd agent in ``~/Library/LaunchAgents``;
Windows: the value ``Libra`` below ``HKCU\Software\Microsoft\Windows\CurrentVersion\Run``.
"""

from __future__ import annotations

import os
import plistlib
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from libra.ground.errors import ConfigError
from libra.ground.folders import made_for, take_back

LABEL = "org.libra-memory.libra"
"""The launchd agent's name."""
RUN_KEY = r"Software\Microsoft\Windows\CurrentVersion\Run"
_VALUE = "Libra"
_MADE = "X-Libra-FoldersMade"
"""In an XDG entry: how many folders had to be made for it, so that they go with it."""


class Autostart(Protocol):
    """Whether Libra starts when the person logs in."""

    @property
    def where(self) -> str:
        """The file or the registry's value."""
        ...

    def is_on(self) -> bool:
        """Say whether it starts at login."""
        ...

    def turn_on(self, words: Sequence[str]) -> None:
        """Have these words started at login.

        Raises:
            ConfigError: The file or the registry cannot be written.
        """
        ...

    def turn_off(self) -> bool:
        """Take it out again; return True if something was there.

        Raises:
            ConfigError: It cannot be removed.
        """
        ...


class FileAutostart:
    """A file of ours in a folder that the system reads at login.

    Args:
        path: The file.
        launchd: Whether it is a launchd agent, else an XDG desktop entry.
    """

    def __init__(self, path: Path, *, launchd: bool) -> None:
        self._path = path
        self._launchd = launchd

    @property
    def where(self) -> str:
        """The file."""
        return str(self._path)

    def is_on(self) -> bool:
        """Say whether the file is there and not switched off by the desktop's own settings."""
        try:
            text = self._path.read_bytes()
        except OSError:
            return False
        off = (b"Hidden=true", b"X-GNOME-Autostart-enabled=false")
        return self._launchd or not any(line.strip() in off for line in text.splitlines())

    def turn_on(self, words: Sequence[str]) -> None:
        """Write the file; it takes its place at once."""
        fresh = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        try:
            made = len(made_for(self._path)) or self._made()
            text = launch_agent(words) if self._launchd else desktop_entry(words, made).encode()
            fresh.write_bytes(text)
            fresh.replace(self._path)
        except OSError as error:
            with suppress(OSError):
                fresh.unlink()
            raise ConfigError(f"{self._path} cannot be written: {error.strerror}", where=self.where) from None

    def _made(self) -> int:
        """Return how many folders had to be made for the file that is there."""
        try:
            found = re.search(rf"^{_MADE}=(\d)$", self._path.read_text("utf-8"), re.MULTILINE)
        except (OSError, ValueError):
            return 0
        return int(found[1]) if found else 0

    def turn_off(self) -> bool:
        """Remove the file, and the folders that had to be made for it if nothing else is in them now."""
        made = self._made()
        try:
            self._path.unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise ConfigError(f"{self._path} cannot be removed: {error.strerror}", where=self.where) from None
        take_back(list(self._path.parents)[:made])
        return True


if sys.platform == "win32":
    import winreg

    class RegistryAutostart:
        """The registry's value; each call opens and closes the key."""

        @property
        def where(self) -> str:
            """The value."""
            return rf"HKCU\{RUN_KEY}\{_VALUE}"

        def is_on(self) -> bool:
            """Say whether the value is there."""
            try:
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, RUN_KEY) as key:
                    return bool(winreg.QueryValueEx(key, _VALUE)[0])
            except OSError:
                return False

        def turn_on(self, words: Sequence[str]) -> None:
            """Write the value."""
            try:
                with winreg.CreateKey(winreg.HKEY_CURRENT_USER, RUN_KEY) as key:
                    winreg.SetValueEx(key, _VALUE, 0, winreg.REG_SZ, subprocess.list2cmdline(words))
            except OSError as error:
                raise ConfigError(
                    f"the registry cannot be written: {error.strerror}", where=self.where
                ) from None

        def turn_off(self) -> bool:
            """Remove the value."""
            try:
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, RUN_KEY, 0, winreg.KEY_SET_VALUE) as key:
                    winreg.DeleteValue(key, _VALUE)
            except FileNotFoundError:
                return False
            except OSError as error:
                raise ConfigError(
                    f"the registry cannot be written: {error.strerror}", where=self.where
                ) from None
            return True


def autostart(home: Path, env: Mapping[str, str], platform: str = sys.platform) -> Autostart:
    """Return this system's way to start at login."""
    if sys.platform == "win32":
        return RegistryAutostart()
    if platform == "darwin":
        return FileAutostart(home / "Library" / "LaunchAgents" / f"{LABEL}.plist", launchd=True)
    named = (env.get("XDG_CONFIG_HOME") or "").strip()
    # The specification has a relative path ignored.
    base = Path(named) if named and Path(named).is_absolute() else home / ".config"
    return FileAutostart(base / "autostart" / "libra.desktop", launchd=False)


def desktop_entry(words: Sequence[str], made: int = 0) -> str:
    """Return an XDG autostart entry (Desktop Entry Specification 1.5).

    Args:
        words: What is started.
        made: How many folders had to be made for it.
    """
    return "\n".join([
        "[Desktop Entry]",
        "Type=Application",
        "Name=Libra",
        "Comment=Long-term memory for AI agents",
        f"Exec={' '.join(quoted(word) for word in words)}",
        "Icon=libra",
        "Terminal=false",
        "X-GNOME-Autostart-enabled=true",
        *([f"{_MADE}={made}"] if made else []),
        "",
    ])  # fmt: skip


def quoted(word: str) -> str:
    r"""Return a word as ``Exec`` takes it.

    Quoted, with ``"``, `````, ``$`` and ``\`` behind a backslash; a backslash is doubled once more since the value is a string
    with escapes of its own, and ``%`` is doubled since it begins a field code.
    """
    inner = "".join(f"\\{c}" if c in '"`$\\' else c for c in word).replace("%", "%%")
    return '"' + inner.replace("\\", "\\\\") + '"'


def launch_agent(words: Sequence[str]) -> bytes:
    """Return a launchd agent: started at login, not brought back after a quit."""
    return plistlib.dumps(
        {
            "Label": LABEL,
            "ProgramArguments": list(words),
            "RunAtLoad": True,
            "KeepAlive": False,
            "ProcessType": "Background",
            "LimitLoadToSessionType": "Aqua",
        }
    )
