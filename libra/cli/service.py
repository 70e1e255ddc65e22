"""``libra run`` and ``libra serve``: the app itself, in this process."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import NoReturn

from libra import __version__
from libra.cli import EXIT_OK, output
from libra.cli.reaching import places_of
from libra.ground import machine, program, unpacking
from libra.ground.errors import AlreadyRunning, Conflict
from libra.ground.paths import Places, flags_of
from libra.rpc.client import Client
from libra.rpc.endpoint import endpoint


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

    machine.no_core_dumps()
    machine.share_memory()
    _end_in_order()
    places = places_of(args)
    door = Door(places, Path.home())
    try:
        door.open()
    except AlreadyRunning:
        if not _is_older(args, places):
            raise
        # The other one answers meanwhile: from its end on everybody waits.
        unpacking.bring_all_soon()
        import libra.app  # noqa: F401 - see above

        door.take_over()
    door.answer()
    unpacking.bring_all_soon()
    try:
        first = not places.database.exists() and args.command == "run"
        from libra import app
        from libra.config import load

        named = args.config is not None or "LIBRA_CONFIG" in os.environ
        config = load(places.config, must_exist=named)
        greeting = None
        if first:
            from libra.cli.welcome import greet

            greeting = greet(args, places)
        shown = app.Shown(tray=tray, progress=progress, greeting=greeting)
        return app.serve(places, config, shown, verbose=args.verbose, door=door)
    finally:
        door.close()


def _end_in_order() -> None:
    """Let a signal that comes while the app is being loaded close the door; the app has handlers of its own."""

    def end(_number: int, _frame: FrameType | None) -> NoReturn:
        sys.exit(EXIT_OK)

    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), end)


def at_login(args: argparse.Namespace) -> int:
    """``libra autostart``: sets it, and says how it is."""
    from libra.desktop.autostart import autostart

    places = places_of(args)
    way = autostart(Path.home(), os.environ)
    if args.state == "on":
        way.turn_on([*program.words(), "run", *flags_of(places)])
    elif args.state == "off":
        way.turn_off()
    on = way.is_on()
    if args.json:
        output.show_json({"at_login": on, "where": way.where})
    else:
        print(f"Libra starts at login ({way.where})" if on else "Libra does not start at login")
    return EXIT_OK


def _is_older(args: argparse.Namespace, places: Places) -> bool:
    """Say whether the Libra that runs is to make room: it is of an earlier version or another build, or it is told to.

    Raises:
        Conflict: Its database has a newer schema than this Libra reads.
        LibraError: It does not answer.
    """
    from libra.store.migrations import SCHEMA

    with Client(endpoint(places)) as client:
        found = client.call("health")
    theirs, schema = _release(found.get("version")), found.get("schema") or 0
    older = theirs < _release(__version__)
    other = theirs == _release(__version__) and found.get("build") != program.build()
    if not (args.replace or older or other):
        return False
    if schema > SCHEMA:
        raise Conflict(
            f"the Libra that runs has database schema {schema}, this one reads up to {SCHEMA}",
            reason="newer",
            hint="start the newer one",
        )
    return True


def _release(version: object) -> tuple[int, ...]:
    """Return the numbers of a version, to compare by; none for something else."""
    return tuple(int(part) for part in re.findall(r"\d+", str(version))[:3])


def _stop_at_end_of_stdin() -> None:
    """End this process as SIGTERM would once whoever started it has gone (lessons.md C65)."""
    # The descriptor itself: a thread that waits inside a buffered reader aborts Python at its end.
    while os.read(0, 4_096):
        pass
    signal.raise_signal(signal.SIGTERM)
