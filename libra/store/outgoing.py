"""What leaves in an export: every record that says something by itself, in one order, a page at a time.

Records name each other by uid, never by row number, and stand in an order that follows from what they say, so that two
databases of the same content give the same export to the byte. Left out is what is made of the rest or of files that are
read again (vectors, indexes, documents, cursors), and what is only about prompts (receipts, uses, the journal).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from libra.store.sql import Reader, Row, from_json, json_list
from libra.store.visibility import Visible, scope_clause, select

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """How far an export has come: the section, and the key of the last record; no key before its first."""

    section: int = 0
    key: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Section:
    """Records of one kind.

    Attributes:
        kind: The value of ``kind``.
        names: Fields of the record after ``kind``, in order.
        columns: Expressions of these fields.
        source: Tables up to ``item``; a section without ``item`` is read by its own function.
        key: Expressions that give the order; text and whole numbers, never NULL.
    """

    kind: str
    names: tuple[str, ...]
    columns: tuple[str, ...]
    source: str
    key: tuple[str, ...]
    joins: str = ""


def _named(**fields: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(fields), tuple(fields.values())


_SESSION = _named(
    session="n.key", user="n.user", host="n.host", agent="n.agent", project="n.project", cwd="n.cwd", session_kind="n.kind",
    parent="(SELECT p.key FROM session p WHERE p.id = n.parent_id)", gone_ms="n.gone_ms",
)  # fmt: skip
_TURN = _named(
    id="item.uid", session="n.key", user="n.user", seq="item.seq", role="item.role", speaker="item.speaker",
    ts="item.ts_ms", ts_known="turn.ts_known", created="item.created_ms", tokens="item.tokens", project="item.project",
    agent="item.agent", event_key="turn.event_key", content_key="turn.content_key", external_id="turn.external_id",
    origin="turn.origin", line="turn.line", metadata="turn.metadata", gated="turn.gated", undone="turn.undone",
    text="item.text",
)  # fmt: skip
_SUMMARY = _named(
    id="item.uid", session="n.key", user="n.user", level="summary.level", ts="item.ts_ms", created="item.created_ms",
    tokens="item.tokens", project="item.project", agent="item.agent", method="summary.method",
    confidence="summary.confidence", align="summary.align", cover="summary.cover", ident="summary.ident",
    tokens_in="summary.tokens_in", covers="item.id", text="item.text",
)  # fmt: skip
_MEMORY = _named(
    id="item.uid", user="substr(scope.name, 6)", session="n.key", project="item.project", agent="item.agent",
    type="item.type", role="item.role", speaker="item.speaker", ts="item.ts_ms", created="item.created_ms",
    tokens="item.tokens", active="item.active", confidence="memory.confidence", confirmations="memory.confirmations",
    priority="memory.priority", priority_manual="memory.priority_manual", ttl_ms="memory.ttl_ms",
    ttl_manual="memory.ttl_manual", expires_ms="memory.expires_ms", archived_ms="memory.archived_ms",
    valid_from_ms="memory.valid_from_ms", valid_to_ms="memory.valid_to_ms", touched_ms="memory.touched_ms",
    subject="memory.subject", slot="memory.slot", source_turn="told.uid", signals="memory.signals",
    recalls="memory.recalls", last_recalled_ms="memory.last_recalled_ms", text="item.text",
)  # fmt: skip
_GUIDANCE = _named(
    id="item.uid", turn="told.uid", session="n.key", user="n.user", role="item.role", speaker="item.speaker",
    ts="item.ts_ms", created="item.created_ms", tokens="item.tokens", project="item.project", agent="item.agent",
    active="item.active", text="item.text",
)  # fmt: skip
_TOMBSTONE = _named(
    id="uid", user="owner", event_key="event_key", content_key="content_key", text_hash="text_hash", vector="hex(vector)",
    fingerprint="fingerprint", created="created_ms",
)  # fmt: skip

_VECTOR = _named(
    item="item.uid", fingerprint="model.value", chars="length(item.text)",
    windows="(SELECT json_group_array(json_array(w.start, w.end_, hex(w.vector))) FROM (SELECT start, end_, vector FROM chunk"
    " WHERE item_id = item.id AND +state = 1 AND +fingerprint = model.value ORDER BY window) w)",
)  # fmt: skip

_LEAF = _named(
    user="owner",
    leaf="kind",
    name="name",
    body="body",
    version="version",
    created="created_ms",
    changed="changed_ms",
)

_FLAGS = frozenset({"ts_known", "undone", "active", "priority_manual", "ttl_manual"})
_JSON = frozenset({"metadata", "signals", "windows", "body"})

SECTIONS = (
    _Section("session", *_SESSION, "session n", ("n.key", "n.user")),
    _Section(
        "turn", *_TURN, "session n CROSS JOIN item ON item.session_id = n.id AND item.kind = 1",
        ("n.key", "n.user", "item.seq", "item.uid"), "JOIN turn ON turn.item_id = item.id",
    ),
    _Section(
        "fork", *_named(session="n.key", user="n.user", turn="item.uid"), "session n CROSS JOIN item ON item.id = n.fork_id",
        ("n.key", "n.user"),
    ),
    _Section(
        "sighting", *_named(session="n.key", user="n.user", turn="item.uid"),
        "session n CROSS JOIN sighting ON sighting.session_id = n.id CROSS JOIN item ON item.id = sighting.item_id",
        ("n.key", "n.user", "item.uid"),
    ),
    _Section(
        "summary", *_SUMMARY, "summary CROSS JOIN item ON item.id = summary.item_id",
        ("summary.level", "n.key", "n.user", "item.ts_ms", "item.uid"), "JOIN session n ON n.id = summary.session_id",
    ),
    _Section(
        "memory", *_MEMORY, "memory CROSS JOIN item ON item.id = memory.item_id", ("item.created_ms", "item.uid"),
        "LEFT JOIN session n ON n.id = item.session_id LEFT JOIN item told ON told.id = memory.source_turn",
    ),
    _Section(
        "guidance", *_GUIDANCE, "guidance CROSS JOIN item ON item.id = guidance.item_id", ("item.created_ms", "item.uid"),
        "JOIN session n ON n.id = guidance.session_id JOIN item told ON told.id = guidance.turn_id",
    ),
    _Section(
        "successor", *_named(memory="item.uid", by="next.uid"), "memory CROSS JOIN item ON item.id = memory.item_id",
        ("item.uid",), "JOIN item next ON next.id = memory.superseded_by",
    ),
    _Section(
        "relation", *_named(**{"from": "item.uid", "to": "other.uid", "relation": "relation.kind", "created": "relation.created_ms"}),
        "relation CROSS JOIN item ON item.id = relation.from_id AND item.kind <= 4", ("item.uid", "other.uid", "relation.kind"),
        "JOIN item other ON other.id = relation.to_id",
    ),
    _Section(
        "never", *_named(item="item.uid", place="never.place", created="never.created_ms"),
        "never CROSS JOIN item ON item.id = never.item_id", ("never.place", "item.uid"),
    ),
    _Section(
        "shared", *_named(item="item.uid", place="shared.place", created="shared.created_ms"),
        "shared CROSS JOIN item ON item.id = shared.item_id", ("shared.place", "item.uid"),
    ),
    _Section("leaf", *_LEAF, "ledger", ("owner", "kind", "name")),
    _Section("tombstone", *_TOMBSTONE, "tombstone", ("created_ms", "uid", "id")),
    _Section(
        "vector", *_VECTOR, "item CROSS JOIN meta model ON model.key = 'model.fingerprint' AND item.kind <= 4 AND EXISTS (SELECT 1"
        " FROM chunk WHERE chunk.item_id = item.id AND +chunk.state = 1 AND +chunk.fingerprint = model.value)", ("item.uid",),
    ),
)  # fmt: skip
"""In the order of an export: what is referred to comes first. Tombstones come last: what was said again after it was forgotten
stands beside the tombstone of the same words, and must get in. Behind them vectors, for who asks for them."""


def page(
    s: Reader, visible: Visible | None, after: Place, limit: int, most_chars: int, *, vectors: bool = False
) -> tuple[list[Json], Place | None]:
    """Return the next records, and where to go on; None at the end.

    Args:
        s: The state to read.
        visible: The caller's view; None for everything.
        after: Where the last page ended.
        limit: Records of a page.
        most_chars: Characters of text of a page; the record that passes it ends the page.
        vectors: With the vectors of the present model.
    """
    found: list[Json] = []
    chars = 0
    at = after
    while at.section < len(SECTIONS) - (0 if vectors else 1):
        section = SECTIONS[at.section]
        rows = _rows(s, visible, section, at.key, limit - len(found))
        width = len(section.key)
        covers = (
            _covers(s, [row[width + section.names.index("covers")] for row in rows])
            if section.kind == "summary"
            else {}
        )
        for row in rows:
            record = _record(section, row[width:], covers)
            found.append(record)
            chars += len(record.get("text") or "") + sum(len(w[2]) for w in record.get("windows", ()))
            at = Place(at.section, tuple(row[:width]))
            if len(found) >= limit or chars >= most_chars:
                return found, at
        at = Place(at.section + 1)
    return found, None


def counts(s: Reader, visible: Visible | None, *, vectors: bool = False) -> dict[str, int]:
    """Return how many records of each kind an export has."""
    return {
        section.kind: int(_run(s, visible, section, "count(*)", "1", "", {})[0][0])
        for section in SECTIONS[: None if vectors else -1]
    }


def _rows(
    s: Reader, visible: Visible | None, section: _Section, key: Sequence[str | int], limit: int
) -> list[Row]:
    where, bindings = "1", dict[str, Any](most=limit)
    if key:
        places = [f"a{n}" for n in range(len(section.key))]
        bindings |= dict(zip(places, key, strict=True))
        where = f"({', '.join(section.key)}) > ({', '.join(':' + p for p in places)})"
        # The first part alone can be looked up in an index; SQLite does not see that in the comparison of rows.
        where += f" AND {section.key[0]} >= :a0"
    tail = f"ORDER BY {', '.join(section.key)} LIMIT :most"
    return _run(s, visible, section, ", ".join((*section.key, *section.columns)), where, tail, bindings)


def _run(
    s: Reader, visible: Visible | None, section: _Section, columns: str, where: str, tail: str, bindings: Json
) -> list[Row]:
    """Run the query of a section: over items by the one builder, over sessions and tombstones by their owner."""
    if section.kind == "session":
        clause, values = scope_clause(visible)
        sql = f"SELECT {columns} FROM session n JOIN scope ON scope.id = n.scope_id WHERE {clause} AND ({where}) {tail}"
    elif section.kind in {"tombstone", "leaf"}:
        values = {"v_owner": visible.user if visible else None}
        sql = f"SELECT {columns} FROM {section.source} WHERE (:v_owner IS NULL OR owner = :v_owner) AND ({where}) {tail}"
    else:
        sql, values = select(
            columns, visible, source=section.source, joins=section.joins, where=where, tail=tail
        )
    return s.rows(sql, {**values, **bindings})


def _covers(s: Reader, summary_ids: Sequence[int]) -> dict[int, list[str]]:
    """Return the uids of what each of these summaries covers, in order."""
    sql, values = select(
        "coverage.parent_id, item.uid", None,
        source="json_each(:ids) wanted CROSS JOIN coverage ON coverage.parent_id = wanted.value"
        " CROSS JOIN item ON item.id = coverage.child_id",
        tail="ORDER BY coverage.parent_id, coverage.position, item.id", bindings={"ids": json_list(summary_ids)},
    )  # fmt: skip
    found: dict[int, list[str]] = {}
    for parent, uid in s.rows(sql, values):
        found.setdefault(parent, []).append(uid)
    return found


def _record(section: _Section, values: Sequence[Any], covers: dict[int, list[str]]) -> Json:
    """Return a record without the fields that say nothing."""
    forms: dict[str, Callable[[Any], Any]] = {
        "covers": lambda item: covers.get(item, []),
        "vector": lambda v: v or None,
    }
    forms |= dict.fromkeys(_FLAGS, bool) | dict.fromkeys(_JSON, from_json)
    record: Json = {"kind": section.kind}
    for name, value in zip(section.names, values, strict=True):
        shown = forms[name](value) if name in forms else value
        if shown is not None and shown != {}:
            record[name] = shown
    return record
