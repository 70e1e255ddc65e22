"""Words that a person had scrubbed, known again without being kept: of each a length, a sieve and a salted hash.

A text is sieved by a rolling sum over all its windows of that length, and a window that passes (one in 65,536 by chance) is
hashed. What is kept of long or random words cannot be turned back; of a short one, such as a PIN, somebody who holds the
database could try all that it may have been.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from libra.ground.records import digest
from libra.text.scripts import lower
from libra.text.secretformats import mark

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SCRUBBED: Final = "scrubbed"
"""The kind in ``[redacted:scrubbed]``."""
_BASE: Final = 0x9E3779B97F4A7C15
"""An odd number, so that every power of it has an inverse modulo 2^64."""
_INVERSE: Final = pow(_BASE, -1, 2**64)
_SIEVE_SHIFT: Final = 48
"""The sieve keeps 16 bits of the sum: too few to say anything about the word."""
_MASK: Final = 2**64 - 1


@dataclass(frozen=True, slots=True)
class KeptOut:
    """What is kept of one scrubbed word, in lower case.

    Attributes:
        length: Its characters.
        sieve: 16 bits of the sum of ``code * base^place`` over them, modulo 2^64.
        salt: Random, its own.
        hash: Digest of salt and word.
    """

    length: int
    sieve: int
    salt: str
    hash: str


def kept_out(word: str, salt: str) -> KeptOut:
    """Return what is kept of a word."""
    low = lower(word)
    total = 0
    for ch in reversed(low):
        total = (total * _BASE + ord(ch)) & _MASK
    return KeptOut(len(low), total >> _SIEVE_SHIFT, salt, digest(salt, low))


def cut_kept_out(text: str, known: Sequence[KeptOut]) -> str:
    """Return ``text`` with a mark in the place of every scrubbed word, in whatever case it stands."""
    if not known or not text:
        return text
    low = lower(text)
    return marked(
        text, [span for length in {k.length for k in known} for span in _of_length(low, length, known)]
    )


def marked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return ``text`` with one mark in the place of each span, of several that overlap as well."""
    pieces: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if start >= at:
            pieces += [text[at:start], mark(SCRUBBED)]
        at = max(at, end)
    return "".join([*pieces, text[at:]]) if pieces else text


def _of_length(low: str, length: int, known: Sequence[KeptOut]) -> list[tuple[int, int]]:
    if length > len(low):
        return []
    hashes: dict[int, list[KeptOut]] = {}
    for entry in known:
        if entry.length == length:
            hashes.setdefault(entry.sieve, []).append(entry)
    found = []
    for at in _sieved(low, length, list(hashes)):
        word = low[at : at + length]
        sieve = kept_out(word, "").sieve
        if any(digest(entry.salt, word) == entry.hash for entry in hashes.get(sieve, ())):
            found.append((at, at + length))
    return found


def _sieved(low: str, length: int, sieves: Sequence[int]) -> list[int]:
    """Return where a window of that length has one of these sieves, in one pass over the text."""
    import numpy as np

    codes = np.frombuffer(low.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint64)
    powers = _powers(len(codes), _BASE)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(codes * powers, dtype=np.uint64)])
    windows = (sums[length:] - sums[:-length]) * _powers(len(codes) - length + 1, _INVERSE)
    places: list[int] = np.flatnonzero(
        np.isin(windows >> np.uint64(_SIEVE_SHIFT), np.asarray(sieves, np.uint64))
    ).tolist()
    return places


def _powers(count: int, base: int) -> npt.NDArray[np.uint64]:
    """Return ``base^0 .. base^(count - 1)`` modulo 2^64; NumPy's product wraps around as wanted."""
    import numpy as np

    out = np.full(count, base, np.uint64)
    out[0] = 1
    return np.multiply.accumulate(out)
