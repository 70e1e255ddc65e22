"""Commands about backups: two ask the running app, going back to one needs that none is running."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from libra.cli import EXIT_FAILED, EXIT_OK, EXIT_USAGE, output
from libra.cli.reaching import places_of
from libra.cli.remote import answer, call

Json = dict[str, Any]

_SLOW_S = 600.0


def backup(args: argparse.Namespace) -> int:
    """``libra backup``."""
    result = call(args, "backup", {} if args.label is None else {"label": args.label}, _SLOW_S)
    return answer(args, result, f"{output.size(result['bytes'])}, checked: {result['path']}")


def backups(args: argparse.Namespace) -> int:
    """``libra backups``: a line a copy; lists what is in the folder where no app is running."""
    from libra.ground.errors import NotRunning

    try:
        result = call(args, "backups", {})
    except NotRunning:
        result = _from_folder(args)
    return answer(args, result, _listed(result) or f"no backups in {result['folder']}")


def _from_folder(args: argparse.Namespace) -> Json:
    from libra.engine.copies import shown
    from libra.store.backup import every

    folder = places_of(args).backups
    return {"folder": str(folder), "backups": [shown(copy) for copy in every(folder)]}


def _listed(result: Json) -> str:
    lines = []
    for copy in result["backups"]:
        counts = ", ".join(f"{output.count(n)} {kind}" for kind, n in (copy["counts"] or {}).items() if n)
        state = "checked" if copy["verified"] else "not checked"
        schema = "?" if copy["schema"] is None else copy["schema"]
        lines.append(
            f"{copy['name']}  {output.moment(copy['made'])}  {output.size(copy['bytes'])}  schema {schema}  {state}  {counts}"
        )
    return "\n".join(lines)


def restore(args: argparse.Namespace) -> int:
    """``libra restore``: says what it will do, asks, does it under the lock of the data folder.

    Raises:
        AlreadyRunning: Libra is running: `libra shutdown` first.
    """
    from libra.engine.cleaning import RULES
    from libra.rpc.lock import InstanceLock
    from libra.store.restore import restore as go_back

    where = places_of(args)
    if not args.yes and not _agreed(args):
        return EXIT_USAGE
    lock = InstanceLock(where.run / "libra.lock")
    lock.take()
    try:
        done = go_back(where.database, args.name, lambda: time.time_ns() // 1_000_000, RULES)
    finally:
        lock.release()
    result: Json = {
        "name": done.name, "schema": done.schema, "aside": str(done.aside) if done.aside else None,
        "forgotten": done.forgotten, "graves_lost": done.graves_lost,
    }  # fmt: skip
    lines = [f"went back to {done.name}"]
    if done.aside is not None:
        lines.append(f"  the database that was in its place: {done.aside}")
    if done.forgotten:
        lines.append(
            f"  {output.count(done.forgotten)} records were taken out again: you had them forgotten since"
        )
    if done.graves_lost:
        lines.append("  what was forgotten since is not known: the database in its place could not be read")
    return answer(args, result, "\n".join(lines))


def _agreed(args: argparse.Namespace) -> bool:
    """Ask the person; without one at the keyboard the answer is no."""
    if args.json or not sys.stdin.isatty():
        output.note(
            "libra: restore replaces the database (the present one is kept aside): add --yes to do so"
        )
        return False
    output.note(f"Replace the database by {args.name}? The present one is kept aside. [y/N] ")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def recover(args: argparse.Namespace) -> int:
    """``libra recover``: says what it will do, asks, does it under the lock of the data folder; exit code 1 if rows were lost.

    Raises:
        AlreadyRunning: Libra is running: `libra shutdown` first.
    """
    from libra.rpc.lock import InstanceLock
    from libra.store.recover import recover as save

    where = places_of(args)
    if not args.yes and not _wanted(args):
        return EXIT_USAGE
    lock = InstanceLock(where.run / "libra.lock")
    lock.take()
    try:
        done = save(where.database, lambda: time.time_ns() // 1_000_000)
    finally:
        lock.release()
    loose = {name: n for name, n in done.loose.items() if n}
    result: Json = {
        "whole": done.whole, "kept": dict(done.kept), "unreadable": dict(done.unreadable), "loose": loose,
        "lost": dict(done.lost), "aside": str(done.aside) if done.aside else None,
    }  # fmt: skip
    lines = [
        f"read {output.count(done.kept.total())} rows: {output.count(done.kept['turn'])} turns, {output.count(done.kept['memory'])} memories"
    ]
    lines += [f"  lost: the words of {output.count(n)} {kind}" for kind, n in done.lost.items()]
    lines += [f"  not readable in {name}: {output.count(n)} rows" for name, n in done.unreadable.items()]
    lines += [
        f"  left out of {name}, since what they belong to is lost: {output.count(n)} rows"
        for name, n in loose.items()
    ]
    lines.append(
        "nothing was lost"
        if done.whole
        else "all the rest is there; transcripts that still exist are read again"
    )
    lines.append(f"  the damaged database: {done.aside}")
    answer(args, result, "\n".join(lines))
    return EXIT_OK if done.whole else EXIT_FAILED


def _wanted(args: argparse.Namespace) -> bool:
    """Ask the person; without one at the keyboard the answer is no."""
    if args.json or not sys.stdin.isatty():
        output.note(
            "libra: recover puts what it can read in the database's place (kept aside): add --yes to do so"
        )
        return False
    output.note("Put what can be read of the database in its place? The present one is kept aside. [y/N] ")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
