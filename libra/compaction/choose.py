"""Choose pieces under a token budget so that together they lie near the cluster and near each of its turns."""

from __future__ import annotations

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
_POOL = 12
_LEAST_NOISE = 1e-2


@dataclass(frozen=True, slots=True)
class ChooseParams:
    """Weights and limits of the search.

    Attributes:
        worst_weight: Weight of the least similar turn beside the nearness to the centre.
        words_weight: Weight of the share of the cluster's matter, by content words, that is held.
        judged_share: Share of these two weights that counts where whole texts are judged.
        seeds: How many greedy choices are looked at besides the plain one, each from another first piece.
        swaps: Most improving exchanges after a greedy choice.
        noise: How far a text's vector is expected to lie off what its pieces add up to.

    Source: measured on the compaction clusters of benchmarks.md §3 (development half) and on our own.
    """

    worst_weight: float = 0.2
    words_weight: float = 0.2
    judged_share: float = 1.0
    seeds: int = 4
    swaps: int = 12
    noise: float = 0.2


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

    A text is judged, what the pieces add to a text is corrected by it, and the next text is proposed by that. A text's
    nearness to the centre is foretold with a correlation of 0.3 by the turns' vectors and the words held, 0.55 with one text
    judged, 0.65 with twenty, and 0.75 with sixty (450 chance texts of three talks).

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
    tried: list[Mask] = []
    values: list[float] = []
    vectors: list[Vector] = []
    while len(tried) < left:
        mask = search.proposal(tried, values, write)
        if mask is None:
            break
        found, vector = write.judged([mask])
        tried.append(mask)
        values.append(found[0])
        vectors.append(vector[0])
        search.learn(tried, np.stack(vectors))
    return tried[_best(values)]


def _best(values: Sequence[float]) -> int:
    """Return the index of the largest value, the first of equals."""
    return max(range(len(values)), key=lambda i: (round(values[i], _DIGITS), -i))


class _Search:
    """The field with what is derived from it once, and after each judged text.

    A choice's vector is only needed through its length and its products with the centre and the turns, so
    the products of all pieces with each other and with those are worked out once.
    """

    def __init__(self, field: Field, budget: float, params: ChooseParams) -> None:
        self.field = field
        self.budget = budget
        self.params = params
        middle = centre(field.turns)
        self.goals = np.vstack([middle[None, :], field.turns])
        self._expect(field.vectors)
        self.near = np.round(field.vectors @ middle, _DIGITS)
        alone = np.flatnonzero(field.closure.sum(axis=1) == 1)
        nearest = alone[np.argsort(-self.near[alone], kind="stable")]
        self.seeds = [int(k) for k in nearest[: params.seeds]]
        self.names_of = (field.closure.astype(np.float32) @ field.names.astype(np.float32)) > 0

    def _expect(self, vectors: Vector) -> None:
        """Take these for the pieces' vectors, and work out the products of their masses."""
        mass = vectors * self.field.tokens[:, None]
        self.gram = mass @ mass.T
        self.products = mass @ self.goals.T

    def learn(self, tried: Sequence[Mask], vectors: Vector) -> None:
        """Correct what the pieces are taken to add to a text by all texts that were judged.

        A piece says something else among others than alone, a long cluster's pieces have no vectors of their own, and all
        texts of a cluster lie off in one direction. The corrections are those of a ridge regression whose unknowns are
        that direction and one vector for each piece, weighed by its share of the chosen tokens; it is solved by texts,
        of which there are fewer than pieces.

        Args:
            tried: Judged choices.
            vectors: Of their texts, ``(r, dims)``.
        """
        shares = np.stack(tried) * self.field.tokens
        shares /= shares.sum(axis=1, keepdims=True)
        alike = shares @ shares.T + np.float32(1.0)
        alike[np.diag_indices(len(tried))] += np.float32(max(self.params.noise, _LEAST_NOISE) ** 2)
        off = np.linalg.solve(alike, vectors - shares @ self.field.vectors).astype(np.float32)
        self._expect(self.field.vectors + shares.T @ off + off.sum(axis=0))

    def proposal(self, tried: Sequence[Mask], values: Sequence[float], write: Writer) -> Mask | None:
        """Return the choice that should be judged next, None if there is none left.

        In turns the best that can be reached at all and the best one step away from the best judged one: what is far
        from what was judged is foretold less well.

        Args:
            tried: Judged choices.
            values: What they are worth.
            write: Writes a choice down.
        """
        known = {mask.tobytes() for mask in tried}
        best = tried[_best(values)] if tried else None
        if best is None or len(tried) % 2:
            starts = [self._greedy(self._only(None))]
            starts += [self._greedy(self._only(k)) for k in self.seeds] if best is None else [best]
            ends = [self._trimmed(self._exchange(start), write) for start in starts]
            new = [mask for mask in ends if mask.any() and mask.tobytes() not in known]
            if new:
                return new[_best([self._value(mask) for mask in new])]
        if best is None:
            return self._only(int(np.argmax(self.near)))
        steps = (mask for _, mask in self._ranked(best, _POOL * (1 + len(tried))))
        return next((mask for mask in steps if mask.tobytes() not in known and write.fits(mask)), None)

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
        distinct: dict[bytes, tuple[float, Mask]] = {}
        for value_, mask in found:
            distinct.setdefault(mask.tobytes(), (value_, mask))
        return list(distinct.values())[:count]

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
        """Return the objective of choices ``(r, p)`` as foretold, rounded so that order is stable."""
        rows = choices.astype(np.float32)
        square = ((rows @ self.gram) * rows).sum(axis=1)
        cosines = (rows @ self.products) / np.sqrt(np.maximum(square, 1e-9))[:, None]
        value = cosines[:, 0] + self.params.worst_weight * cosines[:, 1:].min(axis=1)
        value += self.params.words_weight * matter_held(self.field, choices)
        out: Values = np.round(value.astype(np.float64), _DIGITS)
        return out

    def _cost(self, chosen: Mask) -> float:
        held = self.field.names[chosen].any(axis=0)
        return float(self.field.tokens[chosen].sum()) + float(self.field.name_tokens[~held].sum())
