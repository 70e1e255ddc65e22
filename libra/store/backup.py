"""Copies of the database: made while it is in use, checked, packed, published by rename; the oldest are let go.

A copy is ``libra-<time>-<label>.db.gz`` (``.db`` until it is packed) with a note beside it (``.json``) that says what is in it. Labels tell copies apart
that live for different times: ``daily`` ones, those before a change of the schema, and those that a person made.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import orjson

from libra.ground.errors import StoreDamaged
from libra.store import packing
from libra.store.connection import translate_os, translated
from libra.store.packing import private

DAILY = "daily"
REDACTION_KEY = "redaction.version"
"""Under this key the database keeps by which rules all of its texts were redacted."""
_PAGES_A_STEP = 2048
_NAME = re.compile(r"libra-(\d{8}T\d{9})-([a-z0-9-]+)\.db(?:\.gz)?")
_UNFINISHED = re.compile(r"\.(?:partial|packed)(?:-journal|-wal|-shm)?\Z")
CLEANING, RESTORING, TRIAL = "cleaning", "restoring", "rehearsal"
"""Folders in which a copy is taken apart: beside the copies, beside the database."""
_COUNTED = {"turns": 1, "summaries": 2, "memories": 3, "guidance": 4}


@dataclass(frozen=True, slots=True)
class BackupParams:
    """Settings of the copies.

    Attributes:
        daily: Make one a day by itself, when nothing else is to be done and something has changed.
        keep_daily: How many of these stay.
        keep_others: How many of each other label stay.
    """

    daily: bool = True
    keep_daily: int = 7
    keep_others: int = 3


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy that is kept.

    Attributes:
        name: The file's name.
        made_ms: When it was made.
        bytes: Of the file.
        db_bytes: Of the database in it; None where the note is missing (as are the following).
        schema: Its schema.
        counts: Rows of each kind.
        clean_ms: Holds nothing of what was forgotten until then.
        verified_ms: When it was found sound: after it was packed.
        redaction: By which version of the rules secrets were taken out of all of it.
    """

    name: str
    label: str
    made_ms: int
    bytes: int
    db_bytes: int | None = None
    schema: int | None = None
    counts: dict[str, int] | None = None
    clean_ms: int | None = None
    verified_ms: int | None = None
    redaction: int | None = None


def back_up(
    con: apsw.Connection,
    path: Path,
    folder: Path,
    label: str,
    now_ms: int,
    params: BackupParams | None = None,
) -> Path:
    """Copy the database of ``con`` to ``folder``; return the copy.

    The copy is checked, packed and unpacked again before it gets its name, so that neither a crash nor a bad disk leaves
    a copy that is none.

    Args:
        con: A connection to the database.
        path: The database, for messages.
        folder: Where backups live; made if it is not there.
        label: Part of the name (``schema1``).
        now_ms: For the name.
        params: How many copies stay.

    Raises:
        StoreError: The copy could not be made; the database is untouched.
    """
    target = _target(folder, label, now_ms)
    publish(con, path, target, now_ms)
    _let_go(folder, params or BackupParams(), now_ms)
    return target


def set_aside(
    con: apsw.Connection,
    path: Path,
    folder: Path,
    label: str,
    now_ms: int,
    params: BackupParams | None = None,
) -> Path:
    """Copy the database of ``con`` to ``folder`` as it is, and wait for no more than that; return the copy.

    Whole and on the disk when this returns, and good to go back to, which checks it. That it is sound is looked at, and it is
    packed, by :func:`pack_one` when nobody waits: that takes ten times as long.

    Raises:
        StoreError: The copy could not be made; the database is untouched.
    """
    target = _target(folder, label, now_ms).with_suffix("")
    plain = target.with_suffix(".partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with translated(path):
            private(plain)
            noted = _copy(con, plain, path, checked=False)
        _note_down(target, noted | {"db_bytes": plain.stat().st_size})
        packing.on_disk(plain)
        plain.replace(target)
        packing.on_disk(folder)
    except OSError as error:
        raise translate_os(error, path) from error
    finally:
        with contextlib.suppress(OSError):
            plain.unlink(missing_ok=True)
    _let_go(folder, params or BackupParams(), now_ms)
    return target


def unpacked_copies(folder: Path) -> list[Path]:
    """Return the copies that nobody has packed yet, the oldest first."""
    return [file for file in _all(folder) if file.suffix == ".db"]


def pack_one(copy: Path, now_ms: int) -> Path:
    """Check a copy that was set aside, and pack it; return the packed one, which stands in its place.

    A crash leaves the copy as it was, or both, of which :func:`sweep` removes the larger.

    Raises:
        StoreDamaged: It is damaged, and left as it is.
        StoreError: There is no room for both.
    """
    target = copy.with_name(f"{copy.name}.gz")
    packed = target.with_suffix(".packed")
    try:
        with translated(copy):
            _check(copy)
        packing.pack(copy, packed)
        packing.compare(packed, copy)
        found = _described_copy(copy)
        known = {name: value for name in _NOTED if (value := getattr(found, name)) is not None}
        _note_down(target, known | {"verified_ms": now_ms})
        packed.replace(target)
        packing.on_disk(target.parent)
        copy.unlink(missing_ok=True)
    except OSError as error:
        raise translate_os(error, copy) from error
    finally:
        with contextlib.suppress(OSError):
            packed.unlink(missing_ok=True)
    return target


def _check(copy: Path) -> None:
    """Look at all pages of a copy; nothing is written beside it."""
    con = apsw.Connection(
        f"{copy.absolute().as_uri()}?immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    )
    try:
        _sound(con, copy)
    finally:
        con.close()


def _sound(con: apsw.Connection, path: Path) -> None:
    if (found := con.execute("PRAGMA quick_check(1)").get) != "ok":
        raise StoreDamaged(f"the copy is damaged: {found}", where=str(path))


def publish(con: apsw.Connection, path: Path, target: Path, now_ms: int) -> None:
    """Put a copy of the database of ``con`` under a name, in the place of what is there; see :func:`back_up`.

    Raises:
        StoreError: The copy could not be made; what is there stays.
    """
    plain, packed = target.with_suffix(".partial"), target.with_suffix(".packed")
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with translated(path):
            private(plain)
            noted = _copy(con, plain, path)
        packing.pack(plain, packed)
        noted |= {"db_bytes": plain.stat().st_size, "verified_ms": now_ms}
        packing.compare(packed, plain)
        _note_down(target, noted)
        packed.replace(target)
    except OSError as error:
        raise translate_os(error, path) from error
    finally:
        for left in (plain, packed):
            with contextlib.suppress(OSError):
                left.unlink(missing_ok=True)


def sweep(database: Path) -> None:
    """Remove what a crash has left of copies, cleanings and restores that were being made.

    Nothing else would: it would take a database's room for good, and keep words that are forgotten later. Only for whoever
    holds the data folder, before the first copy is made.
    """
    folder = database.parent / "backups"
    for file in unpacked_copies(folder):
        if file.with_name(f"{file.name}.gz").exists():  # it was packed, and nothing more came of it
            with contextlib.suppress(OSError):
                file.unlink()
    names = {_note(file).name for file in _all(folder)}
    with contextlib.suppress(OSError):
        for file in list(folder.iterdir()):
            orphan = file.name.startswith("libra-") and file.suffix == ".json" and file.name not in names
            if orphan or _UNFINISHED.search(file.name):
                with contextlib.suppress(OSError):
                    file.unlink()
    for room in (folder / CLEANING, database.parent / RESTORING, database.parent / TRIAL):
        shutil.rmtree(room, ignore_errors=True)


def _target(folder: Path, label: str, now_ms: int) -> Path:
    stamp = datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y%m%dT%H%M%S%f")[:-3]
    return folder / f"libra-{stamp}-{_plain(label)}.db.gz"


def _plain(label: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")[:40] or "manual"


def copy_into(con: apsw.Connection, target: Path) -> Path:
    """Copy the database of ``con`` page by page into a private file of its own, and look at the result; return it."""
    private(target)
    _copy(con, target, target)
    return target


def _note_down(copy: Path, noted: dict[str, Any]) -> None:
    private(_note(copy))
    _note(copy).write_bytes(orjson.dumps(noted))


def _copy(con: apsw.Connection, plain: Path, path: Path, *, checked: bool = True) -> dict[str, Any]:
    """Copy page by page and look at the result; return what the note says."""
    copy = apsw.Connection(str(plain))
    try:
        with copy.backup("main", con, "main") as job:
            while not job.done:
                job.step(_PAGES_A_STEP)
        # The copy stands alone: no WAL beside it that could be lost.
        copy.pragma("journal_mode", "DELETE")
        if checked:
            _sound(copy, path)
        return _described(copy)
    finally:
        copy.close()


def _described(con: apsw.Connection) -> dict[str, Any]:
    by_kind: dict[Any, Any] = {
        row[0]: row[1] for row in con.execute("SELECT kind, count(*) FROM item GROUP BY kind")
    }
    return {
        "schema": int(con.pragma("user_version")),
        "counts": {name: by_kind.get(kind, 0) for name, kind in _COUNTED.items()},
        "clean_ms": _clean_ms(con),
        "redaction": _redaction(con),
    }


def _clean_ms(con: apsw.Connection) -> int:
    """Return when something was forgotten or scrubbed last; a copy of an older schema knows nothing of the latter."""
    known = [
        str(row[0])
        for row in con.execute("SELECT name FROM sqlite_schema WHERE name IN ('tombstone', 'kept_out')")
    ]
    newest = (con.execute(f"SELECT coalesce(max(created_ms), 0) FROM {name}").get for name in known)
    return max((int(ms) for ms in newest), default=0)


def _redaction(con: apsw.Connection) -> int:
    return int(con.execute("SELECT max(value) FROM meta WHERE key = ?", (REDACTION_KEY,)).get or 0)


def newest_backup(folder: Path) -> Path | None:
    """Return the newest copy, or None. Names sort by time."""
    found = _all(folder)
    return found[-1] if found else None


def newest_ms(folder: Path, label: str, now_ms: int) -> int | None:
    """Return when the newest copy of a label was made, or None; copies of a time to come are of a clock that was wrong."""
    made = [
        _made_ms(match[1])
        for file in _all(folder)
        if (match := _NAME.fullmatch(file.name)) and match[2] == label
    ]
    return max((at for at in made if at <= now_ms), default=None)


def every(folder: Path) -> list[Copy]:
    """Return the copies, the newest first; an unreadable note leaves its fields empty."""
    return [_described_copy(file) for file in reversed(_all(folder))]


def _described_copy(file: Path) -> Copy:
    match = _NAME.fullmatch(file.name)
    noted: Any = None
    with contextlib.suppress(OSError, orjson.JSONDecodeError):
        noted = orjson.loads(_note(file).read_bytes())
    size = 0
    with contextlib.suppress(OSError):
        size = file.stat().st_size
    copy = Copy(file.name, match[2] if match else "", _made_ms(match[1]) if match else 0, size)
    known = {name: noted.get(name) for name in _NOTED} if isinstance(noted, dict) else {}
    return Copy(**{**asdict(copy), **known})


_NOTED = ("db_bytes", "schema", "counts", "clean_ms", "verified_ms", "redaction")


def _made_ms(stamp: str) -> int:
    at = datetime.strptime(stamp[:15], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    return round(at.timestamp() * 1000) + int(stamp[15:])


def _note(file: Path) -> Path:
    return file.with_name(file.name.removesuffix(".gz").removesuffix(".db") + ".json")


def _all(folder: Path) -> list[Path]:
    try:
        found = [p for p in folder.iterdir() if _NAME.fullmatch(p.name)]
    except OSError:
        return []
    return sorted(found, key=lambda p: (p.name, os.fspath(p)))


def _let_go(folder: Path, params: BackupParams, now_ms: int) -> None:
    """Delete the oldest copies of each label; those before a change of schema are one label, whatever its number.

    Copies of a time to come go first: else those that a wrong clock has dated would push out each new one.
    """
    by_label: dict[str, list[Path]] = {}
    for file in _all(folder):
        if match := _NAME.fullmatch(file.name):
            by_label.setdefault(match[2].rstrip("0123456789"), []).append(file)
    for label, files in by_label.items():
        keep = params.keep_daily if label == DAILY else params.keep_others
        files.sort(key=lambda file: _made_ms(_NAME.fullmatch(file.name)[1]) <= now_ms)  # type: ignore[index]
        for old in files[: -max(keep, 1)]:
            for gone in (old, _note(old)):
                with contextlib.suppress(OSError):
                    gone.unlink(missing_ok=True)
