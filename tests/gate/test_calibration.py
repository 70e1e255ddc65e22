"""Isotonic calibration: monotone, exact on small cases, careful with few labels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.gate.calibration import CalibrationParams, Curve, Label, fit, threshold

SCORES = st.floats(0, 1)
LABELS = st.lists(st.builds(Label, SCORES, st.booleans()), max_size=120)


def test_violators_are_pooled() -> None:
    """1, 0, 1 at rising scores becomes one half twice, then one."""
    curve = fit([Label(0.1, useful=True), Label(0.2, useful=False), Label(0.3, useful=True)])
    assert curve == Curve((0.1, 0.3), (0.5, 1.0), 3)
    assert [curve.at(g) for g in (0.0, 0.1, 0.25, 0.3, 1.0)] == [0.5, 0.5, 0.5, 1.0, 1.0]


def test_equal_scores_share_a_block() -> None:
    """Order among equal scores does not matter."""
    both = [Label(0.4, useful=True), Label(0.4, useful=False)]
    assert fit(both) == fit(both[::-1]) == Curve((0.4,), (0.5,), 2)


def test_few_labels_keep_the_default() -> None:
    """49 labels change nothing, the fiftieth does."""
    labels = [Label(0.4, useful=False)] * 24 + [Label(0.6, useful=True)] * 25
    assert threshold(fit(labels), CalibrationParams()) == 0.35
    assert threshold(fit([*labels, Label(0.6, useful=True)]), CalibrationParams()) == 0.6


def test_a_gate_that_helps_does_not_creep_upwards() -> None:
    """Where everything that was let in was useful, what lies below is unknown, and the default stands."""
    assert threshold(fit([Label(0.6, useful=True)] * 80), CalibrationParams()) == 0.35
    assert threshold(fit([Label(0.2, useful=True)] * 80), CalibrationParams()) == 0.2


def test_a_gate_that_never_helped_closes() -> None:
    """When no score reaches the wanted share, the threshold is 1."""
    assert threshold(fit([Label(g / 60, useful=False) for g in range(60)]), CalibrationParams()) == 1.0


def test_no_labels_and_no_numbers() -> None:
    """An empty curve and scores that are NaN are survived."""
    assert fit([Label(float("nan"), useful=True)]) == Curve((), (), 0)
    assert fit([]).at(0.5) == 0.0


@given(LABELS, SCORES, SCORES)
def test_monotone(labels: list[Label], a: float, b: float) -> None:
    """A higher score never has a lower chance."""
    curve = fit(labels)
    assert curve.at(min(a, b)) <= curve.at(max(a, b))
    assert all(0.0 <= c <= 1.0 for c in curve.chances)
    assert list(curve.chances) == sorted(set(curve.chances))


@given(LABELS)
def test_mean_is_kept(labels: list[Label]) -> None:
    """Pooling keeps the overall share of useful labels."""
    curve = fit(labels)
    if labels:
        fitted = sum(curve.at(label.g) for label in labels) / len(labels)
        assert fitted == pytest.approx(sum(label.useful for label in labels) / len(labels))


@given(st.lists(st.builds(Label, SCORES, st.booleans()), min_size=50, max_size=90))
def test_threshold_is_the_smallest_score_that_is_good_enough(labels: list[Label]) -> None:
    """At the threshold the wanted share is reached, below it is not."""
    curve = fit(labels)
    limit = threshold(curve, CalibrationParams())
    if any(c >= 0.5 for c in curve.chances):
        assert curve.at(limit) >= 0.5
        below = [start for start in curve.starts if start < limit]
        assert all(curve.at(start) < 0.5 for start in below)
    else:
        assert limit == 1.0
