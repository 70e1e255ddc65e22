"""Pauses last as long as was said: over a restart, over sleep, for one project; and the tray's figures are true."""

from __future__ import annotations

from datetime import UTC

import pytest

from libra.engine.core import Engine
from libra.engine.deps import Deps
from libra.ground.errors import NotFound
from libra.ground.records import SessionRef, SourceBatch, Who
from tests.conftest import FixedClock
from tests.engine.conftest import ME, settle, user

HOUR_MS = 3_600_000


def after_restart(deps: Deps) -> Engine:
    """Return an engine as the next process makes it, on the same database."""
    made = Engine(deps)
    made.paused.again()
    return made


def test_a_pause_until_resumed_outlives_a_restart(engine: Engine, deps: Deps) -> None:
    """An upgrade or a reboot must not begin to learn again by itself."""
    engine.pause()
    again = after_restart(deps)
    assert again.status()["paused_until"] == "resumed"
    again.resume()
    assert after_restart(deps).status()["paused"] is False


def test_a_pause_that_is_over_is_not_taken_up_again(engine: Engine, deps: Deps, clock: FixedClock) -> None:
    """An hour's pause, the machine off for two: it learns again, with nobody having to resume."""
    engine.pause(seconds=3_600)
    engine.pause(seconds=7_200, project="harbor")
    clock.advance(90 * 60_000)
    again = after_restart(deps)
    status = again.status()
    assert status["paused"] is False
    assert status["paused_projects"] == {"harbor": clock.now_ms + HOUR_MS // 2}
    clock.advance(HOUR_MS)
    assert again.status()["paused_projects"] == {}
    again.stop()


def test_one_project_rests_the_others_do_not(engine: Engine, deps: Deps) -> None:
    """A paused project's talk is kept word for word, but nothing is learnt of it."""
    deps.project_of = {"/home/dev/harbor": "harbor"}.get
    engine.pause(cwd="/home/dev/harbor")
    assert engine.status()["paused_projects"] == {"harbor": "resumed"}
    hint = "My PIN hint is the blue bike."
    for key, project in (("a", "harbor"), ("b", "larder")):
        ref = SessionRef(key, "me", host="claude-code", project=project)
        engine.take(SourceBatch(ref, (user(f"{hint} For {project} that is.", 1000, key),), None))
    settle(engine)
    kept = [m["text"] for m in engine.list(who=Who(user="me", project="harbor"))["items"]]
    assert all("harbor" not in text for text in kept)
    engine.resume(cwd="/home/dev/harbor")
    assert engine.status()["paused_projects"] == {}


def test_a_folder_of_no_project_is_refused(engine: Engine) -> None:
    """To pause this project must not pause everything where there is none."""
    with pytest.raises(NotFound):
        engine.pause(cwd="/nowhere")
    assert engine.status()["paused"] is False


def test_status_says_where_something_was_learnt(engine: Engine) -> None:
    """The tray tells what kind of memory it is and from which agent, and never its words."""
    ref = SessionRef("claude-code:9", "me", host="claude-code", project="harbor")
    engine.take(SourceBatch(ref, (user("My PIN hint is the blue bike.", 1000, "e"),), None))
    settle(engine)
    status = engine.status()
    assert (status["learnt"]["host"], status["learnt"]["project"]) == ("claude-code", "harbor")
    assert status["talk"]["key"] == "claude-code:9"
    assert "blue bike" not in str(status)


def test_injections_are_counted_by_the_day(engine: Engine, clock: FixedClock) -> None:
    """Today's figures begin anew at midnight of the person's own zone."""
    assert engine.deps.zone is UTC
    engine.ingest(who=ME, turns=[user("My PIN hint is the blue bike.", 1000, "e1")])
    settle(engine)
    assert engine.status()["today"] == {"injections": 0, "tokens": 0, "saved_tokens": 0}
    for _ in range(2):
        given = engine.assemble(who=Who(user="me", session="s9"), query="PIN hint?", budget_tokens=500)
        assert given["tokens"]
    engine.deps.store.write(lambda _tx: None).result()  # the receipts are before it in the queue
    today = engine.status()["today"]
    assert today["injections"] == 2
    assert today["tokens"] >= given["tokens"]
    clock.advance(24 * HOUR_MS)
    assert engine.status()["today"]["injections"] == 0
