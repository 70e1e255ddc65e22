"""Make ``tests/data/schema<N>.db.gz``: a small database of the present schema, once, when that schema is released.

Run from the checkout: ``python -m tests.store.make_schema_sample``. A sample that is committed is never made again.
"""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

from libra.ground.records import Cursor, DocumentText, Node, NodeTier, Scope
from libra.store import documents, ledger, summaries
from libra.store.migrations import SCHEMA
from libra.store.store import Store
from libra.store.summaries import SummaryRow
from tests.store.support import Handle, turn, unit


def fill(h: Handle) -> None:
    """Put something of every kind into a store."""
    ids = h.append(
        [turn("I saw a heron.", 1), turn("Always feed it.", 2), turn("Done.", 3)],
        cursor=Cursor("/x/s.jsonl", "claude-code"),
    ).new_ids
    memory = h.remember("The heron is blue.", source_turn=ids[0])
    doc = DocumentText("/w/CLAUDE.md", "", "any", Scope.parse("global"), instructions=True)
    nodes = [
        Node(NodeTier.HARD, "list_item", text, n, n + 1, n, n, tokens=3)
        for n, text in enumerate(("Never shout.", "Feed the heron."), 1)
    ]
    h.do(lambda tx: documents.replace(tx, doc, "mark", nodes, degraded=False, now_ms=9))
    h.do(lambda tx: documents.replace(tx, doc, "mark2", nodes[:1], degraded=False, now_ms=10))
    h.begin()
    h.embed({ids[0]: unit(1), memory: unit(2)})
    summary = SummaryRow("sum", 1, 1, "A bird was seen.", 4, 3_000, "extractive", 1, 1, 1, 1, 9)
    h.do(lambda tx: summaries.commit(tx, summary, ids[:2], ids[1:2], 9))
    h.do(lambda tx: ledger.put(tx, ledger.Leaf.RULE, "u", "quiet", {"text": "Never shout."}, 9))


def main() -> None:
    """Write the sample."""
    target = Path(__file__).resolve().parent.parent / "data" / f"schema{SCHEMA}.db.gz"
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder) / "libra.db")
        fill(Handle(store))
        store.close()
        target.write_bytes(gzip.compress((Path(folder) / "libra.db").read_bytes(), mtime=0))


if __name__ == "__main__":
    main()
