"""Calibrate: from what became of memories to the threshold of the gate (memory model §4, Calibration)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from libra.engine.deps import Deps
from libra.gate.calibration import Curve, Label, fit, threshold
from libra.store import use
from libra.store.sql import Reader


def threshold_in_force(deps: Deps, s: Reader) -> float:
    """Return the score from which turns are admitted now: the calibrated one once there are enough labels."""
    return _threshold(deps, _curve(s))


def calibrate(deps: Deps) -> dict[str, Any]:
    """Answer the method ``calibrate``: the reliability curve, and the threshold that follows from it."""
    with deps.store.snapshot() as snapshot:
        found = use.labels(snapshot)
        causes = use.causes(snapshot)
    curve = fit([Label(g, useful) for g, useful in found])
    ends = [*curve.starts[1:], *([1.0] if curve.starts else [])]
    return {
        "labels": curve.labels,
        "needed": deps.params.calibration.min_labels,
        "causes": causes,
        "curve": [
            {
                "from": round(start, 4),
                "to": round(end, 4),
                "chance": round(chance, 4),
                "labels": sum(start <= g < end or (end == 1.0 and g >= start) for g, _ in found),
            }
            for start, end, chance in zip(curve.starts, ends, curve.chances, strict=True)
        ],
        "threshold": _threshold(deps, curve),
        "default_threshold": deps.params.gate.threshold,
        "calibrated": curve.labels >= deps.params.calibration.min_labels,
    }


def _curve(s: Reader) -> Curve:
    return fit([Label(g, useful) for g, useful in use.labels(s)])


def _threshold(deps: Deps, curve: Curve) -> float:
    params = replace(deps.params.calibration, default_threshold=deps.params.gate.threshold)
    return threshold(curve, params)
