"""Looks at history: which sessions have grown long, what stood around a turn, which turn a piece of guidance was."""

from __future__ import annotations

import re
from dataclasses import dataclass

from libra.ground.records import Role
from libra.store.rows import COLUMNS, JOINS, ItemRow, item_rows
from libra.store.sql import Reader
from libra.store.visibility import Filter, Visible, conditions, select


@dataclass(frozen=True, slots=True)
class LongSession:
    """A session with uncovered turns.

    Attributes:
        key, user: Which it is.
        turns, tokens: Uncovered turns and their tokens, the tail included.
        newest_ms: When the newest of them arrived, epoch ms.
    """

    key: str
    user: str
    turns: int
    tokens: int
    newest_ms: int


def long_sessions(s: Reader, more_than_tokens: int) -> list[LongSession]:
    """Return the sessions whose uncovered turns have more tokens than that, the one that rests longest first."""
    sql, values = select(
        "session.key, session.user, count(*), sum(item.tokens), max(item.created_ms)",
        None,
        joins="JOIN turn ON turn.item_id = item.id JOIN session ON session.id = item.session_id",
        where="item.kind = 1 AND turn.covered_by IS NULL AND turn.undone = 0",
        tail="GROUP BY item.session_id HAVING sum(item.tokens) > :least ORDER BY 5, 1",
        bindings={"least": more_than_tokens},
    )
    found = s.rows(sql, values)
    return [LongSession(*row) for row in found]


def turns_behind(s: Reader, guidance_id: int) -> list[int]:
    """Return the turn that a piece of guidance keeps; empty for anything else."""
    return [row[0] for row in s.rows("SELECT turn_id FROM guidance WHERE item_id = ?", (guidance_id,))]


def last_before(s: Reader, row: ItemRow, role: Role) -> ItemRow | None:
    """Return the last turn of a role before a turn in its session, or None."""
    sql, values = select(
        COLUMNS, None, joins=JOINS,
        where="item.session_id = :session AND item.kind = 1 AND item.seq < :seq AND item.role = :role",
        tail="ORDER BY item.seq DESC LIMIT 1",
        bindings={"session": row.session_id, "seq": row.seq, "role": role.value},
    )  # fmt: skip
    found = item_rows(s.rows(sql, values))
    return found[0] if found else None


def times_around(s: Reader, item_id: int) -> tuple[list[int], list[int]]:
    """Return ids and times of the turns of a turn's session that are at most 2,000 places from it, in order."""
    found = s.rows(
        "SELECT other.id, other.ts_ms FROM item own CROSS JOIN item other ON other.session_id = own.session_id"
        " AND other.kind = 1 AND other.seq BETWEEN own.seq - 2000 AND own.seq + 2000 WHERE own.id = ? AND own.kind = 1"
        " ORDER BY other.seq",
        (item_id,),
    )
    return [row[0] for row in found], [row[1] for row in found]


def times_of(s: Reader, session_key: str, visible: Visible) -> tuple[list[int], list[int]]:
    """Return ids and times of a session's turns, in their order; what was taken back is left out."""
    sql, values = select(
        "item.id, item.ts_ms", visible,
        joins="JOIN session ON session.id = item.session_id JOIN turn ON turn.item_id = item.id AND turn.undone = 0",
        where="item.kind = 1 AND session.key = :session AND session.user = :user", tail="ORDER BY item.ts_ms, item.seq",
        bindings={"session": session_key, "user": visible.user},
    )  # fmt: skip
    found = s.rows(sql, values)
    return [row[0] for row in found], [row[1] for row in found]


def speakers(s: Reader, session_key: str, visible: Visible) -> tuple[tuple[str, int], ...]:
    """Return who spoke in a session and in how many turns, most first; a nameless one is called by its role."""
    sql, values = select(
        "coalesce(item.speaker, upper(substr(item.role, 1, 1)) || substr(item.role, 2)), count(*)", visible,
        joins="JOIN session ON session.id = item.session_id JOIN turn ON turn.item_id = item.id AND turn.undone = 0",
        where="item.kind = 1 AND session.key = :session AND session.user = :user AND item.role IS NOT NULL",
        tail="GROUP BY 1 ORDER BY 2 DESC, 1", bindings={"session": session_key, "user": visible.user},
    )  # fmt: skip
    return tuple((name, n) for name, n in s.rows(sql, values))


_PLAIN = re.compile(r"[ -~]+")


def holding(s: Reader, part: str, filt: Filter) -> list[int]:
    """Return the ids of the items that may hold a text, newest first, whatever its case.

    Args:
        s: The state to read.
        part: Lower case; the database looks for its longest run of ASCII, since it knows case there only. Without
            one, all items of the filter come back.
        filt: Which items.
    """
    clause, values = conditions(filt)
    plain = max(_PLAIN.findall(part), key=len, default="")
    if plain:
        clause += " AND item.text LIKE :like ESCAPE '\\'"
        sign = str.maketrans({"\\": "\\\\", "%": "\\%", "_": "\\_"})
        values["like"] = f"%{plain.translate(sign)}%"
    sql, bindings = select(
        "item.id", filt.visible, where=clause, tail="ORDER BY item.ts_ms DESC, item.id DESC", bindings=values
    )
    return [row[0] for row in s.rows(sql, bindings)]


def compacted_sessions(s: Reader, visible: Visible | None) -> list[tuple[str, int]]:
    """Return the keys of the sessions with summaries, and the tokens that their lowest summaries stand for.

    The largest come first.
    """
    sql, values = select(
        "session.key, sum(summary.tokens_in)", visible,
        joins="JOIN summary ON summary.item_id = item.id JOIN session ON session.id = item.session_id",
        where="item.kind = 2 AND summary.level = 1", tail="GROUP BY item.session_id ORDER BY 2 DESC, 1",
    )  # fmt: skip
    return [(row[0], row[1]) for row in s.rows(sql, values)]
