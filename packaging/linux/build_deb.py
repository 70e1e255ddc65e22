"""Make a Debian package of the one-folder build: files where the desktop looks for them, no script that runs as root.

    LIBRA_ONEDIR=1 pyinstaller build.spec
    python packaging/linux/build_deb.py dist/libra-folder dist/

Needs ``dpkg-deb``. Nothing starts by itself after the installation: `libra autostart on` or the icon's menu has it start at login.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def version() -> str:
    """Return Libra's version."""
    found = re.search(r'__version__ = "([^"]+)"', (ROOT / "libra" / "__init__.py").read_text("utf-8"))
    assert found is not None
    return found[1]


def licence() -> str:
    """Return the name of the licence as the package's metadata has it."""
    found = re.search(r'^license = "([^"]+)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    return found[1] if found else "LicenseRef-proprietary"


def put(source: Path, target: Path, *, mode: int = 0o644) -> None:
    """Copy a file into the tree."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


def tree(folder: Path, root: Path, date: str) -> None:
    """Lay the package's files out below ``root``."""
    lib = root / "usr" / "lib" / "libra"
    shutil.copytree(folder, lib, symlinks=True)
    for path in [p for p in lib.rglob("*") if not p.is_symlink()]:
        runs = path.name in {"libra", "libra-client"} and path.parent == lib
        path.chmod(0o755 if path.is_dir() or runs else 0o644)
    (root / "usr" / "bin").mkdir(parents=True)
    (root / "usr" / "bin" / "libra").symlink_to("../lib/libra/libra")
    share = root / "usr" / "share"
    put(HERE / "libra.desktop", share / "applications" / "libra.desktop")
    put(HERE / "libra.service", root / "usr" / "lib" / "systemd" / "user" / "libra.service")
    theme = share / "icons" / "hicolor"
    for picture in sorted((ROOT / "assets" / "hicolor").rglob("*.png")):
        put(picture, theme / picture.relative_to(ROOT / "assets" / "hicolor"))
    put(ROOT / "assets" / "icons" / "libra.svg", theme / "scalable" / "apps" / "libra.svg")
    put(ROOT / "LICENSE", share / "doc" / "libra" / "copyright")
    put(ROOT / "NOTICE", share / "doc" / "libra" / "NOTICE")
    info = (HERE / "org.libra_memory.libra.metainfo.xml").read_text("utf-8")
    for mark, value in (("@VERSION@", version()), ("@DATE@", date), ("@LICENSE@", licence())):
        info = info.replace(mark, value)
    target = share / "metainfo" / "org.libra_memory.libra.metainfo.xml"
    target.parent.mkdir(parents=True)
    target.write_text(info, "utf-8")
    target.chmod(0o644)


def control(root: Path, architecture: str) -> None:
    """Write the package's own description."""
    size_kib = sum(p.stat().st_size for p in root.rglob("*") if p.is_file() and not p.is_symlink()) // 1024
    (root / "DEBIAN").mkdir()
    (root / "DEBIAN" / "control").write_text(
        f"""Package: libra-memory
Version: {version()}
Architecture: {architecture}
Maintainer: The Libra developers <noreply@localhost>
Installed-Size: {size_kib}
Depends: libc6 (>= 2.31), zlib1g
Recommends: libnotify-bin
Section: utils
Priority: optional
Description: long-term memory for AI agents
 Libra runs in the background, reads what a person and their AI agents say to each
 other, and gives every agent what is worth knowing. Everything stays on the machine.
""",
        "utf-8",
    )


def main() -> None:
    """Build the package from the folder that is named, into the folder that is named."""
    folder, target = Path(sys.argv[1]), Path(sys.argv[2])
    architecture = ARCHITECTURES[os.uname().machine]
    stamp = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    target.mkdir(parents=True, exist_ok=True)
    out = target / f"libra-memory_{version()}_{architecture}.deb"
    with tempfile.TemporaryDirectory(prefix="libra-deb-") as scratch:
        root = Path(scratch) / "root"
        root.mkdir(mode=0o755)
        tree(folder, root, time.strftime("%Y-%m-%d", time.gmtime(stamp)))
        control(root, architecture)
        for path in (root, *root.rglob("*")):
            if path.is_dir():
                path.chmod(0o755)
        words = ["dpkg-deb", "--root-owner-group", "-Zxz", "-z4", "--build", str(root), str(out)]
        subprocess.run(words, check=True, env={**os.environ, "SOURCE_DATE_EPOCH": str(stamp)})
    print(f"{out} ({out.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
