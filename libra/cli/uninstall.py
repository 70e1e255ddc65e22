"""``libra uninstall``: takes out every trace that Libra made in other programs and in the system; keeps what it knows."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from libra.cli import EXIT_FAILED, EXIT_OK, EXIT_USAGE, output
from libra.cli.connect import taken_out
from libra.cli.reaching import places_of
from libra.cli.remote import stopped
from libra.desktop.autostart import autostart
from libra.ground import program
from libra.ground.errors import LibraError
from libra.ground.paths import Places
from libra.hosts import client


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that is taken out.

    Attributes:
        name: What it is, for a person.
        there: Returns where it is, empty if there is nothing.
        take: Takes it out.
    """

    name: str
    there: Callable[[], str]
    take: Callable[[], object]


def uninstall(args: argparse.Namespace) -> int:
    """Run all steps, whichever of them fail; exit code 1 if one did."""
    places = places_of(args)
    if args.data and not args.dry_run and not args.yes and not _agreed(args, places):
        return EXIT_USAGE
    done: list[dict[str, str]] = []
    wrong: list[LibraError] = []
    for step in _steps(args, places):
        try:
            where = step.there()
            if where and not args.dry_run:
                step.take()
        except LibraError as error:
            wrong.append(error)
            continue
        if where:
            done.append({"what": step.name, "where": where})
    kept = [] if args.data else [str(p) for p in (places.data, places.config) if p.exists()]
    own = sys.executable if program.frozen() else "pip uninstall libra"
    if args.json:
        failed = [{"message": one.message, "where": one.where} for one in wrong]
        output.show_json(
            {"dry_run": args.dry_run, "removed": done, "kept": kept, "failed": failed, "program": own}
        )
    else:
        _tell(done, kept, own, dry_run=args.dry_run)
        for failure in wrong:
            output.show_error(failure, as_json=False)
    return EXIT_FAILED if wrong else EXIT_OK


def _steps(args: argparse.Namespace, places: Places) -> list[Step]:
    login = autostart(Path.home(), os.environ)
    runtime = [p for p in (places.socket, places.run) if p.exists()]
    steps = [
        Step("the running app", lambda: _running(places), lambda: stopped(places)),
        Step("start at login", lambda: login.where if login.is_on() else "", login.turn_off),
        Step(
            "agents' settings",
            lambda: ", ".join(taken_out(places, dry_run=True)),
            lambda: taken_out(places, dry_run=False),
        ),
        Step("the client for hooks", lambda: _client(places), lambda: client.remove(places.data)),
        Step("socket and lock", lambda: ", ".join(map(str, runtime)), lambda: _remove(*runtime)),
    ]
    if args.data:
        own = [p for p in (places.data, places.config) if p.exists()]
        steps.append(Step("everything it knows", lambda: ", ".join(map(str, own)), lambda: _remove(*own)))
    return steps


def _running(places: Places) -> str:
    from libra.rpc.lock import is_held

    return str(places.socket) if is_held(places.run / "libra.lock") else ""


def _client(places: Places) -> str:
    path = places.data / client.FOLDER
    return str(path) if path.exists() else ""


def _remove(*paths: Path) -> None:
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        if path.parent.name == "libra":  # a folder of ours, if nothing else is left in it
            with suppress(OSError):
                path.parent.rmdir()


def _agreed(args: argparse.Namespace, places: Places) -> bool:
    """Ask the person; without one at the keyboard the answer is no."""
    if args.json or not sys.stdin.isatty():
        output.note(
            "libra: uninstall --data deletes everything it knows: add --yes, or --dry-run to see what would go"
        )
        return False
    output.note(f"Delete everything that Libra knows, in {places.data}, for good? [y/N] ")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _tell(done: list[dict[str, str]], kept: list[str], own: str, *, dry_run: bool) -> None:
    verb = "would be taken out" if dry_run else "taken out"
    print(
        "\n".join(f"{verb}: {step['what']} ({step['where']})" for step in done)
        or "there is nothing to take out"
    )
    if kept:
        print(f"kept: {', '.join(kept)}  (--data deletes it, too)")
    print(f"the program itself is left to you: {own}")
