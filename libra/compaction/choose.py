"""Choose pieces under a token budget so that together they lie near the cluster and near each of its turns."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from libra.compaction.fidelity import centre
from libra.ground.vectors import Vector

Mask = npt.NDArray[np.bool_]
"""Shape ``(pieces,)``: which are chosen."""
Values = npt.NDArray[np.float64]

_STEP = 1e-6
_DIGITS = 6
"""Values are rounded before they are compared, so that the order does not hang on the last bit."""
_POOL = 4


@dataclass(frozen=True, slots=True)
class ChooseParams:
    """Weights and limits of the search.

    Attributes:
        worst_weight: Weight of the least similar turn beside the nearness to the centre.
        words_weight: Weight of the share of the cluster's matter, by content words, that is held.
        judged_share: Share of these two weights that counts where whole texts are judged.
        seeds: How many greedy choices are tried besides the plain one, each from another first piece.
        few_pieces: With more pieces than this only one more is tried: the search would cost more than the model.
        swaps: Most improving exchanges after a greedy choice.
        candidates: Texts that are judged at a time: more see further, fewer take more steps.
        learn: Share of a judged text's deviation from what was foretold that corrects the pieces it changed.

    Source: measured on the compaction clusters of benchmarks.md §3 (development half).
    """

    worst_weight: float = 0.2
    words_weight: float = 0.2
    judged_share: float = 1.0
    seeds: int = 4
    few_pieces: int = 24
    swaps: int = 12
    candidates: int = 3
    learn: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """What the search knows about the pieces.

    Attributes:
        vectors: Of the pieces, ``(p, dims)``, unit length or zero.
        tokens: Of the pieces, ``(p,)``.
        turns: Vectors of the turns, ``(n, dims)``.
        closure: ``(p, p)``: row j marks the pieces that must stand when j stands, itself included.
        names: ``(p, m)``: which exact terms each piece holds.
        name_tokens: ``(m,)``: what listing a term costs that no chosen piece holds.
        words: ``(p, w)``: which content words each piece holds.
        word_weights: ``(w,)``: how much the cluster is about each word; their sum is 1 or 0.
    """

    vectors: Vector
    tokens: npt.NDArray[np.float32]
    turns: Vector
    closure: npt.NDArray[np.bool_]
    names: npt.NDArray[np.bool_]
    name_tokens: npt.NDArray[np.float32]
    words: npt.NDArray[np.bool_]
    word_weights: npt.NDArray[np.float32]


class Writer(Protocol):
    """Knows how a choice reads as a text."""

    def fits(self, chosen: Mask) -> bool:
        """Return True if the text of a choice is within the budget, marks and list included."""
        ...

    def judged(self, choices: Sequence[Mask]) -> tuple[list[float], Vector]:
        """Return the true objective of each choice's text, higher is better, and the texts' vectors."""
        ...


def matter_held(field: Field, choices: Mask) -> npt.NDArray[np.float32]:
    """Return the share of the cluster's weighted content words that each choice holds, ``(r,)``, [0, 1]."""
    held: Mask = (choices.astype(np.float32) @ field.words.astype(np.float32)) > 0
    return held.astype(np.float32) @ field.word_weights


def choose(field: Field, budget: float, write: Writer, params: ChooseParams, effort: float) -> Mask:
    """Return the chosen pieces; at least one is chosen even if it is over the budget.

    Greedy additions from several first pieces, then exchanges, both judged by the token-weighted mean of the
    pieces' vectors; then the best of them, and exchanges with them, are judged as whole texts. The mean only sorts
    what may be worth it: it tells a text's nearness to the centre with a correlation of about 0.35.

    Args:
        field: The pieces.
        budget: Tokens for the pieces and the list of terms that they do not hold.
        write: Writes a choice down.
        params: Weights and limits.
        effort: Tokens that may be embedded to judge whole texts; one is always judged.
    """
    search = _Search(field, budget, params)
    # A text fills its budget nearly.
    left = max(int(effort // max(budget, 1.0)), 1)
    rivals = search.starts(write)[:left]
    tried = list(rivals)
    left -= len(rivals)
    values, vectors = write.judged(rivals)
    at = _best(values)
    best, chosen, near = values[at], rivals[at], vectors[at]
    while left > 0:
        rivals = search.neighbours(chosen, near, tried, write)[: min(left, params.candidates)]
        if not rivals:
            break
        tried += rivals
        left -= len(rivals)
        values, vectors = write.judged(rivals)
        search.learn(chosen, near, rivals, vectors)
        at = _best(values)
        if values[at] > best + _STEP:
            best, chosen, near = values[at], rivals[at], vectors[at]
    return chosen


def _best(values: Sequence[float]) -> int:
    """Return the index of the largest value, the first of equals."""
    return max(range(len(values)), key=lambda i: (round(values[i], _DIGITS), -i))


@dataclass(frozen=True, slots=True, eq=False)
class _Off:
    """By how much a whole text lies off the mean of its pieces.

    Attributes:
        pieces: Products with the pieces, ``(p,)``.
        square: With itself.
        goals: With the centre and the turns, ``(1 + n,)``.
    """

    pieces: Vector
    square: float
    goals: Vector


class _Search:
    """The field with what is derived from it once.

    A choice's vector is only needed through its length and its products with the centre and the turns, so
    the products of all pieces with each other and with those are worked out once.
    """

    def __init__(self, field: Field, budget: float, params: ChooseParams) -> None:
        self.field = field
        self.budget = budget
        self.params = params
        self.mass = field.vectors * field.tokens[:, None]
        self.goals = np.vstack([centre(field.turns)[None, :], field.turns])
        self._derive()
        self.near = np.round(field.vectors @ centre(field.turns), _DIGITS)
        self.off = _Off(np.zeros(len(field.tokens), np.float32), 0.0, np.zeros(len(self.goals), np.float32))
        self.names_of = (field.closure.astype(np.float32) @ field.names.astype(np.float32)) > 0

    def _derive(self) -> None:
        """Work out the products of the pieces' masses."""
        self.gram = self.mass @ self.mass.T
        self.products = self.mass @ self.goals.T

    def learn(self, chosen: Mask, vector: Vector, rivals: Sequence[Mask], vectors: Vector) -> None:
        """Correct what is known of the pieces by which judged texts differ from the best one.

        A piece says something else among others than alone, and a long cluster's pieces have no vectors of their own.

        Args:
            chosen: The best choice so far.
            vector: Of its text, ``(dims,)``.
            rivals: Judged choices.
            vectors: Of their texts, ``(r, dims)``.
        """
        if not self.params.learn:
            return
        tokens = self.field.tokens
        at = vector * np.float32(tokens[chosen].sum())
        for mask, found in zip(rivals, vectors, strict=True):
            added, gone = np.flatnonzero(mask & ~chosen), np.flatnonzero(chosen & ~mask)
            told = at + self.mass[added].sum(axis=0) - self.mass[gone].sum(axis=0)
            wrong = found * np.float32(tokens[mask].sum()) - told
            changed = tokens[added].sum() + tokens[gone].sum()
            step = np.float32(self.params.learn) * wrong / max(changed, np.float32(1.0))
            self.mass[added] += tokens[added][:, None] * step
            self.mass[gone] -= tokens[gone][:, None] * step
        self._derive()

    def starts(self, write: Writer) -> list[Mask]:
        """Return distinct good choices, best first: greedy ones from several first pieces, each improved."""
        alone = np.flatnonzero(self.field.closure.sum(axis=1) == 1)
        seeds = [int(k) for k in alone[np.argsort(-self.near[alone], kind="stable")]]
        few = len(self.near) <= self.params.few_pieces
        found: list[tuple[float, Mask]] = []
        for seed in (None, *seeds[: self.params.seeds if few else 1]):
            mask = self._trimmed(self._exchange(self._greedy(self._only(seed))), write)
            if mask.any() and not any(np.array_equal(mask, other) for _, other in found):
                found.append((self._value(mask), mask))
        found.sort(key=lambda f: -f[0])
        return [mask for _, mask in found] or [self._only(int(np.argmax(self.near)))]

    def neighbours(self, chosen: Mask, vector: Vector, tried: Sequence[Mask], write: Writer) -> list[Mask]:
        """Return the best choices that differ from ``chosen`` by one step, fit as texts and were not judged yet.

        A whole text lies elsewhere than the mean of its pieces: what they differ by is taken along to the
        neighbours.

        Args:
            chosen: A choice.
            vector: Of its text, ``(dims,)``.
            tried: Judged choices.
            write: Writes a choice down.
        """
        rows = chosen.astype(np.float32)
        off = vector * np.float32(rows @ self.field.tokens) - rows @ self.mass
        self.off = _Off(self.mass @ off, float(off @ off), self.goals @ off)
        known = {mask.tobytes() for mask in tried}
        ranked = (mask for _, mask in self._ranked(chosen, _POOL * self.params.candidates + len(tried)))
        new = (mask for mask in ranked if mask.tobytes() not in known and write.fits(mask))
        return list(itertools.islice(new, self.params.candidates))

    def _only(self, piece: int | None) -> Mask:
        """Return the choice of one piece with what it needs, or of none."""
        if piece is None:
            return np.zeros(len(self.field.tokens), dtype=np.bool_)
        out: Mask = self.field.closure[piece].copy()
        return out

    def _greedy(self, chosen: Mask) -> Mask:
        """Add the best piece until nothing fits."""
        while True:
            value, fits = self._additions(chosen)
            if not fits.any():
                return chosen
            chosen = chosen | self.field.closure[int(np.argmax(value))]

    def _exchange(self, chosen: Mask) -> Mask:
        """Remove one, or exchange one for another, while that is better."""
        best = self._value(chosen)
        for _ in range(self.params.swaps):
            found = next(iter(self._ranked(chosen, 1)), None)
            if found is None or found[0] <= best + _STEP:
                break
            best, chosen = found
        return chosen

    def _trimmed(self, chosen: Mask, write: Writer) -> Mask:
        """Leave out the pieces that are missed least until the text fits; perhaps none is left."""
        while chosen.any() and not write.fits(chosen):
            bases = list(self._bases(chosen))[1:]
            chosen = bases[_best([self._value(base) if base.any() else -np.inf for base in bases])]
        return chosen

    def _ranked(self, chosen: Mask, count: int) -> list[tuple[float, Mask]]:
        """Return the best one-step changes with their values, best first."""
        found: list[tuple[float, Mask]] = []
        for order, base in enumerate(self._bases(chosen)):
            if order and base.any() and self._cost(base) <= self.budget:
                found.append((self._value(base), base))
            value, fits = self._additions(base)
            for j in np.argsort(-value, kind="stable")[:count]:
                mask = base | self.field.closure[j]
                if fits[j] and not np.array_equal(mask, chosen):
                    found.append((float(value[j]), mask))
        found.sort(key=lambda f: -f[0])
        out: list[tuple[float, Mask]] = []
        for value_, mask in found:
            if not any(np.array_equal(mask, m) for _, m in out):
                out.append((value_, mask))
            if len(out) == count:
                break
        return out

    def _bases(self, chosen: Mask) -> Iterator[Mask]:
        """Yield the choice itself, and the choice without each piece (and without what needs it)."""
        yield chosen
        for k in np.flatnonzero(chosen):
            yield chosen & ~self.field.closure[:, k]

    def _additions(self, chosen: Mask) -> tuple[Values, Mask]:
        """Return, for each piece, the value of adding it with what it needs, and whether that fits."""
        rows = self.field.closure | chosen
        held = self.names_of | self.field.names[chosen].any(axis=0)
        cost = (
            rows.astype(np.float32) @ self.field.tokens + (~held).astype(np.float32) @ self.field.name_tokens
        )
        fits = ~chosen & (cost <= self.budget)
        return np.where(fits, self._values(rows), -np.inf), fits

    def _value(self, chosen: Mask) -> float:
        return float(self._values(chosen[None, :])[0])

    def _values(self, choices: Mask) -> Values:
        """Return the objective of choices ``(r, p)``, rounded so that order is stable."""
        rows = choices.astype(np.float32)
        square = ((rows @ self.gram) * rows).sum(axis=1) + 2 * (rows @ self.off.pieces) + self.off.square
        cosines = (rows @ self.products + self.off.goals) / np.sqrt(np.maximum(square, 1e-9))[:, None]
        value = cosines[:, 0] + self.params.worst_weight * cosines[:, 1:].min(axis=1)
        value += self.params.words_weight * matter_held(self.field, choices)
        out: Values = np.round(value.astype(np.float64), _DIGITS)
        return out

    def _cost(self, chosen: Mask) -> float:
        held = self.field.names[chosen].any(axis=0)
        return float(self.field.tokens[chosen].sum()) + float(self.field.name_tokens[~held].sum())
