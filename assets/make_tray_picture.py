"""Take the pictures of the tray's menu in the docs: each is the real menu on a virtual X server.

    python assets/make_tray_picture.py

Needs Xvfb, python-xlib and Pillow, and Libra installed (`pip install -e .`). Run it again after a change of the menu.
"""

from __future__ import annotations

import os
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from libra.desktop.menu import Desk
from libra.desktop.tray import Action, Actions, Tray

ROOT = Path(__file__).resolve().parent.parent

TARGET = ROOT / "docs" / "pictures"
SIZE = (520, 460)
DESK = Desk(page=True, at_login=True, agents=(("Claude Code", True), ("Codex", True), ("Gemini CLI", False)))
PLACE = {"host": "claude-code", "project": "github.com/dev/harbor"}
WATCHING: dict[str, Any] = {
    "ready": True,
    "counts": {"memory": 1204, "session": 87},
    "learnt": {"ts_ms": 1_775_000_000_000, "type": "decision", **PLACE},
    "talk": {"key": "claude-code:9", "last_ms": 1, **PLACE},
    "today": {"injections": 14, "tokens": 3210, "saved_tokens": 12_400},
    "degraded": [],
}
STATES: dict[str, dict[str, Any]] = {
    "tray-watching": WATCHING,
    "tray-working": WATCHING
    | {"sources": {"progress": {"busy": True, "bytes_done": 42, "bytes_known": 100}}},
    "tray-paused": WATCHING | {"paused": True, "paused_until": 1_775_000_000_000},
    "tray-degraded": WATCHING | {"degraded": ["embedding: the model's files are damaged"]},
}


def picture(name: str, status: dict[str, Any], display: str) -> None:
    """Show the menu of a state and save what is on the screen."""
    from PIL import Image
    from Xlib import X
    from Xlib.display import Display
    from Xlib.ext import xtest

    tray = Tray(lambda: status, Actions(**{a.value: lambda *_: None for a in Action}), lambda: DESK)
    screen = Display(display)
    root = screen.screen().root
    root.change_attributes(background_pixel=0xBFC6CE)
    root.clear_area(0, 0, 0, 0)
    host = root.create_window(8, 8, 32, 32, 0, screen.screen().root_depth, background_pixel=0x2B2F36)
    host.map()
    host.set_selection_owner(screen.intern_atom("_NET_SYSTEM_TRAY_S0"), X.CurrentTime)
    screen.sync()
    shown = threading.Thread(target=tray.run, daemon=True)
    shown.start()
    opcode = screen.intern_atom("_NET_SYSTEM_TRAY_OPCODE")
    while True:
        event = screen.next_event()
        if event.type == X.ClientMessage and event.client_type == opcode:
            break
    icon = screen.create_resource_object("window", event.data[1][2])
    icon.configure(width=32, height=32)
    icon.reparent(host, 0, 0)
    icon.map()
    screen.sync()
    time.sleep(0.6)
    for kind, detail in ((X.MotionNotify, 0), (X.ButtonPress, 3), (X.ButtonRelease, 3)):
        xtest.fake_input(screen, kind, detail, x=24, y=36)
        screen.sync()
        time.sleep(0.3)
    raw = root.get_image(0, 0, *SIZE, X.ZPixmap, 0xFFFFFFFF)
    image = Image.frombytes("RGB", SIZE, raw.data, "raw", "BGRX")
    image.quantize(64).save(TARGET / f"{name}.png", optimize=True)
    tray.stop()
    shown.join(10)
    screen.close()


def main() -> None:
    """Take all pictures."""
    TARGET.mkdir(parents=True, exist_ok=True)
    read, write = os.pipe()
    words = [
        "Xvfb",
        "-displayfd",
        str(write),
        "-screen",
        "0",
        f"{SIZE[0]}x{SIZE[1]}x24",
        "-nolisten",
        "tcp",
        "-noreset",
    ]
    with subprocess.Popen(words, pass_fds=[write], stderr=subprocess.DEVNULL) as server:
        os.close(write)
        with os.fdopen(read) as pipe:
            display = f":{pipe.readline().strip()}"
        os.environ.pop(
            "DBUS_SESSION_BUS_ADDRESS", None
        )  # the icon of a desktop that does not say how dark it is
        os.environ.update({"DISPLAY": display, "PYSTRAY_BACKEND": "xorg", "TZ": "UTC"})
        for name, status in STATES.items():
            picture(name, status, display)
        server.terminate()
    print(f"{len(STATES)} pictures in {TARGET.relative_to(ROOT)}/")


if __name__ == "__main__":
    main()
