"""What a text's vector says, for pipes: the model is opened when the first text needs it, and done without where there is none."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Self

from libra.gate.talk import log_odds, may_judge
from libra.ground.errors import LibraError

if TYPE_CHECKING:
    from libra.inference.embedder import Embedder


class Meanings:
    """The model of the settings, opened late.

    Args:
        args: Flags; they name the settings.
    """

    def __init__(self, args: argparse.Namespace) -> None:
        self._args = args
        self._embedder: Embedder | None = None
        self._tried = False

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let the model go."""
        if self._embedder is not None:
            self._embedder.close()

    def of(self, text: str) -> float | None:
        """Return what the text's vector says of how technical its talk is; None without a model."""
        if not may_judge(text):
            return None
        if not self._tried:
            self._tried = True
            self._embedder = self._opened()
        model = self._embedder
        return log_odds(text, model.embed_texts([text])[0], model.fingerprint) if model else None

    def _opened(self) -> Embedder | None:
        from libra.cli.reaching import places_of
        from libra.config import load
        from libra.inference.embedder import Embedder
        from libra.inference.profiles import find

        named = self._args.config is not None or "LIBRA_CONFIG" in os.environ
        model = load(places_of(self._args).config, must_exist=named).model
        try:
            return Embedder.open(
                find(model.folder or model.profile),
                dims=model.dims,
                providers=model.providers,
                threads=model.threads,
            )
        except LibraError:
            return None
