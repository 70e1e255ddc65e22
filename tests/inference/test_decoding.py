"""Choosing tokens: greedy and beams over decoders that are nothing but tables."""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libra.ground.errors import ModelError
from libra.inference.decoding import Decoded, DecodeParams, decode, log_softmax

END = 0
Floats = npt.NDArray[np.floating]


class Table:
    """A decoder whose scores depend on all tokens so far, by a seed."""

    def __init__(self, seed: int, vocabulary: int, scale: float = 2.0) -> None:
        self._seed, self._vocabulary, self._scale = seed, vocabulary, scale
        self._rows: list[tuple[int, ...]] = [()]

    def scores(self, tokens: tuple[int, ...]) -> Floats:
        """Return the scores of what follows these tokens."""
        key = zlib.crc32(repr((self._seed, tokens)).encode())
        return np.random.RandomState(key).normal(0, self._scale, self._vocabulary)

    def first(self) -> Floats:
        """Begin."""
        self._rows = [()]
        return np.stack([self.scores(())])

    def next(self, tokens: Sequence[int], parents: Sequence[int]) -> Floats:
        """Go on."""
        self._rows = [(*self._rows[row], token) for token, row in zip(tokens, parents, strict=True)]
        return np.stack([self.scores(row) for row in self._rows])


def run(steps: Table, max_tokens: int, beams: int, power: float = 1.0) -> Decoded:
    """Decode without a deadline."""
    return decode(steps, END, max_tokens, DecodeParams(beams, power), lambda: None)


def greedy(table: Table, max_tokens: int) -> tuple[int, ...]:
    """Return the greedy path, worked out the plain way."""
    out: tuple[int, ...] = ()
    while len(out) < max_tokens and out[-1:] != (END,):
        out = (*out, int(table.scores(out).argmax()))
    return out


def everything(table: Table, vocabulary: int, max_tokens: int) -> float:
    """Return the log-probability of the likeliest of all texts, by trying each."""
    best = -math.inf
    for length in range(1, max_tokens + 1):
        for tokens in itertools.product(range(vocabulary), repeat=length):
            if END in tokens[:-1] or (tokens[-1] != END and length < max_tokens):
                continue
            logs = [log_softmax(table.scores(tokens[:i]))[token] for i, token in enumerate(tokens)]
            best = max(best, math.fsum(logs))
    return best


@given(st.integers(0, 10**6), st.integers(2, 9), st.integers(1, 8))
def test_one_beam_is_greedy(seed: int, vocabulary: int, max_tokens: int) -> None:
    """The plain way of choosing must give the plain result."""
    found = run(Table(seed, vocabulary), max_tokens, 1)
    assert found.tokens == greedy(Table(seed, vocabulary), max_tokens)
    assert found.finished == (found.tokens[-1] == END)
    assert len(found.logprobs) == len(found.tokens)
    assert all(p <= 0 for p in found.logprobs)


@given(
    st.integers(0, 10**6),
    st.integers(2, 9),
    st.integers(1, 8),
    st.integers(2, 6),
    st.sampled_from([0.0, 1.0, 2.0]),
)
def test_more_beams_are_never_worse(
    seed: int, vocabulary: int, max_tokens: int, beams: int, power: float
) -> None:
    """Who asks for more work must not get a worse text for it."""
    one = run(Table(seed, vocabulary), max_tokens, 1, power)
    more = run(Table(seed, vocabulary), max_tokens, beams, power)
    assert more.score(power) >= one.score(power) - 1e-12


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_enough_beams_find_the_best_text_there_is(seed: int) -> None:
    """With room for every path, search is exact."""
    found = run(Table(seed, 3), 3, 27, 0.0)
    assert found.score(0.0) == pytest.approx(everything(Table(seed, 3), 3, 3))


def test_ties_go_to_the_smaller_token() -> None:
    """The same input gives the same summary on every machine."""
    flat = Table(0, 4, scale=0.0)
    assert run(flat, 3, 1).tokens == (END,)
    assert [run(flat, 3, 3).tokens for _ in range(3)] == [run(flat, 3, 3).tokens] * 3


def test_probabilities_do_not_overflow() -> None:
    """Scores of half-precision models may be large, and masked ones infinite."""
    out = log_softmax(np.array([[1e30, 0.0, -np.inf], [-1e30, -1e30, -1e30]]))
    assert out[0].tolist() == [0.0, -1e30, -np.inf]
    assert out[1] == pytest.approx([-math.log(3)] * 3)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_that_are_no_numbers_are_an_error(bad: float) -> None:
    """A broken model must not write a summary of whatever comes first."""

    class Broken(Table):
        def scores(self, tokens: tuple[int, ...]) -> Floats:
            return np.full(4, bad)

    with pytest.raises(ModelError) as caught:
        run(Broken(0, 4), 3, 2)
    assert caught.value.reason == "model_run"


def test_an_end_mark_beyond_the_vocabulary_is_an_error() -> None:
    """A wrong manifest would else give texts that never end."""
    with pytest.raises(ModelError):
        decode(Table(0, 4), 4, 3, DecodeParams(), lambda: None)
