"""``libra scrub`` as a person types it, with a real engine behind the real socket."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from libra.config.settings import Settings
from libra.config.tree import defaults
from libra.engine.core import Engine
from libra.ground.records import NewTurn, Origin, Role, Who
from libra.ground.zones import SystemZone


def test_it_is_shown_then_done_then_proven(app: Engine, libra: Any, tmp_path: Path) -> None:
    """The whole way: look first, nothing changes; then everywhere, the export too; the word is read from standard input."""
    app.remember(text="The gate code is Quuxly-81.")
    file = tmp_path / "memory.ndjson"
    assert libra("export", str(file)).code == 0
    shown = libra("scrub", "quuxly-81", "--dry-run")
    assert shown.code == 0
    assert str(file) in shown.out
    assert b"Quuxly-81" in file.read_bytes()
    assert libra("scrub", "quuxly-81").code == 2
    done = libra("scrub", "-", "--yes", "--json", stdin=b"Quuxly-81\n")
    assert (done.code, done.json["ok"], done.json["changed"]["exports"]) == (0, True, 1)
    assert b"Quuxly-81" not in file.read_bytes()
    assert libra("import", "verify", str(file)).code == 0


def test_work_on_the_whole_database_is_shown(app: Engine, libra: Any) -> None:
    """A person sees how far a long piece of work is, and what was found before it began."""
    app.remember(text="The crane is red.")
    assert "nothing is missing" in libra("reindex", "--dry-run").out
    assert "0 of 1 done" in libra("reindex").out
    assert "reindex 0 %" in libra("status").out
    assert libra("vacuum", "--whole", "--json").json["done"] == 1


def test_a_setting_is_rehearsed(app: Engine, libra: Any, data_dir: Path) -> None:
    """What would be different is shown, and nothing is written unless the person says so."""
    running = defaults("anna", SystemZone())
    settings = Settings(data_dir / "config.toml", running)
    app.deps.params_with = settings.with_changes
    app.settle_with(settings.listed, settings.change)
    app.ingest(
        turns=[NewTurn(Role.USER, "We deploy on Fridays.", 5_000, "e1", Origin.OWNER)],
        who=Who(user="anna", session="s"),
    )
    shown = libra("rehearse", "--set", "rank.floor=0.9", "--set", "gate.threshold=1")
    assert shown.code == 0
    assert "rank.floor would apply to everything" in shown.out
    assert not (data_dir / "config.toml").exists()
    assert libra("rehearse", "--set", "rank.floor=0.9", "--accept", "--yes", "--json").json["accepted"]
    assert "floor = 0.9" in (data_dir / "config.toml").read_text("utf-8")
    assert "key=value" in libra("rehearse", "--set", "rank").err
    assert libra("mirror").code == 1
