"""Receipts: what was put into prompts, for whom, and what was left out; the words as long as they are remembered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from libra.engine.cards import line
from libra.engine.deps import Deps
from libra.engine.ledger import rows as set_by_name
from libra.engine.page_places import ReceiptPlace
from libra.engine.scopes import complete, readable
from libra.engine.search import hit
from libra.ground.errors import NotFound
from libra.ground.records import Who
from libra.store import never, receipts, search, use
from libra.store.ledger import Leaf
from libra.store.receipts import Receipt
from libra.store.snapshot import Snapshot
from libra.store.use import Used

_OUTCOMES = {Used.YES: "used", Used.NO: "not used", Used.WRONG: "called wrong"}


def listed(
    deps: Deps, who: Who | None, k: int, after: ReceiptPlace | None, session: str | None
) -> dict[str, Any]:
    """Answer the method ``receipts``: the caller's user's, newest first; ``next`` is there while more follow."""
    caller = complete(deps, who)
    before = None if after is None else (after.at_ms, after.receipt_id)
    deps.store.settle()
    with deps.store.snapshot() as snapshot:
        found = receipts.page(snapshot, caller.user, k + 1, before=before, session_key=session)
    more = len(found) > k
    last = found[k - 1] if more else None
    return {
        "items": [_line(receipt) for receipt in found[:k]],
        **({} if last is None else {"next": ReceiptPlace(last.created_ms, last.id).text}),
    }


def _line(receipt: Receipt) -> dict[str, Any]:
    tiers: dict[str, int] = {}
    for item in receipt.items:
        tiers[item["tier"]] = tiers.get(item["tier"], 0) + int(item.get("tokens") or 0)
    return {
        "id": receipt.id,
        "at": receipt.created_ms,
        "session": receipt.session_key,
        "agent": receipt.agent,
        "host": receipt.host,
        "project": receipt.project,
        "tokens": receipt.tokens,
        "budget": receipt.budget,
        "took_ms": receipt.took_ms,
        "items": len(receipt.items),
        "tiers": tiers,
        "left_out": len(receipt.left_out),
        "degraded": receipt.degraded,
    }


def one(deps: Deps, who: Who | None, receipt_id: str) -> dict[str, Any]:
    """Answer the method ``receipt``: the text while it is remembered, and each item with its words as they are today.

    Raises:
        NotFound: The caller's user has no such receipt.
    """
    caller = complete(deps, who)
    sees = readable(deps, caller)
    deps.store.settle()
    with deps.store.snapshot() as snapshot:
        found = receipts.get(snapshot, receipt_id)
        if found is None or found.user != caller.user:
            raise NotFound("there is no receipt with that id", where="id")
        kept = deps.exact.of(receipt_id)
        entries = [*found.items, *found.left_out]
        rows = search.by_uid(snapshot, [entry["id"] for entry in entries], visible=sees)
        judged = use.of_receipt(snapshot, receipt_id)
        told = {item["id"]: item for item in kept[1]["items"]} if kept is not None else {}

        def shown(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
            return [
                _by_name(deps, caller.user, entry, told.get(entry["id"]))
                or _item(snapshot, entry, rows.get(entry["id"]), told.get(entry["id"]), judged)
                for entry in entries
            ]

        return {
            **_line(found),
            "query": None if kept is None else kept[0],
            "text": None if kept is None else kept[1]["text"],
            "items": shown(found.items),
            "left_out": shown(found.left_out),
        }


_NAMED = {"card": Leaf.CARD, "intent": Leaf.INTENT}
"""What :mod:`libra.engine.always` puts into prompts by name: they are rows of the ledger, with no item of their own."""


def _by_name(
    deps: Deps, user: str, entry: dict[str, Any], told: dict[str, Any] | None
) -> dict[str, Any] | None:
    """Return a card or reminder as it says today; None for what is no such thing."""
    kind, colon, name = str(entry["id"]).partition(":")
    if not colon or kind not in _NAMED:
        return None
    row = next((row for row in set_by_name(deps, _NAMED[kind], user) if row.name == name), None)
    if row is None:
        return {**entry, "kind": kind, "gone": True}
    text = line(row) if kind == "card" else str(row.body["remind"])
    why = {"why": told["why"]} if told is not None and "why" in told else {}
    return {**entry, **why, "kind": kind, "text": text, "ts": row.changed_ms, "source": {"name": name}}


def _item(
    snapshot: Snapshot, entry: dict[str, Any], row: Any, told: dict[str, Any] | None, judged: dict[int, Used]
) -> dict[str, Any]:
    out = dict(entry)
    if told is not None:
        out |= {name: told[name] for name in ("kind", "source", "why") if name in told}
    if row is None:
        return {**out, "gone": True}
    now = hit(row, 1.0, None)
    out |= {name: now[name] for name in ("kind", "type", "text", "ts", "scope") if name in now}
    out.setdefault("source", now["source"])
    out["active"] = row.active
    if row.id in judged:
        out["outcome"] = _OUTCOMES[judged[row.id]]
    if places := never.places_of(snapshot, row.id):
        out["never"] = places
    return out
