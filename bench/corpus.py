"""Made-up talk for the benchmarks: a vocabulary as uneven as a real one, the same sentences on every run."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from functools import cache

_CONSONANTS = "b c d f g h k l m n p r s t v w br cl dr gr pl st tr".split()
_VOWELS = "a e i o u ai ea ou".split()
_WORDS = 6000
_FORMS = (
    "The {0} {1} the {2} when the {3} is {4}, so we moved {5} to {6}.",
    "I think {0} and {1} belong together; the {2} in {3} should never {4} the {5}.",
    "After the {0} broke, {1} showed that {2} had no {3} at all, only {4} and {5} for {6}.",
    "{0}: the fix for {1} is in {2}/{3}_{4}.py, and {5} now covers {6}.",
    "We decided that {0} will {1} every {2}, because {3} costs more than {4} and {5}.",
)
_ASKED = (
    "What did we decide about {0} and {1}?",
    "Why does the {0} {1} the {2}?",
    "Where is the fix for {0} in the {1} of {2}?",
)


@cache
def _vocabulary() -> tuple[list[str], list[float]]:
    """Return words and their cumulated weights: the n-th word is 1/n as frequent as the first (Zipf)."""
    rng = random.Random(5)  # noqa: S311 - the same words on every run
    words: dict[str, None] = {}
    while len(words) < _WORDS:
        syllables = rng.randrange(2, 4)
        words["".join(rng.choice(_CONSONANTS) + rng.choice(_VOWELS) for _ in range(syllables))] = None
    return list(words), list(itertools.accumulate(1.0 / (n + 8) for n in range(_WORDS)))


def _draw(rng: random.Random, count: int) -> list[str]:
    words, weights = _vocabulary()
    return rng.choices(words, cum_weights=weights, k=count)


def sentences(count: int, seed: int = 7) -> Iterator[str]:
    """Yield ``count`` different texts of 15 to 45 words."""
    rng = random.Random(seed)  # noqa: S311 - the same sentences on every run
    for number in range(count):
        text = rng.choice(_FORMS).format(*_draw(rng, 7))
        if rng.random() < 0.5:
            text += " " + rng.choice(_FORMS).format(*_draw(rng, 7))
        yield f"{text} (note {number})"


def questions(count: int, seed: int = 7) -> list[str]:
    """Return ``count`` questions in the words of some of the sentences."""
    rng = random.Random(seed + 1)  # noqa: S311 - the same questions on every run
    known = set(_vocabulary()[0])
    said = [
        [w for w in s.replace("/", " ").replace("_", " ").split() if w.strip(".,;:") in known]
        for s in sentences(500, seed)
    ]
    return [
        rng.choice(_ASKED).format(*(w.strip(".,;:") for w in rng.sample(rng.choice(said), 3)))
        for _ in range(count)
    ]
