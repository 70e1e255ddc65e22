"""A made-up decade of one machine: sessions of several people, with words as uneven and vectors as clustered as real ones.

Embedding a million texts with the real model would take hours here, so the vectors are drawn. What makes a search by bits
easy or hard is how they lie: their covariance is that of the default model's vectors of the talks in ``bench/data/talks``,
and each is a mixture of its topic, of its session and of its own, so that two turns of one session have cosines near 0.5,
two of one topic near 0.3, strangers near 0.1, and a question 0.65 with what it asks for, as the model gives for real talk.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
from clusters import talks

from libra.ground.vectors import normalise
from libra.inference.protocol import EmbedderLike

Floats = npt.NDArray[np.float32]

TURNS, MEMORIES = 30, 10
"""Of a session; a memory is taken from every third turn."""
PER_SESSION = TURNS + MEMORIES
PER_SHELF = 25
"""Sessions that are made together."""
_WORDS = 60_000
_TOPICS = 3_000
_TOPIC_WORDS = 50
_ZIPF_SHIFT = 8
_TOPIC_SHARE = 0.45
_TYPES = (
    ("fact",) * 11 + ("context",) * 3 + ("decision",) * 2 + ("preference", "instruction", "todo", "entity")
)
_SMALL = "the a of to and in is that it for with as was on are this at by we from or an be not have".split()
_MIX = (0.50, 0.45, 0.74)
"""Shares of topic, session and own in a vector; their squares add up to one."""
_ASKED = 0.65
"""Cosine of a question with what it asks for."""


@dataclass(frozen=True)
class Session:
    """One session.

    Attributes:
        user, project: Whose it is: four of five sessions are of ``me``.
        texts: Of its turns, then of its memories.
        vectors: Of each text, shape ``(PER_SESSION, dims)``, unit length.
        types: Of its memories.
    """

    number: int
    user: str
    project: str
    texts: list[str]
    vectors: Floats
    types: list[str]


class Decade:
    """Sessions by number; the same on every run."""

    def __init__(self, embedder: EmbedderLike, folder: Path) -> None:
        kept = folder / "real.npy"
        if not kept.exists():
            folder.mkdir(parents=True, exist_ok=True)
            np.save(kept, embedder.embed_texts([text for cluster in talks() for _, text in cluster.turns]))
        real = np.load(kept)
        self._mean = real.mean(axis=0)
        centred = real - self._mean
        # Rows of the factor are scaled so that a drawn deviation is as long as a real one.
        _, scale, self._axes = np.linalg.svd(centred, full_matrices=False)
        self._scale = (scale / np.sqrt(len(real))).astype(np.float32)
        self._topic_parts = self._drawn(np.random.default_rng(11), _TOPICS)
        rng = np.random.default_rng(12)
        self._topic_words = self._zipf(rng, _TOPICS * _TOPIC_WORDS).reshape(_TOPICS, _TOPIC_WORDS)

    def _drawn(self, rng: np.random.Generator, count: int) -> Floats:
        """Return deviations from the mean with the real covariance, shape ``(count, dims)``."""
        out: Floats = (rng.standard_normal((count, len(self._scale)), np.float32) * self._scale) @ self._axes
        return out

    @cached_property
    def _vocabulary(self) -> npt.NDArray[np.str_]:
        rng = np.random.default_rng(5)
        heads = "b c d f g h k l m n p r s t v w br cl dr gr pl st tr".split()
        tails = "a e i o u ai ea ou an er is on".split()
        syllables = np.array([a + b for a, b in itertools.product(heads, tails)])
        two = np.char.add(*(rng.choice(syllables, 2 * _WORDS) for _ in range(2)))
        three = np.char.add(two, rng.choice(syllables, 2 * _WORDS))
        both = np.stack([two, three], axis=1).ravel()
        _, first = np.unique(both, return_index=True)
        return both[np.sort(first)][:_WORDS]

    @cached_property
    def _weights(self) -> npt.NDArray[np.float64]:
        weights = np.cumsum(1.0 / (np.arange(_WORDS) + _ZIPF_SHIFT))
        return weights / weights[-1]

    def _zipf(self, rng: np.random.Generator, count: int) -> npt.NDArray[np.int64]:
        """Return numbers of words: the n-th is 1/n as frequent as the first."""
        return np.searchsorted(self._weights, rng.random(count)).astype(np.int64)

    def shelf(self, number: int) -> list[Session]:
        """Return :data:`PER_SHELF` sessions; they are made together, since a million texts are to be made."""
        rng = np.random.default_rng([7, number])
        count = PER_SHELF * TURNS
        topics = rng.integers(0, _TOPICS, (PER_SHELF, 2))
        own = np.take_along_axis(topics, rng.integers(0, 2, (PER_SHELF, TURNS)), 1).ravel()
        topic, thread, alone = _MIX
        parts = topic * self._topic_parts[own] + alone * self._drawn(rng, count)
        parts += thread * np.repeat(self._drawn(rng, PER_SHELF), TURNS, axis=0)
        vectors = normalise((self._mean + parts).astype(np.float32))
        told = normalise(vectors[::3] + 0.5 * self._drawn(rng, PER_SHELF * MEMORIES))
        lengths = np.clip(rng.lognormal(2.8, 0.8, count), 3, 160).astype(int)
        topic_of = np.concatenate([own, own[::3]])
        texts = self._texts(rng, topic_of, np.concatenate([lengths, np.clip(lengths[::3], 4, 16)]))
        types = rng.choice(np.array(_TYPES), (PER_SHELF, MEMORIES))
        strangers, projects = rng.integers(0, 5, PER_SHELF), rng.integers(0, 40, PER_SHELF)
        out = []
        for n in range(PER_SHELF):
            at, to = n * TURNS, count + n * MEMORIES
            user = "me" if n % 5 else f"other{strangers[n]}"
            said = texts[at : at + TURNS] + texts[to : to + MEMORIES]
            both = np.concatenate([vectors[at : at + TURNS], told[to - count : to - count + MEMORIES]])
            out.append(
                Session(number * PER_SHELF + n, user, f"p{projects[n]}", said, both, types[n].tolist())
            )
        return out

    def _texts(
        self, rng: np.random.Generator, topics: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
    ) -> list[str]:
        """Return a text of so many words on each topic."""
        total = int(lengths.sum())
        words = self._zipf(rng, total)
        near = rng.random(total) < _TOPIC_SHARE
        place = (rng.random(total) ** 2 * _TOPIC_WORDS).astype(int)
        words[near] = self._topic_words[np.repeat(topics, lengths), place][near]
        small = rng.integers(0, 2 * len(_SMALL), total)
        said = self._written[words * (len(_SMALL) + 1) + np.minimum(small, len(_SMALL))].tolist()
        kinds, numbers = rng.random(len(lengths)).tolist(), rng.integers(0, 10_000, len(lengths)).tolist()
        out, at = [], 0
        for length, kind, number in zip(lengths.tolist(), kinds, numbers, strict=True):
            text = " ".join(said[at : at + length])
            if kind < 0.14:
                a, b = text.split()[-1], said[at].split()[-1]
                text += f", see src/{a}/{b}_{number % 100}.py"
            elif kind < 0.2:
                text += f" (PRJ-{number})"
            out.append(text[0].upper() + text[1:] + ".")
            at += length
        return out

    @cached_property
    def _written(self) -> npt.NDArray[np.object_]:
        """Each word behind each of the small words, and alone."""
        heads = [*(small + " " for small in _SMALL), ""]
        return np.array([head + word for word in self._vocabulary.tolist() for head in heads], object)

    def question(self, rng: np.random.Generator, sessions: int) -> tuple[str, Floats]:
        """Return a question of ``me`` about something said in one of the first sessions, and its vector."""
        shelf = self.shelf(int(rng.integers(0, max(sessions // PER_SHELF, 1))))
        asked = shelf[int(rng.integers(0, PER_SHELF // 5)) * 5 + int(rng.integers(1, 5))]
        place = int(rng.integers(PER_SESSION))
        words = [w for w in asked.texts[place].lower().strip(".").split() if w not in _SMALL and w.isalpha()]
        told = rng.permutation(words)[: int(rng.integers(2, 6))].tolist() if words else ["nothing"]
        own = asked.vectors[place]
        other = self._mean + self._drawn(rng, 1)[0]
        other = normalise((other - (other @ own) * own).astype(np.float32))
        vector = normalise(_ASKED * own + np.float32(np.sqrt(1 - _ASKED**2)) * other)
        return f"What did we say about {' '.join(told[:-1])} and {told[-1]}?", vector


def questions(decade: Decade, count: int, sessions: int, seed: int = 1) -> Sequence[tuple[str, Floats]]:
    """Return ``count`` questions with their vectors."""
    rng = np.random.default_rng([seed, sessions])
    return [decade.question(rng, sessions) for _ in range(count)]
