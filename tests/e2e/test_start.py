"""The app starts whatever it finds, and says what is missing; a second one does not start."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from libra.ground.paths import shipped
from libra.rpc.client import Client
from libra.rpc.endpoint import UnixEndpoint
from tests.desktop.display import virtual_display
from tests.e2e.running import Running, cc, minute, write

pytestmark = [pytest.mark.e2e, pytest.mark.model]

SAID = "The relay listens on port 7443."


def found(running: Running) -> list[str]:
    """Return what a search by words finds."""
    return [h["text"] for h in running.search("relay port", kinds=["turn"])]


def test_nothing_installed_no_display(running: Running) -> None:
    """No agent, no history: it runs, is ready and has nothing to complain of."""
    shutil.rmtree(running.home)
    running.home.mkdir()
    running.start()
    health = running.call("health")
    assert health["ok"]
    assert health["ready"]
    assert health["degraded"] == []
    assert running.data.stat().st_mode & 0o077 == 0
    assert (running.data / "libra.db").stat().st_mode & 0o077 == 0


def test_memory_outlives_the_display(data_dir: Path) -> None:
    """The X server dies under the icon: the icon is gone, everything else goes on and ends when asked."""
    from Xlib.display import Display

    with virtual_display() as (name, server):
        running = Running(data_dir, {"DISPLAY": name, "PYSTRAY_BACKEND": "xorg"})
        try:
            running.start(command="run")
            screen = Display(name)
            running.until(lambda: len(screen.screen().root.query_tree().children) > 0)
            screen.close()
            screen.display.socket.close()  # the library leaves it to the garbage collector
            server.kill()
            server.wait(60)
            running.until(lambda: "the icon is gone" in running.log.read_text(encoding="utf-8"))
            assert running.call("health")["ready"]
            assert running.stop() == 0
        finally:
            running.kill()


def test_a_second_instance_does_not_start(running: Running) -> None:
    """The first one keeps the folder and the socket; the second says why it ends."""
    running.start()
    second = subprocess.run(
        [
            sys.executable,
            "-m",
            "libra",
            "serve",
            "--data-dir",
            str(running.data),
            "--socket",
            str(running.socket),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert second.returncode == 1
    assert "already" in second.stderr or "another libra" in second.stderr
    assert running.call("health")["ok"]


def test_a_stale_socket_is_reclaimed(running: Running) -> None:
    """After a crash the socket file is still there; the next start takes it over."""
    running.start()
    running.kill()
    assert running.socket.exists()
    running.start()
    assert running.call("health")["ok"]


def test_a_damaged_model_leaves_the_words(running: Running) -> None:
    """A model file with another hash is not used; turns are stored and found by their words."""
    broken = running.folder / "model"
    shutil.copytree(shipped("models") / "minilm-l6-v2", broken)
    with (broken / "model.onnx").open("r+b") as file:
        file.seek(1000)
        file.write(b"\0\0\0\0")
    running.configure(f'[model]\nfolder = "{broken.as_posix()}"\n')
    write(running.transcript("A"), cc("u1", "user", SAID, minute(1)))
    running.start()
    running.drain()
    status = running.call("status")
    assert status["model"]["state"] == "missing"
    assert any("model.onnx" in reason for reason in status["degraded"])
    assert found(running) == [SAID]
    answer = running.call("assemble", query="on which port does the relay listen?", budget_tokens=1000)
    assert SAID in answer["text"]
    assert answer["degraded"]


def test_vectors_follow_once_the_model_is_there(running: Running) -> None:
    """What was stored without a model is embedded later; nothing is read twice."""
    running.configure('[model]\nfolder = "/nonexistent/model"\n')
    write(running.transcript("A"), cc("u1", "user", SAID, minute(1)))
    running.start()
    running.drain()
    assert running.call("status")["queue"]["embedded"] == 0
    running.stop()
    running.configure("")
    running.start()
    running.drain()
    status = running.call("status")
    assert status["queue"]["embedded"] >= 1
    assert status["counts"]["turn"] == 1


def test_a_damaged_database_is_not_overwritten(running: Running) -> None:
    """It is opened read-only or not at all, the damage is named, and not one byte of the file changes."""
    write(running.transcript("A"), *(cc(f"u{i}", "user", f"{SAID} ({i})", minute(i)) for i in range(200)))
    running.start()
    running.drain()
    running.stop()
    path = running.data / "libra.db"
    raw = bytearray(path.read_bytes())
    raw[0:16] = b"no database here"
    path.write_bytes(raw)
    try:
        running.start()
        said = " ".join(running.call("health")["degraded"])
    except AssertionError:
        said = running.log.read_text(encoding="utf-8")
    assert "damaged" in said or "not a database" in said
    assert path.read_bytes() == bytes(raw)


def test_a_folder_that_cannot_be_written(running: Running) -> None:
    """A read-only data folder: what is stored is answered, nothing is learnt, and it is said."""
    write(running.transcript("A"), cc("u1", "user", SAID, minute(1)))
    running.start()
    running.drain()
    running.stop()
    closed = [running.data, *running.data.rglob("*")]
    for each in closed:
        each.chmod(0o500 if each.is_dir() else 0o400)
    try:
        running.start(ordinary=True)
        assert any(
            "read-only" in reason or "written" in reason for reason in running.call("health")["degraded"]
        )
        assert found(running) == [SAID]
    finally:
        running.kill()
        for each in closed:
            each.chmod(0o700 if each.is_dir() else 0o600)


def test_live_lines_are_followed(running: Running) -> None:
    """A line that an agent writes is found a moment later, without a restart."""
    path = running.transcript("A")
    write(path, cc("u1", "user", "first words", minute(1)))
    running.start()
    running.drain()
    write(path, cc("u2", "user", SAID, minute(2)))
    running.until(lambda: SAID in found(running))


def test_a_folders_rules_are_in_the_first_answer(running: Running, tmp_path: Path) -> None:
    """An agent that works in a repository gets its CLAUDE.md, with imports, at once."""
    repository = running.folder / "repo"
    (repository / ".git").mkdir(parents=True)
    (repository / "CLAUDE.md").write_text("See @style.md.\n\n- Never push to main.\n", encoding="utf-8")
    (repository / "style.md").write_text("- Always type public functions.\n", encoding="utf-8")
    running.start()
    running.drain()
    who = {"host": "claude-code", "session": "new", "cwd": str(repository)}
    answer = running.call("assemble", who=who, query="what are the rules here?", budget_tokens=1000)
    assert "Never push to main." in answer["stable"]
    assert "Always type public functions." in answer["stable"]
    other = {"host": "claude-code", "session": "new", "cwd": str(running.folder)}
    assert (
        "Never push"
        not in running.call("assemble", who=other, query="what are the rules?", budget_tokens=1000)["text"]
    )


def test_clients_of_libravdb_find_libra_where_they_look(running: Running) -> None:
    """With compat.libravdb the same methods are served at their place; a number as id comes back as a number."""
    running.configure("[compat]\nlibravdb = true\n")
    running.start()
    with Client(UnixEndpoint(running.home / ".clawdb/run/libravdb.sock")) as client:
        assert client.call("health", {})["ok"] is True
        turn = {"sessionId": "S", "id": "S:after-turn:0", "text": SAID, "metadata": {"role": "user", "ts": 1}}
        assert client.call("insert_session_turn", turn) == {"ok": True}
        listed = client.call("list_by_meta", {"collection": "session:S", "key": "sessionId", "value": "S"})
        assert [hit["text"] for hit in listed["results"]] == [SAID]
    assert running.stop() == 0
    assert not (running.home / ".clawdb/run/libravdb.sock").exists()


def test_what_was_asked_for_and_cannot_be_had_is_said(running: Running) -> None:
    """A person turns a listener on and its place is taken, or its extra not installed: the status says so, not the log alone."""
    others = [
        UnixEndpoint(running.home / folder / "run" / "libravdb.sock").listen()
        for folder in (".clawdb", ".libravdbd")
    ]
    running.configure("[compat]\nlibravdb = true\ngrpc = true\n")
    running.start()
    for method in ("health", "status"):
        told = running.call(method)
        assert [line.split(":")[0] for line in told["degraded"]] == ["compat.libravdb", "compat.grpc"]
        assert told["ok"]
    for other in others:
        other.close()
