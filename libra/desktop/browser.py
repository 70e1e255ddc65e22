"""Show an address in the person's browser, where there is one."""

from __future__ import annotations

import html
import os
import sys
import webbrowser
from pathlib import Path

_PAGE = "open.html"


def show(url: str, private: Path) -> bool:
    """Show the page in the person's browser; return False where there is no screen or no browser.

    A browser is started with its address on the command line, which other users of the machine can read. Linux tells
    who is at the other end of a connection (:mod:`libra.desktop.page_peer`), Windows shows other users no command
    line; for macOS the address stands in a file that only this user can read, and the browser is given that.

    Args:
        url: The address.
        private: A folder of this user's own.
    """
    if sys.platform == "darwin":
        return webbrowser.open(_leading_to(url, private).as_uri())
    if sys.platform != "win32" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False  # a browser for terminals would take the terminal away
    return webbrowser.open(url)


def _leading_to(url: str, private: Path) -> Path:
    """Return a file of this user's alone that leads to the address."""
    private.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = private / _PAGE
    path.unlink(missing_ok=True)
    address = html.escape(url, quote=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(
            '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Libra</title>'
            f'<meta http-equiv="refresh" content="0; url={address}"><a href="{address}">Libra</a>\n'
        )
    return path
