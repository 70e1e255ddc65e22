"""From a decoder's scores to a text's tokens: greedy, or the best of several beams. No model runtime in here.

The greedy path never leaves the beam, so that more beams never end with a worse text (by its own measure) than one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from libra.ground.errors import ModelError

Scores = npt.NDArray[np.float64]


class Steps(Protocol):
    """A decoder at work on one text; it keeps what it needs of the rows of its last step."""

    def first(self) -> npt.NDArray[np.floating]:
        """Return the scores of the first token, shape ``(1, vocabulary)``."""
        ...

    def next(self, tokens: Sequence[int], parents: Sequence[int]) -> npt.NDArray[np.floating]:
        """Go on by one token a row.

        Args:
            tokens: The token of each new row.
            parents: The row of the last step that each new row goes on from.

        Returns:
            The scores of what follows, shape ``(len(tokens), vocabulary)``.
        """
        ...


@dataclass(frozen=True, slots=True)
class DecodeParams:
    """How tokens are chosen.

    Attributes:
        beams: Paths that are followed at a time; 1 is greedy.
        length_power: A path's score is its log-probability over its length to this power: 0 prefers short texts.
    """

    beams: int = 1
    length_power: float = 1.0


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded text.

    Attributes:
        tokens: Its tokens; the last one is the end mark if ``finished``.
        logprobs: Natural log-probability of each, at most 0.
        finished: The model ended it; else the limit did.
    """

    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    finished: bool

    def score(self, length_power: float) -> float:
        """Return the measure by which paths are compared; larger is better."""
        return math.fsum(self.logprobs) / math.pow(max(len(self.logprobs), 1), length_power)


@dataclass(frozen=True, slots=True)
class _Path:
    """A path that is not at its end yet."""

    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    total: float
    greedy: bool


def log_softmax(scores: npt.NDArray[np.floating]) -> Scores:
    """Return natural log-probabilities along the last axis, without overflow.

    Raises:
        ModelError: A row has no finite score, or one that is no number.
    """
    wide = np.asarray(scores, dtype=np.float64)
    top = wide.max(axis=-1, keepdims=True)
    if not np.isfinite(top).all():
        raise ModelError("the model's scores are no numbers", reason="model_run")
    shifted = wide - top
    out: Scores = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return out


def decode(
    steps: Steps, end: int, max_tokens: int, params: DecodeParams, go_on: Callable[[], None]
) -> Decoded:
    """Return the best text that was found.

    Of equal scores the one of the earlier path and the smaller token wins, so that the same input always gives the
    same text.

    Args:
        steps: The decoder.
        end: The token that ends a text.
        max_tokens: Longest text, end mark included; at least 1.
        params: How tokens are chosen.
        go_on: Asked before each step; raises to end the work.

    Raises:
        ModelError: The model's scores are no numbers, or ``end`` is none of its tokens.
    """
    paths = [_Path((), (), 0.0, greedy=True)]
    parents: list[int] = []
    ended: list[Decoded] = []
    for _ in range(max_tokens):
        go_on()
        scores = steps.next([p.tokens[-1] for p in paths], parents) if parents else steps.first()
        logprobs = log_softmax(scores)
        if logprobs.shape[1] <= end:
            raise ModelError("the end mark is none of the model's tokens", reason="model_run")
        paths, parents, new = _advance(paths, logprobs, end, params.beams)
        ended = _best(ended + new, params)
        if not paths or _settled(paths, ended, params):
            break
    else:
        ended += [Decoded(p.tokens, p.logprobs, finished=False) for p in paths]
    return _best(ended, params)[0]


def _advance(
    paths: Sequence[_Path], logprobs: Scores, end: int, beams: int
) -> tuple[list[_Path], list[int], list[Decoded]]:
    """Return the paths to follow, best first, with the row that each comes from; and those that have ended."""
    totals = logprobs + np.array([[p.total] for p in paths])
    wanted = [(row, token) for row, token in _top(totals, 2 * beams)]
    greedy: tuple[int, int] | None = None
    for row, path in enumerate(paths):
        if path.greedy:
            greedy = (row, int(logprobs[row].argmax()))
    following: list[tuple[int, int]] = []
    ended: list[Decoded] = []
    for rank, (row, token) in enumerate(wanted):
        if token != end:
            following.append((row, token))
        elif rank < beams or (row, token) == greedy:
            ended.append(_ended(paths[row], token, float(logprobs[row, token])))
    del following[beams:]
    if greedy is not None and greedy[1] == end and greedy not in wanted:
        ended.append(_ended(paths[greedy[0]], end, float(logprobs[greedy])))
    elif greedy is not None and greedy[1] != end and greedy not in following:
        following[beams - 1 :] = [greedy]
    out = [
        _Path(
            (*paths[row].tokens, token),
            (*paths[row].logprobs, min(float(logprobs[row, token]), 0.0)),
            float(totals[row, token]),
            greedy=(row, token) == greedy,
        )
        for row, token in following
    ]
    return out, [row for row, _ in following], ended


def _ended(path: _Path, end: int, logprob: float) -> Decoded:
    return Decoded((*path.tokens, end), (*path.logprobs, min(logprob, 0.0)), finished=True)


def _top(totals: Scores, count: int) -> list[tuple[int, int]]:
    """Return the places of the largest totals, best first; of equal ones the first."""
    flat = totals.ravel()
    count = min(count, flat.size)
    least = np.partition(flat, flat.size - count)[flat.size - count]
    places = np.flatnonzero(flat >= least)
    order = places[np.argsort(-flat[places], kind="stable")][:count]
    return [(int(place) // totals.shape[1], int(place) % totals.shape[1]) for place in order]


def _best(ended: Sequence[Decoded], params: DecodeParams) -> list[Decoded]:
    """Return the best texts, best first; earlier ones before equal later ones."""
    return sorted(ended, key=lambda d: -d.score(params.length_power))[: params.beams]


def _settled(paths: Sequence[_Path], ended: Sequence[Decoded], params: DecodeParams) -> bool:
    """Return True if there are texts enough and no path, as it stands, is better than the worst of them."""
    if any(p.greedy for p in paths) or len(ended) < params.beams:
        return False
    best = max(p.total / math.pow(len(p.tokens), params.length_power) for p in paths)
    return params.beams == 1 or best <= ended[-1].score(params.length_power)
