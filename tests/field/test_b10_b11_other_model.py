"""B10, B11: after a change of the model nothing is lost, and vectors of two models are never compared."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.running import Running
from tests.inference.tiny import write_model

pytestmark = [pytest.mark.e2e]

SAID = (
    "The gateway port is 4 on staging.",
    "We moved the billing worker to the blue queue.",
    "Never push to the main branch of the vault.",
)
QUERIES = ("gateway port", "billing queue", "push main", "where is the vault", "blue")


@contextmanager
def app(folder: Path, model: Path) -> Iterator[Running]:
    """Start on a folder with a model of its own."""
    running = Running(folder)
    running.configure(f"[model]\nfolder = '{model}'\n")
    try:
        yield running.start()
    finally:
        running.kill()


def told(running: Running) -> list[str]:
    """Keep the three memories and return their ids."""
    ids = [running.call("remember", text=text)["id"] for text in SAID]
    running.drain()
    return ids


def vectors(running: Running) -> tuple[set[str], set[int], int]:
    """Return fingerprints and sizes of the stored vectors, and how many rows there are of all things."""
    db = sqlite3.connect(f"file:{running.data / 'libra.db'}?mode=ro", uri=True)
    rows = db.execute("SELECT fingerprint, length(vector) FROM chunk WHERE vector IS NOT NULL").fetchall()
    (items,) = db.execute("SELECT count(*) FROM item").fetchone()
    db.close()
    return {row[0] for row in rows}, {row[1] // 4 for row in rows}, items


def found(running: Running, query: str) -> list[str]:
    """Return the memories that a search brings, best first."""
    return [hit["text"] for hit in running.search(query, kinds=["memory"], k=10)]


@pytest.mark.parametrize(
    "dims", [(32, 64), (64, 32), (32, 32)], ids=["larger", "smaller", "another of the size"]
)
def test_nothing_is_lost_and_nothing_is_mixed(data_dir: Path, dims: tuple[int, int]) -> None:
    """All is found by words at once; then every vector is the new model's, ids stay, and ranks are a new store's."""
    old = write_model(data_dir / "m1", dims=dims[0], seed=1)
    new = write_model(data_dir / "m2", dims=dims[1], seed=2)
    with app(data_dir / "a", old) as running:
        ids = told(running)
        before = running.call("status")["model"]["fingerprint"]
        rows = vectors(running)
        assert rows[:2] == ({before}, {dims[0]})
        running.stop()
    with app(data_dir / "a", new) as running:
        for text in SAID:
            assert text in found(running, text)
        model = running.call("status")["model"]
        assert model["fingerprint"] != before
        running.drain()
        assert vectors(running) == ({model["fingerprint"]}, {dims[1]}, rows[2])
        assert running.call("status")["queue"]["re_embed"] == 0
        assert [running.call("get", id=uid)["text"] for uid in ids] == list(SAID)
        ranked = {query: found(running, query) for query in QUERIES}
    with app(data_dir / "b", new) as fresh:
        told(fresh)
        assert {query: found(fresh, query) for query in QUERIES} == ranked


def test_the_same_model_is_no_change(data_dir: Path) -> None:
    """A model that only moved to another folder has the same fingerprint: nothing is embedded again."""
    with app(data_dir / "a", write_model(data_dir / "m1", seed=1)) as running:
        told(running)
        print_ = running.call("status")["model"]["fingerprint"]
        running.stop()
    with app(data_dir / "a", write_model(data_dir / "moved", seed=1)) as running:
        state = running.call("status")
        assert state["model"]["fingerprint"] == print_
        assert state["queue"]["re_embed"] == 0
        assert "re_embedding" not in state["model"]


def test_a_model_that_is_gone_leaves_the_words(data_dir: Path) -> None:
    """Without its model's file a search is by words, status says why, and nothing is deleted."""
    model = write_model(data_dir / "m1", seed=1)
    with app(data_dir / "a", model) as running:
        told(running)
        rows = vectors(running)
        running.stop()
    (model / "model.onnx").unlink()
    with app(data_dir / "a", model) as running:
        state = running.call("status")
        assert state["model"]["state"] == "missing"
        assert state["model"]["reason"]
        assert SAID[0] in found(running, "gateway port")
        assert vectors(running) == rows
