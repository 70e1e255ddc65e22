"""The second program: laid out once for hosts to start, replaced by an upgrade, and taken away again."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from libra.ground import program
from libra.ground.errors import ConfigError
from libra.hosts import client


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the unpack folder of a one-file program that carries a client; this process seems to run from it."""
    unpacked = tmp_path / "_MEI1"
    (unpacked / "client").mkdir(parents=True)
    (unpacked / "lib").mkdir()
    (unpacked / "lib" / "a.so").write_bytes(b"library")
    (unpacked / "client" / program.CLIENT).write_bytes(b"client 1")
    (unpacked / "client" / "parts.json").write_text(json.dumps(["lib/a.so"]), "utf-8")
    (tmp_path / "bin").mkdir()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "_MEIPASS", str(unpacked), raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "libra"))
    return unpacked


def test_a_python_that_is_installed_needs_none(tmp_path: Path) -> None:
    """Run from source or a wheel, hosts start the hook's own file with Python: nothing is laid out."""
    assert client.ready(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_it_is_laid_out_whole_and_once(built: Path, tmp_path: Path) -> None:
    """Hosts start a program with its libraries beside it, which knows where the whole Libra is."""
    data = tmp_path / "data"
    path = client.ready(data)
    assert path == data / "client" / program.CLIENT
    assert path is not None
    assert path.read_bytes() == b"client 1"
    assert (path.parent / "_internal" / "lib" / "a.so").read_bytes() == b"library"
    made = path.stat().st_mtime_ns
    assert client.ready(data) == path
    assert path.stat().st_mtime_ns == made


def test_the_client_starts_the_whole_program(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent that finds Libra not running starts Libra, not the client once more."""
    whole = sys.executable
    path = client.ready(tmp_path / "data")
    monkeypatch.setattr(sys, "executable", str(path))
    assert program.words() == (whole,)


def test_an_upgrade_takes_its_place_under_the_same_name(built: Path, tmp_path: Path) -> None:
    """Hosts' settings name a path that stays, and after an upgrade what is there is the new one."""
    data = tmp_path / "data"
    before = client.ready(data)
    (built / "client" / program.CLIENT).write_bytes(b"client 2")
    after = client.ready(data)
    assert after == before
    assert after is not None
    assert after.read_bytes() == b"client 2"
    assert len(list(data.glob("client-*"))) == 1


def test_a_layout_that_was_cut_short_is_made_anew(built: Path, tmp_path: Path) -> None:
    """A power cut in the middle must not leave half a program in the hosts' settings."""
    data = tmp_path / "data"
    client.ready(data)
    (folder,) = data.glob("client-*")
    (folder / program.BESIDE).unlink()
    (folder / "_internal" / "lib" / "a.so").unlink()
    path = client.ready(data)
    assert path is not None
    assert (path.parent / "_internal" / "lib" / "a.so").is_file()


def test_it_goes_without_a_trace(built: Path, tmp_path: Path) -> None:
    """Uninstalling takes link and folder."""
    data = tmp_path / "data"
    client.ready(data)
    assert client.remove(data)
    assert list(data.iterdir()) == []
    assert not client.remove(data)


def test_a_folder_that_cannot_be_written_is_an_error_with_its_place(built: Path, tmp_path: Path) -> None:
    """The person reads which folder it is, not a traceback."""
    (tmp_path / "data").write_text("a file", "utf-8")
    with pytest.raises(ConfigError) as caught:
        client.ready(tmp_path / "data")
    assert "data" in caught.value.message


def test_beside_a_program_that_is_a_folder_it_is_used_as_it_lies(built: Path, tmp_path: Path) -> None:
    """A Debian package or an app bundle has it beside the program: nothing is copied."""
    beside = tmp_path / "bin" / program.CLIENT
    beside.write_bytes(b"client")
    assert client.ready(tmp_path / "data") == beside
    assert not (tmp_path / "data").exists()
