"""Which execution provider runs the model: the platform's own if it proves itself, else CPU.

A provider that is there is not yet one that computes the same, or faster: drivers differ, int8 graphs are
known to go wrong, and a graph that falls back to CPU node by node is slower than CPU alone. So it is tried.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from libra.ground.errors import ConfigError, LibraError
from libra.ground.vectors import Vector, normalise
from libra.inference.pooling import pool
from libra.inference.session import Ids

CPU = "cpu"
ORT_NAMES = {
    "directml": "DmlExecutionProvider",
    "coreml": "CoreMLExecutionProvider",
    "cuda": "CUDAExecutionProvider",
    CPU: "CPUExecutionProvider",
}
ORDERS = {
    "win32": ("directml", "cuda", CPU),
    "darwin": ("coreml", CPU),
    "linux": ("cuda", CPU),
}
CONCURRENT = frozenset({CPU, "cuda"})
"""Providers whose sessions may be run from two threads at once; DirectML's must not."""

_ABSENT = "not in the installed ONNX Runtime"

Run = Callable[[Sequence[Sequence[int]]], tuple[Vector, Ids]]
"""Runs one batch of token ids, as :meth:`libra.inference.session.Runner.run` does."""


Opened = TypeVar("Opened")


@dataclass(frozen=True, slots=True)
class ProbeParams:
    """When a provider counts as good.

    Attributes:
        least_cosine: Each probe text's vector against CPU's.
        slower_by: Time of the probe on the provider, as a multiple of CPU's, up to which it is used.
        shapes: Texts and tokens of each probe batch: one like a question, one like a batch of passages.
        rounds: Timed rounds; the best counts. One more runs first, untimed, since many compile then.
        seed: Of the probe's token ids.
    """

    least_cosine: float = 0.999
    slower_by: float = 1.0
    shapes: tuple[tuple[int, int], ...] = ((1, 16), (8, 64))
    rounds: int = 3
    seed: int = 11


@dataclass(frozen=True, slots=True)
class Tried:
    """A provider that was looked at, and what came of it."""

    provider: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The provider in use, why, and what was tried on the way."""

    provider: str
    reason: str
    tried: tuple[Tried, ...]


@dataclass(frozen=True, slots=True)
class _Sample:
    vectors: Vector
    best_s: float


def candidates(platform: str, wanted: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return the providers to try, best first; CPU is always the last.

    Args:
        platform: ``sys.platform``.
        wanted: The user's own order, if any.

    Raises:
        ConfigError: A name is no provider.
    """
    for name in wanted or ():
        if name not in ORT_NAMES:
            raise ConfigError(
                f"unknown execution provider {name!r}: expected one of {', '.join(ORT_NAMES)}",
                where="model.providers",
            )
    order = tuple(wanted) if wanted else ORDERS.get(platform, ORDERS["linux"])
    before_cpu = order[: order.index(CPU)] if CPU in order else order
    return (*dict.fromkeys(before_cpu), CPU)


def choose(
    order: Sequence[str],
    available: Sequence[str],
    open_on: Callable[[str], Opened],
    run_of: Callable[[Opened], Run],
    *,
    vocabulary: int,
    params: ProbeParams,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[Opened, Choice]:
    """Open the model on the first provider that proves itself.

    Args:
        order: Names from :func:`candidates`.
        available: What the installed runtime has, in ONNX Runtime's spelling.
        open_on: Opens the model on a provider (our name).
        run_of: How to run what was opened.
        vocabulary: Token ids are below it.
        params: What counts as good.
        clock: Seconds; only differences are used.

    Returns:
        What ``open_on`` gave for the chosen provider, and the choice.

    Raises:
        Exception: CPU itself could not be opened, or failed to run.
    """
    tried: list[Tried] = []
    present = []
    for name in order:
        if name != CPU and ORT_NAMES[name] not in available:
            tried.append(Tried(name, _ABSENT))
        elif name != CPU:
            present.append(name)
    cpu = open_on(CPU)
    if not present:
        return cpu, Choice(CPU, _why_cpu(tried), tuple(tried))
    probe = _probe(vocabulary, params)
    reference = _sample(run_of(cpu), probe, params, clock)
    for name in present:
        try:
            opened = open_on(name)
            sample = _sample(run_of(opened), probe, params, clock)
        except Exception as error:  # noqa: BLE001 -- whatever a driver raises, CPU still works
            tried.append(Tried(name, f"failed: {_kind(error)}"))
            continue
        fault = _fault(sample, reference, params)
        if fault is None:
            ratio = reference.best_s / sample.best_s if sample.best_s > 0 else float("inf")
            verdict = f"agrees with CPU and is {ratio:.1f} times as fast"
            tried.append(Tried(name, verdict))
            return opened, Choice(name, verdict, tuple(tried))
        tried.append(Tried(name, fault))
        del opened
    return cpu, Choice(CPU, _why_cpu(tried), tuple(tried))


def _why_cpu(tried: Sequence[Tried]) -> str:
    if not tried:
        return "CPU was asked for"
    if all(t.verdict == _ABSENT for t in tried):
        return f"the installed ONNX Runtime has no {' or '.join(t.provider for t in tried)}"
    return "; ".join(f"{t.provider}: {t.verdict}" for t in tried)


def _kind(error: Exception) -> str:
    return error.reason if isinstance(error, LibraError) else type(error).__name__


def _probe(vocabulary: int, params: ProbeParams) -> list[list[list[int]]]:
    rng = np.random.default_rng(params.seed)
    low = min(1000, vocabulary // 2)
    batches = []
    for texts, tokens in params.shapes:
        ids = rng.integers(low, vocabulary, (texts, tokens)).tolist()
        # One text of each batch is shorter, so that the mask is tried too.
        ids[-1] = ids[-1][: max(tokens - tokens // 3, 1)]
        batches.append(ids)
    return batches


def _sample(
    run: Run, probe: Sequence[Sequence[Sequence[int]]], params: ProbeParams, clock: Callable[[], float]
) -> _Sample:
    vectors = np.concatenate([normalise(pool(*run(batch), "mean")) for batch in probe])
    best_s = float("inf")
    for _ in range(params.rounds):
        start = clock()
        for batch in probe:
            run(batch)
        best_s = min(best_s, clock() - start)
    return _Sample(vectors, best_s)


def _fault(sample: _Sample, reference: _Sample, params: ProbeParams) -> str | None:
    if sample.vectors.shape != reference.vectors.shape or not np.isfinite(sample.vectors).all():
        return "its vectors are not those of CPU (shape, or not finite)"
    cosine = float((sample.vectors * reference.vectors).sum(axis=1).min())
    if cosine < params.least_cosine:
        return f"its vectors differ from CPU's (cosine {cosine:.4f}, at least {params.least_cosine} needed)"
    if sample.best_s > reference.best_s * params.slower_by:
        ratio = sample.best_s / reference.best_s if reference.best_s > 0 else float("inf")
        return f"slower than CPU ({ratio:.1f} times its time)"
    return None
