"""What becomes of an assembled context: what its answer says of each thing, and the receipt that is kept of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from libra.engine.deps import Deps
from libra.engine.entries import Entry
from libra.ground.records import Who, digest
from libra.store import receipts
from libra.store.writer import WriteTx
from libra.text.marks import line_hash

MOST_LEFT_OUT = 50
_KEPT_OF_ITEM = ("id", "tier", "tokens", "score")
LEFT_OUT_KEPT = 20
"""So many of what was left out stand in the receipt, the best first."""


def item(entry: Entry, *, in_prompt: bool) -> dict[str, Any]:
    """Return what the answer says of one thing."""
    out = _brief(entry) | {
        "kind": entry.kind,
        "source": entry.about,
        "why": entry.why if entry.parts is None else entry.why | entry.parts.as_dict(),
    }
    if in_prompt:
        out["in_prompt"] = True
    return out


def _brief(entry: Entry) -> dict[str, Any]:
    """Return what a receipt keeps of one thing, see :data:`_KEPT_OF_ITEM`."""
    out: dict[str, Any] = {"id": entry.uid, "tier": entry.tier.value, "tokens": entry.printed.tokens}
    if entry.score is not None:
        out["score"] = round(entry.score, 6)
    return out


def left_out(
    held: Iterable[Entry],
    near: Iterable[Sequence[Entry]],
    items: Sequence[Mapping[str, Any]],
    *,
    explain: bool,
) -> list[dict[str, Any]]:
    """Return what was near but is not in the answer, and why; no more than is shown or kept.

    Args:
        held: What was shown a few turns ago.
        near: What might have been shown, by tier.
        items: What is in the answer.
        explain: Somebody looks: all of each thing. Else what goes into the receipt.
    """
    packed = {entry["id"] for entry in items}
    why = chain(
        ((entry, "shown a few turns ago") for entry in held),
        ((entry, "over the budget") for entries in near for entry in entries if entry.uid not in packed),
    )
    most = MOST_LEFT_OUT if explain else LEFT_OUT_KEPT
    return [
        {**(item(entry, in_prompt=False) if explain else _brief(entry)), "left_out": reason}
        for entry, reason in islice(why, most)
    ]


def with_words(answer: dict[str, Any], entries: Iterable[Iterable[Entry]]) -> dict[str, Any]:
    """Return a trial's answer: without a receipt, with the words of each thing."""
    del answer["receipt_id"]
    words = {entry.uid: entry.printed.text for some in entries for entry in some}
    for shown in (*answer["items"], *answer.get("left_out", ())):
        shown["text"] = words.get(shown["id"], "")
    return answer


def session_of(caller: Who) -> str:
    """Return the session that a completed caller's prompts are of."""
    return caller.session or f"{caller.user}/default"


def keep_receipt(
    deps: Deps,
    caller: Who,
    query: str,
    answer: dict[str, Any],
    missing: Sequence[Mapping[str, Any]],
    took_ms: float,
) -> None:
    """Queue the receipt and the hashes of the lines shown; the answer does not wait for it, nor shares its processor.

    Args:
        deps: Shared parts.
        caller: For whom.
        query: What was asked.
        answer: What is answered.
        missing: What was left out, the best first.
        took_ms: How long it took.
    """
    deps.shown.add(answer["text"])
    deps.exact.add(answer["receipt_id"], query, answer)
    if deps.store.read_only:
        return
    now_ms = deps.clock()

    def kept(entries: Sequence[Mapping[str, Any]], names: tuple[str, ...]) -> list[dict[str, Any]]:
        return [{name: entry[name] for name in names if name in entry} for entry in entries]

    def job(tx: WriteTx) -> None:
        receipt = receipts.Receipt(
            id=answer["receipt_id"],
            created_ms=now_ms,
            session_key=session_of(caller),
            query_hash=digest(query),
            tokens=answer["tokens"],
            budget=answer["budget_tokens"],
            items=kept(answer["items"], _KEPT_OF_ITEM),
            degraded=answer["degraded"],
            user=caller.user,
            agent=caller.agent,
            host=caller.host,
            project=caller.project,
            took_ms=round(took_ms, 2),
            left_out=kept(missing[:LEFT_OUT_KEPT], (*_KEPT_OF_ITEM, "left_out")),
        )
        lines = {line_hash(line) for line in answer["text"].split("\n") if line.strip()}
        receipts.keep(tx, receipt, sorted(lines))

    deps.store.write(job, patient=True)
