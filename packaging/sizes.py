"""Say what the one-file program is made of: its parts by size as they are packed in it.

    python packaging/sizes.py dist/libra [N]

Parts of one package are added up; the figures are those of the archive, so that they sum to the file.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from PyInstaller.archive.readers import CArchiveReader

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from libra.ground import unpacking

GROUPS: dict[str, str | tuple[str, ...]] = {
    "models": "models/",
    "onnxruntime": "onnxruntime/",
    "numpy": ("numpy/", "numpy.libs/"),
    "tokenizers": "tokenizers/",
    "apsw": "apsw/",
    "Pillow": ("PIL/", "pillow.libs/"),
    "zstandard": "zstandard/",
    "Python modules (PYZ)": "PYZ",
    "base_library.zip": "base_library.zip",
    "Python's own extensions": ("python3", "lib-dynload/"),
    "libra-client": "client/",
}


def group(name: str) -> str:
    """Return which package a part belongs to; a library of the system stands for itself."""
    for title, starts in GROUPS.items():
        if name.startswith(starts):
            return title
    return name.split("/", maxsplit=1)[0]


def parts(program: Path) -> Counter[str]:
    """Return packed bytes by group."""
    found: Counter[str] = Counter()
    packed_by_name = {
        name.replace("\\", "/"): packed for name, (_, packed, *_) in CArchiveReader(str(program)).toc.items()
    }
    if packed_by_name.pop(unpacking.NAME, None) is not None:
        packed_by_name |= unpacking.packed_sizes(program)
    for name, packed in packed_by_name.items():
        found[group(name)] += packed
    return found


def main() -> None:
    """Print the largest groups."""
    program, most = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10
    found = parts(program)
    whole = program.stat().st_size
    print(f"{program.name}: {whole / 1e6:.1f} MB")
    for title, size in found.most_common(most):
        print(f"{size / 1e6:7.2f} MB  {100 * size / whole:4.1f} %  {title}")
    rest = whole - sum(size for _, size in found.most_common(most))
    print(f"{rest / 1e6:7.2f} MB  {100 * rest / whole:4.1f} %  the rest, and the bootloader")


if __name__ == "__main__":
    main()
