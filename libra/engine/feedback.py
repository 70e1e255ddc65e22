"""What answers and objections say of the memories that stood in their prompts (memory model §4, Calibration).

Done by the background worker after a turn went through the gate; nothing of it is on the path of a question.
"""

from __future__ import annotations

from libra.engine.ageing import confidence_now
from libra.engine.deps import Deps
from libra.ground.records import Kind, Origin, Role
from libra.lifecycle.confidence import recalled
from libra.lifecycle.usage import meant, objects, used_in
from libra.store import history, journal, memories, receipts, revisions, search, turns, use
from libra.store.receipts import Receipt
from libra.store.rows import ItemRow
from libra.store.store import Snapshot
from libra.store.use import Used
from libra.store.visibility import Visible
from libra.store.writer import WriteTx

_SKEW_MS = 5_000
"""A host's clock, and the moment at which it writes, may differ from ours by so much."""
_DAY_MS = 86_400_000
_MINUTE_MS = 60_000
_MOST_BLAMED = 3
"""An objection to an answer that used more memories than this says nothing of any of them."""


def observe(deps: Deps, row: ItemRow) -> None:
    """Learn from one turn: an assistant's answer uses memories or does not, a person's objection calls them wrong."""
    if row.session_key is None:
        return
    if row.role == Role.ASSISTANT.value and row.origin == Origin.AGENT.value:
        _answer(deps, row)
    elif row.role == Role.USER.value and row.origin == Origin.OWNER.value and objects(row.text):
        _objection(deps, row)


def look_for_vain(deps: Deps) -> None:
    """Note what stood in prompts again and again and never helped, so that a question need not ask for it."""
    params = deps.params.lifecycle.usage
    if not params.suppress_after:
        return
    since_ms = deps.clock() - _DAY_MS
    with deps.store.snapshot() as snapshot:
        found = use.in_vain_lately(snapshot, since_ms, params.suppress_after)
    deps.in_vain = {uid: last + params.suppress_minutes * _MINUTE_MS for uid, last in found.items()}


def held_for_now(deps: Deps) -> frozenset[str]:
    """Return what is held back at this moment for having stood in prompts in vain."""
    if not deps.in_vain:
        return frozenset()
    now_ms = deps.clock()
    return frozenset(uid for uid, until_ms in deps.in_vain.items() if now_ms < until_ms)


def _prompt_of(deps: Deps, snapshot: Snapshot, answer: ItemRow) -> Receipt | None:
    """Return the receipt of the prompt that a turn answers; None if Libra had no part in it."""
    within = deps.params.lifecycle.usage.answer_within_ms
    at_ms = answer.ts_ms + _SKEW_MS
    return receipts.before(snapshot, answer.session_key or "", at_ms, at_ms - within)


def _injected(snapshot: Snapshot, receipt: Receipt, user: str) -> dict[int, ItemRow]:
    """Return the user's memories that stood in a prompt."""
    uids = [str(item["id"]) for item in receipt.items if item.get("tier") == "recall"]
    rows = search.by_uid(snapshot, uids, visible=Visible("", scopes=(f"user:{user}",)))
    return {row.id: row for row in rows.values() if row.kind is Kind.MEMORY}


def _answer(deps: Deps, row: ItemRow) -> None:
    params = deps.params.lifecycle
    with deps.store.snapshot() as snapshot:
        receipt = _prompt_of(deps, snapshot, row)
        if receipt is None:
            return
        stood = _injected(snapshot, receipt, turns.owner_of(snapshot, row.id))
        known = use.of_receipt(snapshot, receipt.id)
        asked = history.last_before(snapshot, row, Role.USER)
    question = [asked.text] if asked is not None else []
    outcomes = {
        item: Used.YES if used_in(memory.text, question, row.text, params.usage) else Used.NO
        for item, memory in stood.items()
        if known.get(item, Used.NO) is Used.NO
    }
    fresh = {item: used for item, used in outcomes.items() if item not in known or used is Used.YES}
    if not fresh:
        return
    now_ms, session_key = deps.clock(), row.session_key or ""

    def job(tx: WriteTx) -> None:
        helped = [item for item, used in fresh.items() if used is Used.YES]
        counted = use.used_in_session(tx, session_key, helped)
        use.put(tx, receipt.id, session_key, fresh, now_ms)
        # A session counts once, however often it comes back to the same.
        surer = {
            item: recalled(confidence_now(memory, now_ms, params), params.confidence)
            for item in helped
            if item not in counted and (memory := memories.get(tx, item)) is not None and memory.active
        }
        revisions.recalled(tx, surer, now_ms)
        for item in helped:
            use.label(tx, item, "used", now_ms, useful=True)
        for item in fresh.keys() - set(helped):
            if use.in_vain(tx, item) >= params.usage.unused_after:
                use.label(tx, item, "unused", now_ms, useful=False)

    deps.store.write(job).result()
    look_for_vain(deps)


def _objection(deps: Deps, row: ItemRow) -> None:
    params = deps.params.lifecycle
    with deps.store.snapshot() as snapshot:
        answer = history.last_before(snapshot, row, Role.ASSISTANT)
        receipt = _prompt_of(deps, snapshot, answer) if answer is not None else None
        if receipt is None:
            return
        user = turns.owner_of(snapshot, row.id)
        stood = _injected(snapshot, receipt, user)
        judged = use.of_receipt(snapshot, receipt.id)
    used = [item for item in stood if judged.get(item) is Used.YES]
    if not 0 < len(used) <= _MOST_BLAMED:
        return
    place = meant(row.text, [stood[item].text for item in used])
    now_ms = deps.clock()

    def job(tx: WriteTx) -> None:
        for item in used if place is None else [used[place]]:
            use.label(tx, item, "called wrong", now_ms, useful=False)
        if place is None:
            return
        item = used[place]
        use.put(tx, receipt.id, row.session_key or "", {item: Used.WRONG}, now_ms)
        memory = memories.get(tx, item)
        if memory is not None and memory.active:
            doubted = confidence_now(memory, now_ms, params) * params.usage.doubt
            with journal.change(tx, "doubt", user, [item], now_ms, params.journal):
                revisions.set_confidence(tx, item, doubted, now_ms)

    deps.store.write(job).result()
