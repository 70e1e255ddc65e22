"""``libra run`` and ``libra serve``: the app itself, in this process."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from pathlib import Path

from libra.cli.remote import places_of


def run(args: argparse.Namespace) -> int:
    """``libra run``: with the tray icon if there is a display, with a progress bar if there is a terminal."""
    return _serve(args, tray=not args.no_tray, progress=sys.stderr.isatty())


def serve(args: argparse.Namespace) -> int:
    """``libra serve``: without an icon; the log goes to standard error."""
    if args.stop_with_stdin:
        threading.Thread(target=_stop_at_end_of_stdin, name="libra-stdin", daemon=True).start()
    return _serve(args, tray=False, progress=False)


def _serve(args: argparse.Namespace, *, tray: bool, progress: bool) -> int:
    from libra.rpc.door import Door

    places = places_of(args)
    door = Door(places, Path.home())
    door.open()
    try:
        from libra import app
        from libra.config import load

        named = args.config is not None or "LIBRA_CONFIG" in os.environ
        config = load(places.config, must_exist=named)
        return app.serve(
            places, config, tray=tray, backfill_progress=progress, verbose=args.verbose, door=door
        )
    finally:
        door.close()


def _stop_at_end_of_stdin() -> None:
    """End this process as SIGTERM would once whoever started it has gone (lessons.md C65)."""
    # The descriptor itself: a thread that waits inside a buffered reader aborts Python at its end.
    while os.read(0, 4_096):
        pass
    signal.raise_signal(signal.SIGTERM)
