"""Authored documents and their nodes: directives (hard, soft) and lore. A document's nodes are replaced as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from libra.ground.records import DocumentText, Kind, Modality, Node, NodeTier, digest
from libra.store import items, rule_history, scopes
from libra.store.rule_history import FileFate, OldLine
from libra.store.sql import Reader, Row, json_list
from libra.store.visibility import Visible, select
from libra.store.writer import WriteTx

PRESENT, UNREADABLE, MISSING_ONCE, GONE = "present", "unreadable", "missing_once", "gone"
"""States. Only ``gone`` takes a document's nodes out of use: a refused look is no deletion (lessons.md C01, B13)."""

BY_HAND = "libra:"
RULES_PATH = BY_HAND + "{}/rules set by hand"
"""Path of the document that holds the rules that a user has set by name; no file has it."""


@dataclass(frozen=True, slots=True)
class DocumentState:
    """What is kept about a document between two looks at the disk.

    Attributes:
        path: Real path.
        digest: Of the text that was taken last.
        size, mtime_ns: The file's, when it was taken.
        state: ``present``, ``unreadable``, ``missing_once`` or ``gone``; since ``state_ms``.
        first_missing_ms: When it was first not found.
        tokens_hard, tokens_soft: Load of its directives.
        degraded: Its hard load was over the bound, and some list items stepped down.
        imported_by: Path of the document that imports it.
    """

    path: str
    digest: str
    size: int
    mtime_ns: int
    state: str
    first_missing_ms: int | None = None
    state_ms: int = 0
    host: str = ""
    scope: str = ""
    instructions: bool = True
    tokens_hard: int = 0
    tokens_soft: int = 0
    degraded: bool = False
    imported_by: str | None = None


@dataclass(frozen=True, slots=True)
class DirectiveRow:
    """One hard or soft directive as it stands in a prompt."""

    id: int
    uid: str
    text: str
    tokens: int
    tier: NodeTier
    block: str
    path: str
    line_start: int
    line_end: int
    heading: tuple[str, ...]
    modalities: tuple[Modality, ...]
    scope: str
    host: str
    degraded: bool
    document_state: str


def replace(
    tx: WriteTx, doc: DocumentText, digest_: str, nodes: Sequence[Node], *, degraded: bool, now_ms: int
) -> bool:
    """Put the document's present nodes in place of its former ones; return False if the digest is unchanged.

    A node that stands in both is kept with its uid and its vector, wherever it has moved to.

    Args:
        tx: The transaction.
        doc: The file as it was read.
        digest_: Of its text and of what decides how it is taken.
        nodes: All leaves, in source order.
        degraded: Whether the hard load was over the bound.
        now_ms: Now.
    """
    before = tx.one("SELECT id, digest, state, instructions FROM document WHERE path = ?", (doc.path,))
    if before is not None and before[1] == digest_ and before[2] != GONE:
        touch(tx, doc, now_ms)
        return False
    scope_id = scopes.ensure(tx, doc.scope)
    stood = rule_history.lines_of(tx, doc.path)
    document_id = _put(tx, doc, digest_, scope_id, nodes, degraded=degraded, now_ms=now_ms)
    kept = _keep_equal(tx, document_id, scope_id, nodes)
    old = [row[0] for row in tx.rows("SELECT item_id FROM node WHERE document_id = ?", (document_id,))]
    items.delete(tx, [item for item in old if item not in set(kept.values())])
    tx.run("DELETE FROM node WHERE document_id = ?", (document_id,))
    first = items.next_id(tx)
    fresh = [n for n in range(len(nodes)) if n not in kept]
    ids = {**kept, **{n: first + i for i, n in enumerate(fresh)}}
    items.insert(tx, [_item(ids[n], doc, scope_id, n, nodes[n], now_ms) for n in fresh])
    items.set_active(tx, list(kept.values()), active=True)
    tx.many(
        "INSERT INTO node(item_id, document_id, ordinal, tier, block, start, end_, line_start, line_end, heading,"
        " modalities) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                ids[n], document_id, n, node.tier.value, node.kind, node.start, node.end, node.line_start,
                node.line_end, orjson.dumps(node.heading).decode() if node.heading else None,
                ",".join(m.value for m in node.modalities),
            )
            for n, node in enumerate(nodes)
        ],
    )  # fmt: skip
    was = None if before is None else (before[2], bool(before[3]))
    _note(tx, doc, scope_id, was, stood, [ids[n] for n in range(len(nodes))], nodes, now_ms)
    return True


def _note(
    tx: WriteTx,
    doc: DocumentText,
    scope_id: int,
    was: tuple[str, bool] | None,
    stood: Sequence[OldLine],
    ids: Sequence[int],
    nodes: Sequence[Node],
    now_ms: int,
) -> None:
    """Note what became of a document's lines; ``was``: its state before, and whether it was one of instructions."""
    ruled = was is not None and was[1]
    if not doc.instructions:
        if ruled:
            rule_history.note_file(tx, doc.path, scope_id, FileFate.GONE, now_ms)
        return
    if not ruled and not doc.path.startswith(BY_HAND):
        rule_history.note_file(tx, doc.path, scope_id, FileFate.READ, now_ms)
        return
    if was is not None and was[0] == GONE:
        rule_history.note_file(tx, doc.path, scope_id, FileFate.BACK, now_ms)
    uids: dict[int, str] = dict(
        tx.rows("SELECT id, uid FROM item WHERE id IN (SELECT value FROM json_each(?))", (json_list(ids),))
    )
    rule_history.note_lines(tx, doc.path, scope_id, stood, nodes, [uids[item] for item in ids], now_ms)


def _put(
    tx: WriteTx,
    doc: DocumentText,
    digest_: str,
    scope_id: int,
    nodes: Sequence[Node],
    *,
    degraded: bool,
    now_ms: int,
) -> int:
    load = {tier: sum(n.tokens for n in nodes if n.tier is tier) for tier in NodeTier}
    return int(
        tx.value(
            "INSERT INTO document(path, host, scope_id, instructions, digest, size, mtime_ns, state, state_ms, ord,"
            " tokens_hard, tokens_soft, degraded, imported_by)"
            " VALUES(:path, :host, :scope, :instructions, :digest, :size, :mtime, :state, :now, :ord, :hard, :soft,"
            " :degraded, :imported_by)"
            " ON CONFLICT(path) DO UPDATE SET host = :host, scope_id = :scope, instructions = :instructions,"
            " digest = :digest, size = :size, mtime_ns = :mtime,"
            " state_ms = CASE WHEN state = :state THEN state_ms ELSE :now END, state = :state, first_missing_ms = NULL,"
            " ord = :ord, tokens_hard = :hard, tokens_soft = :soft, degraded = :degraded, imported_by = :imported_by"
            " RETURNING id",
            {
                "path": doc.path, "host": doc.host, "scope": scope_id, "instructions": int(doc.instructions),
                "digest": digest_, "size": doc.size, "mtime": doc.mtime_ns, "state": PRESENT, "now": now_ms,
                "ord": doc.order, "hard": load[NodeTier.HARD], "soft": load[NodeTier.SOFT],
                "degraded": int(degraded), "imported_by": doc.imported_by,
            },
        )
    )  # fmt: skip


def _keep_equal(tx: WriteTx, document_id: int, scope_id: int, nodes: Sequence[Node]) -> dict[int, int]:
    """Return the nodes that the document had before, as position → item id, each item at most once."""
    had: dict[tuple[int, str], list[int]] = {}
    for item, kind, text in tx.rows(
        "SELECT item.id, item.kind, item.text FROM node JOIN item ON item.id = node.item_id"
        " WHERE node.document_id = ? AND item.scope_id = ? ORDER BY node.ordinal DESC",
        (document_id, scope_id),
    ):
        had.setdefault((kind, text), []).append(item)
    kept: dict[int, int] = {}
    for n, node in enumerate(nodes):
        same = had.get((int(_kind(node)), node.text))
        if same:
            kept[n] = same.pop()
    return kept


def _kind(node: Node) -> Kind:
    return Kind.LORE if node.tier is NodeTier.LORE else Kind.DIRECTIVE


def _item(item_id: int, doc: DocumentText, scope_id: int, n: int, node: Node, now_ms: int) -> items.NewItem:
    # The item id keeps uids apart when a text was removed and comes back, or stands twice.
    uid = "d" + digest(doc.path, node.text, str(n), str(item_id))[:23]
    ts_ms = doc.mtime_ns // 1_000_000 or now_ms
    return items.NewItem(
        item_id, uid, _kind(node), scope_id, None, None, None, None, node.tokens, ts_ms, now_ms, 1, None, None, None,
        node.text,
    )  # fmt: skip


def touch(tx: WriteTx, doc: DocumentText, now_ms: int) -> None:
    """Note that the document was read again with the same text: it is present."""
    tx.run(
        "UPDATE document SET size = ?, mtime_ns = ?, first_missing_ms = NULL,"
        " state_ms = CASE WHEN state = ? THEN state_ms ELSE ? END, state = ? WHERE path = ?",
        (doc.size, doc.mtime_ns, PRESENT, now_ms, PRESENT, doc.path),
    )


def mark_state(tx: WriteTx, path: str, state: str, now_ms: int) -> bool:
    """Note in what state a document was found; return False if it is not known.

    Nodes of a ``gone`` document leave the active index, and come back with the document.
    """
    found = tx.one("SELECT id, state, scope_id, instructions FROM document WHERE path = ?", (path,))
    if found is None:
        return False
    document_id, before, scope_id, instructions = found
    if before == state:
        return True
    tx.run(
        "UPDATE document SET state = ?1, state_ms = ?2, first_missing_ms = CASE"
        " WHEN ?1 IN ('missing_once', 'gone') THEN coalesce(first_missing_ms, ?2) ELSE NULL END WHERE id = ?3",
        (state, now_ms, document_id),
    )
    if GONE in (before, state):
        nodes = [row[0] for row in tx.rows("SELECT item_id FROM node WHERE document_id = ?", (document_id,))]
        items.set_active(tx, nodes, active=state != GONE)
        if instructions:
            what = FileFate.GONE if state == GONE else FileFate.BACK
            rule_history.note_file(tx, path, scope_id, what, now_ms)
    return True


def remove(tx: WriteTx, path: str, now_ms: int | None = None) -> bool:
    """Delete a document with its nodes; return whether it was there. With a time it is noted that its lines hold no longer."""
    found = tx.one("SELECT id, scope_id FROM document WHERE path = ?", (path,))
    if found is None:
        return False
    document_id, scope_id = found
    if now_ms is not None:
        rule_history.note_lines(tx, path, scope_id, rule_history.lines_of(tx, path), (), (), now_ms)
    items.delete(
        tx, [row[0] for row in tx.rows("SELECT item_id FROM node WHERE document_id = ?", (document_id,))]
    )
    tx.run("DELETE FROM document WHERE id = ?", (document_id,))
    return True


def states(s: Reader) -> dict[str, DocumentState]:
    """Return what is kept of every document, by path."""
    found = s.rows(
        "SELECT document.path, digest, size, mtime_ns, state, first_missing_ms, state_ms, host, scope.name,"
        " instructions = 1, tokens_hard, tokens_soft, degraded = 1, imported_by"
        " FROM document JOIN scope ON scope.id = document.scope_id ORDER BY document.path"
    )
    return {row[0]: _state(row) for row in found}


def _state(row: Row) -> DocumentState:
    fields = [*row[:9], bool(row[9]), row[10], row[11], bool(row[12]), row[13]]
    return DocumentState(*fields)


def directives(s: Reader, visible: Visible | Sequence[str]) -> list[DirectiveRow]:
    """Return the hard and soft directives of all documents in view that are not gone, in prompt order.

    The order: global, user, agent, project; within a scope by the documents' order, then path, then place in the
    document. It depends on the documents alone, so that the stable part of a prompt stays byte-identical.

    Args:
        s: The state to read.
        visible: The caller's view, or the names of the scopes.
    """
    view = visible if isinstance(visible, Visible) else Visible(user="", scopes=tuple(visible))
    sql, bindings = select(
        "item.id, item.uid, item.text, item.tokens, node.tier, node.block, document.path, node.line_start,"
        " node.line_end, node.heading, node.modalities, scope.name, document.host, document.degraded, document.state",
        view,
        source="document CROSS JOIN node ON node.document_id = document.id CROSS JOIN item ON item.id = node.item_id",
        where="document.state <> 'gone' AND document.instructions = 1 AND node.tier IN ('hard', 'soft')",
        tail="ORDER BY CASE scope.kind WHEN 5 THEN 0 ELSE scope.kind END, scope.name, document.ord, document.path, node.ordinal",
    )  # fmt: skip
    return [_directive(row) for row in s.rows(sql, bindings)]


def _directive(row: Row) -> DirectiveRow:
    heading = tuple(orjson.loads(row[9])) if row[9] else ()
    modalities = tuple(Modality(m) for m in row[10].split(",") if m)
    fields = [*row[:4], NodeTier(row[4]), *row[5:9], heading, modalities, *row[11:13], bool(row[13]), row[14]]
    return DirectiveRow(*fields)


@dataclass(frozen=True, slots=True)
class NodeRow:
    """One leaf of a document, of any tier.

    Attributes:
        created_ms: Since when it stands there.
        in_force: Its document is one of instructions and is not gone.
    """

    uid: str
    text: str
    tokens: int
    tier: NodeTier
    block: str
    path: str
    line_start: int
    line_end: int
    heading: tuple[str, ...]
    modalities: tuple[Modality, ...]
    scope: str
    created_ms: int
    in_force: bool


def every_node(s: Reader, visible: Visible) -> list[NodeRow]:
    """Return all leaves of the instruction files in view, in prompt order."""
    sql, bindings = select(
        "item.uid, item.text, item.tokens, node.tier, node.block, document.path, node.line_start, node.line_end, node.heading,"
        " node.modalities, scope.name, item.created_ms, document.state <> 'gone'",
        visible,
        source="document CROSS JOIN node ON node.document_id = document.id CROSS JOIN item ON item.id = node.item_id",
        where="document.instructions = 1",
        tail="ORDER BY CASE scope.kind WHEN 5 THEN 0 ELSE scope.kind END, scope.name, document.ord, document.path, node.ordinal",
    )  # fmt: skip
    return [_node_row(row) for row in s.rows(sql, bindings)]


def _node_row(row: Row) -> NodeRow:
    heading = tuple(orjson.loads(row[8])) if row[8] else ()
    modalities = tuple(Modality(m) for m in row[9].split(",") if m)
    fields = [*row[:3], NodeTier(row[3]), *row[4:8], heading, modalities, *row[10:12], bool(row[12])]
    return NodeRow(*fields)


def overloaded(s: Reader) -> list[tuple[str, int, int]]:
    """Return path, list items that stepped down, and tokens that stay hard of each document over its bound."""
    return s.rows(
        "SELECT path, (SELECT count(*) FROM node WHERE document_id = document.id AND tier = 'soft'"
        " AND block = 'list_item'), tokens_hard FROM document"
        " WHERE degraded = 1 AND instructions = 1 AND state <> 'gone' ORDER BY path"
    )


def nodes_of(s: Reader, path: str) -> list[int]:
    """Return the item ids of a document's nodes, in source order."""
    found = s.rows(
        "SELECT item_id FROM node JOIN document ON document.id = node.document_id WHERE path = ? ORDER BY ordinal",
        (path,),
    )
    return [row[0] for row in found]


def path_of(s: Reader, item_ids: Sequence[int]) -> dict[int, str]:
    """Return the document's path of each of these nodes."""
    found = s.rows(
        "SELECT node.item_id, document.path FROM node JOIN document ON document.id = node.document_id"
        " WHERE node.item_id IN (SELECT value FROM json_each(?))",
        (json_list(item_ids),),
    )
    return dict(found)
