"""A decoder on ONNX Runtime, as Optimum exports one: with a cache of what is past in one file or two, or without.

Names of inputs and outputs are read off the sessions. What ``present.<x>`` gives goes into ``past_key_values.<x>``;
what the cross-attention caches (``….encoder.…``) is made by the first step and stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from libra.ground.errors import ModelDamaged, ModelError
from libra.inference.decoding import Steps
from libra.inference.session import RunsModel

Array = npt.NDArray[np.generic]

_PLAIN = frozenset({"input_ids", "encoder_attention_mask", "encoder_hidden_states", "use_cache_branch"})
_PAST = "past"
_PRESENT = "present"
_CROSS = "encoder"
_TYPES = {"tensor(float)": np.float32, "tensor(float16)": np.float16, "tensor(double)": np.float64}
_RANK = 4


@dataclass(frozen=True, slots=True)
class Stage:
    """A session with its inputs and outputs by what they are.

    Attributes:
        session: The session.
        file: Where it was opened from, for errors.
        plain: Inputs that are no cache.
        past: Cache inputs, by the part of their name behind the first dot.
        present: Cache outputs, likewise.
    """

    session: RunsModel
    file: Path
    plain: frozenset[str]
    past: Mapping[str, Any]
    present: Mapping[str, str]

    @classmethod
    def of(cls, session: RunsModel, file: Path) -> Stage:
        """Look at a session.

        Raises:
            ModelDamaged: It is no decoder, or wants something that nothing is known of.
        """
        inputs = {i.name: i for i in session.get_inputs()}
        outputs = [o.name for o in session.get_outputs()]
        past = {_rest(name): i for name, i in inputs.items() if name.startswith(_PAST)}
        present = {_rest(name): name for name in outputs if name.startswith(_PRESENT)}
        plain = frozenset(name for name in inputs if not name.startswith(_PAST))
        if plain - _PLAIN or "input_ids" not in plain or "logits" not in outputs:
            unknown = ", ".join(sorted(plain - _PLAIN)) or "neither input_ids nor logits"
            raise ModelDamaged(f"{file}: no decoder that is known ({unknown})", where=str(file))
        return cls(session, file, plain, past, present)

    def run(self, feed: Mapping[str, Any]) -> tuple[npt.NDArray[np.floating], dict[str, Array]]:
        """Run once; return the last position's scores, ``(rows, vocabulary)``, and the cache.

        Raises:
            ModelError: ONNX Runtime failed.
        """
        names = ["logits", *self.present.values()]
        try:
            logits, *cache = self.session.run(names, feed)
        except Exception as error:  # ONNX Runtime's errors share no base but Exception
            raise ModelError(
                f"the summary model failed: {type(error).__name__}", reason="model_run"
            ) from error
        return np.asarray(logits)[:, -1, :], dict(zip(self.present, cache, strict=True))

    def nothing(self, rows: int) -> dict[str, Array]:
        """Return an empty cache, for a merged decoder that wants one to be there at its first step.

        Raises:
            ModelDamaged: Its shape is not told.
        """
        out: dict[str, Array] = {}
        for part in self.past.values():
            shape = part.shape
            if len(shape) != _RANK or not isinstance(shape[1], int) or not isinstance(shape[3], int):
                raise ModelDamaged(f"{self.file}: the shape of {part.name} is not told", where=str(self.file))
            out[part.name] = np.zeros((rows, shape[1], 1, shape[3]), _TYPES.get(part.type, np.float32))
        return out


@dataclass(frozen=True, slots=True)
class Decoder:
    """The sessions of a decoder.

    Attributes:
        first: Makes the first step; the only one of a decoder without a cache.
        later: Makes the others; the same as ``first`` for a merged one, None without a cache.
        start: The token before the first.
    """

    first: Stage
    later: Stage | None
    start: int

    @classmethod
    def of(cls, first: Stage, later: Stage | None, start: int) -> Decoder:
        """Put the sessions together; a merged decoder is its own second.

        Raises:
            ModelDamaged: They do not fit each other.
        """
        merged = "use_cache_branch" in first.plain
        second = first if merged else later
        missing = sorted(set(second.past) - set(first.present)) if second is not None else []
        if missing or (first.past and not merged):
            what = f"gives no present.{missing[0]}" if missing else "wants a past at its first step"
            raise ModelDamaged(f"{first.file}: {what}", where=str(first.file))
        return cls(first, second, start)

    def steps(self, hidden: Array, mask: Array) -> Steps:
        """Begin a text.

        Args:
            hidden: The encoder's output, ``(1, tokens, width)``.
            mask: Its mask, ``(1, tokens)``.
        """
        return _Cached(self, hidden, mask) if self.later is not None else _Whole(self, hidden, mask)


class _Whole:
    """Runs all tokens at each step: slow, exact, for decoders without a cache."""

    def __init__(self, decoder: Decoder, hidden: Array, mask: Array) -> None:
        self._stage, self._hidden, self._mask = decoder.first, hidden, mask
        self._rows: list[tuple[int, ...]] = [(decoder.start,)]

    def first(self) -> npt.NDArray[np.floating]:
        """See :class:`Steps`."""
        return self._stage.run(_feed(self._stage, self._rows, self._hidden, self._mask))[0]

    def next(self, tokens: Sequence[int], parents: Sequence[int]) -> npt.NDArray[np.floating]:
        """See :class:`Steps`."""
        self._rows = [(*self._rows[row], token) for token, row in zip(tokens, parents, strict=True)]
        return self.first()


class _Cached:
    """Runs one token a step beside the cache of the steps before."""

    def __init__(self, decoder: Decoder, hidden: Array, mask: Array) -> None:
        self._decoder, self._hidden, self._mask = decoder, hidden, mask
        self._own: dict[str, Array] = {}
        self._cross: dict[str, Array] = {}

    def first(self) -> npt.NDArray[np.floating]:
        """See :class:`Steps`."""
        stage = self._decoder.first
        feed = _feed(stage, [(self._decoder.start,)], self._hidden, self._mask)
        if stage is self._decoder.later:
            feed |= stage.nothing(1) | {"use_cache_branch": np.array([False])}
        scores, cache = stage.run(feed)
        self._cross = {name: part for name, part in cache.items() if _is_cross(name)}
        self._own = {name: part for name, part in cache.items() if not _is_cross(name)}
        return scores

    def next(self, tokens: Sequence[int], parents: Sequence[int]) -> npt.NDArray[np.floating]:
        """See :class:`Steps`."""
        stage = self._decoder.later
        assert stage is not None  # noqa: S101 - Decoder.steps has seen to it
        feed = _feed(stage, [(token,) for token in tokens], self._hidden, self._mask)
        if stage is self._decoder.first:
            feed["use_cache_branch"] = np.array([True])
        for name, part in stage.past.items():
            # All rows are of one input: what was cached of it is the same for each.
            cross = _is_cross(name)
            feed[part.name] = (
                _repeated(self._cross[name], len(tokens))
                if cross
                else np.take(self._own[name], parents, axis=0)
            )
        scores, cache = stage.run(feed)
        self._own = {name: part for name, part in cache.items() if not _is_cross(name)}
        return scores


def _feed(stage: Stage, rows: Sequence[Sequence[int]], hidden: Array, mask: Array) -> dict[str, Array]:
    """Return the inputs that are no cache."""
    known = {
        "input_ids": np.array(rows, dtype=np.int64),
        "encoder_hidden_states": _repeated(hidden, len(rows)),
        "encoder_attention_mask": _repeated(mask, len(rows)),
    }
    return {name: value for name, value in known.items() if name in stage.plain}


def _repeated(part: Array, rows: int) -> Array:
    return part if rows == 1 else np.repeat(part, rows, axis=0)


def _rest(name: str) -> str:
    return name.partition(".")[2]


def _is_cross(name: str) -> bool:
    return _CROSS in name.split(".")
