"""The extractive summary: the speakers' own words, chosen, in order, and what was lost listed at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from libra.compaction.draft import Draft, DraftParams
from libra.compaction.fidelity import judge, kept_share
from libra.compaction.sanitize import SanitizeParams
from libra.compaction.source import Source, prepare
from libra.compaction.turns import ClusterTurn, Embed
from libra.text.tokens import estimate

__all__ = ["ClusterTurn", "Embed", "ExtractParams", "Summary", "summarise", "verbatim"]

METHOD = "extractive"


@dataclass(frozen=True, slots=True)
class ExtractParams:
    """Size of a summary.

    Attributes:
        share: Tokens out over tokens in, at most.
        most_tokens: No summary is larger, unless the caller asks for more.

    Source: memory-model.md §8 (64…256 tokens); the share is measured on benchmarks.md §3's clusters.
    """

    share: float = 0.56
    most_tokens: int = 256
    draft: DraftParams = field(default_factory=DraftParams)
    sanitise: SanitizeParams = field(default_factory=SanitizeParams)


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary with its figures.

    Attributes:
        text: What is kept.
        method: ``extractive``, ``abstractive``, or ``verbatim`` for turns that are handed back as they are.
        align, cover, worst, confidence: See ``fidelity.Judgement``.
        identifiers_kept: Share of the cluster's exact terms that stand in ``text``, [0, 1].
        tokens_in, tokens_out: Estimates; ``tokens_out < tokens_in`` unless verbatim.
    """

    text: str
    method: str
    align: float
    cover: float
    worst: float
    confidence: float
    identifiers_kept: float
    tokens_in: int
    tokens_out: int


def summarise(
    turns: Sequence[ClusterTurn],
    embed: Embed,
    budget_tokens: int | None = None,
    params: ExtractParams | None = None,
) -> Summary | None:
    """Return a summary strictly smaller than the turns, or None if there is none.

    If the usual size is not smaller (turns whose own token counts are low), half and a quarter of it are
    tried, then the beginning of the best piece.

    Args:
        turns: In time order.
        embed: The retrieval space; what it raises is passed on.
        budget_tokens: Most tokens of the summary; None for ``most_tokens``.
        params: Size and make-up.

    Source: memory-model.md §8 (3) to (5).
    """
    params = params or ExtractParams()
    source = prepared(turns, embed, params)
    return None if source is None else extracted(source, embed, budget_tokens, params)


def prepared(turns: Sequence[ClusterTurn], embed: Embed, params: ExtractParams) -> Source | None:
    """Return a cluster as summaries are made of it, None if there are no words in it."""
    return prepare(turns, embed, params.sanitise, params.draft.most_names)


def extracted(
    source: Source, embed: Embed, budget_tokens: int | None, params: ExtractParams
) -> Summary | None:
    """Return the summary of a prepared cluster; see :func:`summarise`."""
    draft = Draft(source, embed, params.draft)
    budget = usual_tokens(source, params, budget_tokens)
    for tokens in (budget, budget // 2, budget // 4):
        text = draft.text_within(tokens) if tokens else ""
        within = budget_tokens is None or estimate(text) <= budget_tokens
        if text and estimate(text) < source.tokens_in and within:
            return measured(source, text, METHOD, embed)
    limit = source.tokens_in if budget_tokens is None else min(source.tokens_in, budget_tokens + 1)
    text = bounded_cut(draft.best_piece(), limit)
    return measured(source, text, METHOD, embed) if text else None


def usual_tokens(source: Source, params: ExtractParams, budget_tokens: int | None = None) -> int:
    """Return how large a cluster's summary may be, at least 1."""
    most = params.most_tokens if budget_tokens is None else budget_tokens
    return max(min(int(source.tokens * params.share), most), 1)


def verbatim(turns: Sequence[ClusterTurn]) -> Summary:
    """Return turns as they are, for those that have no shorter text."""
    text = "\n".join(turn.text for turn in turns)
    tokens = estimate(text)
    return Summary(text, "verbatim", 1.0, 1.0, 1.0, 1.0, 1.0, tokens, tokens)


def bounded_cut(text: str, limit: int) -> str:
    """Return the longest beginning of ``text``, in whole words, with fewer than ``limit`` tokens."""
    words = text.split(" ")
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimate(" ".join(words[:middle])) < limit else (low, middle - 1)
    return " ".join(words[:low]).strip()


def measured(source: Source, text: str, method: str, embed: Embed) -> Summary:
    """Measure a finished text."""
    figures = judge(embed([text])[0], source.vectors)
    return Summary(
        text=text,
        method=method,
        align=figures.align,
        cover=figures.cover,
        worst=figures.worst,
        confidence=figures.confidence,
        identifiers_kept=kept_share(source.names, text),
        tokens_in=source.tokens_in,
        tokens_out=estimate(text),
    )
