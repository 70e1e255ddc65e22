"""The extractive summary: the speakers' own words, chosen, in order, and what was lost listed at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from libra.compaction.draft import Draft, DraftParams, listed_tokens
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
        share: Tokens out over tokens in, at most, of clusters up to ``small_tokens``.
        large_share: The same of clusters from ``large_tokens`` on; between them it falls evenly.
        small_tokens, large_tokens: What is small and what is large. Of a hundred tokens hardly a half can go
            without losing a statement; a long talk repeats itself.
        most_tokens: No summary is larger, unless the caller asks for more, or exact terms need it.
        names_share: So much of the turns' tokens a summary may have so that its exact terms fit; it may then be
            larger than ``share`` and ``most_tokens``.
        names_part: Share of such a text that its terms fill if all of them are listed; the rest is for words.
        most_names_tokens: But no more tokens than this are added for them.

    Source: memory-model.md §8 (64…256 tokens); the shares are measured by ``bench/compaction.py``.
    """

    share: float = 0.54
    large_share: float = 0.305
    small_tokens: int = 150
    large_tokens: int = 400
    most_tokens: int = 256
    names_share: float = 0.72
    names_part: float = 0.85
    most_names_tokens: int = 256
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
            return measured(source, text, METHOD, draft.embed)
    limit = source.tokens_in if budget_tokens is None else min(source.tokens_in, budget_tokens + 1)
    text = bounded_cut(draft.best_piece(), limit)
    return measured(source, text, METHOD, draft.embed) if text else None


def usual_tokens(source: Source, params: ExtractParams, budget_tokens: int | None = None) -> int:
    """Return how large a cluster's summary may be, at least 1: larger where its exact terms need it."""
    tokens = source.tokens
    above = (tokens - params.small_tokens) / max(params.large_tokens - params.small_tokens, 1)
    share = params.share - min(max(above, 0.0), 1.0) * (params.share - params.large_share)
    if budget_tokens is not None:
        return max(min(int(tokens * share), budget_tokens), 1)
    usual = min(int(tokens * share), params.most_tokens)
    needed = int(sum(map(listed_tokens, source.names)) / params.names_part)
    widest = params.names_share if above < 1 else share
    return max(usual, min(needed, int(tokens * widest), usual + params.most_names_tokens), 1)


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
