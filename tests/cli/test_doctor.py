"""The doctor: works without a running app, changes nothing, and names what is wrong."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from libra.cli import doctor
from libra.desktop import tray
from libra.engine.core import Engine
from libra.ground.errors import StoreError
from libra.ground.paths import places
from libra.inference.fake import FakeEmbedder
from libra.rpc.lock import InstanceLock
from tests.inference.endpoint import as_json, endpoint, http


def states(document: Any) -> dict[str, str]:
    """Return the last state of each check."""
    return {check["name"]: check["state"] for check in document["checks"]}


@pytest.mark.model
def test_a_sound_machine_is_sound(libra: Any, data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every part is looked at; the data folder is as it was."""
    done = libra("doctor", "--json", env={"HOME": str(data_dir / "home")})
    found = states(done.json)
    assert (done.code, done.err, done.json["ok"]) == (0, "", True)
    for name in (
        "python",
        "sqlite",
        "vec0",
        "settings",
        "model",
        "data folder",
        "database",
        "app",
        "claude-code",
        "openclaw",
        *("tray", "login", "agents", "providers", "rights", "clock"),
    ):
        assert found[name] == "ok", name
    assert list(data_dir.iterdir()) == []
    assert "✓ model" in libra("doctor").out


def look(name: str, data: Path) -> list[doctor.Finding]:
    """Return one look's findings."""
    return doctor._guarded(
        name, dict(doctor.LOOKS)[name], places(str(data), str(data / "run" / "libra.sock"))
    )


def test_a_data_folder_that_cannot_be_used_is_a_failure(data_dir: Path) -> None:
    """A file in the folder's place, with a hint."""
    (data_dir / "file").write_text("x")
    found = look("data folder", data_dir / "file" / "data")
    assert [f.state for f in found] == [doctor.FAILURE]
    assert "--data-dir" in (found[0].hint or "")


def test_no_trouble_is_told_without_what_to_do(data_dir: Path) -> None:
    """A person would read that something is wrong and be left with it."""
    where = places(str(data_dir))

    def fails(error: Exception) -> doctor.Look:
        def look(_where: Any) -> Any:
            raise error
            yield

        return look

    for error in (StoreError("it is so"), OSError("no such thing"), ValueError("wrong")):
        (found,) = doctor._guarded("any", fails(error), where)
        assert found.state == doctor.FAILURE
        assert str(where.logs) in (found.hint or "")


def test_an_open_folder_is_a_warning(data_dir: Path) -> None:
    """Others could look in."""
    data_dir.chmod(0o755)
    assert [f.state for f in look("data folder", data_dir)] == [doctor.OK, doctor.WARNING]


def test_a_damaged_database_is_a_failure(data_dir: Path) -> None:
    """The file is looked at, not opened for writing."""
    (data_dir / "libra.db").write_bytes(b"not a database" * 100)
    found = look("database", data_dir)
    assert [f.state for f in found] == [doctor.FAILURE]
    assert (data_dir / "libra.db").read_bytes() == b"not a database" * 100


def test_wrong_settings_are_a_failure(data_dir: Path) -> None:
    """The key is named."""
    (data_dir / "config.toml").write_text("[assemble]\nhrd = 1\n")
    found = look("settings", data_dir)
    assert [f.state for f in found] == [doctor.FAILURE]
    assert "assemble.hrd" in found[0].detail


def test_a_missing_model_is_a_failure(data_dir: Path) -> None:
    """So is one whose files are not those of its manifest."""
    (data_dir / "config.toml").write_text('[model]\nprofile = "nope"\n')
    assert [f.state for f in look("model", data_dir)] == [doctor.FAILURE]


def test_the_model_that_writes_summaries_is_tried(data_dir: Path) -> None:
    """A server that was not started is a warning with its reason: nothing depends on it. None set, nothing said."""
    assert look("summarizer", data_dir) == []
    reply = as_json({"message": {"content": "Yes."}})
    with endpoint(lambda _: reply) as server:
        (data_dir / "config.toml").write_text(f'[summarizer]\nollama = "{server.url}"\nname = "small"\n')
        assert [f.state for f in look("summarizer", data_dir)] == [doctor.OK]
        server.behave = lambda _: http(b"", "404 Not Found")
        found = look("summarizer", data_dir)
    assert [f.state for f in found] == [doctor.WARNING]
    assert "404" in found[0].detail


def test_clients_of_another_memory(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They were asked for, and what they need is not installed: found before anybody wonders why nothing answers."""
    assert look("compat", data_dir) == []
    (data_dir / "config.toml").write_text("[compat]\nlibravdb = true\n")
    assert [f.state for f in look("compat", data_dir)] == [doctor.OK]
    (data_dir / "config.toml").write_text("[compat]\ngrpc = true\n")
    monkeypatch.setattr(doctor, "_importable", lambda _name: False)
    (found,) = look("compat", data_dir)
    assert found.state == doctor.WARNING
    assert "libra-memory[grpc]" in (found.hint or "")


def test_a_running_app_is_found(libra: Any, engine: Any, data_dir: Path) -> None:
    """It answers, with its version."""
    found = look("app", data_dir)
    assert [f.state for f in found] == [doctor.OK]
    assert "running 0.1.0" in found[0].detail


def test_an_app_at_another_socket_is_a_warning(data_dir: Path) -> None:
    """The lock is held, but nobody listens where the commands look."""
    with InstanceLock(data_dir / "run" / "libra.lock"):
        assert [f.state for f in look("app", data_dir)] == [doctor.WARNING]
    assert [f.state for f in look("app", data_dir)] == [doctor.OK]


def test_small_limits_of_the_system_are_a_warning(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few watches mean polling, which is said."""
    (data_dir / "max_user_watches").write_text("100\n")
    (data_dir / "max_user_instances").write_text("128\n")
    monkeypatch.setattr(doctor, "_INOTIFY", data_dir)
    found = look("inotify", data_dir)
    assert [f.state for f in found] == [doctor.WARNING]
    assert "polls" in (found[0].hint or "")


def test_a_look_that_fails_is_a_finding(data_dir: Path) -> None:
    """Nothing that a look raises ends the doctor."""

    def fails(_where: Any) -> Any:
        raise StoreError("the shelf is down", hint="lift it")
        yield

    found = doctor._guarded("shelf", fails, places(str(data_dir)))
    assert found == [doctor.Finding("shelf", doctor.FAILURE, "the shelf is down", "lift it")]


def test_a_clock_that_cannot_be_right_is_told(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before Libra was made, or before what it has written: memories would be ordered wrongly."""
    (data_dir / "libra.db").write_bytes(b"")
    assert [f.state for f in look("clock", data_dir)] == [doctor.OK]
    later = time.time() + 10 * 86_400
    os.utime(data_dir / "libra.db", (later, later))
    (found,) = look("clock", data_dir)
    assert (found.state, "written after" in found.detail) == (doctor.WARNING, True)
    monkeypatch.setattr(time, "time", lambda: 1_000_000.0)
    (found,) = look("clock", data_dir)
    assert "1970-01-12" in found.detail
    assert found.hint is not None


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
def test_what_others_may_read_is_told_with_its_remedy(data_dir: Path) -> None:
    """A database that was copied with open rights is found, and the line that closes it is printed."""
    (data_dir / "libra.db").write_bytes(b"")
    (data_dir / "libra.db").chmod(0o644)
    (found,) = look("rights", data_dir)
    assert (found.state, found.hint) == (doctor.WARNING, f"chmod go-rwx {data_dir / 'libra.db'}")
    (data_dir / "libra.db").chmod(0o600)
    assert [f.state for f in look("rights", data_dir)] == [doctor.OK]


def test_a_provider_that_is_set_but_not_there_is_told(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asked for a graphics card and gets the processor can read why."""
    monkeypatch.delenv("LIBRA_CONFIG", raising=False)
    (data_dir / "config.toml").write_text('[model]\nproviders = ["cuda"]\n', "utf-8")
    (found,) = look("providers", data_dir)
    assert (found.state, "cuda is set but not installed" in found.detail) == (doctor.WARNING, True)


def test_gnome_without_icons_says_which_extension(data_dir: Path) -> None:
    """A person on GNOME reads what to install, not that there is no tray."""
    said = tray.advice({"XDG_CURRENT_DESKTOP": "ubuntu:GNOME"}, host=False) or ""
    assert "gnome-shell-extension-appindicator" in said
    assert "system tray" in (tray.advice({}, host=False) or "")
    assert tray.advice({"XDG_CURRENT_DESKTOP": "GNOME"}, host=True) is None
    assert tray.advice({}, host=None) is None


def test_deep_sends_the_canary_and_looks_over_what_is_derived(app: Engine, libra: Any) -> None:
    """A person who wonders whether anything is learnt at all gets an answer."""
    app.use_model(FakeEmbedder(dims=128))
    app.start()
    try:
        done = libra("doctor", "--deep", "--json")
    finally:
        app.stop()
    found = states(done.json)
    assert (found["canary"], found["derived data"]) == ("ok", "ok")
