"""Tombstones: what a person made Libra forget stays forgotten, whatever is read again (lessons.md C90, case B25).

Of a forgotten text are kept: the identity of its event, a hash of its words, and of its meaning one bit a component with a
hash of its numbers, names and negations. That is enough to know the same thing again, in the same or in other words; the
words cannot be made of it again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from libra.ground.records import digest, normal_text
from libra.ground.vectors import Vector, sign_bits
from libra.store.sql import Reader
from libra.store.writer import WriteTx

SAME_MEANING = 0.95
"""Cosine from which a text says the same. Source: lessons.md C90."""
_LEAST_CHARS = 8
"""A shorter text ("ok") is no fact of its own: only its event is forgotten, not every later use of the words."""


_TRAIT_BYTES = 8


@dataclass(frozen=True, slots=True)
class Meaning:
    """What of a text's meaning is held against tombstones.

    Attributes:
        fingerprint: Of the model; only equal ones are compared (lessons.md C83).
        kept: 8 bytes that stand for the text's particulars, then one bit a component of its vector.
    """

    fingerprint: str
    kept: bytes


def meaning(vector: Vector, fingerprint: str, particulars: str) -> Meaning:
    """Return what is kept of a meaning.

    Args:
        vector: Shape ``(dims,)``.
        fingerprint: Of the model that made it.
        particulars: Any text that is equal for texts of the same numbers, names, negations and identifiers.
    """
    traits = bytes.fromhex(digest("particulars", particulars))[:_TRAIT_BYTES]
    return Meaning(fingerprint, traits + sign_bits(vector).tobytes())


def _same(a: bytes, b: bytes) -> bool:
    """Return True for the same particulars and few differing bits: a share of arccos(cosine) / pi of them is expected."""
    if len(a) != len(b) or a[:_TRAIT_BYTES] != b[:_TRAIT_BYTES]:
        return False
    differing = (int.from_bytes(a[_TRAIT_BYTES:]) ^ int.from_bytes(b[_TRAIT_BYTES:])).bit_count()
    return differing <= (len(a) - _TRAIT_BYTES) * 8 * math.acos(SAME_MEANING) / math.pi


def text_hash(text: str) -> str:
    """Return the hash by which a forgotten text is known again."""
    return digest(normal_text(text).casefold())


def add(
    tx: WriteTx,
    *,
    uid: str,
    owner: str,
    text: str,
    now_ms: int,
    event_key: str | None = None,
    content_key: str | None = None,
    means: Meaning | None = None,
) -> None:
    """Note that a text is forgotten; the text itself is not kept.

    Args:
        tx: The transaction that deletes it.
        uid: The item's.
        owner: The user whose it was.
        text: Only hashed.
        now_ms: Words said later than this are new.
        event_key: Identity of the turn by the host's event id.
        content_key: Identity of the turn by role, time and text.
        means: What it meant, if it had a vector; not kept of a text that is too short to be a fact of its own.
    """
    known = _known_by(text)
    kept, fingerprint = (means.kept, means.fingerprint) if means is not None and known else (None, None)
    tx.run(
        "INSERT INTO tombstone(uid, owner, event_key, content_key, text_hash, vector, fingerprint, created_ms)"
        " VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
        (uid, owner, event_key, content_key, known, kept, fingerprint, now_ms),
    )


def _known_by(text: str) -> str:
    return text_hash(text) if len(normal_text(text)) >= _LEAST_CHARS else ""


@dataclass(frozen=True, slots=True)
class Period:
    """A time that is off the record: nothing that was said in it is learnt, whenever it is read.

    It is kept as a tombstone whose uid tells it, so that it travels and is restored with the others.

    Attributes:
        since_ms, until_ms: From and to, both inclusive.
        session_key: Of this session only; None for all.
    """

    since_ms: int
    until_ms: int
    session_key: str | None = None

    @property
    def uid(self) -> str:
        """What the tombstone is called."""
        whose = _session_mark(self.session_key) if self.session_key is not None else ""
        return f"{_PERIOD}{self.since_ms}-{self.until_ms}-{whose}"


_PERIOD = "off:"
_MARK_CHARS = 16


def _session_mark(session_key: str) -> str:
    return digest("session", session_key)[:_MARK_CHARS]


def add_period(tx: WriteTx, owner: str, period: Period) -> None:
    """Note that a user's talk of a time is off the record; for transcripts that are read later."""
    add(tx, uid=period.uid, owner=owner, text="", now_ms=period.until_ms)


def _periods(tx: WriteTx, owner: str, session_key: str | None) -> list[tuple[int, int, int]]:
    """Return id, begin and end of each time that is off the record for this session."""
    own = "" if session_key is None else _session_mark(session_key)
    found = tx.rows(
        "SELECT id, uid FROM tombstone WHERE owner = ?1 AND uid >= ?2 AND uid < ?3",
        (owner, _PERIOD, _PERIOD[:-1] + ";"),
    )
    out = []
    for tombstone, uid in found:
        since, until, whose = _told(str(uid))
        if whose in ("", own):
            out.append((int(tombstone), since, until))
    return out


def _told(uid: str) -> tuple[int, int, str]:
    since, until, whose = uid.removeprefix(_PERIOD).rsplit("-", 2)
    return int(since), int(until), whose


def period_of(uid: str) -> tuple[int, int, Callable[[str | None], bool]] | None:
    """Return begin and end of a time that a tombstone keeps off the record, and whether that holds for a session's key."""
    if not uid.startswith(_PERIOD):
        return None
    since, until, whose = _told(uid)
    return since, until, lambda key: not whose or (key is not None and _session_mark(key) == whose)


_RESET = "reset:"


def add_reset(tx: WriteTx, owner: str, now_ms: int) -> None:
    """Note that all that a user had set by name was taken back: rules, cards, reminders, and what hosts said of sessions.

    These have no words of their own here by which they could be known again, so their time says what may not come back.
    """
    add(tx, uid=f"{_RESET}{now_ms}", owner=owner, text="", now_ms=now_ms)


def reset_of(uid: str) -> int | None:
    """Return the time of a reset that a tombstone stands for; None for another one."""
    return int(uid.removeprefix(_RESET)) if uid.startswith(_RESET) else None


def last_reset(s: Reader, owner: str) -> int | None:
    """Return when a user took back what was set by name last; None for never."""
    found = s.rows(
        "SELECT uid FROM tombstone WHERE owner = ?1 AND uid >= ?2 AND uid < ?3",
        (owner, _RESET, _RESET[:-1] + ";"),
    )
    return max((int(str(uid).removeprefix(_RESET)) for (uid,) in found), default=None)


class Graves:
    """The tombstones of one user within one transaction.

    Args:
        user: Whose.
        periods: Id, begin and end of times that are off the record.
    """

    def __init__(self, user: str, periods: Sequence[tuple[int, int, int]] = ()) -> None:
        self._user = user
        self._periods = periods

    def holds(
        self, tx: WriteTx, event_key: str | None, content_key: str | None, text: str, said_ms: int | None
    ) -> bool:
        """Say whether this was forgotten, and count the attempt.

        Args:
            tx: The transaction.
            event_key: The turn's identity by the host's event id.
            content_key: The turn's identity by role, time and text.
            text: Its words.
            said_ms: When it was said; None if that is not known. Words said after the forgetting are new.
        """
        found = hit(tx, self._user, event_key, content_key, _known_by(text), said_ms)
        if found is None and said_ms is not None:
            found = next(
                (number for number, since, until in self._periods if since <= said_ms <= until), None
            )
        if found is None:
            return False
        count_hit(tx, found)
        return True

    def hold_meaning(self, tx: WriteTx, means: Meaning, said_ms: int | None) -> bool:
        """Say whether something that means the same was forgotten, and count the attempt; see :func:`same_meaning`."""
        found = same_meaning(tx, self._user, means, said_ms)
        if found is None:
            return False
        count_hit(tx, found)
        return True


def open_graves(tx: WriteTx, user: str, session_key: str | None = None) -> Graves | None:
    """Return the user's tombstones; None when there are none, which is the common case.

    Args:
        tx: The transaction.
        user: Whose.
        session_key: The session that is read: some times are off the record in one only.
    """
    if not any_of(tx, user):
        return None
    return Graves(user, _periods(tx, user, session_key))


def hit(
    s: Reader,
    owner: str,
    event_key: str | None,
    content_key: str | None,
    text_key: str | None,
    said_ms: int | None = None,
) -> int | None:
    """Return the id of a tombstone for one of these identities, or None. ``text_key`` is :func:`text_hash`."""
    found = s.value(
        "SELECT id FROM tombstone WHERE owner = ?1 AND event_key = ?2"
        " UNION ALL SELECT id FROM tombstone WHERE owner = ?1 AND content_key = ?3"
        " UNION ALL SELECT id FROM tombstone WHERE owner = ?1 AND text_hash = ?4 AND ?4 <> ''"
        "  AND (?5 IS NULL OR ?5 <= created_ms) LIMIT 1",
        (owner, event_key, content_key, text_key or "", said_ms),
    )
    return None if found is None else int(found)


def any_of(s: Reader, owner: str) -> bool:
    """Say whether a user has made Libra forget anything: mostly not, and then nothing needs to be compared."""
    return s.value("SELECT 1 FROM tombstone WHERE owner = ? LIMIT 1", (owner,)) is not None


def same_meaning(s: Reader, owner: str, means: Meaning, said_ms: int | None = None) -> int | None:
    """Return the id of a tombstone whose text meant the same (cosine about ≥ 0.95, same particulars), or None."""
    found = s.rows(
        "SELECT id, vector FROM tombstone WHERE owner = ?1 AND fingerprint = ?2 AND (?3 IS NULL OR ?3 <= created_ms)",
        (owner, means.fingerprint, said_ms),
    )
    return next((int(tombstone) for tombstone, kept in found if _same(kept, means.kept)), None)


def count_hit(tx: WriteTx, tombstone: int) -> None:
    """Count one attempt to learn a forgotten thing again."""
    tx.run("UPDATE tombstone SET hits = hits + 1 WHERE id = ?", (tombstone,))


def counts(s: Reader) -> tuple[int, int]:
    """Return how many tombstones there are and how often they held something back."""
    found = s.one("SELECT count(*), coalesce(sum(hits), 0) FROM tombstone")
    return (0, 0) if found is None else (int(found[0]), int(found[1]))


def lift(tx: WriteTx, uid: str) -> int:
    """Remove the tombstones of an item: it may be learnt again. Return how many there were."""
    return tx.run("DELETE FROM tombstone WHERE uid = ?", (uid,))
