"""All settings of compaction together, for whoever hands them down."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from libra.compaction.abstractive import AbstractiveParams
from libra.compaction.clusters import ClusterParams
from libra.compaction.extract import ExtractParams
from libra.compaction.hotspots import HotParams
from libra.compaction.shards import ShardParams


@dataclass(frozen=True, slots=True)
class CompactionParams:
    """When and how history is compacted.

    Attributes:
        threshold_tokens: Uncovered tokens outside of the tail from which on a session is compacted.
        budget_share: With a caller's budget, also from this share of it on.
        quiet_ms: Automatic compaction leaves a session alone until nothing new came for so long.
        least_budget_tokens: But a small budget makes no session shorter than this.
        most_levels: Levels of summaries over summaries.
        patient_run_tokens: Tokens that all clusters of a run may embed together where nobody waits for it, if each of them
            gets the usual number; new turns wait for their vectors meanwhile.
        purge_after_days: The words of turns that a summary covers go after so many days; 0 keeps them for ever.
            Summaries, guidance and memories stay.

    Source: memory-model.md §8.
    """

    threshold_tokens: int = 2000
    budget_share: float = 0.8
    quiet_ms: int = 30 * 60 * 1000
    least_budget_tokens: int = 400
    most_levels: int = 8
    patient_run_tokens: int = 24_000
    purge_after_days: int = 0
    clusters: ClusterParams = field(default_factory=ClusterParams)
    shards: ShardParams = field(default_factory=ShardParams)
    hot: HotParams = field(default_factory=HotParams)
    extract: ExtractParams = field(default_factory=ExtractParams)
    abstractive: AbstractiveParams = field(default_factory=AbstractiveParams)

    def limit_tokens(self, budget_tokens: int | None) -> int:
        """Return the uncovered tokens that may stand before a session is compacted."""
        if budget_tokens is None:
            return self.threshold_tokens
        share = max(int(budget_tokens * self.budget_share), self.least_budget_tokens)
        return min(self.threshold_tokens, share)

    def unhurried(self, turns: int) -> CompactionParams:
        """Return the settings for a run over so many turns that nobody waits for: it looks longer for better words."""
        draft = self.extract.draft
        count = max(-(-turns // self.clusters.target), 1)
        each = max(
            min(draft.patient_effort_tokens, self.patient_run_tokens // count), draft.most_effort_tokens
        )
        return replace(self, extract=replace(self.extract, draft=replace(draft, most_effort_tokens=each)))
