"""Write what a build is made of as a CycloneDX 1.5 document, from the distributions that are installed.

    python packaging/sbom.py dist/libra.cdx.json [dist/libra …]

Of what ``pip install .`` brings that is listed which is in the program, if one of the files is one: what ``build.spec`` leaves out would be looked for
by whoever checks the list against known faults. Beside it what is in there without a distribution: Python, SQLite, the bootloader. The files are hashed into it.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import sys
import time
from contextlib import suppress
from importlib.metadata import (
    Distribution,
    PackageMetadata,
    PackageNotFoundError,
    distribution,
    packages_distributions,
)
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_NAME = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
OWN = {"packaging", "models", "assets", "client"}
"""Folders of ours in a program; the first is a distribution's name, too."""
_EXTRA = re.compile(r"extra\s*==")


def needed(name: str, known: dict[str, Distribution]) -> None:
    """Add a distribution and, if it is new, all that it needs here; what is not installed is not needed on this system."""
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in known:
        return
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return
    known[key] = found
    for line in found.requires or ():
        match = _NAME.match(line)
        if match is not None and not _EXTRA.search(line):
            needed(match[1], known)


def inside(program: Path) -> set[str] | None:
    """Return the names of all modules and folders at the top of a program that PyInstaller has built; None for another file."""
    try:
        from PyInstaller.archive.readers import ArchiveReadError, CArchiveReader
    except ImportError:
        return None
    try:
        archive = CArchiveReader(str(program))
    except (ArchiveReadError, OSError, ValueError):
        return None
    sys.path.insert(0, str(ROOT))
    from libra.ground import unpacking

    names = set(archive.toc)
    if unpacking.NAME in names:
        names |= set(unpacking.packed_sizes(program))
    beside = program.parent / "_internal"  # of a one-folder build
    if beside.is_dir():
        names |= {path.name for path in beside.iterdir()}
    found = {re.split(r"[\\/.]", name)[0] for name in names} - OWN
    return found | {name.partition(".")[0] for name in archive.open_embedded_archive("PYZ.pyz").toc}


def kept(known: dict[str, Distribution], files: list[Path]) -> dict[str, Distribution]:
    """Return those distributions of which something is in the program; all of them where no file is one."""
    tops = next((found for path in files if (found := inside(path)) is not None), None)
    if tops is None:
        return known
    held = {
        re.sub(r"[-_.]+", "-", name).lower() for top in tops for name in packages_distributions().get(top, ())
    }
    return {key: found for key, found in known.items() if key in held}


def without_distribution() -> list[dict[str, Any]]:
    """Return what is in every program and comes from no distribution of its own."""
    import apsw

    found = [
        ("Python", platform.python_version(), "PSF-2.0"),
        ("SQLite", apsw.sqlite_lib_version(), "public domain"),
    ]
    with suppress(PackageNotFoundError):
        boot = distribution("pyinstaller").version
        found.append(("PyInstaller bootloader", boot, "GPL-2.0 with the bootloader exception"))
    return [
        {"type": "library", "bom-ref": f"part:{name.lower().replace(' ', '-')}@{version}", "name": name, "version": version,
         "licenses": [{"license": {"name": licence}}]}
        for name, version, licence in found
    ]  # fmt: skip


def component(key: str, found: Distribution) -> dict[str, Any]:
    """Return a distribution as CycloneDX names it."""
    about = found.metadata
    licence = _said(about, "License-Expression") or _classified(found) or _said(about, "License") or "unknown"
    first = licence.strip().splitlines()[0][:80] if licence.strip() else "unknown"
    record = found.read_text("RECORD") or ""
    return {
        "type": "library",
        "bom-ref": f"pkg:pypi/{key}@{found.version}",
        "name": about["Name"],
        "version": found.version,
        "purl": f"pkg:pypi/{key}@{found.version}",
        "licenses": [{"license": {"name": first}}],
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(record.encode()).hexdigest()}],
        "properties": [
            {
                "name": "hash-of",
                "value": "the distribution's RECORD, which lists the hash of each of its files",
            }
        ],
    }


def _said(about: PackageMetadata, name: str) -> str:
    return str(about[name]) if name in about else ""


def _classified(found: Distribution) -> str:
    names = [
        c.rsplit(" :: ", 1)[-1]
        for c in found.metadata.get_all("Classifier") or ()
        if c.startswith("License ::")
    ]
    return " and ".join(names)


def document(files: list[Path], stamp: float) -> dict[str, Any]:
    """Return the whole document."""
    known: dict[str, Distribution] = {}
    pyproject = (ROOT / "pyproject.toml").read_text("utf-8")
    block = pyproject.split("dependencies = [", 1)[1].split("]", 1)[0]
    for line in re.findall(r'"([^"]+)"', block):
        match = _NAME.match(line)
        if match is not None:
            needed(match[1], known)
    known = kept(known, files)
    version = re.search(r'__version__ = "([^"]+)"', (ROOT / "libra" / "__init__.py").read_text("utf-8"))
    assert version is not None
    models = sorted(p for p in (ROOT / "models" / "minilm-l6-v2").iterdir() if p.is_file())
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(stamp)),
            "component": {"type": "application", "bom-ref": "libra", "name": "libra", "version": version[1]},
        },
        "components": [
            *(component(key, found) for key, found in sorted(known.items())),
            *without_distribution(),
            {
                "type": "machine-learning-model",
                "bom-ref": "model:minilm-l6-v2",
                "name": "all-MiniLM-L6-v2",
                "licenses": [{"license": {"name": "Apache-2.0"}}],
                "components": [file(path) for path in models],
            },
            *(file(path) for path in files),
        ],
        "dependencies": [{"ref": "libra", "dependsOn": [f"pkg:pypi/{k}@{d.version}" for k, d in sorted(known.items())]}],
    }  # fmt: skip


def file(path: Path) -> dict[str, Any]:
    """Return a file with its hash."""
    with path.open("rb") as opened:
        content = hashlib.file_digest(opened, "sha256").hexdigest()
    return {"type": "file", "name": path.name, "hashes": [{"alg": "SHA-256", "content": content}]}


def main() -> None:
    """Write the document, and beside each file its SHA-256 as ``sha256sum -c`` reads it."""
    target, files = Path(sys.argv[1]), [Path(word) for word in sys.argv[2:]]
    found = document(files, time.time())
    target.write_text(json.dumps(found, indent=1) + "\n", "utf-8", newline="\n")
    lines = [f"{file(path)['hashes'][0]['content']}  {path.name}\n" for path in [*files, target]]
    # Also on Windows: `sha256sum -c` takes the end of a line there for a part of the name.
    target.with_name("SHA256SUMS").write_text("".join(lines), "utf-8", newline="\n")
    print(f"{len(found['components'])} components in {target}, {len(lines)} hashes in SHA256SUMS")


if __name__ == "__main__":
    main()
