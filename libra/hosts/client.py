"""The second program of a built Libra, laid out where hosts start it: answers a hook without unpacking anything.

A one-file program unpacks some 200 MB at each start. So it carries ``libra-client``, a program of a few megabytes that
shares its libraries, and lays it out once in the data folder; a program that is a folder has it beside itself.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path

from libra.ground import program, unpacking
from libra.ground.errors import ConfigError

FOLDER = "client"
"""In the data folder; on Unix a link to the layout that is in use, so that it is replaced at once."""
_PARTS = "parts.json"
_INNER = "_internal"
"""Where a program that is a folder looks for its libraries (PyInstaller's name)."""
_MARK_CHARS = 12


def ready(data: Path) -> Path | None:
    """Return the client that hosts are to start, laid out if need be; None where Libra is no built program.

    Args:
        data: The data folder.

    Raises:
        ConfigError: It cannot be laid out.
    """
    there = place(data)
    if there is None or there.parent != data / FOLDER:
        return there
    try:
        return _laid_out(_carried(), data)
    except OSError as error:
        raise ConfigError(f"{data / FOLDER} cannot be written: {error.strerror}", where=str(data)) from None


def place(data: Path) -> Path | None:
    """Return where the client is, or would be laid out; None where Libra is no built program."""
    if not program.frozen():
        return None
    beside = Path(sys.executable).with_name(program.CLIENT)
    if beside.is_file():
        return beside
    return data / FOLDER / program.CLIENT if (_carried() / _PARTS).is_file() else None


def _carried() -> Path:
    unpacking.bring(FOLDER)
    return Path(getattr(sys, "_MEIPASS", "")) / FOLDER


def _laid_out(carried: Path, data: Path) -> Path:
    parts: list[str] = json.loads((carried / _PARTS).read_text("utf-8"))
    client = (carried / program.CLIENT).read_bytes()
    # The libraries change with what uses them; another place of the program is another layout, too.
    mark = hashlib.sha256(client + os.fsencode(sys.executable)).hexdigest()[:_MARK_CHARS]
    folder = data / f"{FOLDER}-{mark}"
    stable = data / FOLDER
    if not (folder / program.BESIDE).is_file():
        _copy(carried, parts, folder)
    if not _is(stable, folder):
        _put_in_place(folder, stable)
    _sweep(stable, folder)
    return stable / program.CLIENT


def _copy(carried: Path, parts: list[str], folder: Path) -> None:
    """Lay the client out beside its place, then rename: nobody starts half of it."""
    fresh = folder.with_name(f"{folder.name}.{os.getpid()}")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o700, parents=True)
    try:
        exe = fresh / program.CLIENT
        shutil.copyfile(carried / program.CLIENT, exe)
        exe.chmod(0o700)
        for part in parts:
            target = fresh / _INNER / part
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(carried.parent / part, target)
        # Written last: it says that the rest is there, and where the whole program is.
        (fresh / program.BESIDE).write_text(sys.executable, "utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _is(stable: Path, folder: Path) -> bool:
    if os.name == "posix":
        return stable.is_symlink() and os.readlink(stable) == folder.name  # noqa: PTH115 - the text of the link
    with suppress(OSError):
        return (stable / program.BESIDE).read_bytes() == (folder / program.BESIDE).read_bytes() and (
            (stable / program.CLIENT).read_bytes() == (folder / program.CLIENT).read_bytes()
        )
    return False


def _put_in_place(folder: Path, stable: Path) -> None:
    if os.name == "posix":
        link = stable.with_name(f"{stable.name}.{os.getpid()}")
        link.unlink(missing_ok=True)
        link.symlink_to(folder.name, target_is_directory=True)
        if stable.is_dir() and not stable.is_symlink():
            shutil.rmtree(stable)
        link.replace(stable)
        return
    # Links need a right there that few have: a copy, unless a host holds the old one, which goes on working.
    with suppress(OSError):
        if stable.exists():
            stable.rename(stable.with_name(f"{FOLDER}-old{os.getpid()}"))
        shutil.copytree(folder, stable)


def _sweep(stable: Path, folder: Path) -> None:
    """Remove layouts of earlier versions, as far as no program of theirs runs."""
    for old in stable.parent.glob(f"{FOLDER}-*"):
        if old != folder:
            shutil.rmtree(old, ignore_errors=True)


def remove(data: Path) -> bool:
    """Take all of it away again; return True if there was something."""
    stable = data / FOLDER
    there = [p for p in (stable, *data.glob(f"{FOLDER}-*")) if p.is_symlink() or p.exists()]
    for path in there:
        if path.is_symlink():
            path.unlink()
        else:
            shutil.rmtree(path, ignore_errors=True)
    return bool(there)
