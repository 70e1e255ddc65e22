"""Rate and distortion of a compacted session: what each level costs, and how far it lies from what was said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from libra.compaction.fidelity import exact_terms, kept_share
from libra.ground.vectors import Vector


@dataclass(frozen=True, slots=True)
class Node:
    """A turn (level 0) or a summary.

    Attributes:
        id: Its number.
        level: 0 for turns.
        text: Its words; empty for a turn that was purged.
        tokens: Of the text.
        children: Of a summary, what it covers.
        vector: In the retrieval space, None if it is not known (yet).
    """

    id: int
    level: int
    text: str
    tokens: int
    children: tuple[int, ...] = ()
    vector: Vector | None = None


@dataclass(frozen=True, slots=True)
class Rate:
    """A session as one of its levels shows it: that level's summaries, and below what they do not cover.

    Attributes:
        level: 0 for the raw turns.
        nodes: Summaries and turns that stand for the session.
        tokens: Of all of them (the rate).
        share: ``tokens`` over those of the raw turns.
        distortion: Mean over the turns of 1 − cos(turn, what stands for it), [0, 2]; a turn that stands for itself
            counts 0. None if a vector is missing for all of them.
        identifier_loss: Share of the distinct exact terms of the covered turns that what stands for them lost, mean
            over the summaries weighted by their turns, [0, 1].
    """

    level: int
    nodes: int
    tokens: int
    share: float
    distortion: float | None
    identifier_loss: float


def rates(nodes: Sequence[Node]) -> list[Rate]:
    """Return one row a level, from the raw turns to the highest level.

    Purged turns count neither for distortion nor for loss, since nothing is left to compare with.

    Args:
        nodes: All turns and summaries of a session; children before or after their parents.
    """
    by_id = {node.id: node for node in nodes}
    turns = [node for node in nodes if node.level == 0]
    whole = max(sum(node.tokens for node in turns), 1)
    out = []
    for level in range(max((node.level for node in nodes), default=-1) + 1):
        standing = _standing(nodes, level)
        parts = [(node, _below(node, by_id)) for node in standing]
        told = [(node, below) for node, below in parts if node.level]
        tokens = sum(node.tokens for node in standing)
        out.append(
            Rate(
                level=level,
                nodes=len(standing),
                tokens=tokens,
                share=tokens / whole,
                distortion=_distortion(told, len(standing) - len(told)),
                identifier_loss=_loss(told, len(turns)),
            )
        )
    return out


def _standing(nodes: Sequence[Node], level: int) -> list[Node]:
    """Return the nodes up to a level that no other node up to that level covers."""
    covered = {child for node in nodes if node.level <= level for child in node.children}
    return [node for node in nodes if node.level <= level and node.id not in covered]


def _below(node: Node, by_id: Mapping[int, Node]) -> list[Node]:
    """Return the turns below a node."""
    found: list[Node] = []
    todo = [node]
    while todo:
        at = todo.pop()
        if at.level == 0:
            found.append(at)
        todo += [by_id[child] for child in at.children if child in by_id]
    return found


def _distortion(told: Iterable[tuple[Node, list[Node]]], exact: int) -> float | None:
    """Return the mean of 1 − cos over the turns whose vectors are known; ``exact`` turns stand for themselves."""
    far: list[float] = [0.0] * exact
    measured = exact > 0
    for node, below in told:
        if node.vector is None:
            continue
        known = [turn.vector for turn in below if turn.vector is not None and turn.text]
        far += [float(1.0 - turn @ node.vector) for turn in known]
        measured = measured or bool(known)
    return float(np.mean(far)) if measured and far else None


def _loss(told: Iterable[tuple[Node, list[Node]]], turns: int) -> float:
    """Return the loss of exact terms, weighted by turns; uncovered turns lose nothing."""
    lost = 0.0
    for node, below in told:
        names = exact_terms("\n".join(turn.text for turn in below))
        lost += (1.0 - kept_share(names, node.text)) * len(below)
    return lost / turns if turns else 0.0
