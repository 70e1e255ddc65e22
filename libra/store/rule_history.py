"""What became of the lines of instruction files, and when: also of those that stand in no file any more.

A line that is in force stands in its document; here are only the changes. Words of lines that are gone are kept here and nowhere
else, so they go where words have to go: with :func:`forget`, :func:`clear`, the bounds of :class:`RuleHistoryParams`, and, since
scrubbing reads the tables off the database, with that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from libra.ground.records import Node, NodeTier
from libra.store import tombstones
from libra.store.sql import Reader, json_list
from libra.store.tombstones import text_hash
from libra.store.visibility import Visible, scope_clause
from libra.store.writer import WriteTx
from libra.text.linediff import Fate, Line, compare

_DAY_MS = 86_400_000
_ALL = 10**9


@dataclass(frozen=True, slots=True)
class RuleHistoryParams:
    """How much of what became of instruction files' lines is kept.

    Attributes:
        kept: Newest changes that are kept; with 0 none are.
        days: Older changes go.
    """

    kept: int = 5_000
    days: int = 365


class FileFate(StrEnum):
    """What became of a whole file; the fates of lines are :class:`libra.text.linediff.Fate`."""

    READ = "read"
    """Read for the first time, or as rules again: since when its lines hold stands in the document."""
    GONE = "gone"
    """It is not there any more, or names no rules any more: its lines hold no longer."""
    BACK = "back"
    """It is there again."""


@dataclass(frozen=True, slots=True)
class OldLine:
    """A line as it stood before.

    Attributes:
        uid: Its record's.
        since_ms: Since when it stood there.
    """

    uid: str
    text: str
    tier: NodeTier
    line_start: int
    line_end: int
    since_ms: int


@dataclass(frozen=True, slots=True)
class RuleChange:
    """One change.

    Attributes:
        id: Ascending in time.
        at_ms: When Libra saw it.
        what: A :class:`~libra.text.linediff.Fate` or a :class:`FileFate`.
        path, scope: The file, and for whom it holds.
        uid: The line's record; empty for a whole file.
        line_start, line_end: Where it stands, or stood; 0 for a whole file.
        tier: What it became, or was when it was removed.
        was: The tier before.
        text: Its words; of a removed line those that it had.
        before: The words before, if they were others.
        since_ms: Since when it had stood there.
    """

    id: int
    at_ms: int
    what: str
    path: str
    scope: str
    uid: str = ""
    line_start: int = 0
    line_end: int = 0
    tier: str | None = None
    was: str | None = None
    text: str = ""
    before: str = ""
    since_ms: int | None = None


class _New(NamedTuple):
    """A row that is to be written; the fields are the table's."""

    at_ms: int
    what: Fate | FileFate
    path: str
    scope_id: int
    uid: str = ""
    line_start: int = 0
    line_end: int = 0
    tier: NodeTier | None = None
    was: NodeTier | None = None
    text: str = ""
    before: str = ""
    since_ms: int | None = None


def lines_of(s: Reader, path: str) -> list[OldLine]:
    """Return the lines of a document as they stand, in source order; none if it is not one of instructions, or gone."""
    found = s.rows(
        "SELECT item.uid, item.text, node.tier, node.line_start, node.line_end, item.created_ms"
        " FROM document CROSS JOIN node ON node.document_id = document.id JOIN item ON item.id = node.item_id"
        " WHERE document.path = ? AND document.instructions = 1 ORDER BY node.ordinal",
        (path,),
    )
    return [OldLine(uid, text, NodeTier(tier), *rest) for uid, text, tier, *rest in found]


def note_lines(
    tx: WriteTx,
    path: str,
    scope_id: int,
    old: Sequence[OldLine],
    new: Sequence[Node],
    uids: Sequence[str],
    now_ms: int,
) -> None:
    """Note what became of the lines of a document that was read before.

    Args:
        tx: The transaction that replaces them.
        path: The document's.
        scope_id: Its scope's row.
        old: Its lines before.
        new: Its lines now, in source order.
        uids: Of the records of ``new``.
        now_ms: Now.
    """
    if not old and not new:
        return
    steps = compare([Line(o.text, o.tier) for o in old], [Line(n.text, n.tier) for n in new])
    hidden = _forgotten(tx, old)
    rows = []
    for step in steps:
        was = old[step.old] if step.old is not None else None
        now = new[step.new] if step.new is not None else None
        line = now or was
        if line is None:
            continue
        uid = uids[step.new] if step.new is not None else was.uid if was is not None else ""
        row = _New(now_ms, step.fate, path, scope_id, uid, line.line_start, line.line_end, line.tier)
        row = row._replace(text="" if step.old in hidden and step.fate is not Fate.CHANGED else line.text)
        if was is not None:
            other = was.text if step.fate is Fate.CHANGED and step.old not in hidden else ""
            tier = was.tier if was.tier is not line.tier else None
            row = row._replace(was=tier, before=other, since_ms=was.since_ms)
        rows.append(row)
    _insert(tx, rows)


def _forgotten(tx: WriteTx, old: Sequence[OldLine]) -> frozenset[int]:
    """Return the places of lines that a person has made Libra forget while they stood in the file."""
    found = tx.rows("SELECT uid, text_hash FROM tombstone")
    if not found:
        return frozenset()
    uids, graves = {row[0] for row in found}, {row[1] for row in found}
    return frozenset(at for at, line in enumerate(old) if line.uid in uids or text_hash(line.text) in graves)


def note_file(tx: WriteTx, path: str, scope_id: int, what: FileFate, now_ms: int) -> None:
    """Note what became of a whole file."""
    _insert(tx, [_New(now_ms, what, path, scope_id)])


def _insert(tx: WriteTx, rows: Sequence[_New]) -> None:
    tx.many(
        f"INSERT INTO rule_change({', '.join(_New._fields)}) VALUES({', '.join('?' for _ in _New._fields)})",
        [tuple(str(v) if isinstance(v, StrEnum) else v for v in row) for row in rows],
    )


# ------------------------------------------------------------------ reading


@dataclass(frozen=True, slots=True)
class Asked:
    """Which changes: of this file, of these records, before the change of this id; None for any."""

    path: str | None = None
    uids: Collection[str] | None = None
    before: int | None = None


def changes(s: Reader, visible: Visible, asked: Asked, k: int) -> list[RuleChange]:
    """Return changes in view, the newest first."""
    clause, values = scope_clause(visible)
    found = s.rows(
        "SELECT rule_change.id, at_ms, what, path, scope.name, uid, line_start, line_end, tier, was, text, before, since_ms"
        f" FROM rule_change JOIN scope ON scope.id = rule_change.scope_id WHERE {clause}"
        " AND (:path IS NULL OR path = :path) AND (:uids IS NULL OR uid IN (SELECT value FROM json_each(:uids)))"
        " AND (:before IS NULL OR rule_change.id < :before) ORDER BY rule_change.id DESC LIMIT :k",
        {
            **values, "path": asked.path, "before": asked.before, "k": k,
            "uids": None if asked.uids is None else json_list(list(asked.uids)),
        },
    )  # fmt: skip
    return [RuleChange(*row) for row in found]


def holding(s: Reader, visible: Visible, words: Collection[str]) -> list[RuleChange]:
    """Return all changes in view whose words, or words of before, hold each of these (in lower case)."""
    if not words:
        return []
    found = changes(s, visible, Asked(), _ALL)
    return [c for c in found if all(word in f"{c.text}\n{c.before}".casefold() for word in words)]


def scopes_of(s: Reader) -> list[str]:
    """Return the names of the scopes that something is known of."""
    return [row[0] for row in s.rows(
        "SELECT DISTINCT scope.name FROM rule_change JOIN scope ON scope.id = rule_change.scope_id ORDER BY 1"
    )]  # fmt: skip


# ------------------------------------------------------------------ going


def forget(tx: WriteTx, uids: Collection[str], hashes: Collection[str]) -> int:
    """Take the words out of all changes of these records, and of those that say the same; return how many were changed.

    Args:
        tx: The transaction; submit it with ``full_sync=True``.
        uids: Of records.
        hashes: Of texts, by :func:`libra.store.tombstones.text_hash`.
    """
    known, graves = set(uids), set(hashes) - {""}
    emptied = []
    for number, uid, text, before in tx.rows(
        "SELECT id, uid, text, before FROM rule_change WHERE text <> '' OR before <> ''"
    ):
        kept = ("", "") if uid in known else tuple(_unless(part, graves) for part in (text, before))
        if kept != (text, before):
            emptied.append((*kept, number))
    tx.many("UPDATE rule_change SET text = ?, before = ? WHERE id = ?", emptied)
    return len(emptied)


def keep_out(tx: WriteTx, owner: str, lines: Sequence[tuple[str, str]], now_ms: int) -> int:
    """Forget lines by a person's wish, those of today too: their words are not kept when they leave their file.

    Args:
        tx: The transaction; submit it with ``full_sync=True``.
        owner: The user who wants it.
        lines: Record and words of each.
        now_ms: Now.

    Returns:
        How many changes lost words.
    """
    for uid, text in dict.fromkeys(lines):
        tombstones.add(tx, uid=uid, owner=owner, text=text, now_ms=now_ms)
    done = forget(tx, {uid for uid, _ in lines}, {text_hash(text) for _, text in lines})
    if done:
        tx.empty_wal = True
    return done


def _unless(text: str, graves: Collection[str]) -> str:
    return "" if text and text_hash(text) in graves else text


def clear(tx: WriteTx, wanted: Callable[[str], bool], until_ms: int | None = None) -> int:
    """Take away all changes in the scopes of these names, those until a time if one is given; return how many there were."""
    names = [name for name in scopes_of(tx) if wanted(name)]
    return tx.run(
        "DELETE FROM rule_change WHERE scope_id IN (SELECT id FROM scope WHERE name IN (SELECT value FROM json_each(?1)))"
        " AND (?2 IS NULL OR at_ms <= ?2)",
        (json_list(names), until_ms),
    )


def prune(tx: WriteTx, params: RuleHistoryParams, now_ms: int, purge_after_days: int = 0) -> int:
    """Take away what is too old or too much; return how many changes that were.

    Args:
        tx: The transaction.
        params: Bounds.
        now_ms: Now.
        purge_after_days: After so many days words go by the person's wish; 0 for never.
    """
    days = min(params.days, purge_after_days or params.days)
    newest = tx.value("SELECT id FROM rule_change ORDER BY id DESC LIMIT 1 OFFSET ?", (max(params.kept, 0),))
    return tx.run(
        "DELETE FROM rule_change WHERE at_ms < ? OR id <= ?", (now_ms - days * _DAY_MS, newest or 0)
    )


def overdue(s: Reader, params: RuleHistoryParams, now_ms: int, purge_after_days: int = 0) -> bool:
    """Say whether :func:`prune` would find anything."""
    days = min(params.days, purge_after_days or params.days)
    found = s.one("SELECT count(*), min(at_ms) FROM rule_change")
    count, oldest = found if found is not None else (0, None)
    return count > params.kept or (oldest is not None and oldest < now_ms - days * _DAY_MS)
