"""The field cases that lie in the reading, over every host whose format can show them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.sources.writers import BEGIN_MS, HOSTS, ONE, TWO, Host, Say

WAIT_S = 20.0
TALK = [
    Say(0, "user", "We keep the queue on port 5671."),
    Say(1, "assistant", "Noted: 5671."),
    Say(2, "user", "Short answers, please."),
    Say(3, "assistant", "Noted: 5671."),
]
MORE = Say(4, "user", "Now add the limiter.")
WORDS = [say.text for say in TALK]


def every(**wanted: bool) -> Any:
    """Return the hosts of the table that have these."""
    return pytest.mark.parametrize(
        "host", [pytest.param(host, id=name) for name, host in HOSTS.items()
                 if all(bool(getattr(host, key)) is value for key, value in wanted.items())]
    )  # fmt: skip


@pytest.mark.parametrize("later", [False, True], ids=["both there", "copy later"])
@every()
def test_b02_history_that_is_copied(home: Any, sink: Any, host: Host, *, later: bool) -> None:
    """B02: a resumed, forked or branched session begins with another's talk: each turn is there once."""
    host.put(home.path, ONE, TALK)
    if not later:
        host.put(home.path, TWO, [*TALK, MORE], copied=len(TALK))
    service = home.service()
    assert service.wait_idle(WAIT_S)
    if later:
        assert sink.contents() == WORDS
        host.put(home.path, TWO, [*TALK, MORE], copied=len(TALK))
        assert sink.wait(lambda s: MORE.text in s.contents())
        assert service.wait_idle(WAIT_S)
    assert sorted(sink.contents()) == sorted([*WORDS, MORE.text])


@every(lines=True)
def test_b03_a_torn_last_line(home: Any, sink: Any, host: Host) -> None:
    """B03: the host was killed in the middle of a line: the rest is there, and the line once it is whole, over a restart."""
    path = host.put(home.path, ONE, TALK[:3])
    whole = host.bytes(ONE, TALK)
    have = path.stat().st_size
    with path.open("ab") as file:
        file.write(whole[have : have + 40])
    first = home.service()
    assert first.wait_idle(WAIT_S)
    assert (sink.contents(), first.status()["waiting_lines"]) == (WORDS[:3], 1)
    first.stop()
    with path.open("ab") as file:
        file.write(whole[have + 40 :])
    second = home.service()
    assert second.wait_idle(WAIT_S)
    assert (sink.contents(), second.status()["waiting_lines"]) == (WORDS, 0)


@pytest.mark.parametrize("running", [True, False], ids=["running", "away"])
@every(moved=True)
def test_b15_a_file_that_moves(home: Any, sink: Any, host: Host, *, running: bool) -> None:
    """B15: reset, archived, or its project renamed, with another session in its place: nothing lost, nothing twice."""
    path = host.put(home.path, ONE, TALK)
    service = home.service()
    assert service.wait_idle(WAIT_S)
    if not running:
        service.stop()
    moved = host.path(home.path, ONE, host.moved)
    moved.parent.mkdir(parents=True, exist_ok=True)
    path.rename(moved)
    long = Say(9, "user", "longer than all that stood there before " * 60)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(host.bytes(TWO, [long, MORE]))
    service = service if running else home.service()
    assert sink.wait(lambda s: MORE.text in s.contents())
    assert service.wait_idle(WAIT_S)
    assert sorted(sink.contents()) == sorted([*WORDS, long.text.strip(), MORE.text]), "each once"


@every()
def test_b20_the_night(home: Any, sink: Any, host: Host) -> None:
    """B20: a time that is read in the wrong zone puts the night's talk on another day."""
    host.put(home.path, ONE, TALK[:1])
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert [kept.turn.ts_ms for kept in sink.turns] == [BEGIN_MS]


@every(moves=True)
def test_b28_another_project_in_one_session(home: Any, sink: Any, host: Host, tmp_path: Path) -> None:
    """B28: the person goes on in another repository: what is said there is that project's, and the session one."""
    there = []
    for name in ("relay", "ledger"):
        git = tmp_path / name / ".git"
        git.mkdir(parents=True)
        (git / "config").write_text(f'[remote "origin"]\n\turl = https://example.org/{name}.git\n', "utf-8")
        (git / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
        there.append(str(tmp_path / name))
    talk = [Say(say.number, say.role, say.text, there[min(n // 2, 1)]) for n, say in enumerate([*TALK, MORE])]
    host.put(home.path, ONE, talk)
    service = home.service()
    assert service.wait_idle(WAIT_S)
    assert [kept.session.project for kept in sink.turns] == [
        "example.org/relay", "example.org/relay", "example.org/ledger", "example.org/ledger", "example.org/ledger",
    ]  # fmt: skip
    assert len({kept.session.key for kept in sink.turns}) == 1
