"""Export and import at the command line, with a real engine behind the real socket."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import apsw
import orjson
import pytest

from libra.cli.opening import Bounds, records
from libra.engine.core import Engine
from libra.ground.errors import InvalidParams, OverLimit
from libra.ground.paths import places
from libra.rpc.lock import InstanceLock
from libra.store.store import Store

TALK = {
    "uuid": "talk-1", "name": "Queues",
    "chat_messages": [
        {"uuid": "0123456789abcdef-1", "sender": "human", "text": "We decided to use SQLite.", "created_at": "2026-04-01T00:00:00Z"},
        {"uuid": "0123456789abcdef-2", "sender": "assistant", "text": "Noted.", "created_at": "2026-04-01T00:00:05Z"},
    ],
}  # fmt: skip


def test_a_file_goes_out_and_comes_in(app: Engine, libra: Any, tmp_path: Path) -> None:
    """The whole way of a person: export, look, try, import, compare; the file is private and whole."""
    for n in range(3):
        app.remember(text=f"The harbour has crane number {n}.")
    file = tmp_path / "memory.ndjson"
    done = libra("export", str(file), "--json")
    assert (done.code, done.json["records"]) == (0, 4)
    assert file.stat().st_mode & 0o077 == 0
    assert not list(tmp_path.glob("*.partial"))
    assert libra("export").out.encode() == file.read_bytes()
    assert libra("import", "check", str(file)).code == 0
    again = libra("import", "run", str(file), "--json")
    assert (again.json["new"], again.json["known"], again.json["system"]) == (0, 3, "libra")
    assert libra("import", "verify", str(file)).code == 0
    changed = tmp_path / "changed.ndjson"
    changed.write_bytes(file.read_bytes().replace(b"crane number 1", b"crane number 9"))
    compared = libra("import", "verify", str(changed))
    assert compared.code == 1
    assert "not everything is here" in compared.out


def test_a_zip_of_a_web_service_is_read_and_never_unpacked(app: Engine, libra: Any, tmp_path: Path) -> None:
    """A zip whose members have evil paths writes nothing anywhere; a second import finds everything known."""
    file = tmp_path / "claude.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("../../evil.txt", "x")
        packed.writestr("export/conversations.json", orjson.dumps([TALK]))
    assert libra("import", "run", str(file), "--dry-run", "--json").json["new"] == 2
    assert libra("import", "run", str(file), "--json").json["new"] == 2
    assert libra("import", "run", str(file), "--json").json["known"] == 2
    assert libra("import", "verify", str(file)).code == 0
    assert not list(tmp_path.rglob("evil.txt"))
    assert app.export(everybody=True)["counts"]["turn"] == 2


def test_a_bomb_is_stopped_at_the_bound(tmp_path: Path) -> None:
    """A small zip that would grow over the bound is refused while it is read, whatever sizes it claims."""
    file = tmp_path / "bomb.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("conversations.json", b"[" + b" " * 5_000_000 + b"]")
    with pytest.raises(OverLimit):
        list(records(file, None, Bounds(document_bytes=1_000_000), lambda _done: None)[1])


def test_what_is_no_export_is_told(tmp_path: Path) -> None:
    """A wrong or damaged file ends in a sentence, not in a traceback."""
    (tmp_path / "a.json").write_bytes(b'{"this": "is ours not"}')
    (tmp_path / "b.json").write_bytes(b"\xff\xfe")
    (tmp_path / "c.zip").write_bytes(b"PK\x03\x04 and then nothing")
    (tmp_path / "d.jsonl").write_bytes(b"{}")
    for file in (*sorted(tmp_path.iterdir()), tmp_path / "nowhere.json"):
        with pytest.raises(InvalidParams):
            records(file, None, Bounds(), lambda _done: None)


def test_claude_mem_is_read_beside_its_writer(app: Engine, libra: Any, tmp_path: Path) -> None:
    """Its database is opened read-only, and no other table of it is looked at."""
    file = tmp_path / "claude-mem.db"
    con = apsw.Connection(str(file))
    con.execute(
        "CREATE TABLE observations(id INTEGER PRIMARY KEY, project TEXT, type TEXT, title TEXT, narrative TEXT, created_at_epoch INTEGER);"
        "CREATE TABLE secrets(id INTEGER PRIMARY KEY, token TEXT);"
        "INSERT INTO observations VALUES(1, 'harbor', 'decision', 'Queue chosen', 'SQLite holds the queue.', 1775001600000)"
    )
    before = file.read_bytes()
    done = libra("import", "run", str(file), "--json")
    assert (done.json["new"], done.json["system"]) == (1, "claude-mem")
    con.close()
    assert file.read_bytes() == before
    assert libra("import", "verify", str(file)).code == 0


def test_a_folder_of_notes_is_read(app: Engine, libra: Any, tmp_path: Path) -> None:
    """MEMORY.md with memory/*.md beside it is one import."""
    (tmp_path / "ws" / "memory").mkdir(parents=True)
    (tmp_path / "ws" / "MEMORY.md").write_text("# Facts\n- The office is on the third floor.\n", "utf-8")
    (tmp_path / "ws" / "memory" / "2026-04-01.md").write_text("- We met the harbour master today.\n", "utf-8")
    assert libra("import", "run", str(tmp_path / "ws"), "--json").json["new"] == 2
    assert libra("import", "verify", str(tmp_path / "ws")).code == 0


def test_a_backup_is_made_listed_and_gone_back_to(app: Engine, libra: Any) -> None:
    """The whole way of a person: copy, look, learn, forget, stop, go back; what was forgotten is not in it again."""
    app.remember(text="The harbour has a red crane.")
    secret = app.remember(text="My locker code word is Tangerine.")["id"]
    made = libra("backup", "--label", "before move", "--json").json
    assert (made["label"], made["counts"]["memories"]) == ("before-move", 2)
    assert made["name"] in libra("backups").out
    app.remember(text="The office is on the third floor.")
    app.forget(id=secret)
    app.deps.store.close()
    assert libra("restore", made["name"]).code == 2
    done = libra("restore", made["name"].removesuffix(".db.gz"), "--yes", "--json")
    assert (done.code, done.json["forgotten"], done.json["graves_lost"]) == (0, 1, False)
    store = Store.open(app.deps.store.path)
    with store.snapshot() as s:
        assert s.rows("SELECT text FROM item WHERE kind = 3") == [("The harbour has a red crane.",)]
    store.close()


def test_nothing_is_restored_under_a_running_app(app: Engine, libra: Any) -> None:
    """Two programs on one database would destroy it: the command refuses while the lock is held."""
    app.remember(text="The harbour has a red crane.")
    app.backup()
    lock = InstanceLock(places(str(app.deps.store.path.parent)).run / "libra.lock")
    lock.take()
    done = libra("restore", "latest", "--yes")
    lock.release()
    assert done.code == 1
    assert "another libra is running" in done.err


def test_backups_are_listed_without_an_app(libra: Any) -> None:
    """After a crash that keeps Libra from starting a person still finds the copies."""
    assert "no backups" in libra("backups").out
