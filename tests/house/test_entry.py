"""The one-file program's two duties: no unpack folder stays for ever, no child outlives its bootloader."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

WAIT_S = 20.0


@pytest.fixture(scope="module")
def entry(root: Path) -> ModuleType:
    """Return packaging/entry.py as a module; it is no part of any package."""
    spec = importlib.util.spec_from_file_location("libra_entry", root / "packaging" / "entry.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def folder(parent: Path, name: str) -> Path:
    """Make an unpack folder with something in it."""
    made = parent / name
    made.mkdir()
    (made / "base_library.zip").write_bytes(b"x")
    return made


def test_only_folders_of_dead_libras_go(entry: ModuleType, tmp_path: Path) -> None:
    """Removed: what a libra left. Kept: our own, a living libra's, another program's."""
    own, living, left, foreign = (folder(tmp_path, f"_MEI{n}") for n in ("own", "living", "left", "foreign"))
    first, second = entry.hold(own), entry.hold(living)
    (left / entry.MARKER).touch()
    try:
        assert entry.sweep(own) == [left]
        assert sorted(p.name for p in tmp_path.iterdir()) == sorted(p.name for p in (own, living, foreign))
    finally:
        first.close()
        second.close()


@pytest.mark.skipif(sys.platform == "win32", reason="a folder may be opened twice there")
def test_a_second_libra_in_the_same_folder_holds_nothing(entry: ModuleType, tmp_path: Path) -> None:
    """A libra that another one started from the same unpack folder leaves the lock to the first."""
    first = entry.hold(tmp_path)
    try:
        assert entry.hold(tmp_path) is None
        assert entry.is_held(tmp_path / entry.MARKER)
    finally:
        first.close()
    assert not entry.is_held(tmp_path / entry.MARKER)


def test_a_checkout_is_not_unpacked(entry: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """From source and in a one-folder build nothing is swept and nobody is watched."""
    assert entry.unpacked() is None
    monkeypatch.setattr(sys, "_MEIPASS", "/opt/libra/_internal", raising=False)
    assert entry.unpacked() is None
    monkeypatch.setattr(sys, "_MEIPASS", "/tmp/_MEIabc", raising=False)  # noqa: S108 - a name only
    assert entry.unpacked() == Path("/tmp/_MEIabc")  # noqa: S108


@pytest.mark.skipif(sys.platform == "win32", reason="the parent's number does not change there")
def test_the_child_ends_when_its_parent_is_killed(root: Path) -> None:
    """The bootloader is killed outright: the child gets SIGTERM, as if a person had stopped it."""
    child = (
        "import importlib.util, signal, sys, threading\n"
        f"spec = importlib.util.spec_from_file_location('e', {str(root / 'packaging' / 'entry.py')!r})\n"
        "entry = importlib.util.module_from_spec(spec); spec.loader.exec_module(entry)\n"
        "entry.WATCH_S = 0.05\n"
        "ended = threading.Event()\n"
        "signal.signal(signal.SIGTERM, lambda *_: ended.set())\n"
        "threading.Thread(target=entry.watch_parent, args=[threading.Event()], daemon=True).start()\n"
        "print('up', flush=True)\n"
        f"print('ended' if ended.wait({WAIT_S}) else 'lives on', flush=True)\n"
    )
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        process.kill()
        assert process.stdout.readline() == "ended\n"
