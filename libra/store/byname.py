"""What follows from the ledger: the document that a person's rules are, and what goes with all of it at a reset."""

from __future__ import annotations

from libra.ground.records import DocumentText, Node, NodeTier, Scope, ScopeKind, digest
from libra.store import documents, hints, journal, ledger, rule_history
from libra.store.ledger import Leaf
from libra.store.writer import WriteTx
from libra.text.tokens import estimate

_LIST_ITEM = "list_item"


def settle_rules(tx: WriteTx, owner: str, now_ms: int) -> None:
    """Write a person's rules as the document that they stand in every prompt by; without any there is none."""
    texts = [str(row.body["text"]) for row in ledger.every(tx, Leaf.RULE, owner)]
    path = documents.RULES_PATH.format(owner)
    if not texts:
        documents.remove(tx, path, now_ms)
        return
    doc = DocumentText(path, "", "libra", Scope(ScopeKind.USER, owner), instructions=True)
    nodes = [
        Node(NodeTier.HARD, _LIST_ITEM, text, 0, 0, n + 1, n + 1, tokens=estimate(text))
        for n, text in enumerate(texts)
    ]
    documents.replace(tx, doc, digest(*texts), nodes, degraded=False, now_ms=now_ms)


def clear(tx: WriteTx, owner: str, until_ms: int, now_ms: int) -> int:
    """Take away all that a person had set by name until a time, with what was noted of it; return how many rows that were.

    Nothing of it stays in the journal, and what hosts said of the person's sessions goes along.

    Args:
        tx: The transaction.
        owner: Whose.
        until_ms: What was set or changed later stays; epoch ms.
        now_ms: Now.
    """
    noted = journal.drop_leaves(tx, owner, until_ms) + hints.clear(tx, owner, until_ms)
    gone = ledger.clear(tx, owner, until_ms)
    settle_rules(tx, owner, now_ms)
    # What became of the rules holds their words; of files only what was seen until then.
    noted += rule_history.clear(tx, lambda name: name == f"user:{owner}")
    noted += rule_history.clear(tx, lambda name: not name.startswith("user:"), until_ms)
    if gone or noted:
        tx.empty_wal = True
    return gone
