"""Write what a build is made of as a CycloneDX 1.5 document, from the distributions that are installed.

    python packaging/sbom.py dist/libra.cdx.json [dist/libra …]

Only what ``pip install .`` brings is listed: the distributions that Libra needs, and theirs. Files named after it are hashed into it.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import time
from importlib.metadata import Distribution, PackageMetadata, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_NAME = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
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
    target.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    lines = [f"{file(path)['hashes'][0]['content']}  {path.name}\n" for path in [*files, target]]
    target.with_name("SHA256SUMS").write_text("".join(lines), "utf-8")
    print(f"{len(found['components'])} components in {target}, {len(lines)} hashes in SHA256SUMS")


if __name__ == "__main__":
    main()
