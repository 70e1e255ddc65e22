"""Gather the parts of a one-file program that its bootloader is to leave alone (:mod:`libra.ground.unpacking`).

``build.spec`` calls :func:`split` and :func:`write`. What a start needs in any case stays with the bootloader; the rest is gathered by what
brings it: a package with its libraries, an extension of Python's own, a folder of ours, and shared libraries, each for itself.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

import zstandard

from libra.ground.unpacking import LENGTH, MAGIC

Entry = tuple[str, str, str]
"""As PyInstaller has it: name in the program, source (of a link its target), kind."""

LEVEL = 12
"""Higher ones take five times as long for a twentieth less."""
FIRST_FOLDERS = ("libra", "lib", "share", "etc", "gi_typelibs")
"""Small files, and what GTK's hooks look for before our first line."""
LIBRARIES_OF = {"pillow": "PIL"}
"""Whose ``….libs`` these are, where the package is called otherwise."""
SOON = ("apsw", "sqlite_vec", "numpy", "psutil")
"""What the app asks for first; the order of the archive is the order in which it lays out what nobody waits for."""


def unit_of(name: str, kind: str) -> tuple[str, str | None]:
    """Return the unit of a file, and the top-level name that brings it; None for what only others need."""
    top, _, rest = name.partition("/")
    module = Path(name).name.partition(".")[0]
    if "lib-dynload" in name or (not rest and kind == "EXTENSION"):
        return module, module
    if not rest:
        return f"lib:{name}", None
    package, dot, _ = top.partition(".libs")
    return (LIBRARIES_OF.get(package, package), None) if dot else (top, top)


def split(entries: Iterable[Entry], first: Callable[[str], bool]) -> tuple[list[Entry], list[Entry]]:
    """Part what the bootloader unpacks from what is unpacked later.

    Args:
        entries: All files of the program.
        first: Says of a name whether it is needed in any case.
    """
    now: list[Entry] = []
    later: list[Entry] = []
    for name, source, kind in entries:
        plain = name.replace(os.sep, "/")
        top = plain.partition("/")[0]
        at_once = top in FIRST_FOLDERS or top.endswith(".dist-info") or first(plain)
        (now if at_once or ("/" not in plain and kind == "DATA") else later).append(
            (plain if not at_once else name, source, kind)
        )
    return now, later


def write(target: Path, entries: Iterable[Entry], libraries: Callable[[str], Iterable[str]]) -> str:
    """Write the archive; return its mark.

    Args:
        target: The file.
        entries: What goes into it.
        libraries: Returns the shared libraries that a file is linked to, as paths or bare names.
    """
    found = sorted(entries, key=lambda entry: entry[0])
    units: dict[str, list[Entry]] = defaultdict(list)
    names: dict[str, str] = {}
    for entry in found:
        unit, wanted = unit_of(entry[0], entry[2])
        units[unit].append(entry)
        if wanted is not None:
            names[wanted] = unit
    order = [*(name for name in SOON if name in units), *(name for name in units if name not in SOON)]
    needs = {unit: _needed(entries_of, units, libraries) - {unit} for unit, entries_of in units.items()}
    frames: list[bytes] = []
    at = 0
    told = {}
    for unit in order:
        pieces: list[list[object]] = []
        for name, source, kind in units[unit]:
            if kind == "SYMLINK":
                pieces.append([name, 0, 0, source])
                continue
            frame = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True, threads=-1).compress(
                Path(source).read_bytes()
            )
            frames.append(frame)
            pieces.append([name, at, len(frame)])
            at += len(frame)
        told[unit] = {"needs": sorted(_closure(unit, needs)), "pieces": pieces}
    mark = hashlib.sha256(json.dumps(told).encode() + b"".join(frames)).hexdigest()
    index = json.dumps({"mark": mark, "names": names, "units": told}).encode()
    with target.open("wb") as file:
        file.writelines([MAGIC, LENGTH.pack(len(index)), index, *frames])
    return mark


def _needed(
    entries: list[Entry], units: dict[str, list[Entry]], libraries: Callable[[str], Iterable[str]]
) -> set[str]:
    """Return the units without which these files are of no use: libraries that they are linked to, targets of links."""
    out: set[str] = set()
    for name, source, kind in entries:
        if kind == "SYMLINK":
            target = os.path.normpath(Path(name).parent / source).replace(os.sep, "/")
            out.add(unit_of(target, "BINARY")[0])
        elif kind in {"BINARY", "EXTENSION"}:
            out |= {f"lib:{Path(library).name}" for library in libraries(source)}
    return out & units.keys()


def _closure(unit: str, needs: dict[str, set[str]]) -> set[str]:
    """Return all that a unit needs, and what that needs, without itself."""
    found: set[str] = set()
    ahead = [unit]
    while ahead:
        for one in needs[ahead.pop()] - found:
            found.add(one)
            ahead.append(one)
    return found - {unit}
