"""Going back to a copy: unpacked, checked, brought to the present schema, put in the place of the database in one step.

What was forgotten since stays forgotten: the tombstones of the present database are carried over, and what they stand for is
taken out of the copy before anybody can see it. The present database is kept aside. No Libra may run meanwhile.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw

from libra.ground.errors import NotFound, StoreDamaged, StoreError
from libra.ground.records import Clock
from libra.store import backup, connection, keptout, meta, mirrored, packing, wipe
from libra.store.connection import translate_os
from libra.store.forget import Grave, forget_again
from libra.store.health import examine
from libra.store.store import Store, StoreParams, WriteTx
from libra.store.wipe import Identity, Redaction, Sweep
from libra.text.keptout import KeptOut, cut_kept_out

_ASIDE_KEPT = 2
_BESIDE = ("", "-wal", "-shm", "-journal")
_BUSY_MS = 2_000
GRAVES = f"SELECT {', '.join(Grave._fields)} FROM tombstone ORDER BY id"
"""The tombstones of a database, as fields of :class:`libra.store.forget.Grave`."""
STANDING = "SELECT uid FROM item WHERE kind IN (1, 3)"
"""What of somebody's words a database holds."""
SCRUBBED = "SELECT length, sieve, salt, hash, created_ms FROM kept_out"
"""What is known of scrubbed words, with when they were scrubbed."""
EXPORTS = "SELECT path, at_ms FROM export_file ORDER BY path"
"""The files that exports were written to: a later scrub has to look there, whichever database stands here."""


@dataclass(frozen=True, slots=True)
class Since:
    """What an older copy may not hold any more.

    Attributes:
        graves: The tombstones of the present database.
        standing: Uids of what the present database holds.
        scrubbed: Rows of :data:`SCRUBBED`.
        exports: Rows of :data:`EXPORTS`.
    """

    graves: list[Grave] = field(default_factory=list)
    standing: set[str] = field(default_factory=set)
    scrubbed: list[tuple[Any, ...]] = field(default_factory=list)
    exports: list[tuple[Any, ...]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Rules:
    """What the layers above know of words.

    Attributes:
        particulars: See :func:`libra.store.forget.forget`.
        identity: See :class:`libra.store.wipe.Identity`; None to leave texts as they are.
        redaction: The rules of today.
    """

    particulars: Callable[[str], str]
    identity: Identity | None = None
    redaction: Redaction | None = None


@dataclass(frozen=True, slots=True)
class Restored:
    """What was done.

    Attributes:
        name: The copy.
        schema: The schema that the copy had.
        aside: The folder that holds the database that was in its place; None if there was none.
        forgotten: Items that were taken out of it again.
        graves_lost: The present database could not be read, so that nobody knows what was forgotten since.
    """

    name: str
    schema: int
    aside: Path | None
    forgotten: int
    graves_lost: bool


def restore(
    database: Path,
    name: str,
    clock: Clock,
    rules: Rules,
    params: StoreParams | None = None,
) -> Restored:
    """Put a copy in the place of the database. The caller holds the lock of the data folder.

    Args:
        database: The database.
        name: The copy's name, or ``latest``.
        clock: Now.
        rules: What may not come back is known by them.
        params: Settings of the store.

    Raises:
        NotFound: There is no such copy.
        StoreDamaged: The copy is no sound database; the present one is as it was.
        StoreError: It is of a newer Libra, or a file could not be written; the present one is as it was.
    """
    folder = database.parent / "backups"
    source = _named(folder, name)
    room = database.parent / backup.RESTORING
    try:
        shutil.rmtree(room, ignore_errors=True)
        room.mkdir(mode=0o700)
        fresh = room / database.name
        schema = unpack(source, fresh)
        since, lost = _since(database)
        forgotten = settle(fresh, since, clock, rules, params or StoreParams())
        aside = swap(database, fresh, folder, clock())
    except OSError as error:
        raise translate_os(error, database) from error
    finally:
        shutil.rmtree(room, ignore_errors=True)
    return Restored(source.name, schema, aside, forgotten, lost)


def _named(folder: Path, name: str) -> Path:
    names = [copy.name for copy in backup.every(folder)]
    wanted = {name, f"{name}.gz", f"{name}.db", f"{name}.db.gz"}
    found = names[0] if name == "latest" and names else next((n for n in names if n in wanted), None)
    if found is None:
        raise NotFound("there is no backup of that name", hint="`libra backups` lists them", where="name")
    return folder / found


def unpack(source: Path, fresh: Path) -> int:
    """Write the copy's database and check all of it; return its schema."""
    fresh.touch(mode=0o600)
    with fresh.open("wb") as file:
        for block in packing.unpacked(source):
            file.write(block)
    found = examine(fresh, fresh.stat().st_size, _BUSY_MS)
    if found.damage is not None:
        raise StoreDamaged(f"the backup cannot be used: {found.damage.message}", where=str(source))
    con = connection.open_reader(fresh, busy_ms=_BUSY_MS, cache_kib=2048)
    try:
        return int(con.pragma("user_version"))
    finally:
        con.close()


def _since(database: Path) -> tuple[Since, bool]:
    """Return what was forgotten and scrubbed by the present database, and whether it could not be read."""
    if not database.exists() or not database.stat().st_size:
        return Since(), False
    try:
        con = connection.open_reader(database, busy_ms=_BUSY_MS, cache_kib=2048)
    except StoreError:
        return Since(), True
    try:
        rows: list[Any] = con.execute(GRAVES).fetchall()
        standing = {str(row[0]) for row in con.execute(STANDING)}
        # A database of an older schema has scrubbed nothing.
        knows = con.execute("SELECT 1 FROM sqlite_schema WHERE name = 'kept_out'").get is not None
        scrubbed = con.execute(SCRUBBED).fetchall() if knows else []
        exports = con.execute(EXPORTS).fetchall() if knows else []
        return Since([_grave(row) for row in rows], standing, scrubbed, exports), False
    except apsw.Error:
        return Since(), True
    finally:
        con.close()


def _grave(row: tuple[Any, ...]) -> Grave:
    return Grave(*row)


def settle(
    fresh: Path,
    since: Since,
    clock: Clock,
    rules: Rules,
    params: StoreParams,
) -> int:
    """Bring the copy to the present schema and take out what was forgotten since; return how many items that were.

    Scrubbed words and secrets that the rules of today know are taken out of the texts that stay.
    """
    store = Store.open(fresh, params, clock)
    try:
        if store.read_only:
            raise store.damaged or StoreError("the backup cannot be written")

        def job(tx: WriteTx) -> int:
            keptout.note_exports(tx, since.exports)
            # What the mirror's files hold by now is not what was written when the copy was made: nothing follows from it.
            mirrored.clear(tx)
            return forget_again(tx, since.graves, since.standing, clock(), rules.particulars)

        gone = store.write(job, full_sync=True).result()
        if _cleaned(store, since, rules) or gone:
            store.vacuum().result()
        return gone
    finally:
        store.close()


def _cleaned(store: Store, since: Since, rules: Rules) -> bool:
    """Take scrubbed words and secrets out of a copy; return whether anything was to be done."""
    with store.snapshot() as s:
        version = int(meta.get(s, backup.REDACTION_KEY) or 0)
        known = {*keptout.every(s), *(KeptOut(*row[:4]) for row in since.scrubbed)}
    today = rules.redaction
    behind = today is not None and version < today.version
    if rules.identity is None or not (since.scrubbed or behind):
        return False
    sweep = out_of(tuple(known), today.sweep if today is not None and behind else None)
    wipe.wipe(store, wipe.everywhere(store, sweep), sweep.change, rules.identity)

    def note(tx: WriteTx) -> None:
        for row in since.scrubbed:
            keptout.keep(tx, [KeptOut(*row[:4])], row[4])
        if today is not None and behind:
            meta.put(tx, backup.REDACTION_KEY, today.version)

    store.write(note).result()
    return True


def out_of(known: tuple[KeptOut, ...], first: Sweep | None = None) -> Sweep:
    """Return the sweep that takes scrubbed words out, after another one."""

    def change(table: str, column: str, value: str) -> str:
        return cut_kept_out(value if first is None else first.change(table, column, value), known)

    def may(table: str, words: str) -> bool:
        return (first is not None and first.may(table, words)) or cut_kept_out(words, known) != words

    return Sweep(change, may)


def swap(database: Path, fresh: Path, folder: Path, now_ms: int) -> Path | None:
    """Move the present database aside and the new one into its place."""
    aside = None
    if database.exists():
        stamp = datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y%m%dT%H%M%S%f")[:-3]
        aside = folder / f"replaced-{stamp}"
        aside.mkdir(mode=0o700, parents=True)
        # The logs first: without its database a log is nothing, a database without its log has lost its last minutes.
        for end in reversed(_BESIDE):
            with contextlib.suppress(FileNotFoundError):
                database.with_name(database.name + end).replace(aside / (database.name + end))
    fresh.replace(database)
    for old in sorted(folder.glob("replaced-*"))[:-_ASIDE_KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    return aside
