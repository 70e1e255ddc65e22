"""``libra connect`` and ``libra disconnect``: show the change, back the file up, write it, take it back."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from libra.cli import EXIT_FAILED, EXIT_OK, output
from libra.cli.reaching import places_of
from libra.ground.errors import ConfigError, InvalidParams
from libra.ground.folders import made_for, take_back
from libra.ground.paths import Places
from libra.hosts import plan
from libra.hosts.edits import Unreadable
from libra.hosts.here import found, program_of, surroundings
from libra.hosts.plan import Change, Record
from libra.hosts.table import BY_NAME, HOSTS, Host, Surroundings

Json = dict[str, Any]

_STATE = "connected.json"
_FOLDERS = "folders"
"""Beside the hosts' names in the record: folders that had to be made for files of ours."""


def connect(args: argparse.Namespace) -> int:
    """``libra connect``: the hosts that are named, else all that are installed."""
    kept = State(places_of(args))
    around, program = surroundings(), program_of(places_of(args))
    done = []
    for host in _chosen(args.hosts, around):
        changes = _planned(plan.connect, host, host.wishes(around, program))
        if not args.dry_run:
            kept.carry_out(host, changes)
        done.append((host, changes))
    return _tell(args, done, "connected", around)


def disconnect(args: argparse.Namespace) -> int:
    """``libra disconnect``: everything that ``connect`` wrote is taken out again."""
    kept = State(places_of(args))
    around, program = surroundings(), program_of(places_of(args))
    named = args.hosts or [host.name for host in HOSTS]
    done = []
    for host in _by_name(named):
        records = kept.of(host)
        changes = plan.disconnect(host.wishes(around, program), records, _bytes)
        if not args.dry_run:
            kept.take_back(host, changes)
        if changes or args.hosts:
            done.append((host, changes))
    return _tell(args, done, "disconnected", around)


def _by_name(names: Iterable[str]) -> list[Host]:
    unknown = [name for name in names if name not in BY_NAME]
    if unknown:
        raise InvalidParams(
            f"there is no host {unknown[0]}", hint=f"hosts: {', '.join(BY_NAME)}", where="host"
        )
    return [BY_NAME[name] for name in names]


def _chosen(names: list[str], around: Surroundings) -> list[Host]:
    if names:
        return _by_name(names)
    return found(around)


def _planned(make: Any, host: Host, wishes: Any) -> list[Change]:
    try:
        changes: list[Change] = make(wishes, _bytes)
    except Unreadable as error:
        raise ConfigError(
            f"{host.title}: {error}", hint="nothing was changed; see docs/hosts.md for what to add by hand"
        ) from None
    return changes


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}", where=str(path)) from None


def taken_out(places: Places, *, dry_run: bool) -> list[str]:
    """Disconnect every host; return the files that are changed or would be."""
    kept, around, program = State(places), surroundings(), program_of(places)
    files = []
    for host in HOSTS:
        changes = plan.disconnect(host.wishes(around, program), kept.of(host), _bytes)
        files += [str(change.file) for change in changes]
        if not dry_run:
            kept.take_back(host, changes)
    return files


class State:
    """What was written where, in Libra's data folder: ``connect/connected.json``.

    Args:
        places: Where Libra's things are.
    """

    def __init__(self, places: Places) -> None:
        self._folder = places.data / "connect"
        raw = _bytes(self._folder / _STATE)
        try:
            found = json.loads(raw) if raw else {}
            self._made = {Path(folder) for folder in found.pop(_FOLDERS, [])}
            self._hosts = {
                name: {r.file: r for r in map(Record.read, records)} for name, records in found.items()
            }
        except (ValueError, KeyError, TypeError, AttributeError):
            # Without its record a connection is still taken out member by member.
            self._hosts, self._made = {}, set()

    def of(self, host: Host) -> dict[Path, Record]:
        """Return the records of a host's files."""
        return self._hosts.get(host.name, {})

    def carry_out(self, host: Host, changes: Iterable[Change]) -> None:
        """Write; the record is on disk before the file that it is about changes."""
        for change in changes:
            if change.own:
                self._put(change)
                continue
            self._keep(host, change)
            known = self._hosts.setdefault(host.name, {})
            known[change.file] = Record.of(change, known.get(change.file))
            self._save()
            self._put(change)

    def _put(self, change: Change) -> None:
        """Write, and remember which folders had to be made for it outside Libra's own."""
        made = [folder for folder in _write(change.file, change.after) if self._folder not in folder.parents]
        made = [folder for folder in made if folder not in (self._folder, *self._folder.parents)]
        if made:
            self._made.update(made)
            self._save()

    def take_back(self, host: Host, changes: Iterable[Change]) -> None:
        """Write what is left without us, and forget the record."""
        for change in changes:
            if not change.own:
                self._keep(host, change)
            _write(change.file, change.after)
            if change.own:
                _prune(change.file.parent, self._folder)
        before = set(self._made)
        self._made = set(take_back(self._made))
        if self._hosts.pop(host.name, None) is not None or self._made != before:
            self._save()

    def _keep(self, host: Host, change: Change) -> None:
        """Keep a copy of a person's file as it was, readable by them alone."""
        if change.before is None:
            return
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        _write(self._folder / "backups" / f"{stamp}-{host.name}-{change.file.name}", change.before)

    def _save(self) -> None:
        value: Json = {
            n: [r.json() for r in records.values()] for n, records in self._hosts.items() if records
        }
        if self._made:
            value[_FOLDERS] = sorted(map(str, self._made))
        _write(self._folder / _STATE, (json.dumps(value, indent=1) + "\n").encode())


def _write(path: Path, raw: bytes | None) -> list[Path]:
    """Put a file in place at once, with the mode that it had; a link stays one, and what it leads to is changed.

    Returns:
        Folders that had to be made for it.

    Raises:
        ConfigError: It cannot be written.
    """
    real = Path(os.path.realpath(path))
    try:
        if raw is None:
            real.unlink(missing_ok=True)
            return []
        made = made_for(real)
        mode = real.stat().st_mode & 0o7777 if real.exists() else 0o600
        fresh = real.with_name(f".{real.name}.{os.getpid()}.libra")
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(raw)
                file.flush()
                os.fsync(file.fileno())
            fresh.chmod(mode)
            fresh.replace(real)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}", where=str(path)) from None
    return made


def _prune(folder: Path, top: Path) -> None:
    """Remove folders of ours that are empty now: below Libra's own, and those called ``libra`` elsewhere."""
    with suppress(OSError):
        while folder != top and (top in folder.parents or folder.name == "libra"):
            shutil.rmtree(folder / "__pycache__", ignore_errors=True)  # what a host made of our Python
            folder.rmdir()
            folder = folder.parent


def _tell(
    args: argparse.Namespace, done: list[tuple[Host, list[Change]]], word: str, around: Surroundings
) -> int:
    if args.json:
        output.show_json(
            {
                "dry_run": args.dry_run,
                "hosts": [
                    {
                        "host": host.name,
                        "folder": str(host.folder(around)),
                        "changes": [{"file": str(c.file), "kind": c.kind, "diff": c.diff()} for c in changes],
                    }
                    for host, changes in done
                ],
            }
        )
        return EXIT_OK
    if not done:
        print("no host was found" if word == "connected" else "nothing is connected")
        return EXIT_FAILED if word == "connected" else EXIT_OK
    for host, changes in done:
        theirs = [c for c in changes if not c.own]
        state = word if changes else f"already {word}"
        print(f"{host.title}: {f'would be {word}' if args.dry_run and changes else state}")
        for change in changes:
            if change.own:
                print(f"  {change.kind} {change.file}")
        for change in theirs:
            print(f"  {change.kind} {change.file}")
            print("".join(f"    {line}" for line in change.diff().splitlines(keepends=True)), end="")
        if changes and host.after and not args.dry_run:
            print(f"  {host.after}")
    return EXIT_OK
