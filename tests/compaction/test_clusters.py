"""Clusters and the tail."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libra.compaction.clusters import ClusterParams, clusters, tail_start
from libra.ground.records import Role

P = ClusterParams()
U, A, T = Role.USER, Role.ASSISTANT, Role.TOOL


def test_sizes() -> None:
    """Nothing below two; one cluster up to twenty; then as many as are needed, all alike."""
    assert clusters(0, P) == clusters(1, P) == []
    assert clusters(20, P) == [range(20)]
    assert clusters(21, P) == [range(11), range(11, 21)]
    assert [len(c) for c in clusters(296, P)].count(20) + [len(c) for c in clusters(296, P)].count(19) == 15


@given(st.integers(2, 500), st.integers(1, 40))
def test_the_formula_of_the_memory_model(n: int, k: int) -> None:
    """Item i is in cluster floor(i*c/n), and each is in one cluster."""
    found = clusters(n, ClusterParams(target=k))
    count = math.ceil(n / k)
    assert [i for c in found for i in c] == list(range(n))
    assert all(i * count // n == number for number, c in enumerate(found) for i in c)


@pytest.mark.parametrize(
    ("roles", "start"),
    [
        ([], 0),
        ([U, A], 0),
        ([U, A] * 5, 6),
        ([U, A, U, A, A, T, T, A, A], 5 - 1),
        ([U, A, T, A, U, A, T, A], 4),
        ([U, A, U, U, A, U, A], 2 + 1),
        ([U] + [A] * 10, 7),
        ([T] * 8, 0),
    ],
)
def test_the_tail_splits_no_bundle(roles: list[Role], start: int) -> None:
    """A result stays with its call, an answer with its question; nothing else is joined."""
    assert tail_start(roles, P) == start


@given(st.lists(st.sampled_from([U, A, T]), max_size=60))
def test_the_tail_has_four_turns_and_begins_at_a_boundary(roles: list[Role]) -> None:
    """At least m turns, if there are as many; never begins with a tool's result."""
    start = tail_start(roles, P)
    assert 0 <= start <= max(len(roles) - 4, 0)
    assert start == 0 or roles[start] is not T
