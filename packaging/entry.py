"""Where the one-file program begins: two duties of a program that unpacks itself, then ``libra`` as always.

The bootloader unpacks everything into a folder ``_MEI…``, runs the program as its child and removes the folder
when the child ends. If the bootloader is killed, the child would live on and the folder would stay for ever
(feasibility.md §5). So the child watches its parent, and each start removes folders that nobody holds.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from pathlib import Path
from typing import IO

MARKER = "libra.held"
"""Locked for as long as a libra lives in its unpack folder; other programs' folders have no such file."""

WATCH_S = 1.0
"""How often the child looks whether the bootloader still lives."""


def unpacked() -> Path | None:
    """Return the folder that a one-file program was unpacked into; None in any other form of libra."""
    folder = getattr(sys, "_MEIPASS", None)
    return Path(folder) if folder and Path(folder).name.startswith("_MEI") else None


def hold(folder: Path) -> IO[str] | None:
    """Lock the folder's marker until the program ends; None if another libra in this folder has it already."""
    marker = (folder / MARKER).open("a", encoding="utf-8")
    if sys.platform == "win32":  # an open file cannot be removed there: that is the lock
        return marker
    import fcntl

    try:
        fcntl.flock(marker, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        marker.close()
        return None
    return marker


def is_held(marker: Path) -> bool:
    """Return True while a living libra holds this marker, and also when it cannot be told."""
    if sys.platform == "win32":
        try:
            marker.unlink()
        except OSError:
            return True
        return False
    try:
        claim = hold(marker.parent)
    except OSError:
        return True
    if claim is None:
        return True
    claim.close()
    return False


def sweep(own: Path) -> list[Path]:
    """Remove unpack folders beside ``own`` that were a libra's and that no libra holds; return them."""
    gone = []
    for marker in own.parent.glob(f"_MEI*/{MARKER}"):
        if marker.parent != own and not marker.parent.is_symlink() and not is_held(marker):
            shutil.rmtree(marker.parent, ignore_errors=True)
            gone.append(marker.parent)
    return gone


def watch_parent(stop: threading.Event) -> None:
    """Ask this process to end, as a person would, once the process that started it is gone."""
    parent = os.getppid()
    while not stop.wait(WATCH_S):
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGTERM)
            return


def main() -> int:
    """Run libra's command line; return its exit code."""
    folder = unpacked()
    held = None
    if built := getattr(sys, "_MEIPASS", None):
        from libra.ground import patterns

        patterns.begin(Path(built) / patterns.NAME)
    if folder is not None:
        held = hold(folder)
        sweep(folder)
        if sys.platform != "win32":  # there the parent's number stays the same after its end
            threading.Thread(
                target=watch_parent, args=[threading.Event()], name="libra-parent", daemon=True
            ).start()
        from libra.ground import unpacking

        if (folder / unpacking.MARK).is_file():
            unpacking.begin(Path(sys.executable), folder)
    from libra.__main__ import main as libra

    try:
        return libra()
    finally:
        if held is not None:
            held.close()


if __name__ == "__main__":
    raise SystemExit(main())
