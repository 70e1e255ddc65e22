"""Who speaks where: the names that a question may mean, kept beside the turns."""

from __future__ import annotations

from collections.abc import Sequence

from libra.store.sql import Reader, json_list
from libra.store.visibility import Visible, scope_clause
from libra.store.writer import WriteTx

Voice = tuple[int, int, str]
"""Scope, session and name."""


def visible_names(s: Reader, visible: Visible | None) -> list[str]:
    """Return the distinct speakers of the visible turns, in order.

    Each name costs a step or two, however many sessions it speaks in: a decade has ten thousands.
    """
    clause, values = scope_clause(visible)
    found = s.rows(
        "WITH RECURSIVE every(name) AS (SELECT min(name) FROM speaker UNION ALL"
        " SELECT (SELECT min(speaker.name) FROM speaker WHERE speaker.name > every.name) FROM every WHERE every.name IS NOT NULL)"
        " SELECT every.name FROM every WHERE every.name IS NOT NULL AND EXISTS (SELECT 1 FROM speaker INDEXED BY speaker_name"
        f" CROSS JOIN scope ON scope.id = speaker.scope_id WHERE speaker.name = every.name AND {clause}) ORDER BY 1",
        values,
    )
    return [row[0] for row in found]


def of_turns(s: Reader, item_ids: Sequence[int]) -> list[Voice]:
    """Return who speaks in the turns among these items."""
    found = s.rows(
        "SELECT DISTINCT scope_id, session_id, speaker FROM item WHERE kind = 1 AND speaker IS NOT NULL"
        " AND id IN (SELECT value FROM json_each(?))",
        (json_list(item_ids),),
    )
    return [(scope, session, name) for scope, session, name in found]


def quieten(tx: WriteTx, voices: Sequence[Voice]) -> None:
    """Take away the names of who has no turn left where one has gone."""
    tx.many(
        "DELETE FROM speaker WHERE scope_id = ?1 AND name = ?3 AND NOT EXISTS (SELECT 1 FROM item"
        " WHERE item.kind = 1 AND item.session_id = ?2 AND item.scope_id = ?1 AND item.speaker = ?3)",
        voices,
    )
