"""What a person asks the worker to do with the whole database: it ends, goes on after a stop, and nothing is lost meanwhile."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from libra.engine import tasks, upkeep
from libra.engine.automatic import Lookout
from libra.engine.core import Engine
from libra.engine.deps import Deps
from libra.engine.tasks import Task
from libra.inference.fake import FakeEmbedder
from libra.store import items, reindex, repair, vectors
from libra.store.store import Store, StoreParams
from libra.store.writer import WriteTx
from tests.conftest import FixedClock
from tests.engine.conftest import ME, settle, user


def _run(deps: Deps) -> int:
    """Do all slices; return how many there were."""
    count = 0
    while tasks.work_on_some(deps):
        count += 1
    return count


def _faults(deps: Deps) -> repair.Faults:
    with deps.store.snapshot() as s:
        return repair.look(s)


@pytest.fixture
def filled(engine: Engine) -> Engine:
    """Return an engine that knows some things and whose worker rests."""
    engine.ingest(
        who=ME, turns=[user(f"The crane number {n} at src/yard/c{n}.py is red.") for n in range(40)]
    )
    settle(engine)
    engine.stop()
    return engine


def test_a_missing_vector_is_found_and_made(filled: Engine, deps: Deps) -> None:
    """B12: a text without a vector is not skipped for ever because its words are there: the next start queues it again."""
    with deps.store.snapshot() as s:
        ids = [row[0] for row in s.rows("SELECT id FROM item ORDER BY id LIMIT 3")]

    def lose(tx: WriteTx) -> None:
        items.drop_vectors(tx, ids[:2])
        tx.run("UPDATE chunk SET vector = x'00' WHERE item_id = ?", (ids[2],))
        tx.run("DELETE FROM vec_bits WHERE rowid IN (SELECT id FROM chunk LIMIT 1)")

    deps.store.write(lose).result()
    found = _faults(deps)
    assert (found.without_vector, found.bad_vectors) == (2, 1)
    assert found.any
    assert upkeep.mend_once(deps, Lookout())
    again = Engine(deps)
    again.start()
    settle(again)
    again.stop()
    assert not _faults(deps).any
    with deps.store.snapshot() as s:
        assert s.value(
            "SELECT count(DISTINCT item_id) FROM chunk WHERE state = 1 AND length(vector) = 512"
        ) == s.value("SELECT count(*) FROM item")


def test_strays_of_the_indexes_go(filled: Engine, deps: Deps) -> None:
    """C89: an entry whose record is gone answers no search and is counted and removed."""

    def stray(tx: WriteTx) -> None:
        tx.run("INSERT INTO fts_word(rowid, text) VALUES(9999, 'zeppelin')")
        tx.run("INSERT INTO fts_side(rowid, text) VALUES(9999, 'zeppelin')")
        tx.run("INSERT INTO fts_word(fts_word, rowid, text) SELECT 'delete', id, text FROM item LIMIT 1")

    deps.store.write(stray).result()
    found = _faults(deps)
    assert (found.stray_words, found.stray_side, found.without_words) == (1, 1, 1)
    assert upkeep.mend_once(deps, Lookout())
    assert _run(deps) > 0
    assert not _faults(deps).any
    deps.store.write(
        lambda tx: tx.run("INSERT INTO fts_word(fts_word, rank) VALUES('integrity-check', 1)")
    ).result()


def test_reindexing_loses_nothing_that_happens_meanwhile(
    filled: Engine, deps: Deps, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is told, changed and forgotten while the indexes are built is found, or not found, as it should be."""
    assert filled.reindex()["of"] == filled.status()["tasks"][0]["of"] > 0
    monkeypatch.setattr(tasks, "_INDEX_ITEMS", 10)
    assert tasks.work_on_some(deps)
    assert tasks.work_on_some(deps)
    kept = filled.remember(who=ME, text="A zeppelin waits at /srv/dock/zep.cfg.")
    with deps.store.snapshot() as s:
        first = s.one("SELECT id, uid FROM item WHERE kind = 1 ORDER BY id LIMIT 1")
        assert first is not None
    deps.store.write(
        partial(items.replace_text, item_id=first[0], text="The gondola is blue.", tokens=5)
    ).result()
    gone = filled.search(who=ME, query="crane number 3", kinds=None)["hits"][0]["id"]
    filled.forget(who=ME, id=gone)
    assert filled.grep(who=ME, pattern="gondola")["hits"]
    assert _run(deps) >= 2
    with deps.store.snapshot() as s:
        assert reindex.running(s) is None
    assert not _faults(deps).any
    deps.store.write(
        lambda tx: tx.run("INSERT INTO fts_word(fts_word, rank) VALUES('integrity-check', 1)")
    ).result()
    assert filled.search(who=ME, query="zep.cfg")["hits"][0]["id"] == kept["id"]
    found = filled.search(who=ME, query="gondola", k=50)["hits"]
    assert any("gondola" in hit["text"] for hit in found)
    assert gone not in [h["id"] for h in filled.search(who=ME, query="crane number 3", k=100)["hits"]]
    after = filled.remember(who=ME, text="A dirigible waits too.")
    assert filled.search(who=ME, query="dirigible")["hits"][0]["id"] == after["id"]


def test_a_task_goes_on_after_a_stop(
    filled: Engine, deps: Deps, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that is switched off in the middle goes on where it was, and says how far."""
    monkeypatch.setattr(tasks, "_INDEX_ITEMS", 10)
    filled.reindex()
    for _ in range(3):
        tasks.work_on_some(deps)
    before = filled.status()["tasks"]
    deps.store.close()
    store = Store.open(deps.store.path, StoreParams(), clock)
    deps.store = store
    assert Engine(deps).status()["tasks"] == before
    assert 0 < before[0]["done"] < before[0]["of"]
    _run(deps)
    assert Engine(deps).status()["tasks"] == []
    assert not _faults(deps).any


def test_vectors_are_made_anew_and_searched_meanwhile(
    filled: Engine, deps: Deps, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reembed without a model replaces each vector; with another one all wait for it and words are searched meanwhile."""
    monkeypatch.setattr(tasks, "_EMBED_ITEMS", 16)
    with deps.store.snapshot() as s:
        before = s.value("SELECT min(id) FROM chunk"), s.value("SELECT count(*) FROM chunk WHERE state = 1")
    assert filled.reembed()["done"] == 0
    assert tasks.work_on_some(deps)
    assert filled.search(who=ME, query="crane number 7")["hits"]
    assert _run(deps) > 1
    with deps.store.snapshot() as s:
        assert s.value("SELECT min(id) FROM chunk") > before[0]
        assert s.value("SELECT count(*) FROM chunk WHERE state = 1") == before[1]
    deps.open_model = lambda name: FakeEmbedder(dims=64, name=name)
    began = filled.reembed(model="other")
    assert began["of"] == before[1]
    assert filled.search(who=ME, query="crane number 7")["hits"]
    again = Engine(deps)
    again.start()
    settle(again)
    again.stop()
    with deps.store.snapshot() as s:
        assert vectors.counts(s).ready == before[1]
        assert s.value("SELECT value FROM meta WHERE key = 'model.profile'") == "other"


def test_unused_room_is_given_back(filled: Engine, deps: Deps) -> None:
    """After much was forgotten the file becomes smaller, a bit at a time or at once; the rest is all there."""
    filled.ingest(who=ME, turns=[user("Long. " * 4_000 + str(n)) for n in range(30)])
    with deps.store.snapshot() as s:
        long = [row[0] for row in s.rows("SELECT uid FROM item WHERE length(text) > 1000")]
    filled.forget(who=ME, ids=long)
    with deps.store.snapshot() as s:
        free = s.value("PRAGMA freelist_count")
    assert free > 50
    filled.vacuum()
    _run(deps)
    with deps.store.snapshot() as s:
        assert s.value("PRAGMA freelist_count") < free / 10
        assert s.value("SELECT count(*) FROM item WHERE kind = 1") == 40
    assert filled.vacuum(whole=True)["done"] == 1
    assert filled.status()["tasks"] == []


@pytest.mark.parametrize("task", Task)
def test_a_task_done_at_once_still_answers(filled: Engine, deps: Deps, task: Task) -> None:
    """Else, whoever asks for a task that the worker does in no time would get an error for it."""

    def at_once() -> None:
        _run(deps)

    hasty = replace(deps, wake=at_once)
    told = tasks.queue(hasty, task)
    assert (told["name"], told["started"]) == (task.value, deps.clock())
    assert filled.status()["tasks"] == []


def test_the_names_of_tasks_are_known(filled: Engine) -> None:
    """Each task that may be asked for can be worked on."""
    assert set(tasks._WORK) == set(Task)
