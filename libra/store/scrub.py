"""Copies that were made before something was forgotten are written anew without it, one at a time, when Libra rests."""

from __future__ import annotations

import contextlib
import logging
import shutil
from collections.abc import Iterator
from pathlib import Path

import orjson

from libra.ground.errors import LibraError
from libra.ground.records import Clock
from libra.store import backup, connection, keptout, meta
from libra.store.connection import translate_os
from libra.store.forget import Grave
from libra.store.restore import GRAVES, SCRUBBED, STANDING, Rules, Since, settle, unpack
from libra.store.store import Store, StoreParams

_LOG = logging.getLogger(__name__)
_CLEAN = "clean.json"
"""Beside a database that was kept aside: until when, and by which rules for secrets, it was cleaned."""


def clean_one(store: Store, clock: Clock, rules: Rules, given_up: set[str]) -> bool:
    """Clean a copy, or a database kept aside, that may hold what was forgotten or scrubbed; return False if there is none.

    Secrets that the rules know by now go, too.

    Args:
        store: The present database.
        clock: Now.
        rules: What may not stay is known by them.
        given_up: Copies that could not be cleaned (a damaged one, one of a newer Libra): they are left as they are and
            noted here.
    """
    with store.copying:
        return _clean_one(store, clock, rules, given_up)


def _clean_one(store: Store, clock: Clock, rules: Rules, given_up: set[str]) -> bool:
    with store.snapshot() as s:
        newest = max(int(s.value("SELECT coalesce(max(created_ms), 0) FROM tombstone")), keptout.newest_ms(s))
        version = int(meta.get(s, backup.REDACTION_KEY) or 0)
    waiting = (
        c
        for c in backup.every(store.backups)
        if ((c.clean_ms or 0) < newest or (c.redaction or 0) < version) and c.name not in given_up
    )
    copy = next(waiting, None)
    aside = None if copy is not None else next(_aside(store, newest, version, given_up), None)
    if copy is None and aside is None:
        return False
    with store.snapshot() as s:
        since = Since(
            [Grave(*row) for row in s.rows(GRAVES)],
            {str(row[0]) for row in s.rows(STANDING)},
            s.rows(SCRUBBED),
        )
    name = copy.name if copy is not None else str(aside)
    try:
        if copy is not None:
            _rewrite(store.backups / copy.name, since, clock, rules)
        elif aside is not None:
            _clean_aside(aside, since, clock, rules, (newest, version))
    except LibraError as error:
        given_up.add(name)
        _LOG.warning("the backup %s could not be cleaned of what was forgotten: %s", name, error.message)
    return True


def _aside(store: Store, newest: int, version: int, given_up: set[str]) -> Iterator[Path]:
    """Yield the databases that a restore has kept aside and that may hold something that was forgotten since."""
    for database in sorted(store.backups.glob("replaced-*/*.db")):
        clean = [0, 0]
        with contextlib.suppress(OSError, ValueError):
            clean = orjson.loads((database.parent / _CLEAN).read_bytes())
        if str(database) not in given_up and (clean[0] < newest or clean[1] < version):
            yield database


def _clean_aside(database: Path, since: Since, clock: Clock, rules: Rules, clean: tuple[int, int]) -> None:
    settle(database, since, clock, rules, StoreParams())
    try:
        # What was copied before its schema was raised holds all of it still.
        shutil.rmtree(database.parent / "backups", ignore_errors=True)
        (database.parent / _CLEAN).write_bytes(orjson.dumps(clean))
    except OSError as error:
        raise translate_os(error, database) from error


def _rewrite(source: Path, since: Since, clock: Clock, rules: Rules) -> None:
    room = source.parent / backup.CLEANING
    fresh = room / "libra.db"
    try:
        shutil.rmtree(room, ignore_errors=True)
        room.mkdir(mode=0o700)
        unpack(source, fresh)
        settle(fresh, since, clock, rules, StoreParams())
        con = connection.open_reader(fresh, busy_ms=2_000, cache_kib=2048)
        try:
            backup.publish(con, fresh, source.with_name(source.name.removesuffix(".gz") + ".gz"), clock())
        finally:
            con.close()
        if source.suffix == ".db":
            source.unlink()
    except OSError as error:
        raise translate_os(error, source) from error
    finally:
        shutil.rmtree(room, ignore_errors=True)
