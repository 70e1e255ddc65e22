"""The one-file program's large parts are unpacked when they are needed: whole, private, and of this very build."""

from __future__ import annotations

import importlib.util
import struct
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from libra.ground import unpacking
from libra.ground.unpacking import MARK, NAME, Parts
from tests.conftest import ROOT

spec = importlib.util.spec_from_file_location("libra_pack", ROOT / "packaging" / "pack.py")
assert spec is not None
assert spec.loader is not None
pack = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pack)
"""packaging/pack.py, which is no part of any package."""

SOURCES = {
    "bigpack/__init__.py": b"from bigpack.inner import value\n",
    "bigpack/inner.py": b"value = 7\n",
    "models/tiny/weights": bytes(range(256)) * 5_000,
    "libfar.so.1": b"\x7fELF far" * 100,
    "python3.11/lib-dynload/_far.cpython-311-x86_64-linux-gnu.so": b"\x7fELF ext" * 100,
    "assets/note.txt": b"note\n",
}


def program(path: Path, archive: bytes, behind: bytes = b"") -> Path:
    """Write what PyInstaller's bootloader finds its archive in: something, our entry, a table, a cookie, and what a linker adds."""
    name = NAME.encode() + b"\0" * (16 - (18 + len(NAME)) % 16)
    other = b"PYZ.pyz\0" + b"\0" * (16 - (18 + 8) % 16)
    before = b"PYZ here"
    entry = struct.Struct("!IIIIBc")
    table = entry.pack(18 + len(other), 0, len(before), len(before), 0, b"z") + other
    table += entry.pack(18 + len(name), len(before), len(archive), len(archive), 0, b"a") + name
    inside = before + archive + table
    whole = len(inside) + 88
    cookie = struct.pack(
        "!8sIIII64s",
        b"MEI\014\013\012\013\016",
        whole,
        len(before) + len(archive),
        len(table),
        311,
        b"libpython",
    )
    path.write_bytes(b"\x7fELF bootloader" * 10 + inside + cookie + behind)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an unpack folder."""
    made = tmp_path / "_MEIx"
    made.mkdir(mode=0o700)
    return made


@pytest.fixture
def built(tmp_path: Path, folder: Path) -> Path:
    """Return a program with the parts above, whose unpack folder is ``folder``."""
    entries = []
    for name, content in SOURCES.items():
        source = tmp_path / "source" / name
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_bytes(content)
        kind = "EXTENSION" if "dynload" in name else "BINARY" if ".so" in name else "DATA"
        entries.append((name, str(source), kind))
    entries.append(("assets/also.txt", "note.txt", "SYMLINK"))
    archive = tmp_path / NAME
    linked = {"_far": ["/usr/lib/libfar.so.1", "libc.so.6"]}
    mark = pack.write(archive, entries, lambda path: linked.get(Path(path).name.partition(".")[0], []))
    (folder / MARK).write_text(mark, "ascii")
    return program(tmp_path / "libra", archive.read_bytes(), b"section names" * 9)


@pytest.fixture
def parts(built: Path, folder: Path) -> Iterator[Parts]:
    """Yield the parts of the running program, in place as in the real one."""
    made = Parts(built, folder)
    sys.meta_path.insert(0, made)
    sys.path.insert(0, str(folder))
    try:
        yield made
    finally:
        made.bring_all()
        sys.meta_path.remove(made)
        sys.path.remove(str(folder))
        for name in [n for n in sys.modules if n.partition(".")[0] in {"bigpack", "_far"}]:
            del sys.modules[name]


def there(folder: Path) -> set[str]:
    """Return the files of the unpack folder."""
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir()} - {MARK}


def test_nothing_comes_before_it_is_asked_for(parts: Parts, folder: Path) -> None:
    """A command that only asks the running app does not wait until a model has been unpacked."""
    assert there(folder) == set()
    parts.bring("something else")
    assert there(folder) == set()
    unpacking.bring("models")
    assert there(folder) == {"models/tiny/weights"}
    assert (folder / "models/tiny/weights").read_bytes() == SOURCES["models/tiny/weights"]


def test_an_import_brings_its_package(parts: Parts, folder: Path) -> None:
    """The embedding model's runtime is there in the moment in which it is imported, also where the folder was looked into before."""
    assert importlib.util.find_spec("smallpack") is None
    assert importlib.import_module("bigpack").value == 7
    assert there(folder) == {n for n in SOURCES if n.startswith("bigpack/")} | {
        p for p in there(folder) if "__pycache__" in p
    }


def test_an_extension_brings_the_libraries_that_it_is_linked_to(parts: Parts, folder: Path) -> None:
    """It would else fail to load, and with it whatever it was for."""
    parts.bring("_far")
    assert there(folder) == {"libfar.so.1", "python3.11/lib-dynload/_far.cpython-311-x86_64-linux-gnu.so"}


def test_everything_is_there_in_the_end_and_private(parts: Parts, folder: Path) -> None:
    """The app outlives its file: a newer program may take its place. Nobody else may read or change what it runs."""
    parts.bring_all()
    for name, content in SOURCES.items():
        assert (folder / name).read_bytes() == content
    assert (folder / "assets/also.txt").read_bytes() == b"note\n"
    assert folder.stat().st_mode & 0o077 == 0
    assert [name for name in SOURCES if (folder / name).stat().st_mode & 0o077] == []
    parts.bring("models")


def test_two_that_need_the_same_both_find_it_whole(parts: Parts, folder: Path) -> None:
    """The thread that loads the model must not see half of a file that another one is writing."""
    begin = threading.Barrier(4)
    seen: list[bytes] = []

    def need() -> None:
        begin.wait(30)
        parts.bring("models")
        seen.append((folder / "models/tiny/weights").read_bytes())

    threads = [threading.Thread(target=need) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert seen == [SOURCES["models/tiny/weights"]] * 4


def test_a_library_that_is_loaded_is_not_written_again(built: Path, parts: Parts, folder: Path) -> None:
    """The demo and the Libra that it starts share a folder: one crashed at its end, since the other had written its libraries anew."""
    parts.bring("_far")
    loaded = folder / "libfar.so.1"
    before = loaded.stat()
    other = Parts(built, folder)
    other.bring_all()
    parts.bring_all()
    now = loaded.stat()
    assert (now.st_ino, now.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert there(folder) == {*SOURCES, "assets/also.txt"}


def test_what_could_not_be_written_is_tried_again(parts: Parts, folder: Path) -> None:
    """A full disk for a minute must not leave half a library for as long as the program runs."""
    (folder / "models").write_text("in the way", "utf-8")
    with pytest.raises(OSError, match="models"):
        parts.bring("models")
    (folder / "models").unlink()
    parts.bring("models")
    assert (folder / "models/tiny/weights").read_bytes() == SOURCES["models/tiny/weights"]


def test_another_builds_program_is_refused(built: Path, folder: Path) -> None:
    """An upgrade replaced the file in the moment of the start: libraries of two builds are never mixed."""
    (folder / MARK).write_text("0" * 64, "ascii")
    with pytest.raises(ValueError, match="replaced"):
        Parts(built, folder)


def test_a_file_that_is_no_program_is_told(tmp_path: Path, folder: Path) -> None:
    """A cut download says what is wrong and does not fail somewhere inside."""
    (tmp_path / "cut").write_bytes(b"\x7fELF" * 1_000_000)
    with pytest.raises(ValueError, match="no program"):
        Parts(tmp_path / "cut", folder)
    with pytest.raises(ValueError, match="of another kind"):
        Parts(program(tmp_path / "odd", b"something else"), folder)


def test_without_such_a_program_nothing_happens() -> None:
    """From source, installed or in a folder everything is there already."""
    unpacking.bring("models")
    before = threading.active_count()
    unpacking.bring_all_soon()
    assert threading.active_count() == before


def test_what_stays_with_the_bootloader() -> None:
    """Small files of ours and what Python needs to begin are there before the first line; what is large is not."""
    entries = [
        ("base_library.zip", "s", "DATA"),
        ("libra/config/effects.json", "s", "DATA"),
        ("numpy-2.0.dist-info/METADATA", "s", "DATA"),
        ("python3.11/lib-dynload/_socket.so", "s", "EXTENSION"),
        ("python3.11/lib-dynload/_ssl.so", "s", "EXTENSION"),
        ("numpy/core.so", "s", "EXTENSION"),
        ("numpy.libs/libblas.so", "s", "BINARY"),
        ("libssl.so.3", "s", "BINARY"),
    ]
    now, later = pack.split(entries, lambda name: "_socket" in name)
    assert [name for name, _, _ in now] == [name for name, _, _ in entries[:4]]
    assert [name for name, _, _ in later] == [name for name, _, _ in entries[4:]]
    assert pack.unit_of("numpy.libs/libblas.so", "BINARY") == ("numpy", None)
    assert pack.unit_of("pillow.libs/libtiff.so", "BINARY") == ("PIL", None)
