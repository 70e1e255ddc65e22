"""What the rest of Libra may ask of an embedding model, and what it gets back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from libra.ground.vectors import Vector
    from libra.inference.profiles import Manifest


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """A stretch of a text and its vector.

    Attributes:
        start, end: Characters (code points) of the text, ``start`` inclusive, ``end`` exclusive.
        vector: Unit length, shape ``(dims,)``, float32.
    """

    start: int
    end: int
    vector: Vector


class EmbedderLike(Protocol):
    """An open embedding model. Every method may be called from any thread."""

    @property
    def manifest(self) -> Manifest:
        """The profile: name, prefixes, similarity floors."""
        ...

    @property
    def dims(self) -> int:
        """Components of each vector that is handed out."""
        ...

    @property
    def fingerprint(self) -> str:
        """Identity of the vector space; vectors of two fingerprints are never compared."""
        ...

    @property
    def provider(self) -> str:
        """The execution provider in use (``cpu``, ``directml``, ``coreml``, ``cuda``, ``fake``)."""
        ...

    @property
    def provider_reason(self) -> str:
        """One sentence on why this provider was chosen."""
        ...

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question, shape ``(dims,)``; goes before any waiting passages.

        A text longer than the model's limit is cut there.

        Raises:
            ModelError: The model could not run.
        """
        ...

    def embed_passages(self, texts: Sequence[str]) -> list[list[Window]]:
        """Return, for each text in order, windows that together cover every character of it.

        The list of an empty or white text holds no window; every other holds at least one.

        Raises:
            ModelError: The model could not run; nothing of the call is returned.
        """
        ...

    def embed_texts(self, texts: Sequence[str]) -> Vector:
        """Return one passage vector a text, shape ``(n, dims)``: the normalised mean of its windows.

        An empty or white text gives a zero row.

        Raises:
            ModelError: The model could not run.
        """
        ...

    def count(self, text: str) -> int:
        """Return the tokens that the model's own tokenizer makes of a text, special ones left out."""
        ...

    def close(self) -> None:
        """Let the model go. Calling it twice is harmless."""
        ...


@dataclass(frozen=True, slots=True)
class Generated:
    """What a model wrote.

    Attributes:
        text: Without outer white space.
        tokens: Ids of its tokens, the end mark among them; empty if they are not told.
        logprobs: Natural log-probability of each token, at most 0; empty if they are not told.
        finished: The model ended it itself; else it was cut off at the limit.
    """

    text: str
    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    finished: bool = True

    @property
    def confidence(self) -> float:
        """The decoder's confidence, exp(mean log p), in [0, 1]; 0 if it is not told.

        Source: memory-model.md §8 (conf_dec).
        """
        return math.exp(math.fsum(self.logprobs) / len(self.logprobs)) if self.logprobs else 0.0


class WriterLike(Protocol):
    """Something that makes a shorter text of a longer one. Every method may be called from any thread."""

    @property
    def window_tokens(self) -> int:
        """Tokens of a text that it reads."""
        ...

    def write(self, instruction: str, text: str, max_tokens: int, timeout_s: float) -> Generated:
        """Return what it makes of a text.

        Args:
            instruction: What it is to do, for models that follow instructions.
            text: What it is to be done with.
            max_tokens: Longest output.
            timeout_s: Longest time.

        Raises:
            ModelError: It gave no text; ``reason`` says why.
        """
        ...

    def close(self) -> None:
        """Let it go; what is under way ends. Calling it twice is harmless."""
        ...
