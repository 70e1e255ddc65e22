"""Assemble: the right context inside a budget that is never exceeded (memory model §5–7)."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from libra.assembly import render
from libra.assembly.continuity import ContinuityBroken, check
from libra.assembly.packer import PackParams, Piece, Plan, TailPolicy, Tier, Tiers, pack
from libra.assembly.temporal import skip_reason
from libra.engine import outcome
from libra.engine.admission import Asked
from libra.engine.always import always, put_first, weighty
from libra.engine.deadline import Deadline
from libra.engine.deps import Deps
from libra.engine.entries import Entry, lines, of_directives, of_recall, of_tail
from libra.engine.feedback import held_for_now
from libra.engine.guidance import guidance
from libra.engine.host_files import OWN_FILES, loads_itself
from libra.engine.instructions import hard_load_of
from libra.engine.never import places_of
from libra.engine.question import Question, read_question
from libra.engine.recall import Ask, Ranked, find_words, recall
from libra.engine.repeats import held_back, shown_lately
from libra.engine.scopes import complete, readable
from libra.engine.tail import TailTurn, real_query, surprises, tail_of
from libra.ground.errors import StoreBusy
from libra.ground.records import Kind, NewTurn, Who
from libra.store import documents, memories, never
from libra.store.connection import NO_READER, READ_TOO_LONG
from libra.store.rows import ItemRow
from libra.store.snapshot import Snapshot
from libra.store.visibility import Filter

_LOG = logging.getLogger(__name__)
_RECALLED = frozenset({Kind.TURN, Kind.SUMMARY, Kind.MEMORY, Kind.LORE})
_WAITS = 0.5
"""Of the time for an answer: so long it waits for its turn while many ask at once."""
_LAST_LOOK_S = 0.25
"""So long it waits for a place to read rules and conversation when its time is over: they cost next to nothing."""
_FEW = 2
"""Fewer finds above the floor than this, and the archive is looked through too."""


@dataclass(slots=True)
class _Gathered:
    entries: dict[Tier, list[Entry]]
    loaded: list[Entry] = field(default_factory=list)
    """Rules that the host has read itself."""
    degraded: list[str] = field(default_factory=list)
    skipped: str | None = None
    shown_before: frozenset[str] = frozenset()
    held: list[Entry] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class AssembleRequest:
    """The parameters of ``assemble`` (protocol.md).

    Attributes:
        query: What the person asked; envelopes of hosts are taken off.
        budget_tokens: The caller's budget; None for the configured default.
        messages: The conversation as the host has it; instead of the stored tail.
        have: Tiers that the host's prompt holds already, or :data:`OWN_FILES`: named in ``items``, not repeated
            in ``text``.
        deadline_ms: Answer within this time with what is ready; None for the configured limit.
        as_of: Recall what was known and held at this time (epoch ms). Rules are today's.
        explain: Name what was left out, too.
        trial: Give each item's words, and keep no receipt: nobody is told this.
    """

    query: str
    budget_tokens: int | None = None
    messages: Sequence[NewTurn] | None = None
    have: frozenset[str] = frozenset()
    deadline_ms: int | None = None
    as_of: int | None = None
    explain: bool = False
    trial: bool = False


def assemble(deps: Deps, who: Who | None, asked: AssembleRequest) -> dict[str, Any]:
    """Return the context for one prompt, as protocol.md says."""
    began_s = time.perf_counter()
    deadline = Deadline.after(deps.params.deadline_ms if asked.deadline_ms is None else asked.deadline_ms)
    caller = complete(deps, who)
    with deps.admission.turn(Asked.PROMPT, deadline.part(_WAITS).left_s()) as whole:
        return _assembled(deps, caller, asked, deadline, began_s, whole=whole)


def _assembled(
    deps: Deps, caller: Who, asked: AssembleRequest, deadline: Deadline, began_s: float, *, whole: bool
) -> dict[str, Any]:
    params = deps.params.pack
    budget = params.default_budget_tokens if asked.budget_tokens is None else asked.budget_tokens
    gathered = _gathered(deps, caller, asked, budget, deadline, whole=whole)
    shown = _not_had(gathered, asked)
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
    left_out = outcome.left_out(gathered.held, shown.values(), answer["items"], explain=asked.explain)
    if asked.explain:
        answer["left_out"] = left_out
    if asked.trial:
        everything = [gathered.loaded, gathered.held, *gathered.entries.values()]
        return outcome.with_words(answer, everything)
    took_ms = (time.perf_counter() - began_s) * 1000
    outcome.keep_receipt(deps, caller, asked.query, answer, left_out, took_ms)
    return answer


def _gathered(
    deps: Deps, caller: Who, asked: AssembleRequest, budget: int, deadline: Deadline, *, whole: bool
) -> _Gathered:
    """Return what there is for a prompt; of a store that is too busy what can be had, if it is nothing."""
    over = Deadline.after(0)
    for until in (deadline, over) if whole else (over,):
        try:
            with deps.store.snapshot(max(deadline.left_s(), _LAST_LOOK_S)) as snapshot:
                return _gather(deps, snapshot, caller, asked, budget, until)
        except StoreBusy as error:
            if error.reason not in {READ_TOO_LONG, NO_READER}:
                raise
            # The snapshot was ended under the reading: rules and conversation are read again, and nothing else.
    return _Gathered({tier: [] for tier in Tier}, degraded=["deadline: nothing could be read in time"])


def _gather(
    deps: Deps,
    snapshot: Snapshot,
    caller: Who,
    asked: AssembleRequest,
    budget: int,
    deadline: Deadline,
) -> _Gathered:
    usable = deps.params.pack.usable(budget)
    sees = readable(deps, caller)
    tail = tail_of(snapshot, caller, sees, asked.messages, usable, asked.as_of)
    query = real_query(asked.query, tail)
    out = _Gathered({tier: [] for tier in Tier})
    out.skipped = "recall is in the prompt already" if Tier.RECALL.value in asked.have else skip_reason(query)
    question = None
    if out.skipped is None and not deadline.left_s():
        out.degraded.append("deadline: no time was left to search")
    elif out.skipped is None:
        # The embedding is on its way while the rules, the tail and the words are read.
        question = read_question(deps, snapshot, query, sees, deadline, out.degraded)
    rules = documents.directives(snapshot, sees.scopes)
    loaded = [row for row in rules if OWN_FILES in asked.have and loads_itself(caller.host, row)]
    rules = [row for row in rules if row not in loaded] if loaded else rules
    for tier in render.STABLE:
        out.entries[tier] = list(of_directives(rules, tier))
        out.loaded += of_directives(loaded, tier)
    for path in dict.fromkeys(row.path for row in rules if row.degraded):
        out.degraded.append(hard_load_of(path, rules))
    out.entries[Tier.TAIL] = [of_tail(turn) for turn in tail]
    if deps.params.pack.tail_policy == TailPolicy.ENTROPY:
        for entry, surprise in zip(
            out.entries[Tier.TAIL], surprises(deps.store, snapshot, tail), strict=True
        ):
            entry.surprise = surprise
    if question is not None:
        unwanted = never.here(snapshot, places_of(caller))
        filt = Filter(sees, _RECALLED, as_of_ms=asked.as_of, with_covered=True, exclude_ids=unwanted)
        after = deps.params.recall.repeat_after
        try:
            with snapshot.until(deadline.end_s):
                in_prompt = _in_prompt(out, tail, asked, budget, deps.params.pack)
                out.shown_before = shown_lately(
                    snapshot, outcome.session_of(caller), asked.query, tail, after, deps.clock()
                )
                out.shown_before |= held_for_now(deps)
                _recall(deps, snapshot, caller, filt, question, in_prompt, usable, out)
        except StoreBusy as error:
            # Rules and the conversation are there already, and go out without what was asked for.
            out.degraded.append(f"deadline: not everything was searched in time ({error.reason})")
    if asked.as_of is None and Tier.RECALL.value not in asked.have:
        put_first(
            out.entries, [*always(deps, caller, query, asked.messages), *weighty(deps, snapshot, caller)]
        )
    return out


def _in_prompt(
    out: _Gathered, tail: Sequence[TailTurn], asked: AssembleRequest, budget: int, params: PackParams
) -> frozenset[int]:
    """Return the stored turns that stand in the prompt: those of the tail that will be packed, or that the host has.

    Recall never costs the tail anything, so packing without it gives the very tail that the answer will hold;
    what does not fit there may be recalled.
    """
    shown: Sequence[TailTurn] = tail
    if Tier.TAIL.value not in asked.have:
        plan = pack(_tiers(_not_had(out, asked)), budget, params)
        shown = [tail[key] for key in plan.tail]
    return frozenset(t.item_id for t in shown if t.item_id is not None)


def _not_had(out: _Gathered, asked: AssembleRequest) -> dict[Tier, list[Entry]]:
    return {
        tier: [e for e in entries if tier.value not in asked.have] for tier, entries in out.entries.items()
    }


def _recall(
    deps: Deps,
    snapshot: Snapshot,
    caller: Who,
    filt: Filter,
    question: Question,
    in_prompt: frozenset[int],
    usable: int,
    out: _Gathered,
) -> None:
    """Recall, and print what came best first as far as the budget could ever hold it."""
    known = in_prompt.union(filt.exclude_ids) if filt.exclude_ids else in_prompt
    ask = Ask(caller, filt, deps.params.recall.pool, known, spread_duplicates=True)
    words = find_words(deps, snapshot, question, ask)
    asked = question.time
    share = int(deps.params.pack.guidance * usable)
    out.entries[Tier.GUIDANCE] = guidance(deps, snapshot, filt, question, in_prompt, share)
    found = _or_archive(deps, snapshot, question, ask, recall(deps, snapshot, question, ask, words))
    shown_guidance = {e.uid for e in out.entries[Tier.GUIDANCE]}
    from_tail = _memories_of(snapshot, found.items, in_prompt)
    held = held_back(found, question, out.shown_before, from_tail)
    floor = deps.params.rank.floor
    room: float = usable
    spare = deps.params.pack.passed_over
    above: set[str] = set()
    printed: set[tuple[str, str, str]] = set()
    for index, row in enumerate(found.items):
        if (
            found.relevance[index] < floor
            or row.superseded
            or row.id in from_tail
            or row.uid in shown_guidance
        ):
            continue
        entry = of_recall(
            row,
            found.score[index],
            found.parts[index],
            deps.zone,
            with_days=asked.is_temporal,
            with_minutes=asked.by_the_clock or bool(asked.windows),
            reader=caller.agent,
            told=found.told.get(row.id),
        )
        if row.id in held:
            out.held.append(entry)
            continue
        line = (entry.head, entry.voice, entry.printed.text)
        if line in printed:
            continue  # the same words of the same voice on the same day
        printed.add(line)
        out.entries[Tier.RECALL].append(entry)
        room -= (entry.short or entry.printed).cost
        for name, tokens in entry.above:
            if name not in above:
                above.add(name)
                room -= tokens
        if room < 0:
            spare -= 1
            if spare < 0:
                break


def _or_archive(deps: Deps, snapshot: Snapshot, question: Question, ask: Ask, found: Ranked) -> Ranked:
    """Return what was found; where hardly anything is near enough, also what is in the archive (memory model §5)."""
    floor = deps.params.rank.floor
    passing = sum(relevance >= floor for relevance in found.relevance)
    if passing >= _FEW or ask.filt.as_of_ms is not None:
        return found
    return recall(deps, snapshot, question, replace(ask, filt=replace(ask.filt, active_only=False)))


def _memories_of(snapshot: Snapshot, rows: Sequence[ItemRow], turns: frozenset[int]) -> set[int]:
    promoted = [r.id for r in rows if r.kind is Kind.MEMORY]
    if not promoted or not turns:
        return set()
    return {m for m, turn in memories.source_turns(snapshot, promoted).items() if turn in turns}


def _tiers(shown: dict[Tier, list[Entry]]) -> Tiers:
    def pieces(tier: Tier) -> list[Piece]:
        return [
            Piece(
                i, e.printed.cost, e.begins, e.short.cost if e.short else None, e.surprise, e.above
            )
            for i, e in enumerate(shown[tier])
        ]  # fmt: skip

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


def _picked(shown: dict[Tier, list[Entry]], plan: Plan) -> list[Entry]:
    return [shown[tier][key] for tier in (*render.STABLE, *render.VOLATILE) for key in _keys(plan, tier)]


def _render(shown: dict[Tier, list[Entry]], plan: Plan) -> tuple[str, str]:
    def text(tiers: Sequence[Tier]) -> str:
        blocks = []
        for tier in tiers:
            entries = [(shown[tier][key], (tier, key) in plan.shortened) for key in _keys(plan, tier)]
            blocks.append(render.block(tier, lines(entries)))
        return "".join(blocks)

    return text(render.STABLE), text(render.VOLATILE)


def _answer(
    gathered: _Gathered,
    shown: dict[Tier, list[Entry]],
    plan: Plan,
    asked: AssembleRequest,
    stable: str,
    volatile: str,
    budget: int,
) -> dict[str, Any]:
    items = [outcome.item(e, in_prompt=False) for e in _picked(shown, plan)]
    items += [
        outcome.item(e, in_prompt=True)
        for tier, es in gathered.entries.items()
        if tier.value in asked.have
        for e in es
    ]
    items += [outcome.item(e, in_prompt=True) for e in gathered.loaded]
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
    return answer
