"""Episodes: half an hour of silence starts a new one."""

from hypothesis import given
from hypothesis import strategies as st

from libra.lifecycle.episodes import Episode, EpisodeParams, episodes

MINUTE = 60_000


def test_a_pause_of_thirty_minutes_cuts() -> None:
    """29 minutes do not, 30 do."""
    times = [0, 29 * MINUTE, 59 * MINUTE, 60 * MINUTE]
    assert episodes(times, EpisodeParams()) == [
        Episode(0, 2, 0, 29 * MINUTE),
        Episode(2, 4, 59 * MINUTE, 60 * MINUTE),
    ]
    assert episodes([], EpisodeParams()) == []


def test_a_clock_that_steps_back_cuts_nothing() -> None:
    """A time before its neighbour's is no pause, and the next one is measured from the latest."""
    assert episodes([100 * MINUTE, 0, 101 * MINUTE], EpisodeParams()) == [Episode(0, 3, 0, 101 * MINUTE)]


@given(st.lists(st.integers(0, 10**9), max_size=60))
def test_episodes_partition_the_turns(times: list[int]) -> None:
    """Each turn is in one episode, in order."""
    found = episodes(times, EpisodeParams())
    assert [i for e in found for i in range(e.first, e.end)] == list(range(len(times)))
