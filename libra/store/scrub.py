"""Copies that were made before something was forgotten are written anew without it, one at a time, when Libra rests."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from pathlib import Path

from libra.ground.errors import LibraError
from libra.ground.records import Clock
from libra.store import backup, connection
from libra.store.connection import translate_os
from libra.store.forget import Grave
from libra.store.restore import GRAVES, STANDING, settle, unpack
from libra.store.store import Store, StoreParams

_LOG = logging.getLogger(__name__)


def clean_one(store: Store, clock: Clock, particulars: Callable[[str], str], given_up: set[str]) -> bool:
    """Clean the newest copy that may hold something forgotten; return False if there is none.

    Args:
        store: The present database.
        clock: Now.
        particulars: See :func:`libra.store.forget.forget`.
        given_up: Copies that could not be cleaned (a damaged one, one of a newer Libra): they are left as they are and
            noted here.
    """
    with store.snapshot() as s:
        newest = int(s.value("SELECT coalesce(max(created_ms), 0) FROM tombstone"))
    if not newest:
        return False
    waiting = (
        c for c in backup.every(store.backups) if (c.clean_ms or 0) < newest and c.name not in given_up
    )
    copy = next(waiting, None)
    if copy is None:
        return False
    with store.snapshot() as s:
        since = [Grave(*row) for row in s.rows(GRAVES)], {str(row[0]) for row in s.rows(STANDING)}
    try:
        _rewrite(store.backups / copy.name, since, clock, particulars)
    except LibraError as error:
        given_up.add(copy.name)
        _LOG.warning("the backup %s could not be cleaned of what was forgotten: %s", copy.name, error.message)
    return True


def _rewrite(
    source: Path, since: tuple[list[Grave], set[str]], clock: Clock, particulars: Callable[[str], str]
) -> None:
    room = source.parent / backup.CLEANING
    fresh = room / "libra.db"
    try:
        shutil.rmtree(room, ignore_errors=True)
        room.mkdir(mode=0o700)
        unpack(source, fresh)
        settle(fresh, since, clock, particulars, StoreParams())
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
