"""Authored documents: partition, redact, check the load bound, replace the document's nodes."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from libra.engine.deps import Deps
from libra.engine.feed import DocumentState
from libra.ground.errors import InvalidParams, NotFound
from libra.ground.records import DocumentText, Node, NodeTier, digest
from libra.store import documents
from libra.store.documents import DirectiveRow
from libra.text.blocks import BlockKind
from libra.text.headings import Topic
from libra.text.partition import READING, Load, classify, degrade, partition
from libra.text.tokens import estimate

_LOG = logging.getLogger(__name__)
_UNDER = {Topic.LORE: "headings of lore", Topic.PLAIN: "other headings", Topic.RULES: "headings of rules"}
_MAX_BYTES = 4 * 1024 * 1024


def nodes_of(deps: Deps, text: str, *, instructions: bool) -> tuple[list[Node], Load]:
    """Return the document's nodes, redacted, and how its hard ones compare with what is reserved for them.

    Above that share of the reference budget, list items without a deontic form step down to soft (memory
    model §3). Nothing is cut.
    """
    clean = [_redacted(deps, node) for node in partition(text, instructions=instructions)]
    return degrade(clean, _reserved(deps))


def _reserved(deps: Deps) -> int:
    """Return how many tokens are reserved for the hard rules of one document."""
    pack = deps.params.pack
    return int(pack.hard * pack.usable(deps.params.documents.reference_budget_tokens))


def hard_load(path: str, stepped: int, kept_tokens: int) -> str:
    """Return the line of ``degraded`` about a document with more rules than are reserved for it."""
    return (
        f"hard_load: {path} holds more rules than its reservation;"
        f" {stepped} list items stepped down to soft, {kept_tokens} tokens stay hard"
    )


def _redacted(deps: Deps, node: Node) -> Node:
    found = deps.cleaner.text(node.text)
    return replace(node, text=found.text, tokens=estimate(found.text)) if found.kinds else node


def document(deps: Deps, doc: DocumentText) -> bool:
    """Store a document's present text; return True if that changed anything.

    Raises:
        StoreError: The former text stays in force.
    """
    # What decides how it is taken is part of the mark, so that a changed setting reaches documents that have not changed.
    mark = digest(doc.text, str(doc.instructions), doc.scope.text, str(READING), str(_reserved(deps)))
    with deps.store.snapshot() as snapshot:
        known = documents.states(snapshot).get(doc.path)
    now_ms = deps.clock()
    if known is not None and known.digest == mark:
        if known.state != "present" or (known.size, known.mtime_ns) != (doc.size, doc.mtime_ns):
            deps.store.write(lambda tx: documents.touch(tx, doc, now_ms)).result()
        return False
    nodes, load = nodes_of(deps, doc.text, instructions=doc.instructions)
    changed = deps.store.write(
        lambda tx: documents.replace(tx, doc, mark, nodes, degraded=load.degraded, now_ms=now_ms)
    ).result()
    if load.degraded:
        _LOG.warning(
            "%s (%d reserved)", hard_load(doc.path, _stepped(load), load.kept_tokens), load.limit_tokens
        )
    deps.wake()
    return changed


def states(deps: Deps) -> dict[str, DocumentState]:
    """Return what is kept of every document that is a file, by path: rules that are set by hand cannot be missing on the disk."""
    with deps.store.snapshot() as snapshot:
        kept = documents.states(snapshot)
    return {
        path: DocumentState(path, d.digest, d.size, d.mtime_ns, d.state, d.first_missing_ms, d.host)
        for path, d in kept.items()
        if not path.startswith(documents.BY_HAND)
    }


def mark_state(deps: Deps, path: str, state: str) -> None:
    """Record that a document is unreadable, missing for the first time, or gone."""
    now_ms = deps.clock()
    deps.store.write(lambda tx: documents.mark_state(tx, path, state, now_ms)).result()


def partition_verb(deps: Deps, path: str | None, name: str | None, text: str | None) -> dict[str, Any]:
    """Answer the method ``partition``: how a document would be loaded; nothing is stored.

    Raises:
        NotFound: The path cannot be read.
        InvalidParams: Neither a path nor a text was given.
    """
    if text is None:
        if path is None:
            raise InvalidParams("partition needs a path, or a name and a text", where="path")
        text = read_file(Path(path))
    nodes, load = nodes_of(deps, text, instructions=True)
    tokens = {tier.value: sum(n.tokens for n in nodes if n.tier is tier) for tier in NodeTier}
    reasons = [_told(name or path or "text", load)] if load.degraded else []
    return {"nodes": [_wire(node) for node in nodes], "tokens": tokens, "degraded": reasons}


def _told(path: str, load: Load) -> str:
    """Return the line about a degraded load with its numbers: what stepped down, from under which headings."""
    groups = ", ".join(f"{count} under {_UNDER[subject]}" for subject, count in load.stepped)
    return (
        f"{hard_load(path, _stepped(load), load.kept_tokens)} of {load.hard_tokens}, {load.limit_tokens} are reserved"
        + (f" ({groups})" if groups else "")
    )


def _stepped(load: Load) -> int:
    """Return how many list items stepped down."""
    return sum(count for _, count in load.stepped)


def read_file(path: Path) -> str:
    """Return the text of a file that a caller names.

    Raises:
        NotFound: It cannot be read.
        InvalidParams: It is too large.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise NotFound(f"the document cannot be read: {error.strerror}", where=str(path)) from error
    if len(raw) > _MAX_BYTES:
        raise InvalidParams(f"the document is larger than {_MAX_BYTES} bytes", where="path")
    return raw.decode("utf-8", "replace").removeprefix("\ufeff")


def _wire(node: Node) -> dict[str, Any]:
    return {
        "tier": node.tier.value,
        "kind": node.kind,
        "text": node.text,
        "lines": [node.line_start, node.line_end],
        "heading": list(node.heading),
        "tokens": node.tokens,
        "modalities": [m.value for m in node.modalities],
    }


def classify_verb(texts: Sequence[str]) -> list[dict[str, Any]]:
    """Answer the method ``classify``: what the lexer says of each bare paragraph."""
    return [
        {
            "promoted": found.promoted,
            "tier": found.tier.value,
            "modalities": [m.value for m in found.modalities],
            "spans": [list(span) for span in found.spans],
        }
        for found in map(classify, texts)
    ]


def hard_load_of(path: str, rules: Sequence[DirectiveRow]) -> str:
    """Return the line about a document that is loaded degraded: only there does a list item stand in soft."""
    own = [row for row in rules if row.path == path]
    stepped = sum(row.tier is NodeTier.SOFT and row.block == BlockKind.LIST_ITEM for row in own)
    return hard_load(path, stepped, sum(row.tokens for row in own if row.tier is NodeTier.HARD))
