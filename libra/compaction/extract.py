"""The extractive summary: the speakers' own words, chosen, in order, and what was lost listed at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from libra.compaction.draft import Draft, DraftParams
from libra.compaction.fidelity import judge, kept_share
from libra.compaction.sanitize import SanitizeParams, sanitise
from libra.compaction.turns import ClusterTurn, Embed
from libra.ground.vectors import Vector
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
        method: ``extractive``, or ``verbatim`` for turns that are handed back as they are.
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
    texts = [sanitise(turn.text, turn.role, params.sanitise) for turn in turns]
    tokens_in = sum(turn.tokens if turn.tokens is not None else estimate(turn.text) for turn in turns)
    if not any(text.strip() for text in texts):
        return None
    draft = Draft(turns, texts, _turn_vectors(turns, texts, embed), embed, params.draft)
    most = params.most_tokens if budget_tokens is None else budget_tokens
    budget = max(min(int(sum(map(estimate, texts)) * params.share), most), 1)
    for tokens in (budget, budget // 2, budget // 4):
        text = draft.text_within(tokens) if tokens else ""
        if text and estimate(text) < tokens_in and (budget_tokens is None or estimate(text) <= budget_tokens):
            return _judged(draft, text, tokens_in)
    limit = tokens_in if budget_tokens is None else min(tokens_in, budget_tokens + 1)
    text = _bounded_cut(draft.best_piece(), limit)
    return _judged(draft, text, tokens_in) if text else None


def verbatim(turns: Sequence[ClusterTurn]) -> Summary:
    """Return turns as they are, for those that have no shorter text."""
    text = "\n".join(turn.text for turn in turns)
    tokens = estimate(text)
    return Summary(text, "verbatim", 1.0, 1.0, 1.0, 1.0, 1.0, tokens, tokens)


def _turn_vectors(turns: Sequence[ClusterTurn], texts: Sequence[str], embed: Embed) -> Vector:
    """Return the turns' vectors, ``(n, dims)``, embedding only what is not known."""
    missing = [i for i, turn in enumerate(turns) if turn.vector is None]
    fresh = dict(zip(missing, embed([texts[i] for i in missing]), strict=True)) if missing else {}
    return np.stack([turn.vector if turn.vector is not None else fresh[i] for i, turn in enumerate(turns)])


def _bounded_cut(text: str, limit: int) -> str:
    """Return the longest beginning of ``text``, in whole words, with fewer than ``limit`` tokens."""
    words = text.split(" ")
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimate(" ".join(words[:middle])) < limit else (low, middle - 1)
    return " ".join(words[:low]).strip()


def _judged(draft: Draft, text: str, tokens_in: int) -> Summary:
    """Measure a finished text."""
    figures = judge(draft.embed([text])[0], draft.vectors)
    return Summary(
        text=text,
        method=METHOD,
        align=figures.align,
        cover=figures.cover,
        worst=figures.worst,
        confidence=figures.confidence,
        identifiers_kept=kept_share(draft.names, text),
        tokens_in=tokens_in,
        tokens_out=estimate(text),
    )
