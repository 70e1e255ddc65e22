"""B30: a compaction reports its tokens, and doing it again is nothing, at once."""

from __future__ import annotations

import time

import pytest

from tests.e2e.running import Running, minute

pytestmark = [pytest.mark.e2e, pytest.mark.model, pytest.mark.slow]

WHO = {"session": "long"}


def turns(count: int) -> list[dict[str, str]]:
    """Return an alternating talk."""
    said = (
        ("user", "The start of service {n} takes {n} ms, see ticket HARB-{n}."),
        ("assistant", "I moved the second read of config_{n}.toml out of the loop; the start is faster now."),
    )
    return [
        {"id": f"t{n}", "role": said[n % 2][0], "content": said[n % 2][1].format(n=n), "ts": minute(n)}
        for n in range(count)
    ]


def test_three_times_in_a_row(running: Running) -> None:
    """The first run shortens, the others say that there is nothing to do; four turns stay as they were."""
    running.start()
    running.call("ingest", who=WHO, turns=turns(300))
    running.drain()
    first = running.call("compact", who=WHO)
    assert first["ok"]
    assert first["did_compact"]
    assert 0 < first["tokens_after"] < first["tokens_before"]
    took = []
    for _ in range(8):
        start = time.perf_counter()
        again = running.call("compact", who=WHO)
        took.append(time.perf_counter() - start)
        assert again["ok"]
        assert not again["did_compact"]
        assert again["reason"]
        assert again["tokens_after"] == first["tokens_after"]
    # The quickest: the others may have waited for a busy machine.
    assert min(took) < 0.05
    tail = running.call("assemble", who=WHO, query="go on", budget_tokens=4000)
    for turn in turns(300)[-4:]:
        assert turn["content"] in tail["text"]


def test_a_small_session(running: Running) -> None:
    """Three turns: ok, nothing changed."""
    running.start()
    running.call("ingest", who=WHO, turns=turns(3))
    before = running.call("status")["counts"]
    answer = running.call("compact", who=WHO, force=True)
    assert answer["ok"]
    assert not answer["did_compact"]
    assert answer["tokens_before"] == answer["tokens_after"]
    assert running.call("status")["counts"] == before
