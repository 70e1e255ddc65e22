"""Exact terms, and the figures of a summary."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.compaction.fidelity import exact_terms, holds, judge, kept_share, lost


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("It broke in src/app/main.py:12 with ECONNREFUSED.", ["src/app/main.py:12", "ECONNREFUSED"]),
        ("T_recent and V_rest use buildMemorySection", ["T_recent", "V_rest", "buildMemorySection"]),
        ("between 0.35 and 50 ms, 64d or 99%", ["0.35", "50", "64d", "99%"]),
        ("commit 4f2a91c7be11 by SearchResult", ["4f2a91c7be11", "SearchResult"]),
        ("ValueError in v1.2.3, see #123", ["ValueError", "v1.2.3", "#123"]),
        ("</div> <p>hello</p> and/or e.g. this", []),
        ("我们有 3 个 MAX_SIZE", ["3", "MAX_SIZE"]),
        ("sum += hit.Score }; math.Max(hit.Score, 0.0)", ["hit.Score", "math.Max", "0.0"]),
        ("it is done.Next we look, and so.Then we go.", []),
    ],
)
def test_exact_terms(text: str, terms: list[str]) -> None:
    """Paths, codes, names and numbers; no markup, no prose."""
    assert [t for t in exact_terms(text) if t in terms] == terms
    assert (exact_terms(text) == []) == (terms == [])


def test_a_term_counts_as_a_whole_only() -> None:
    """Not inside another word or number; bare small numbers anywhere."""
    assert holds("it took 250 ms", "250")
    assert not holds("it took 1250 ms", "250")
    assert not holds("it took 250.5 ms", "250")
    assert holds("it took 250.", "250")
    assert not holds("myMainThing", "MainThing")
    assert holds("see app.py, please", "app.py")
    assert holds("0.35", "0")
    assert lost(["a_b", "c_d"], "a_b only") == ["c_d"]
    assert kept_share(["a_b", "c_d"], "a_b only") == 0.5
    assert kept_share([], "") == 1.0


def test_figures_by_hand() -> None:
    """Two orthogonal turns and a summary that is one of them."""
    turns = np.eye(2, dtype=np.float32)
    found = judge(turns[0], turns)
    assert found.align == pytest.approx(0.7071, abs=1e-4)
    assert (found.cover, found.worst) == (0.5, 0.0)
    assert found.confidence == pytest.approx((found.align + found.cover) / 2)


@given(st.integers(1, 6), st.integers(0, 2**32 - 1), st.booleans())
def test_figures_are_bounded(n: int, seed: int, zero: bool) -> None:  # noqa: FBT001 - drawn
    """For any vectors, zero vectors too."""
    rng = np.random.default_rng(seed)
    turns = rng.normal(size=(n, 8)).astype(np.float32)
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    summary = np.zeros(8, dtype=np.float32) if zero else turns[0]
    found = judge(summary, turns)
    assert -1.0 <= found.worst <= found.align <= 1.0 or found.worst <= 1.0
    assert 0.0 <= found.cover <= 1.0
    assert 0.0 <= found.confidence <= 1.0


@given(st.text(max_size=300))
def test_terms_stand_in_their_text(text: str) -> None:
    """Whatever is found is there, at least as a part; markup aside."""
    for term in exact_terms(text):
        assert term in text


@pytest.mark.parametrize(
    "text", ["a" * 200_000, "必须" * 100_000, "a-" * 100_000, "1.2" * 66_000, "a/" * 100_000, "x@" * 99_000]
)
def test_runs_without_an_end_take_no_time(text: str) -> None:
    """A turn without a single space must not hold the background for minutes (C67)."""
    start = time.process_time()
    names = exact_terms(text)
    kept_share(names[:50], text[:20_000])
    assert time.process_time() - start < 3.0
