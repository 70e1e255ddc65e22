"""Compact a session: its older turns become summaries and guidance; the turns themselves stay (memory model §8).

Each cluster is one transaction, so that a crash between two leaves a valid state; what was done is found again by
content-addressed ids, so that a repeated run changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from libra.compaction.abstractive import METHOD as ABSTRACTIVE
from libra.compaction.clusters import clusters, tail_start
from libra.compaction.hotspots import hot
from libra.compaction.params import CompactionParams
from libra.engine import condense
from libra.engine.again import once_more
from libra.engine.condense import Condensed, Prototypes
from libra.engine.deps import Deps
from libra.engine.rewrite import Rewriter
from libra.engine.scopes import complete
from libra.ground.errors import Conflict
from libra.ground.records import Role, Who
from libra.store import receipts, summaries, turns
from libra.store.rows import ItemRow
from libra.store.store import Snapshot
from libra.store.visibility import Visible

_NO_LIMIT = -1


@dataclass(frozen=True, slots=True)
class CompactResult:
    """What a compaction did.

    Attributes:
        did_compact: Something was stored.
        reason: Why nothing was, or why it stopped early; a short stable word.
        tokens_before, tokens_after: Tokens that stand for the session's talk: raw turns that no summary covers,
            and the topmost summaries.
        guidance_tokens: Tokens of the turns that are kept verbatim as guidance; not in ``tokens_after``, since
            they have a budget of their own.
        clusters, declined: Clusters tried, and those for which there is no shorter text; nothing changed there.
        guidance: How many turns were newly protected.
        summaries: Ids of the new summaries, oldest first.
        mean_confidence: Over the new summaries, [0, 1]; 0 without any.
        abstractive: How many of the new summaries a model wrote.
        rejected: For the others, if a model is set: how many for which reason (``gate``, ``align``, ``timeout``, …).
        degraded: ``embedding`` if there was no model and words were counted instead.
    """

    did_compact: bool
    tokens_before: int
    tokens_after: int
    reason: str | None = None
    guidance_tokens: int = 0
    clusters: int = 0
    declined: int = 0
    guidance: int = 0
    summaries: tuple[str, ...] = ()
    mean_confidence: float = 0.0
    abstractive: int = 0
    rejected: Mapping[str, int] = field(default_factory=dict)
    degraded: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the wire form (protocol.md, ``compact``)."""
        out: dict[str, Any] = {
            "ok": True,
            "did_compact": self.did_compact,
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
            "clusters": self.clusters,
            "declined": self.declined,
            "guidance": self.guidance,
            "guidance_tokens": self.guidance_tokens,
            "summaries": list(self.summaries),
            "mean_confidence": round(self.mean_confidence, 6),
            "abstractive": self.abstractive,
            "rejected": dict(self.rejected),
            "degraded": list(self.degraded),
        }
        if self.reason is not None:
            out["reason"] = self.reason
        return out


def compact(
    deps: Deps,
    who: Who | None,
    *,
    force: bool = False,
    budget_tokens: int | None = None,
    params: CompactionParams | None = None,
) -> dict[str, Any]:
    """Answer the method ``compact`` for the caller's session.

    Nothing to do is no failure: ``ok`` with ``did_compact`` false and the reason (lessons.md C99).

    Args:
        deps: Shared parts.
        who: The caller.
        force: Also below the threshold.
        budget_tokens: The host's budget; 80 % of it is a threshold, too.
        params: Settings.

    Raises:
        StoreError: The database refused; clusters that were stored before stay.
    """
    caller = complete(deps, who)
    if caller.session is None:
        return CompactResult(
            did_compact=False, tokens_before=0, tokens_after=0, reason="no_session"
        ).as_dict()
    params = params or deps.params.compaction
    limit = _NO_LIMIT if force else params.limit_tokens(budget_tokens)
    session, user, settings = caller.session, caller.user, params
    return once_more(lambda: compact_session(deps, session, user, limit, settings)).as_dict()


def compact_session(
    deps: Deps,
    session_key: str,
    user: str,
    limit_tokens: int,
    params: CompactionParams,
    *,
    waits: bool = True,
) -> CompactResult:
    """Compact one session of one user.

    Args:
        deps: Shared parts.
        session_key: The unique key of the session.
        user: Whose it is.
        limit_tokens: Uncovered tokens outside of the tail that may stand; negative to compact whatever is eligible.
        params: Settings.
        waits: Somebody waits for the answer; else the words of summaries are looked for longer.

    Raises:
        StoreError: The database refused; clusters that were stored before stay.
    """
    sees = Visible(user=user, session_key=session_key, every_session=False)
    with deps.store.snapshot() as snapshot:
        plan = _plan(snapshot, session_key, sees, params)
    if plan.reason is not None or (plan.eligible_tokens <= limit_tokens and not plan.ripe):
        reason = plan.reason or "below_threshold"
        return CompactResult(
            did_compact=False, tokens_before=plan.tokens, tokens_after=plan.tokens, reason=reason
        )
    if not waits:
        params = params.unhurried(len(plan.eligible))
    work = _Work(deps, params, Rewriter(deps, params))
    if plan.eligible_tokens > limit_tokens:
        work.level(plan.eligible, 1)
    for level in range(1, params.most_levels):
        if work.stopped is not None:
            break
        with deps.store.snapshot() as snapshot:
            below = summaries.of_session(snapshot, session_key, level=level, uncovered=True, visible=sees)
        # A crash between two levels leaves a low one in order and a higher one over-full: each is looked at.
        if len(below) > params.clusters.target:
            work.level(below, level + 1)
    with deps.store.snapshot() as snapshot:
        after = _tokens(snapshot, session_key, sees)
    if work.done:
        deps.wake()
    return work.result(plan.tokens, after)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What there is to do: ``reason`` if nothing can be; ``ripe`` if a level of summaries is over-full."""

    eligible: Sequence[ItemRow]
    tokens: int
    ripe: bool
    reason: str | None

    @property
    def eligible_tokens(self) -> int:
        return sum(row.tokens for row in self.eligible)


def _plan(snapshot: Snapshot, session_key: str, sees: Visible, params: CompactionParams) -> _Plan:
    """Look at the session: uncovered turns outside of the tail, and levels with more summaries than a cluster."""
    every = turns.turns_of(snapshot, session_key, visible=sees)
    start = tail_start([Role(row.role or Role.USER.value) for row in every], params.clusters)
    eligible = _cold(snapshot, every, [row for row in every[:start] if not row.covered], params)
    tokens = _tokens(snapshot, session_key, sees)
    standing = summaries.of_session(snapshot, session_key, uncovered=True, visible=sees)
    levels = [row.level or 1 for row in standing]
    ripe = any(levels.count(level) > params.clusters.target for level in set(levels))
    if not every:
        return _Plan([], tokens, ripe, "no_turns")
    if len(eligible) < params.clusters.fewest and not ripe:
        return _Plan([], tokens, ripe, "nothing_eligible")
    return _Plan(eligible, tokens, ripe, None)


def _cold(
    snapshot: Snapshot, every: Sequence[ItemRow], eligible: Sequence[ItemRow], params: CompactionParams
) -> list[ItemRow]:
    """Return the eligible turns without the hot spots, which keep their raw form while prompts come back to them.

    Unless there are so many that they are a long session themselves.
    """
    recalls = receipts.recalled(snapshot, [row.uid for row in every])
    found = hot([recalls.get(row.uid, 0) for row in every], params.hot)
    warm = {every[i].id for i in found} & {row.id for row in eligible}
    if sum(row.tokens for row in eligible if row.id in warm) > params.threshold_tokens:
        return list(eligible)
    return [row for row in eligible if row.id not in warm]


def _tokens(snapshot: Snapshot, session_key: str, sees: Visible) -> int:
    """Return the tokens that stand for the session's talk: uncovered turns and uncovered summaries."""
    raw = turns.uncovered(snapshot, session_key, visible=sees)
    standing = summaries.of_session(snapshot, session_key, uncovered=True, visible=sees)
    return sum(row.tokens for row in raw) + sum(row.tokens for row in standing)


@dataclass(slots=True)
class _Work:
    """What one run has done so far."""

    deps: Deps
    params: CompactionParams
    rewriter: Rewriter
    prototypes: Prototypes = field(default_factory=Prototypes)
    done: list[Condensed] = field(default_factory=list)
    tried: int = 0
    declined: int = 0
    stopped: str | None = None

    def level(self, rows: Sequence[ItemRow], level: int) -> None:
        """Condense one level, cluster by cluster; stop where the session changed meanwhile."""
        for span in clusters(len(rows), self.params.clusters):
            self.tried += 1
            try:
                cluster = [rows[i] for i in span]
                made = condense.cluster(
                    self.deps, cluster, level, self.params, self.prototypes, self.rewriter
                )
            except Conflict as conflict:
                self.stopped = conflict.reason
                return
            if made is None:
                self.declined += 1
            elif made.new:
                self.done.append(made)

    def result(self, before: int, after: int) -> CompactResult:
        """Return the figures of the run."""
        count = len(self.done)
        reason = self.stopped or (None if self.done else "nothing_shorter")
        return CompactResult(
            did_compact=bool(self.done),
            tokens_before=before,
            tokens_after=after,
            reason=reason,
            guidance_tokens=sum(made.guidance_tokens for made in self.done),
            clusters=self.tried,
            declined=self.declined,
            guidance=sum(made.guidance for made in self.done),
            summaries=tuple(made.uid for made in self.done),
            mean_confidence=sum(made.confidence for made in self.done) / count if count else 0.0,
            abstractive=sum(made.method == ABSTRACTIVE for made in self.done),
            rejected=Counter(made.refused for made in self.done if made.refused is not None),
            degraded=("embedding",) if any(made.lexical for made in self.done) else (),
        )
