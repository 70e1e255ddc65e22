"""Texts to vectors with a real model.

One session serves questions and passages: it holds about 65 MB, and on CPU a question runs on the caller's
own thread beside the batch that the background is in, so it never waits for it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np

from libra.ground import machine
from libra.ground.errors import ConfigError, LibraError, ModelError
from libra.ground.vectors import Vector, normalise
from libra.inference.adopt import verified_profile
from libra.inference.batches import BatchParams, plan
from libra.inference.pooling import finish, pool
from libra.inference.profiles import TOKENIZER_FILE, Manifest, fingerprint
from libra.inference.protocol import Window
from libra.inference.providers import CONCURRENT, CPU, ORT_NAMES, Choice, ProbeParams, candidates, choose
from libra.inference.session import (
    Ids,
    Runner,
    available_providers,
    not_loaded,
    open_session,
    runtime_needed,
)
from libra.inference.turnstile import Turnstile, TurnstileParams
from libra.inference.windows import TextCutter, WindowParams


@dataclass(frozen=True, slots=True)
class EmbedderParams:
    """Settings of an embedder's parts."""

    windows: WindowParams = field(default_factory=WindowParams)
    batches: BatchParams = field(default_factory=BatchParams)
    probe: ProbeParams = field(default_factory=ProbeParams)
    turnstile: TurnstileParams = field(default_factory=TurnstileParams)


class Embedder:
    """An open model; see :class:`libra.inference.protocol.EmbedderLike`. Made by :meth:`open`.

    Every method may be called from any thread.
    """

    def __init__(
        self,
        manifest: Manifest,
        dims: int,
        cutter: TextCutter,
        runner: Runner,
        choice: Choice,
        params: EmbedderParams,
    ) -> None:
        self._manifest = manifest
        self._dims = dims
        self._cutter = cutter
        self._runner: Runner | None = runner
        self._choice = choice
        limits = params.batches
        on_cpu = choice.provider == CPU
        self._batch_limits = (limits.max_texts, limits.max_tokens if on_cpu else limits.accelerator_tokens)
        self._fingerprint = fingerprint(manifest, dims)
        self._turnstile = Turnstile(exclusive=choice.provider not in CONCURRENT, params=params.turnstile)

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        dims: int | None = None,
        providers: Sequence[str] | None = None,
        threads: int = 1,
        params: EmbedderParams | None = None,
    ) -> Self:
        """Check the folder's files and load the model; takes 0.2 s with the default model.

        Args:
            folder: A folder with ``manifest.json`` (:func:`libra.inference.profiles.find`).
            dims: Cut vectors to so many components; one of the manifest's ``matryoshka``. None for all.
            providers: Execution providers to try, best first (``cpu`` to try none); None for the platform's.
            threads: Threads of one run on CPU.
            params: Settings of the parts.

        Raises:
            ModelMissing: Folder, manifest or a file is not there.
            ModelDamaged: A file is not the one that the manifest names, or cannot be loaded.
            ConfigError: The manifest or ``dims`` or ``providers`` is wrong.
            ModelError: ONNX Runtime or tokenizers is not installed, or not for this machine.
        """
        with runtime_needed():
            return cls._open(folder, dims, providers, threads, params or EmbedderParams())

    @classmethod
    def _open(
        cls,
        folder: Path,
        dims: int | None,
        providers: Sequence[str] | None,
        threads: int,
        settings: EmbedderParams,
    ) -> Self:
        order = candidates(sys.platform, providers)
        manifest = verified_profile(folder)
        size = _size(manifest, dims)
        cutter = TextCutter.open(folder / TOKENIZER_FILE, manifest, settings.windows)
        model = folder / manifest.model_file

        def open_on(provider: str) -> Runner:
            return Runner(open_session(model, ORT_NAMES[provider], threads), model)

        try:
            runner, choice = choose(
                order,
                available_providers(),
                open_on,
                lambda opened: opened.run,
                vocabulary=cutter.vocabulary,
                params=settings.probe,
            )
        except (LibraError, ImportError):
            raise
        except Exception as error:  # ONNX Runtime's errors share no base but Exception
            raise not_loaded(model, error) from error
        return cls(manifest, size, cutter, runner, choice, settings)

    @property
    def manifest(self) -> Manifest:
        """The profile."""
        return self._manifest

    @property
    def dims(self) -> int:
        """Components of each vector."""
        return self._dims

    @property
    def fingerprint(self) -> str:
        """Identity of the vector space."""
        return self._fingerprint

    @property
    def provider(self) -> str:
        """The execution provider in use: ``cpu``, ``directml``, ``coreml`` or ``cuda``."""
        return self._choice.provider

    @property
    def provider_reason(self) -> str:
        """Why that one."""
        return self._choice.reason

    @property
    def choice(self) -> Choice:
        """The provider in use and all that were tried."""
        return self._choice

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question, shape ``(dims,)``; waiting passages let it go first.

        Of a question over ``query_tokens`` (256) the first and the last half are kept.

        Raises:
            ModelError: The model failed or was closed.
        """
        ids = self._cutter.question(text)
        with self._turnstile.question():
            hidden, lengths = self._open_runner().run([ids])
        vector: Vector = self._vectors(hidden, lengths)[0]
        return vector

    def embed_passages(self, texts: Sequence[str]) -> list[list[Window]]:
        """Return, for each text in order, windows that together cover every character of it.

        A white text has none. Batches are run one by one, shortest windows first; between two of them
        questions get their turn.

        Raises:
            ModelError: The model failed or was closed; nothing of the call is returned.
        """
        pieces = [self._cutter.windows(text) for text in texts]
        flat = [(number, piece) for number, own in enumerate(pieces) for piece in own]
        vectors = np.zeros((len(flat), self._dims), dtype=np.float32)
        for batch in plan([len(piece.ids) for _, piece in flat], *self._batch_limits):
            with self._turnstile.batch():
                hidden, lengths = self._open_runner().run([flat[i][1].ids for i in batch])
            vectors[batch] = self._vectors(hidden, lengths)
        out: list[list[Window]] = [[] for _ in texts]
        for (number, piece), vector in zip(flat, vectors, strict=True):
            out[number].append(Window(piece.start, piece.end, vector))
        return out

    def embed_texts(self, texts: Sequence[str]) -> Vector:
        """Return one vector a text, shape ``(n, dims)``: the normalised mean of its windows.

        A white text gives a zero row.

        Raises:
            ModelError: The model failed or was closed.
        """
        rows = np.zeros((len(texts), self._dims), dtype=np.float32)
        for number, windows in enumerate(self.embed_passages(texts)):
            for window in windows:
                rows[number] += window.vector
        return normalise(rows)

    def count(self, text: str) -> int:
        """Return the tokens that the model's own tokenizer makes of a text, special ones left out."""
        return self._cutter.count(text)

    def close(self) -> None:
        """Let the model go; later calls raise :class:`ModelError`."""
        self._runner = None
        machine.trim()

    def _open_runner(self) -> Runner:
        runner = self._runner
        if runner is None:
            raise ModelError("the embedding model was closed", reason="model_closed")
        return runner

    def _vectors(self, hidden: Vector, lengths: Ids) -> Vector:
        return finish(pool(hidden, lengths, self._manifest.pooling), self._manifest.family, self._dims)


def _size(manifest: Manifest, dims: int | None) -> int:
    if dims is None or dims == manifest.dims:
        return manifest.dims
    if dims in manifest.matryoshka:
        return dims
    allowed = ", ".join(map(str, sorted({*manifest.matryoshka, manifest.dims})))
    raise ConfigError(
        f"the model {manifest.name} cannot give vectors of {dims} components: expected one of {allowed}",
        where="model.dims",
    )
