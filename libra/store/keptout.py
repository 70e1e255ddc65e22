"""What is kept of scrubbed words, and where exports were written to: see :mod:`libra.text.keptout`."""

from __future__ import annotations

from collections.abc import Iterable

from libra.store.sql import Reader
from libra.store.writer import WriteTx
from libra.text.keptout import KeptOut


def every(s: Reader) -> tuple[KeptOut, ...]:
    """Return what is known of all scrubbed words."""
    if not exists(s):
        return ()
    return tuple(KeptOut(*row) for row in s.rows("SELECT length, sieve, salt, hash FROM kept_out"))


def exists(s: Reader) -> bool:
    """Say whether the database knows of scrubbed words at all: copies of before do not."""
    return s.value("SELECT 1 FROM sqlite_schema WHERE name = 'kept_out'") is not None


def newest_ms(s: Reader) -> int:
    """Return when something was scrubbed last; 0 for never."""
    return int(s.value("SELECT coalesce(max(created_ms), 0) FROM kept_out")) if exists(s) else 0


def keep(tx: WriteTx, words: Iterable[KeptOut], now_ms: int) -> None:
    """Know these words from now on."""
    tx.many(
        "INSERT OR IGNORE INTO kept_out(hash, salt, length, sieve, created_ms) VALUES(?, ?, ?, ?, ?)",
        ((w.hash, w.salt, w.length, w.sieve, now_ms) for w in words),
    )


def note_export(tx: WriteTx, path: str, now_ms: int) -> None:
    """Remember a file that an export is written to."""
    tx.run(
        "INSERT INTO export_file(path, at_ms) VALUES(?1, ?2) ON CONFLICT(path) DO UPDATE SET at_ms = ?2",
        (path, now_ms),
    )


def note_exports(tx: WriteTx, rows: Iterable[tuple[str, int]]) -> None:
    """Remember files that exports were written to while another database stood here: paths and times."""
    tx.many("INSERT OR IGNORE INTO export_file(path, at_ms) VALUES(?, ?)", rows)


def exports(s: Reader) -> list[str]:
    """Return the files that exports were written to."""
    return [row[0] for row in s.rows("SELECT path FROM export_file ORDER BY path")]
