"""Assemble: the right context inside a budget that is never exceeded (memory model §5–7)."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import lru_cache
from typing import Any

from libra.assembly import render
from libra.assembly.continuity import ContinuityBroken, check
from libra.assembly.packer import Piece, Plan, Tier, Tiers, pack
from libra.assembly.ranker import ScoreParts
from libra.assembly.render import Printed
from libra.assembly.temporal import skip_reason
from libra.engine.deadline import Deadline
from libra.engine.deps import Deps
from libra.engine.question import Question, read_question
from libra.engine.recall import Ask, find_words, recall
from libra.engine.scopes import complete, visible
from libra.engine.search import source
from libra.engine.tail import TailTurn, real_query, tail_of
from libra.ground.records import Kind, NewTurn, NodeTier, Who, digest
from libra.store import documents, memories, receipts, search
from libra.store.documents import DirectiveRow
from libra.store.rows import ItemRow
from libra.store.store import Snapshot
from libra.store.visibility import Filter, Visible
from libra.store.writer import WriteTx
from libra.text.dates import local_day, show
from libra.text.marks import line_hash

_LOG = logging.getLogger(__name__)
_RECALLED = frozenset({Kind.TURN, Kind.SUMMARY, Kind.MEMORY, Kind.LORE})
_GUIDANCE_POOL = 32
_QUARTER_MS = 15 * 60 * 1000
_SHOWN_ROLES = {"user": "user", "assistant": "assistant", "tool": "tool", "system": "system"}
_MOST_LEFT_OUT = 50
_KEPT_OF_ITEM = ("id", "tier", "tokens", "score")
_EXCERPT_TOKENS = 160
"""An over-long recalled item may be shown this short when it does not fit whole (lessons C10)."""


@dataclass(slots=True)
class _Entry:
    """One thing that may be shown: how it is printed, and what the answer says of it."""

    uid: str
    tier: Tier
    kind: str
    printed: Printed
    about: dict[str, Any]
    why: dict[str, Any]
    score: float | None = None
    short: Printed | None = None
    begins: bool = True


@dataclass(slots=True)
class _Gathered:
    entries: dict[Tier, list[_Entry]]
    degraded: list[str] = field(default_factory=list)
    skipped: str | None = None


@dataclass(frozen=True, slots=True)
class AssembleRequest:
    """The parameters of ``assemble`` (protocol.md).

    Attributes:
        query: What the person asked; envelopes of hosts are taken off.
        budget_tokens: The caller's budget; None for the configured default.
        messages: The conversation as the host has it; instead of the stored tail.
        have: Tiers that the host's prompt holds already: named in ``items``, not repeated in ``text``.
        deadline_ms: Answer within this time with what is ready; None for the configured limit.
        as_of: Recall only what was known at this time (epoch ms).
        explain: Name what was left out, too.
    """

    query: str
    budget_tokens: int | None = None
    messages: Sequence[NewTurn] | None = None
    have: frozenset[str] = frozenset()
    deadline_ms: int | None = None
    as_of: int | None = None
    explain: bool = False


def assemble(deps: Deps, who: Who | None, asked: AssembleRequest) -> dict[str, Any]:
    """Return the context for one prompt, as protocol.md says."""
    params = deps.params.pack
    caller = complete(deps, who)
    budget = params.default_budget_tokens if asked.budget_tokens is None else asked.budget_tokens
    deadline = Deadline.after(deps.params.deadline_ms if asked.deadline_ms is None else asked.deadline_ms)
    with deps.store.snapshot() as snapshot:
        gathered = _gather(deps, snapshot, caller, asked, params.usable(budget), deadline)
    shown = {t: [e for e in entries if t.value not in asked.have] for t, entries in gathered.entries.items()}
    tiers = _tiers(shown)
    plan = pack(tiers, budget, params)
    try:
        check(tiers, plan, [e.uid for e in _picked(shown, plan)], params)
        stable, volatile = _render(shown, plan)
    except ContinuityBroken as broken:
        _LOG.error("assembly law broken: %s", broken.where)
        gathered.degraded.append(f"continuity: {broken.where}")
        plan = pack(Tiers(hard=tiers.hard, overhead=tiers.overhead), budget, params)
        stable, volatile = _render(shown, plan)
    answer = _answer(gathered, shown, plan, asked, stable, volatile, budget)
    _keep_receipt(deps, caller, asked.query, answer)
    return answer


def _gather(
    deps: Deps,
    snapshot: Snapshot,
    caller: Who,
    asked: AssembleRequest,
    usable: int,
    deadline: Deadline,
) -> _Gathered:
    sees = visible(deps, caller)
    tail = tail_of(snapshot, caller, sees, asked.messages, usable)
    query = real_query(asked.query, tail)
    out = _Gathered({tier: [] for tier in Tier})
    out.skipped = "recall is in the prompt already" if Tier.RECALL.value in asked.have else skip_reason(query)
    question = None
    if out.skipped is None:
        # The embedding is on its way while the rules, the tail and the words are read.
        question = read_question(deps, snapshot, query, sees, deadline, out.degraded)
    _directives(snapshot, sees, out)
    out.entries[Tier.TAIL] = [_tail_entry(t) for t in tail]
    if question is not None:
        _recall(
            deps,
            snapshot,
            caller,
            Filter(sees, _RECALLED, until_ms=asked.as_of, with_covered=True),
            question,
            tail,
            usable,
            out,
        )
    return out


def _directives(snapshot: Snapshot, sees: Visible, out: _Gathered) -> None:
    rows = documents.directives(snapshot, sees.scopes)
    for tier, node_tier in ((Tier.HARD, NodeTier.HARD), (Tier.SOFT, NodeTier.SOFT)):
        group = [row for row in rows if row.tier is node_tier]
        above = ""
        for row in group:
            head = _directive_head(row)
            printed = render.rule(
                row.text, row.tokens, "" if head == above else head, verbatim=row.block == "front_matter"
            )
            above = head
            about = {"path": row.path, "line": row.line_start, "line_end": row.line_end}
            why = {"reason": f"authored {row.tier.value} rule", "heading": list(row.heading)}
            out.entries[tier].append(_Entry(row.uid, tier, "directive", printed, about, why))
    for path in dict.fromkeys(row.path for row in rows if row.degraded):
        out.degraded.append(
            f"hard_load: {path} holds more rules than its reservation; some stepped down to soft"
        )


def _directive_head(row: DirectiveRow) -> str:
    name = _file_name(row.path)
    return " › ".join(dict.fromkeys([name, *row.heading])) + ":"


def _file_name(path: str) -> str:
    """Return what a person calls the file: its name, with the folder for notes that are called by a date."""
    parts = path.replace("\\", "/").split("/")
    return "/".join(parts[-2:] if parts[-1][:1].isdigit() else parts[-1:])


def _tail_entry(turn: TailTurn) -> _Entry:
    printed, short = _forms(turn.text, turn.tokens, turn.speaker or turn.role)
    why = {"reason": "recent turn"}
    return _Entry(turn.uid, Tier.TAIL, "turn", printed, turn.source, why, short=short, begins=turn.begins)


def _forms(
    text: str, tokens: int, who: str, when: str = "", where: str = ""
) -> tuple[Printed, Printed | None]:
    """Return the printed form of a spoken item, and a shorter one of an over-long item."""
    printed = render.spoken(text, tokens, who, when, where)
    if tokens <= _EXCERPT_TOKENS:
        return printed, None
    return printed, render.spoken(*render.shorten(text, tokens, _EXCERPT_TOKENS), who, when, where)


def _guidance(deps: Deps, snapshot: Snapshot, sees: Visible, question: Question, out: _Gathered) -> None:
    """Elevated guidance: protected shards whose cosine to the query passes the profile's floor."""
    embedder = deps.model.get()
    filt = Filter(visible=sees, kinds=frozenset({Kind.GUIDANCE}))
    if embedder is None or not search.any_of_kind(snapshot, filt) or question.vector is None:
        return
    floor = embedder.manifest.floors.guidance
    near = search.vector_candidates(snapshot, deps.store, question.vector, filt, _GUIDANCE_POOL)
    found = [(item, cosine) for item, cosine in near if cosine > floor]
    rows = search.rows(snapshot, [item for item, _ in found], filt)
    for item_id, cosine in found:
        row = rows.get(item_id)
        if row is None:
            continue
        day = _day(row.ts_ms // _QUARTER_MS, deps.zone)
        printed = render.spoken(row.text, row.tokens, row.speaker or row.role or "user", day)
        why = {"reason": "standing instruction near the query", "cosine": round(cosine, 4)}
        out.entries[Tier.GUIDANCE].append(
            _Entry(row.uid, Tier.GUIDANCE, "guidance", printed, source(row), why, cosine)
        )


def _recall(
    deps: Deps,
    snapshot: Snapshot,
    caller: Who,
    filt: Filter,
    question: Question,
    tail: Sequence[TailTurn],
    usable: int,
    out: _Gathered,
) -> None:
    """Recall, and print what came best first as far as the budget could ever hold it."""
    in_tail = frozenset(t.item_id for t in tail if t.item_id is not None)
    ask = Ask(caller, filt, deps.params.recall.pool, in_tail, spread_duplicates=True)
    words = find_words(snapshot, question, ask)
    _guidance(deps, snapshot, filt.visible, question, out)
    found = recall(deps, snapshot, question, ask, words)
    shown_guidance = {e.uid for e in out.entries[Tier.GUIDANCE]}
    from_tail = _memories_of(snapshot, found.items, in_tail)
    floor = deps.params.rank.floor
    room, spare = usable, deps.params.pack.passed_over
    for index, row in enumerate(found.items):
        if found.relevance(index) < floor or row.id in from_tail or row.uid in shown_guidance:
            continue
        entry = _recall_entry(deps, row, found.parts(index), with_minutes=question.time.is_temporal)
        out.entries[Tier.RECALL].append(entry)
        room -= (entry.short or entry.printed).tokens
        if room < 0:
            spare -= 1
            if spare < 0:
                break


def _memories_of(snapshot: Snapshot, rows: Sequence[ItemRow], turns: frozenset[int]) -> set[int]:
    promoted = [r.id for r in rows if r.kind is Kind.MEMORY]
    if not promoted or not turns:
        return set()
    return {m for m, turn in memories.source_turns(snapshot, promoted).items() if turn in turns}


def _recall_entry(deps: Deps, row: ItemRow, parts: ScoreParts, *, with_minutes: bool) -> _Entry:
    when = show(row.ts_ms, deps.zone) if with_minutes else _day(row.ts_ms // _QUARTER_MS, deps.zone)
    if row.kind is Kind.LORE and row.source_path is not None:
        # A note is known by its file and headings; the day on which it was read says nothing.
        name = " › ".join(dict.fromkeys([_file_name(row.source_path), *row.heading]))
        printed, short = _forms(row.text, row.tokens, name)
    else:
        who = row.speaker or _SHOWN_ROLES.get(row.role or "", row.kind.wire)
        printed, short = _forms(row.text, row.tokens, who, when, row.agent or "")
    why = {"reason": f"recalled {row.type or row.kind.wire}", **parts.as_dict()}
    return _Entry(row.uid, Tier.RECALL, row.kind.wire, printed, source(row), why, parts.score, short)


@lru_cache(maxsize=4096)
def _day(quarter: int, zone: tzinfo) -> str:
    """Return the local day of a quarter of an hour: every zone's offset is a whole number of them."""
    return local_day(quarter * _QUARTER_MS, zone).isoformat()


def _tiers(shown: dict[Tier, list[_Entry]]) -> Tiers:
    def pieces(tier: Tier) -> list[Piece]:
        return [
            Piece(i, e.printed.tokens, e.begins, e.short.tokens if e.short else None)
            for i, e in enumerate(shown[tier])
        ]

    return Tiers(
        hard=pieces(Tier.HARD),
        soft=pieces(Tier.SOFT),
        guidance=pieces(Tier.GUIDANCE),
        tail=pieces(Tier.TAIL),
        recall=pieces(Tier.RECALL),
        overhead={tier: render.overhead(tier) for tier in Tier},
    )


def _keys(plan: Plan, tier: Tier) -> tuple[int, ...]:
    keys: tuple[int, ...] = getattr(plan, tier.value)
    return keys


def _picked(shown: dict[Tier, list[_Entry]], plan: Plan) -> list[_Entry]:
    return [shown[tier][key] for tier in (*render.STABLE, *render.VOLATILE) for key in _keys(plan, tier)]


def _render(shown: dict[Tier, list[_Entry]], plan: Plan) -> tuple[str, str]:
    def text(tiers: Sequence[Tier]) -> str:
        blocks = []
        for tier in tiers:
            printed = [
                ((e.short or e.printed) if (tier, key) in plan.shortened else e.printed).text
                for key in _keys(plan, tier)
                for e in (shown[tier][key],)
            ]
            blocks.append(render.block(tier, printed))
        return "".join(blocks)

    return text(render.STABLE), text(render.VOLATILE)


def _answer(
    gathered: _Gathered,
    shown: dict[Tier, list[_Entry]],
    plan: Plan,
    asked: AssembleRequest,
    stable: str,
    volatile: str,
    budget: int,
) -> dict[str, Any]:
    items = [_item(e, in_prompt=False) for e in _picked(shown, plan)]
    items += [
        _item(e, in_prompt=True)
        for tier, es in gathered.entries.items()
        if tier.value in asked.have
        for e in es
    ]
    text = stable + volatile
    answer: dict[str, Any] = {
        "text": text,
        "stable": stable,
        "volatile": volatile,
        "tokens": plan.tokens,
        "budget_tokens": budget,
        "items": items,
        "receipt_id": uuid.uuid4().hex,
        "degraded": [*gathered.degraded, *plan.reasons],
    }
    if gathered.skipped is not None:
        answer["skipped_reason"] = gathered.skipped
    if asked.explain:
        packed = {item["id"] for item in items}
        rest = [e for entries in shown.values() for e in entries if e.uid not in packed]
        answer["left_out"] = [
            {**_item(e, in_prompt=False), "left_out": "over the budget"} for e in rest[:_MOST_LEFT_OUT]
        ]
    return answer


def _item(entry: _Entry, *, in_prompt: bool) -> dict[str, Any]:
    out: dict[str, Any] = {
        "id": entry.uid,
        "tier": entry.tier.value,
        "kind": entry.kind,
        "tokens": entry.printed.tokens,
        "source": entry.about,
        "why": entry.why,
    }
    if entry.score is not None:
        out["score"] = round(entry.score, 6)
    if in_prompt:
        out["in_prompt"] = True
    return out


def _keep_receipt(deps: Deps, caller: Who, query: str, answer: dict[str, Any]) -> None:
    """Queue the receipt and the hashes of the lines shown; the answer does not wait for it."""
    if deps.store.read_only:
        return
    now_ms = deps.clock()

    def job(tx: WriteTx) -> None:
        receipt = receipts.Receipt(
            id=answer["receipt_id"],
            created_ms=now_ms,
            session_key=caller.session or f"{caller.user}/default",
            query_hash=digest(query),
            tokens=answer["tokens"],
            budget=answer["budget_tokens"],
            items=[{k: item[k] for k in _KEPT_OF_ITEM if k in item} for item in answer["items"]],
            degraded=answer["degraded"],
        )
        lines = {line_hash(line) for line in answer["text"].splitlines() if line.strip()}
        receipts.keep(tx, receipt, sorted(lines))

    deps.store.write(job)
