"""LanceDB folders of other memories, written here by their own schema: looked at, tried, taken in, compared, nothing twice."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from libra.cli.opening import Bounds, records
from libra.engine.core import Engine
from libra.ground.errors import SourceError
from libra.sources import lance

NOON = 1_775_001_600_000
VECTOR = [0.25] * 8


@pytest.fixture
def lancedb() -> Any:
    """Return the library, or skip: it is an extra that the usual checks do not install."""
    return pytest.importorskip(
        "lancedb", reason="needs the extra lancedb: pip install 'libra-memory[lancedb]'"
    )


def _pro(number: int, text: str, **more: Any) -> dict[str, Any]:
    """Return a row of memory-lancedb-pro: id, text, vector, category, scope, importance, timestamp, metadata."""
    meta = {"l0_abstract": text[:20], "memory_category": "preferences", "confidence": 0.7, "source": "manual"}
    return {
        "id": f"00000000-0000-4000-8000-{number:012d}", "text": text, "vector": VECTOR, "category": "preference",
        "scope": "agent:main", "importance": 0.8, "timestamp": float(NOON + number),
    } | more | {"metadata": orjson.dumps(meta | more.get("metadata", {})).decode()}  # fmt: skip


def _noesis(number: int, text: str, **more: Any) -> dict[str, Any]:
    """Return a row of Noesis: a chunk of an entry."""
    return {
        "id": f"n-{number}", "agentId": "main", "sessionId": "s1", "content": text, "chunk": text[:10], "embedding": VECTOR,
        "memoryType": "fact", "priority": 30.0, "expiresAt": 0.0, "createdAt": float(NOON + number),
        "sourcePath": "", "checksum": f"c{number}", "tags": ["a", "b"],
    } | more  # fmt: skip


def _whole_way(libra: Any, folder: Path, system: str, new: int) -> None:
    """Do what a person does, and see that a second time changes nothing."""
    assert libra("import", "check", str(folder)).code == 0
    tried = libra("import", "run", str(folder), "--dry-run", "--json").json
    assert (tried["system"], tried["new"], tried["ok"]) == (system, new, True)
    assert libra("import", "verify", str(folder)).code == 1
    assert libra("import", "run", str(folder), "--json").json["new"] == new
    assert libra("import", "run", str(folder), "--json").json["new"] == 0
    assert libra("import", "verify", str(folder)).code == 0


def test_memory_lancedb_pro(lancedb: Any, app: Engine, libra: Any, tmp_path: Path) -> None:
    """Type, importance, agent and what was archived there come along; hundreds of rows are read in parts."""
    rows = [
        _pro(1, "I prefer tabs."),
        _pro(2, "I prefer tea.", metadata={"state": "archived"}),
        _pro(3, "The hook is slow.", category="fact", scope="global", metadata={"memory_category": "cases", "source": "auto-capture"}),
        *(_pro(n, f"Crane {n} is red.", category="fact", metadata={"memory_category": "entities"}) for n in range(10, 1_210)),
    ]  # fmt: skip
    lancedb.connect(tmp_path / "db").create_table("memories", rows)
    before = sorted(p.name for p in (tmp_path / "db").rglob("*"))
    _whole_way(libra, tmp_path / "db", "memory-lancedb-pro", len(rows))
    assert sorted(p.name for p in (tmp_path / "db").rglob("*")) == before
    kept = _kept_all(app)
    tabs = kept["I prefer tabs."]
    assert (tabs["type"], tabs["priority"], tabs["agent"], tabs["active"], tabs["ts"]) == (
        "preference", 80, "main", True, NOON + 1,
    )  # fmt: skip
    assert not kept["I prefer tea."]["active"]
    assert (kept["The hook is slow."]["type"], kept["The hook is slow."]["role"]) == ("fact", "assistant")


def _kept_all(app: Engine) -> dict[str, dict[str, Any]]:
    """Return all memories by their text, read page by page."""
    found, after = {}, None
    while True:
        page = app.export(everybody=True, after=after)
        found |= {r["text"]: r for r in page["records"] if r["kind"] == "memory"}
        after = page["next"]
        if after is None:
            return found


def test_noesis_with_its_archive(lancedb: Any, app: Engine, libra: Any, tmp_path: Path) -> None:
    """Both tables are one memory: what Noesis had archived is archived here; two chunks of one entry are one memory."""
    db = lancedb.connect(tmp_path / "db")
    db.create_table(
        "memories", [_noesis(1, "The server runs Debian."), _noesis(2, "The server runs Debian.")]
    )
    db.create_table("memories_archive", [_noesis(3, "The old server ran Solaris.")])
    assert libra("import", "run", str(tmp_path / "db"), "--json").json["new"] == 2
    assert libra("import", "verify", str(tmp_path / "db")).code == 0
    kept = _kept_all(app)
    assert {text: r["active"] for text, r in kept.items()} == {
        "The server runs Debian.": True, "The old server ran Solaris.": False,
    }  # fmt: skip
    assert kept["The server runs Debian."]["agent"] == "main"


def test_openclaws_own(lancedb: Any, app: Engine, libra: Any, tmp_path: Path) -> None:
    """OpenClaw's memory-lancedb has fewer fields: text, importance, category, createdAt."""
    row = {
        "id": "a-1",
        "text": "We use Postgres.",
        "vector": VECTOR,
        "importance": 0.9,
        "category": "decision",
        "createdAt": NOON,
    }
    lancedb.connect(tmp_path / "db").create_table("memories", [row])
    _whole_way(libra, tmp_path / "db", "memory-lancedb-pro", 1)
    kept = _kept_all(app)["We use Postgres."]
    assert (kept["type"], kept["priority"], kept["ts"]) == ("decision", 90, NOON)


def test_rabisai_with_a_table_for_each_agent(lancedb: Any, app: Engine, libra: Any, tmp_path: Path) -> None:
    """Whose memory it was, how sure it was and what was superseded come along; what an agent took down is no rule here."""

    def row(number: int, text: str, kind: str = "fact", **more: Any) -> dict[str, Any]:
        return {
            "id": f"r-{number}", "text": text, "vector": [0.25] * 1024, "type": kind, "confidence": 0.6, "priority": 50,
            "content_hash": f"h{number}", "recall_count": 0, "created_at": NOON + number, "expires_at": 0,
        } | more  # fmt: skip

    db = lancedb.connect(tmp_path / "db")
    db.create_table(
        "memories_main",
        [
            row(1, "My favourite colour is blue.", "preference", confidence=0.0),
            row(2, "My favourite colour is green.", "preference", confidence=0.8, priority=80),
            row(3, "Call the depot.", "todo", expires_at=4_102_444_800_000),
        ],
    )
    db.create_table(
        "memories_peter",
        [row(4, "Always greet the pilot.", "instruction", confidence=0.95), row(5, "Zelle 7 ist leer.")],
    )
    _whole_way(libra, tmp_path / "db", "rabisai-memory", 5)
    kept = _kept_all(app)
    shown = {
        text: (m["type"], m["agent"], m["active"], m["confidence"], m["priority"], m["ts"])
        for text, m in kept.items()
    }
    assert shown == {
        "My favourite colour is blue.": ("fact", "main", False, 0.0, 50, NOON + 1),
        "My favourite colour is green.": ("fact", "main", True, 0.8, 80, NOON + 2),
        "Call the depot.": ("todo", "main", True, 0.6, 50, NOON + 3),
        "Always greet the pilot.": ("fact", "peter", True, 0.95, 50, NOON + 4),
        "Zelle 7 ist leer.": ("fact", "peter", True, 0.6, 50, NOON + 5),
    }
    assert kept["Call the depot."]["expires_ms"] == 4_102_444_800_000


def test_a_damaged_folder_is_told(lancedb: Any, tmp_path: Path) -> None:
    """A folder that only looks like one ends in a sentence."""
    (tmp_path / "db" / "memories.lance").mkdir(parents=True)
    with pytest.raises(SourceError):
        list(records(tmp_path / "db", None, Bounds(), lambda _done: None)[1])


def test_without_the_extra_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has not installed the extra is told its name, and is not given a folder of Markdown instead."""
    (tmp_path / "memories.lance").mkdir()
    monkeypatch.setitem(sys.modules, "lancedb", None)
    assert lance.is_folder(tmp_path)
    with pytest.raises(SourceError) as caught:
        next(lance.rows(tmp_path))
    assert "libra-memory[lancedb]" in str(caught.value.hint)
