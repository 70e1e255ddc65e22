"""What a summary is made of: a cluster's turns, sanitised and embedded once, whoever writes the summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from libra.compaction.fidelity import exact_terms
from libra.compaction.sanitize import SanitizeParams, sanitise
from libra.compaction.turns import ClusterTurn, Embed
from libra.ground.records import Role
from libra.ground.vectors import Vector
from libra.text.tokens import estimate


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A cluster on its way to a summary; at least one text has words in it.

    Attributes:
        turns: In time order.
        texts: Their sanitised texts; the turns' own are never changed.
        vectors: Of the turns, ``(n, dims)``.
        names: Exact terms: those that people and agents used before those of tools only.
        tokens_in: Tokens of the turns.
    """

    turns: Sequence[ClusterTurn]
    texts: Sequence[str]
    vectors: Vector
    names: Sequence[str]
    tokens_in: int

    @property
    def labels(self) -> list[str]:
        """Return what stands before each turn's words; empty where only one speaks."""
        labels = [turn.label for turn in self.turns]
        return labels if len(set(labels)) > 1 else []

    @property
    def tokens(self) -> int:
        """Return the tokens of the sanitised texts."""
        return sum(map(estimate, self.texts))


def prepare(
    turns: Sequence[ClusterTurn], embed: Embed, params: SanitizeParams, most_names: int
) -> Source | None:
    """Return a cluster as summaries are made of it, None if there are no words in it.

    Args:
        turns: In time order.
        embed: The retrieval space; what it raises is passed on.
        params: What is taken out.
        most_names: Exact terms that are looked after; of a flood the first ones.
    """
    texts = [sanitise(turn.text, turn.role, params) for turn in turns]
    if not any(text.strip() for text in texts):
        return None
    tokens_in = sum(turn.tokens if turn.tokens is not None else estimate(turn.text) for turn in turns)
    return Source(turns, texts, _vectors(turns, texts, embed), _names(turns, texts)[:most_names], tokens_in)


def _vectors(turns: Sequence[ClusterTurn], texts: Sequence[str], embed: Embed) -> Vector:
    """Return the turns' vectors, ``(n, dims)``, embedding only what is not known."""
    missing = [i for i, turn in enumerate(turns) if turn.vector is None]
    fresh = dict(zip(missing, embed([texts[i] for i in missing]), strict=True)) if missing else {}
    return np.stack([turn.vector if turn.vector is not None else fresh[i] for i, turn in enumerate(turns)])


def _names(turns: Sequence[ClusterTurn], texts: Sequence[str]) -> list[str]:
    said = [text for turn, text in zip(turns, texts, strict=True) if turn.role is not Role.TOOL]
    shown = [text for turn, text in zip(turns, texts, strict=True) if turn.role is Role.TOOL]
    return list(dict.fromkeys(exact_terms("\n".join(said)) + exact_terms("\n".join(shown))))
