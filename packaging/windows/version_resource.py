"""Write the version resource that Windows shows in a program's properties, for build.spec.

python packaging/windows/version_resource.py        writes packaging/windows/version.txt
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

TEXT = """VSVersionInfo(
  ffi=FixedFileInfo(filevers={numbers}, prodvers={numbers}, mask=0x3F, flags=0x0, OS=0x40004, fileType=0x1, subtype=0x0),
  kids=[
    StringFileInfo([StringTable("040904B0", [
      StringStruct("FileDescription", "Libra, long-term memory for AI agents"),
      StringStruct("FileVersion", "{version}"),
      StringStruct("InternalName", "libra"),
      StringStruct("OriginalFilename", "libra.exe"),
      StringStruct("ProductName", "Libra"),
      StringStruct("ProductVersion", "{version}"),
    ])]),
    VarFileInfo([VarStruct("Translation", [1033, 1200])]),
  ],
)
"""


def resource(version: str) -> str:
    """Return the resource in PyInstaller's notation."""
    numbers = [int(part) for part in re.findall(r"\d+", version)[:4]]
    return TEXT.format(numbers=tuple(numbers + [0] * (4 - len(numbers))), version=version)


def main() -> None:
    """Write it for the present version."""
    found = re.search(r'__version__ = "([^"]+)"', (ROOT / "libra" / "__init__.py").read_text("utf-8"))
    assert found is not None
    Path(__file__).with_name("version.txt").write_text(resource(found[1]), "utf-8")


if __name__ == "__main__":
    main()
