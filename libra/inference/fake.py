"""A deterministic embedder without a model, for tests: texts that share words have close vectors."""

from __future__ import annotations

import hashlib
import re
import threading
from typing import TYPE_CHECKING

import numpy as np

from libra.ground.errors import ModelError
from libra.ground.vectors import Vector, normalise
from libra.inference.profiles import FileMark, Floors, Manifest, Prefixes, fingerprint
from libra.inference.protocol import Window

if TYPE_CHECKING:
    from collections.abc import Sequence

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+")
_FAINT = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by do does did for from had has have how i in is it its me my of on or our that "
        "the this to was we were what when where which who why will with you your",
    )
)
_FAINT_WEIGHT = 0.15
_SHORTEST_PLURAL = 4
_TINY = 1e-3


class FakeEmbedder:
    """Hashed word vectors: the vector of a text is the normalised sum of those of its words.

    Unrelated texts have cosines near 0 (standard deviation ``1 / sqrt(dims)``), equal word sets 1.

    Args:
        dims: Components; a multiple of 8.
        name: Profile name; another name is another vector space with another fingerprint.
        window_words: Words of one window; long texts get several.
        overlap_words: Words that neighbouring windows share.
        floors: Similarity floors of the profile.

    Attributes:
        broken: While True, every embedding call raises :class:`ModelError`.
        queries: How many queries were embedded.
        passages: How many passages were embedded.
        hold: While cleared, passages wait here (a slow model); set to begin with.
    """

    def __init__(
        self,
        dims: int = 128,
        *,
        name: str = "fake",
        window_words: int = 200,
        overlap_words: int = 40,
        floors: Floors | None = None,
    ) -> None:
        self._manifest = Manifest(
            name=name,
            family="bert",
            dims=dims,
            matryoshka=(),
            pooling="mean",
            prefixes=Prefixes("", ""),
            max_tokens=window_words,
            window_tokens=window_words,
            overlap_tokens=overlap_words,
            normalise=True,
            floors=floors or Floors(recall=0.30, near_duplicate=0.95),
            files={"model.onnx": FileMark(hashlib.sha256(name.encode()).hexdigest(), 0)},
            licence="MIT",
            attribution="",
            origin={},
        )
        self._words: dict[str, Vector] = {}
        self.broken = False
        self.queries = 0
        self.passages = 0
        self.hold = threading.Event()
        self.hold.set()

    @property
    def manifest(self) -> Manifest:
        """The profile that this fake pretends to be."""
        return self._manifest

    @property
    def dims(self) -> int:
        """Components of each vector."""
        return self._manifest.dims

    @property
    def fingerprint(self) -> str:
        """Identity of the vector space: follows name and dims."""
        return fingerprint(self._manifest, self.dims)

    @property
    def provider(self) -> str:
        """Always ``fake``."""
        return "fake"

    @property
    def provider_reason(self) -> str:
        """Why there is no execution provider."""
        return "no model: hashed words"

    def embed_query(self, text: str) -> Vector:
        """Return the vector of all words of ``text``, shape ``(dims,)``.

        Raises:
            ModelError: ``broken`` is set.
        """
        self._check()
        self.queries += 1
        return self._sum(_WORD.findall(text.lower()))

    def embed_passages(self, texts: Sequence[str]) -> list[list[Window]]:
        """Return windows of ``window_words`` words each that cover the texts.

        Raises:
            ModelError: ``broken`` is set.
        """
        self.hold.wait()
        self._check()
        self.passages += len(texts)
        return [self._windows(text) for text in texts]

    def embed_texts(self, texts: Sequence[str]) -> Vector:
        """Return one vector a text, shape ``(n, dims)``.

        Raises:
            ModelError: ``broken`` is set.
        """
        rows = np.zeros((len(texts), self.dims), dtype=np.float32)
        for number, windows in enumerate(self.embed_passages(texts)):
            for window in windows:
                rows[number] += window.vector
        return normalise(rows)

    def count(self, text: str) -> int:
        """Return the number of words (of characters in Chinese, Japanese and Korean)."""
        return len(_WORD.findall(text))

    def close(self) -> None:
        """Do nothing: there is nothing to let go."""

    def _check(self) -> None:
        if self.broken:
            message = "the fake model is switched off"
            raise ModelError(message, reason="model_run")

    def _windows(self, text: str) -> list[Window]:
        if not text.strip():
            return []
        spans = [m.span() for m in _WORD.finditer(text)]
        size = self._manifest.window_tokens
        step = size - self._manifest.overlap_tokens
        starts = range(0, max(len(spans) - self._manifest.overlap_tokens, 1), step)
        out = []
        for first in starts:
            part = spans[first : first + size]
            start = part[0][0] if first else 0
            end = part[-1][1] if first + size < len(spans) else len(text)
            words = [text[a:b].lower() for a, b in part]
            out.append(Window(start, end, self._sum(words)))
        return out

    def _sum(self, words: Sequence[str]) -> Vector:
        total = self._word("\0") * np.float32(_TINY)
        for word in words:
            weight = _FAINT_WEIGHT if word in _FAINT else 1.0
            total = total + self._word(word) * np.float32(weight)
        return normalise(total)

    def _word(self, word: str) -> Vector:
        if len(word) >= _SHORTEST_PLURAL and word.endswith("s"):
            word = word[:-1]
        known = self._words.get(word)
        if known is None:
            key = f"{self._manifest.name}\0{word}".encode("utf-8", "surrogatepass")
            noise = np.frombuffer(hashlib.shake_256(key).digest(self.dims), dtype=np.uint8)
            known = normalise(noise.astype(np.float32) - np.float32(127.5))
            self._words[word] = known
        return known
